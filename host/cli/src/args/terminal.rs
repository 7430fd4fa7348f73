//! Flags about what the terminal shows.

use clap::builder::BoolishValueParser;
use clap::{Args, ValueEnum};

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set or TERM is `dumb`
    Auto,
    /// Also into files and pipes
    Always,
    /// Not at all
    Never,
}

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressChoice {
    /// A bar on a terminal, lines elsewhere
    Auto,
    /// A line every few seconds
    Plain,
    /// Nothing
    None,
}

/// How a result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatChoice {
    /// For people
    Text,
    /// One JSON document
    Json,
}

/// How the result is shown on stdout.
#[derive(Debug, Args)]
pub(crate) struct PrintArgs {
    /// How to print on stdout: text, or json: exactly one document, which of a run is the one that its folder holds
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value = "text",
        help_heading = "Result",
        hide_possible_values = true
    )]
    pub format: FormatChoice,
}

/// What the terminal shows. Everything but the result goes to stderr.
#[derive(Debug, Args)]
#[command(next_help_heading = "Terminal")]
pub(crate) struct TerminalArgs {
    /// How to show progress on stderr: auto, plain or none
    #[arg(long, value_name = "HOW", value_enum, default_value = "auto", hide_possible_values = true)]
    pub progress: ProgressChoice,
    /// When to use colours: auto, always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto", hide_possible_values = true)]
    pub color: ColorChoice,
    /// Show what plugins say at levels info and debug, not only errors and warnings
    #[arg(short, long, value_parser = BoolishValueParser::new())]
    pub verbose: bool,
}
