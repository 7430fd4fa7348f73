//! The developer commands: `cargo xtask help` lists them.
//!
//! Each command is a short list of ordinary tool calls that is printed as it goes, so that a step which fails can be repeated by
//! hand. Nothing that the product needs at run time lives here.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a developer command talks to the terminal")]

use std::env;
use std::process::ExitCode;

mod arguments;
mod cargo_tools;
mod commands;
mod steps;
mod workspace;

use arguments::{Command, HELP};

/// The exit code for arguments that make no sense.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let command = match Command::parse(env::args_os().skip(1)) {
        Ok(command) => command,
        Err(error) => {
            eprintln!("error: {error:#}");
            return ExitCode::from(USAGE);
        }
    };
    let done = match command {
        Command::Help => {
            print!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        Command::Build { dist } => commands::build::run(dist),
        Command::Servers { quick, servers } => commands::servers::run(quick, &servers),
        Command::Demo { extra } => commands::demo::run(&extra),
        Command::Lint => commands::lint::run(),
        Command::Test { quick } => commands::test::run(quick),
        Command::Fuzz { seconds, targets } => commands::fuzz::run(seconds, &targets),
        Command::Bench { arguments } => commands::bench::run(&arguments),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
