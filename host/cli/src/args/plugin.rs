//! Flags of `benchhost plugin`.

use std::path::PathBuf;
use std::time::Duration;

use benchhost_authoring::{Kind, Language};
use clap::builder::BoolishValueParser;
use clap::{Args, Subcommand};

use super::{PrintArgs, ServerArgs, TerminalArgs};
use crate::pairs::Pair;
use crate::units;

/// Look at plugins, and write one of your own.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct PluginArgs {
    #[command(subcommand)]
    pub command: PluginCommand,
}

/// What can be looked at.
#[derive(Debug, Subcommand)]
pub(crate) enum PluginCommand {
    /// The plugins that can be named, and where they are
    List(ListArgs),
    /// One plugin: its settings, and what it imports and exports
    Inspect(InspectArgs),
    /// Call one plugin a few times, and show what it does: for its author
    Run(Box<PluginRunArgs>),
    /// Check whether one plugin keeps the contract, also with a server that fails
    Check(Box<PluginCheckArgs>),
    /// Start a plugin of your own: a small project that builds and works
    New(PluginNewArgs),
    /// Build a plugin's project by its language's own tools
    Build(PluginBuildArgs),
    /// Write the contract (WIT) into a folder, to build a plugin against
    Wit(WitArgs),
}

/// The plugins that can be named, and where they are.
#[derive(Debug, Args)]
#[command(
    after_help = "Plugins are looked for next to the binary and in its folder `plugins`, then in the folders of \
                        BENCHHOST_PLUGIN_PATH (separated by `:`), then in ~/.local/share/benchhost/plugins."
)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub print: PrintArgs,
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

/// One plugin: its settings, and what it imports and exports.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  benchhost plugin inspect influx")]
pub(crate) struct InspectArgs {
    /// A name, or the path of a .wasm file
    #[arg(value_name = "NAME|FILE")]
    pub plugin: String,
    #[command(flatten)]
    pub print: PrintArgs,
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

/// Call one plugin a few times, and show what it does: for its author.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  benchhost plugin run acme.wasm --trace\n\n\
    Without --endpoint a target writes to the embedded reference server. Nothing is dropped: on a server of your own the rows stay.")]
pub(crate) struct PluginRunArgs {
    /// A name, or the path of a .wasm file
    #[arg(value_name = "NAME|FILE")]
    pub plugin: String,
    /// Show also what the plugin asks of the host, each call with its time and bytes
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub trace: bool,
    /// The dataset's plugin that a target's rows come from: a name, or the path of a .wasm file
    #[arg(long, value_name = "NAME|FILE", default_value = "cpu")]
    pub dataset: String,
    /// A setting of either plugin; may be repeated. Where both have one of that name, write target.NAME or dataset.NAME
    #[arg(short = 'P', long = "param", value_name = "NAME=VALUE")]
    pub params: Vec<Pair>,
    /// Batches to write, or to make
    #[arg(long, value_name = "COUNT", value_parser = units::small_count, default_value = "2")]
    pub batches: u32,
    /// Rows of each
    #[arg(long, value_name = "COUNT", value_parser = units::small_count, default_value = "1000")]
    pub batch_rows: u32,
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

/// Check whether one plugin keeps the contract, also with a server that fails.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  benchhost plugin check acme.wasm\n\n\
    Without --endpoint a target is checked against the embedded reference server. On a server of your own the tables of the check have names \
    that nobody else has, and are dropped.\n\n\
    It exits with 0 when it passed, with 3 when a rule is broken, and with 4 when the plugin could not be tried.")]
pub(crate) struct PluginCheckArgs {
    /// A name, or the path of a .wasm file
    #[arg(value_name = "NAME|FILE")]
    pub plugin: String,
    /// A setting of the plugin; may be repeated
    #[arg(short = 'P', long = "param", value_name = "NAME=VALUE")]
    pub params: Vec<Pair>,
    /// Seed of everything random
    #[arg(long, value_name = "NUMBER", default_value_t = 42)]
    pub seed: u64,
    /// The longest that one request may take on a way that does not fail
    #[arg(long, value_name = "TIME", value_parser = units::time, default_value = "30s")]
    pub timeout: Duration,
    #[command(flatten)]
    pub server: ServerArgs,
    #[command(flatten)]
    pub print: PrintArgs,
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

/// Start a plugin of your own: a small project that builds and works.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  benchhost plugin new acme --kind target --lang python")]
pub(crate) struct PluginNewArgs {
    /// The plugin's name: lower case letters, digits and `-`
    #[arg(value_name = "NAME")]
    pub name: String,
    /// What it is for: `target` (a database) or `generator` (a dataset)
    #[arg(long, value_name = "KIND", default_value = "target")]
    pub kind: Kind,
    /// Its language: rust, python, javascript, go or c
    #[arg(long, value_name = "LANGUAGE")]
    pub lang: Language,
    /// Where it goes [default: a folder of its name]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

/// Build a plugin's project by its language's own tools.
#[derive(Debug, Args)]
#[command(
    after_help = "It reads plugin.toml and writes NAME.wasm beside it. Nothing is installed: a tool that is missing is named, with the \
    command that gets it."
)]
pub(crate) struct PluginBuildArgs {
    /// The project's folder
    #[arg(value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

/// Write the contract (WIT) into a folder, to build a plugin against.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  benchhost plugin wit wit")]
pub(crate) struct WitArgs {
    /// The folder; it is made when it is not there, and files of these names in it are replaced
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub terminal: TerminalArgs,
}
