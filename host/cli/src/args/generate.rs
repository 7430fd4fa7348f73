//! Flags of `benchhost generate`.

use std::path::PathBuf;

use benchhost_data::FileFormat;
use clap::builder::{BoolishValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::TerminalArgs;
use crate::pairs::Pair;
use crate::units;

/// Unit of timestamps in line protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PrecisionChoice {
    /// Seconds
    S,
    /// Milliseconds
    Ms,
    /// Microseconds
    Us,
    /// Nanoseconds
    Ns,
}

/// Write a dataset to a file.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    benchhost generate --dataset cpu -P hosts=100 --rows 1m --as line-protocol -o cpu.lp\n  \
    benchhost generate --dataset cpu --rows 10 --as csv -o -")]
pub(crate) struct GenerateArgs {
    /// The dataset's plugin: a name, or the path of a .wasm file
    #[arg(long, value_name = "NAME|FILE", help_heading = "What to generate")]
    pub dataset: Option<String>,
    /// A setting of the dataset; may be repeated. The variable BENCHHOST_PARAM separates several by `;`, the file has a table
    /// `param`
    #[arg(short = 'P', long = "param", value_name = "NAME=VALUE", help_heading = "What to generate")]
    pub params: Vec<Pair>,
    /// Rows to write: 250, 10k, 1.5m
    #[arg(long, value_name = "COUNT", value_parser = units::count, default_value = "1m", help_heading = "What to generate")]
    pub rows: u64,
    /// Seed of everything random: equal seeds and settings give equal rows
    #[arg(long, value_name = "NUMBER", default_value_t = 42, help_heading = "What to generate")]
    pub seed: u64,
    /// A TOML file with a key for every flag, without its dashes in front
    #[arg(long, value_name = "FILE", help_heading = "What to generate")]
    pub config: Option<PathBuf>,
    /// The file's format: line-protocol, csv, jsonl, arrow (IPC stream) or parquet
    #[arg(long = "as", value_name = "FORMAT", help_heading = "File", hide_possible_values = true)]
    #[arg(value_parser = PossibleValuesParser::new(FileFormat::ALL.map(FileFormat::as_str))
        .try_map(|name| name.parse::<FileFormat>()))]
    pub format: Option<FileFormat>,
    /// Unit of the timestamps in line protocol: s, ms, us or ns [default: the table's own]
    #[arg(long, value_name = "UNIT", value_enum, help_heading = "File", hide_possible_values = true)]
    pub precision: Option<PrecisionChoice>,
    /// The file; - is stdout. It appears under its name when it is complete
    #[arg(short, long, value_name = "FILE", help_heading = "File")]
    pub output: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long, help_heading = "File", value_parser = BoolishValueParser::new())]
    pub force: bool,
    #[command(flatten)]
    pub terminal: TerminalArgs,
}
