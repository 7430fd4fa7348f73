//! Flags of `benchhost suite`.

use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{Args, Subcommand};

use super::{PrintArgs, TerminalArgs};
use crate::pairs::Pair;
use crate::units;

/// Run a file of runs, several times over, and compare them.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct SuiteArgs {
    #[command(subcommand)]
    pub command: SuiteCommand,
}

/// What can be done with a suite.
#[derive(Debug, Subcommand)]
pub(crate) enum SuiteCommand {
    /// Run it
    Run(SuiteRunArgs),
    /// Show what it would run
    Show(SuiteShowArgs),
}

/// Run a suite: every run of the file several times, in turns.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  benchhost suite run examples/suites/greptime-cpu.toml --endpoint http://127.0.0.1:4000 \\\n      \
                  -P greptime.grpc_endpoint=http://127.0.0.1:4001\n\n\
                  Without --endpoint, each run starts an embedded reference server of its own. Every run is a process of its own, and drops \
                  its table first unless the file sets `existing`. Ctrl-C ends the run that goes on; what there is is kept.\n\n\
                  What the flags here do not name comes from the file, and variables go before the file as they do for `benchhost run`: \
                  BENCHHOST_PASSWORD_FILE, BENCHHOST_CACERT.\n\nExit code: the worst of all runs."
)]
pub(crate) struct SuiteRunArgs {
    /// The suite: a TOML file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// How often each run is repeated [default: what the file says, or 3]
    #[arg(long, value_name = "COUNT", value_parser = units::small_count, help_heading = "What to run")]
    pub runs: Option<u32>,
    /// Only the run of this name; may be repeated
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = "What to run")]
    pub only: Vec<String>,
    /// Rows of every run, in place of the file's: to try a suite out
    #[arg(long, value_name = "COUNT", value_parser = units::count, help_heading = "What to run")]
    pub rows: Option<u64>,
    /// A setting of a plugin, in every run; PLUGIN.NAME=VALUE is for the runs with that plugin alone. May be repeated
    #[arg(short = 'P', long = "param", value_name = "NAME=VALUE", help_heading = "What to run")]
    pub params: Vec<Pair>,
    /// Show what would be run, and run nothing
    #[arg(long, value_parser = BoolishValueParser::new(), help_heading = "What to run")]
    pub dry_run: bool,
    /// Where the server is, in every run: http://127.0.0.1:4000
    #[arg(long, value_name = "URL", help_heading = "Server")]
    pub endpoint: Option<String>,
    /// The database (bucket, schema) to write to, in every run
    #[arg(long, value_name = "NAME", help_heading = "Server")]
    pub database: Option<String>,
    /// The user to log in as, in every run
    #[arg(long, value_name = "NAME", help_heading = "Server")]
    pub user: Option<String>,
    /// Folder in which the suite's own folder, SUITE-TIME, is made
    #[arg(short, long, value_name = "DIR", default_value = "benchhost-results", help_heading = "Result")]
    pub output: PathBuf,
    #[command(flatten)]
    pub print: PrintArgs,
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

/// Show what a suite would run.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  benchhost suite show examples/suites/greptime-cpu.toml")]
pub(crate) struct SuiteShowArgs {
    /// The suite: a TOML file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub print: PrintArgs,
    #[command(flatten)]
    pub terminal: TerminalArgs,
}
