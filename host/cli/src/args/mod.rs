//! The command line: names, defaults and help of every flag, and the order in which flags, environment and file count. Nothing here
//! looks at what a value means for a run.

mod bundle;
mod calibrate;
mod generate;
mod load;
mod overhead;
mod plugin;
mod run;
mod serve;
mod server;
mod suite;
mod terminal;

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

pub(crate) use bundle::{MergeArgs, ShowArgs};
pub(crate) use calibrate::{CalibrateArgs, CalibrationServerArgs};
pub(crate) use generate::{GenerateArgs, PrecisionChoice};
pub(crate) use load::{ArrivalChoice, ExistingChoice, LoadArgs};
pub(crate) use overhead::OverheadArgs;
pub(crate) use plugin::{
    InspectArgs, ListArgs, PluginArgs, PluginBuildArgs, PluginCheckArgs, PluginCommand, PluginNewArgs, PluginRunArgs,
    WitArgs,
};
pub(crate) use run::RunArgs;
pub(crate) use serve::ServeArgs;
pub(crate) use server::ServerArgs;
pub(crate) use suite::{SuiteArgs, SuiteCommand, SuiteRunArgs, SuiteShowArgs};
pub(crate) use terminal::{ColorChoice, FormatChoice, PrintArgs, ProgressChoice, TerminalArgs};

use crate::config::{self, FileLayer};
use crate::failure::Failure;

/// Every variable of the environment begins with this.
pub(crate) const VARIABLE_PREFIX: &str = "BENCHHOST_";

/// Benchmarks databases under one host: every protocol and dataset is a sandboxed WebAssembly component.
#[derive(Debug, Parser)]
#[command(
    name = "benchhost",
    version,
    arg_required_else_help = true,
    propagate_version = false,
    max_term_width = 110,
    after_help = "Every flag has a variable, BENCHHOST_ and its name in capitals (BENCHHOST_BATCH_ROWS), and for `run` and `generate` a key \
                  of its name in the TOML file that --config names. A flag goes before a variable, a variable before the file.\n\n\
                  Exit codes: 0 valid, 1 internal, 2 usage, 3 a plugin broke its contract, 4 target unreachable or too many errors, \
                  5 invalid result, 6 an objective (--slo) was missed, 130 interrupted."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a dataset to a database, measure it, and check what was stored
    Run(Box<RunArgs>),
    /// Run a file of runs, several times over, and compare them
    Suite(SuiteArgs),
    /// Write a dataset to a file
    Generate(GenerateArgs),
    /// Print the result of a run again
    Show(ShowArgs),
    /// Make one result of several parts of the same load
    Merge(MergeArgs),
    /// Start the reference server: InfluxDB, GreptimeDB and OTLP in one process
    Serve(ServeArgs),
    /// Judge benchhost itself: measure a server whose times are known
    Calibrate(CalibrateArgs),
    /// The server of `calibrate`
    #[command(hide = true)]
    CalibrationServer(CalibrationServerArgs),
    /// Tell what one plugin costs per operation, without a server's time
    Overhead(Box<OverheadArgs>),
    /// Look at plugins, and write one of your own
    Plugin(PluginArgs),
}

/// The command line, and what cannot be read off its values alone.
#[derive(Debug)]
pub(crate) struct Invocation {
    /// The flags, with environment, file and defaults filled in.
    pub cli: Cli,
    /// Pairs that the configuration file gives; they are merged by name, not replaced as a whole.
    pub file: FileLayer,
    /// Where the password file was named, if it was.
    pub password_file_from: Option<ValueSource>,
    /// Idem, for the token file.
    pub token_file_from: Option<ValueSource>,
}

/// Why there is no invocation.
#[derive(Debug)]
pub(crate) enum ArgsError {
    /// Wrong flags, or a question that clap has answered: help or version.
    Clap(clap::Error),
    /// A configuration file that cannot be used.
    File(Failure),
}

/// Reads the command line.
///
/// A configuration file is read between two passes: the first one only finds its name, and its values become the defaults of the second. So
/// clap itself keeps the order default, file, environment, flag.
pub(crate) fn parse<I>(arguments: I) -> Result<Invocation, ArgsError>
where
    I: IntoIterator<Item = OsString>,
{
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut command = command();
    let mut matches = command.try_get_matches_from_mut(&arguments).map_err(ArgsError::Clap)?;
    let mut file = FileLayer::default();
    if let Some((name, path)) = config_file(&matches) {
        file = config::read(&path, &command, &name).map_err(ArgsError::File)?;
        command = self::command().mut_subcommand(&name, |subcommand| file.as_defaults(subcommand));
        matches = command.try_get_matches_from_mut(&arguments).map_err(ArgsError::Clap)?;
    }
    let source = |id: &str| {
        let (_, flags) = matches.subcommand()?;
        if matches!(flags.try_contains_id(id), Ok(true)) { flags.value_source(id) } else { None }
    };
    let (password_file_from, token_file_from) = (source("password_file"), source("token_file"));
    let cli = Cli::from_arg_matches(&matches).map_err(|error| ArgsError::Clap(error.format(&mut command)))?;
    Ok(Invocation { cli, file, password_file_from, token_file_from })
}

/// The commands, with a variable for every flag that has a name.
pub(crate) fn command() -> clap::Command {
    with_variables(Cli::command())
}

fn with_variables(command: clap::Command) -> clap::Command {
    command
        .mut_args(|arg| {
            // Pairs are merged over all layers by name, which clap cannot do: `pairs::layered` reads their variables.
            let merged = matches!(arg.get_id().as_str(), "params" | "tags");
            match arg.get_long() {
                Some(long) if !merged => {
                    let variable = variable(long);
                    arg.env(variable).hide_env(true)
                }
                _ => arg,
            }
        })
        .mut_subcommands(with_variables)
}

/// The variable of a flag.
pub(crate) fn variable(long: &str) -> String {
    format!("{VARIABLE_PREFIX}{}", long.replace('-', "_").to_ascii_uppercase())
}

/// The subcommand and the configuration file that it is given.
fn config_file(matches: &ArgMatches) -> Option<(String, std::path::PathBuf)> {
    let (name, flags) = matches.subcommand()?;
    let path = flags.try_get_one::<std::path::PathBuf>("config").ok()??;
    Some((name.to_owned(), path.clone()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_flag_has_a_variable_named_after_it_and_a_help_text() {
        fn check(command: &clap::Command) {
            for arg in command.get_arguments().filter(|arg| !matches!(arg.get_id().as_str(), "help" | "version")) {
                let long = arg.get_long().unwrap_or_default();
                assert!(arg.get_help().is_some(), "{} {long} has no help", command.get_name());
                if !long.is_empty() && !matches!(long, "param" | "tag") {
                    assert_eq!(arg.get_env().unwrap().to_str().unwrap(), variable(long));
                }
            }
            command.get_subcommands().for_each(check);
        }
        check(&command());
        assert_eq!(variable("batch-rows"), "BENCHHOST_BATCH_ROWS");
    }
}
