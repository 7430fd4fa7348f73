//! Flags of `benchhost overhead`.

use std::time::Duration;

use clap::Args;

use super::{PrintArgs, ServerArgs, TerminalArgs};
use crate::pairs::Pair;
use crate::units;

/// Tell what one plugin costs per operation, without a server's time.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  benchhost overhead acme.wasm --batch-rows 1,1000\n\n\
    A target writes a few batches to its server, by default the embedded reference server. From then on the host answers its requests from memory \
    with the server's last answer, so that what is left is what the client costs. In turns with it the target `null`, which drops its rows, does the same: \
    the difference is the plugin, with the encoders and the transport that it uses. On a server of your own the few rows stay.\n\n\
    Of a generator, it tells what filling rows costs.")]
pub(crate) struct OverheadArgs {
    /// A name, or the path of a .wasm file
    #[arg(value_name = "NAME|FILE")]
    pub plugin: String,
    /// Rows of an operation; several sizes are measured one after the other
    #[arg(long, value_name = "COUNT", value_parser = units::small_count, value_delimiter = ',', default_value = "1,100,1000")]
    pub batch_rows: Vec<u32>,
    /// How long each size is measured; half of it is the null target's
    #[arg(long, value_name = "TIME", value_parser = units::time, default_value = "2s")]
    pub duration: Duration,
    /// The dataset's plugin that a target's rows come from: a name, or the path of a .wasm file
    #[arg(long, value_name = "NAME|FILE", default_value = "cpu")]
    pub dataset: String,
    /// A setting of either plugin; may be repeated. Where both have one of that name, write target.NAME or dataset.NAME
    #[arg(short = 'P', long = "param", value_name = "NAME=VALUE")]
    pub params: Vec<Pair>,
    /// Seed of everything random
    #[arg(long, value_name = "NUMBER", default_value_t = 42)]
    pub seed: u64,
    /// The longest that one request may take
    #[arg(long, value_name = "TIME", value_parser = units::time, default_value = "30s")]
    pub timeout: Duration,
    #[command(flatten)]
    pub server: ServerArgs,
    #[command(flatten)]
    pub print: PrintArgs,
    #[command(flatten)]
    pub terminal: TerminalArgs,
}
