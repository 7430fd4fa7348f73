//! Flags about the work that a run does, and when it gives up.

use std::time::Duration;

use clap::builder::BoolishValueParser;
use clap::{Args, ValueEnum};

use crate::units::{self, Rate};

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

/// How operations of a schedule are spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArrivalChoice {
    /// Evenly
    Uniform,
    /// At random, as independent users would
    Poisson,
}

/// The load.
#[derive(Debug, Args)]
#[command(next_help_heading = "Load")]
pub(crate) struct LoadArgs {
    /// Rows of one operation. Larger batches give more rows/s and longer latencies; the last batch holds what is left
    #[arg(long, value_name = "COUNT", value_parser = units::small_count, default_value = "1000")]
    pub batch_rows: u32,
    /// Workers, each with one operation in flight and, by default, a connection of its own. Without --rate, a worker writes its next
    /// batch when the last one is acknowledged, so more workers load the server more. Several numbers are a ladder, with one measured
    /// step each: 16,50,100,200
    #[arg(
        short = 'c',
        long,
        value_name = "COUNT[,…]",
        value_parser = units::small_count,
        value_delimiter = ',',
        default_value = "8"
    )]
    pub workers: Vec<u32>,
    /// How long to write, in each step. Operations in flight at the end are waited for and count [default: until --rows are written]
    #[arg(short, long, value_name = "TIME", value_parser = units::time)]
    pub duration: Option<Duration>,
    /// Load before the clock starts, at the same pace; it is recorded apart and counted in what is stored
    #[arg(short, long, value_name = "TIME", value_parser = units::time, default_value = "0s")]
    pub warmup: Duration,
    /// Offer this much per second, whatever becomes of it: 50krows or 200op. Latency is then response time, counted from when an
    /// operation was due; a server that is too slow shows as lag, and the run as invalid
    #[arg(short, long, value_name = "RATE", value_parser = units::rate)]
    pub rate: Option<Rate>,
    /// Change the rate in a straight line to this one, in this time: 30s:50krows; may be repeated. The first stage begins at --rate, or
    /// at its own rate
    #[arg(long, value_name = "TIME:RATE", value_parser = units::stage)]
    pub stage: Vec<(Duration, Rate)>,
    /// How operations of a --rate are spaced: uniform, or poisson, as independent users would (seeded by --seed) [default: uniform]
    #[arg(long, value_name = "HOW", value_enum, hide_possible_values = true)]
    pub arrival: Option<ArrivalChoice>,
    /// Search for the highest rate that the server sustains: doubled until it fails, then halved in, then confirmed five times. A rate
    /// holds when every --slo does, 99 % of it is achieved and lag does not grow. Begins at --rate, or at a quarter of what a closed
    /// loop reaches
    #[arg(long, conflicts_with = "stage", value_parser = BoolishValueParser::new())]
    pub find_max: bool,
    /// How long --find-max tries each rate; confirmations take three times as long [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    pub probe: Option<Duration>,
    /// Length of the intervals that the result's series are made of
    #[arg(long, value_name = "TIME", value_parser = units::time, default_value = "1s")]
    pub interval: Duration,
    /// Threads that the workers run on [default: one for each logical processor, never more than workers]
    #[arg(long, value_name = "COUNT", value_parser = units::small_count)]
    pub threads: Option<u32>,
    /// Let these threads wait without sleeping. On a machine that wakes up slowly, as virtual ones do, latencies are then free of that,
    /// at the price of one whole processor for each thread
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub spin: bool,
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
    /// Give up when more operations than this are due and not started [default: those of ten seconds at the highest rate, at least 1000]
    #[arg(long, value_name = "COUNT", value_parser = units::count, help_heading = "Limits")]
    pub max_queue: Option<u64>,
    /// How long the same load is tried without the server afterwards, to learn how much faster the client could have been; 0s: not at all
    #[arg(long, value_name = "TIME", value_parser = units::time, default_value = "500ms", help_heading = "Limits")]
    pub headroom: Duration,
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
