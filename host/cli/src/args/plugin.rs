//! Flags of `benchhost plugin`.

use clap::{Args, Subcommand};

use super::{PrintArgs, TerminalArgs};

/// Look at plugins.
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
