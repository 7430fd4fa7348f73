//! Flags of `benchhost run`.

use std::path::PathBuf;

use benchhost_core::Objective;
use clap::Args;

use super::{LoadArgs, PrintArgs, ServerArgs, TerminalArgs};
use crate::observe::{self, ObserveSpec};
use crate::pairs::Pair;
use crate::units;

/// Write a dataset to a database, measure it, and check what was stored.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    benchhost run --plugin influx --endpoint http://127.0.0.1:8086 --database bench \\\n      \
    --dataset cpu -P hosts=100 --rows 1m --batch-rows 1000 -c 8\n\n\
    The same at a fixed rate, with a warm-up, a promise to keep, and the server's processes watched:\n  \
    benchhost run … -r 50krows -d 60s -w 10s --slo 'p99<50ms' --observe name:influxd\n\n\
    `benchhost plugin inspect influx` lists what -P can set.")]
pub(crate) struct RunArgs {
    /// The database's plugin: a name, or the path of a .wasm file
    #[arg(long, value_name = "NAME|FILE", help_heading = "What to run")]
    pub plugin: Option<String>,
    /// The dataset's plugin: a name, or the path of a .wasm file
    #[arg(long, value_name = "NAME|FILE", help_heading = "What to run")]
    pub dataset: Option<String>,
    /// A setting of either plugin; may be repeated. Where both have one of that name, write target.NAME or dataset.NAME. The
    /// variable BENCHHOST_PARAM separates several by `;`, the file has a table `param`
    #[arg(short = 'P', long = "param", value_name = "NAME=VALUE", help_heading = "What to run")]
    pub params: Vec<Pair>,
    /// Rows to write, over all tables: 250, 10k, 1.5m. With a ladder of workers, rows of each step [default: 1m, unless --duration or
    /// --stage says how long to write]
    #[arg(long, value_name = "COUNT", value_parser = units::count, help_heading = "What to run")]
    pub rows: Option<u64>,
    /// Seed of everything random: equal seeds and settings give equal rows
    #[arg(long, value_name = "NUMBER", default_value_t = 42, help_heading = "What to run")]
    pub seed: u64,
    /// What the result must keep to, or the run ends with exit code 6; may be repeated: p99<50ms (of response time at a --rate, else of
    /// service time; also p50, p90, p95, p99.9, max, mean, each also as service.p99 or lag.p99), errors<0.1%, rate>=100krows
    #[arg(long, value_name = "OBJECTIVE", help_heading = "Result")]
    pub slo: Vec<Objective>,
    /// Watch what the server uses of its machine: pid:4711, name:influxd, cgroup:PATH or prometheus:URL
    #[arg(long, value_name = "WHAT", value_parser = observe::parse, help_heading = "Server")]
    pub observe: Option<ObserveSpec>,
    #[command(flatten)]
    pub server: ServerArgs,
    #[command(flatten)]
    pub load: LoadArgs,
    /// Folder for the result, or `none` to keep nothing on disk [default: benchhost-results/TIME-TARGET-DATASET]
    #[arg(short, long, value_name = "DIR|none", help_heading = "Result")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub print: PrintArgs,
    /// Your own words about the run, kept in the result; may be repeated. BENCHHOST_TAG separates several by `;`, the file has
    /// a table `tag`
    #[arg(long = "tag", value_name = "NAME=VALUE", help_heading = "Result")]
    pub tags: Vec<Pair>,
    /// A TOML file with a key for every flag, without its dashes in front
    #[arg(long, value_name = "FILE", help_heading = "What to run")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub terminal: TerminalArgs,
}
