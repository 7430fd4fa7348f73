//! Flags of `benchhost calibrate`.

use std::time::Duration;

use clap::Args;
use clap::builder::BoolishValueParser;

use super::{PrintArgs, TerminalArgs};
use crate::units;

/// Judge benchhost itself: measure a server whose service times are known.
#[derive(Debug, Args)]
#[command(
    after_help = "It starts a reference server on this machine that holds every request for a known time, measures it with the \
                  plugins `influx` and `cpu` as any run would, and prints by how much every percentile is off. Run it on a machine \
                  that does nothing else.\n\nExit codes: 0 every figure holds, 5 one does not."
)]
pub(crate) struct CalibrateArgs {
    /// How long each case is measured; at least 2s. Longer cases have more percentiles
    #[arg(long, value_name = "TIME", value_parser = units::time, default_value = "10s", help_heading = "What to run")]
    pub duration: Duration,
    /// Measure each case for 2 seconds, the stall for 10, whatever --duration says
    #[arg(long, help_heading = "What to run", value_parser = BoolishValueParser::new())]
    pub quick: bool,
    /// Let client and server sleep while they wait, as a run without --spin does: shows what the machine's waking up adds. Without
    /// it both spin where a case has one worker; on one processor they always sleep
    #[arg(long, help_heading = "What to run", value_parser = BoolishValueParser::new())]
    pub sleep: bool,
    #[command(flatten)]
    pub print: PrintArgs,
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

/// The server of `benchhost calibrate`. It ends when its stdin closes.
#[derive(Debug, Args)]
pub(crate) struct CalibrationServerArgs {
    /// How it behaves, as JSON
    #[arg(value_name = "OPTIONS")]
    pub options: String,
}
