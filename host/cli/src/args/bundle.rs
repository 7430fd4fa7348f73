//! Flags of `benchhost show` and `benchhost merge`.

use std::path::PathBuf;

use clap::Args;

use super::{PrintArgs, TerminalArgs};

/// Print the result of a run again. A run that was killed is shown up to its last interval.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The folder that the run wrote
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub print: PrintArgs,
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

/// Make one result of several parts of the same load, which ran at the same time on several machines: counts and rates add up, histograms
/// are merged without loss, and the verdict is the worst.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The folders that the parts wrote
    #[arg(value_name = "DIR", required = true, num_args = 2..)]
    pub folders: Vec<PathBuf>,
    /// Folder for the merged result; without it, it is only printed
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub print: PrintArgs,
    #[command(flatten)]
    pub terminal: TerminalArgs,
}
