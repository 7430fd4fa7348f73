//! Flags about the work that a run does, and when it gives up.

use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::units;

/// What to do with rows that are there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExistingChoice {
    /// Refuse to run
    Refuse,
    /// Drop the table first
    Drop,
    /// Write on top
    Append,
}

/// The load.
#[derive(Debug, Args)]
#[command(next_help_heading = "Load")]
pub(crate) struct LoadArgs {
    /// Rows of one operation. Larger batches give more rows/s and longer latencies; the last batch holds what is left
    #[arg(long, value_name = "COUNT", value_parser = units::small_count, default_value = "1000")]
    pub batch_rows: u32,
    /// Workers, each with one operation in flight and, by default, a connection of its own. A worker writes its next batch
    /// when the last one is acknowledged, so more workers load the server more
    #[arg(short = 'c', long, value_name = "COUNT", value_parser = units::small_count, default_value = "8")]
    pub workers: u32,
    /// Threads that the workers run on [default: one for each logical processor, never more than workers]
    #[arg(long, value_name = "COUNT", value_parser = units::small_count)]
    pub threads: Option<u32>,
    /// Connections that the workers share, for servers that allow few; workers then wait for each other
    /// [default: one for each worker]
    #[arg(long, value_name = "COUNT", value_parser = units::small_count)]
    pub connections: Option<u32>,
    /// Memory for batches that are made before the clock starts. A dataset that does not fit is made as the run goes, which
    /// costs the client processor time while it measures [default: a quarter of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub memory: Option<u64>,
    /// The longest that one request may take
    #[arg(long, value_name = "TIME", value_parser = units::time, default_value = "30s")]
    pub timeout: Duration,
    /// How often an operation is tried again after an error that the target calls worth it. 0 shows the server as it is
    #[arg(long, value_name = "COUNT", value_parser = units::small_count, default_value = "3")]
    pub retries: u32,
    /// Give up when more operations than this have failed
    #[arg(long, value_name = "COUNT", value_parser = units::count, default_value = "100", help_heading = "Limits")]
    pub max_errors: u64,
    /// Give up when the target's plugin has died more often than this
    #[arg(long, value_name = "COUNT", value_parser = units::count, default_value = "10", help_heading = "Limits")]
    pub max_crashes: u64,
    /// What to do when the table already holds rows in the dataset's time range: refuse, drop the table first, or append, which
    /// counts stored rows as the difference and is wrong where the server merges equal rows
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        default_value = "refuse",
        help_heading = "Limits",
        hide_possible_values = true
    )]
    pub existing: ExistingChoice,
    /// How long to wait, after the load, until the server shows every acknowledged row to a reader
    #[arg(long, value_name = "TIME", value_parser = units::time, default_value = "30s", help_heading = "Limits")]
    pub verify_timeout: Duration,
}
