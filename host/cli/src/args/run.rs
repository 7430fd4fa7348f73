//! Flags of `benchhost run`.

use std::path::PathBuf;

use clap::Args;

use super::{FormatChoice, LoadArgs, ServerArgs, TerminalArgs};
use crate::pairs::Pair;
use crate::units;

/// Write a dataset to a database, measure it, and check what was stored.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    benchhost run --plugin influx --endpoint http://127.0.0.1:8086 --database bench \\\n      \
    --dataset cpu -P hosts=100 --rows 1m --batch-rows 1000 -c 8\n\n\
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
    /// Rows to write, over all tables: 250, 10k, 1.5m
    #[arg(long, value_name = "COUNT", value_parser = units::count, default_value = "1m", help_heading = "What to run")]
    pub rows: u64,
    /// Seed of everything random: equal seeds and settings give equal rows
    #[arg(long, value_name = "NUMBER", default_value_t = 42, help_heading = "What to run")]
    pub seed: u64,
    #[command(flatten)]
    pub server: ServerArgs,
    #[command(flatten)]
    pub load: LoadArgs,
    /// Folder for the result, or `none` to keep nothing on disk [default: benchhost-results/TIME-TARGET-DATASET]
    #[arg(short, long, value_name = "DIR|none", help_heading = "Result")]
    pub output: Option<PathBuf>,
    /// How to print the result on stdout: text, or json, which is the document that the result folder holds
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value = "text",
        help_heading = "Result",
        hide_possible_values = true
    )]
    pub format: FormatChoice,
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
