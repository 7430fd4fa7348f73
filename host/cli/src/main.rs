//! The command line of benchhost: it turns flags into a plan, hands it to the other rooms, shows what comes of it, and answers by its exit
//! code. It is the only room that prints. It computes nothing: figures come from the core, text from the report.

mod args;
mod calibrate;
mod commands;
mod config;
mod console;
mod embedded;
mod exit;
mod failure;
mod host_facts;
mod nearest;
mod observe;
mod output_file;
mod pace;
mod pairs;
mod plugin_path;
mod plugins;
mod progress;
mod secrets;
mod settings;
mod signals;
mod sink;
mod suite;
mod units;
mod wiring;
mod workbench;

use std::process::ExitCode;

use args::{ArgsError, Command, Invocation, PluginCommand, SuiteCommand};
use console::Console;
use exit::ExitStatus;
use failure::Failure;

fn main() -> ExitCode {
    let invocation = match args::parse(std::env::args_os()) {
        Ok(invocation) => invocation,
        Err(ArgsError::Clap(answer)) => return answered(&answer),
        Err(ArgsError::File(failure)) => return failed(&Console::plain(), &failure),
    };
    let console = console(&invocation.cli.command);
    match dispatch(invocation, &console) {
        Ok(status) => status.into(),
        Err(failure) => failed(&console, &failure),
    }
}

fn dispatch(invocation: Invocation, console: &Console) -> Result<ExitStatus, Failure> {
    let Invocation { cli, file, password_file_from, token_file_from } = invocation;
    match cli.command {
        Command::Run(args) => {
            let secrets = wiring::secrets(&args.server, password_file_from, token_file_from)?;
            commands::run::run(&args, file, &secrets, console)
        }
        Command::Suite(args) => match args.command {
            SuiteCommand::Run(args) => commands::suite::run(&args, console),
            SuiteCommand::Show(args) => commands::suite::show(&args),
        },
        Command::Generate(args) => commands::generate::run(&args, file, console),
        Command::Show(args) => commands::show::run(&args, console),
        Command::Merge(args) => commands::merge::run(&args, console),
        Command::Serve(args) => commands::serve::run(&args, console),
        Command::Calibrate(args) => commands::calibrate::run(&args, console),
        Command::CalibrationServer(args) => commands::calibrate::serve(&args),
        Command::Overhead(args) => {
            let secrets = wiring::secrets(&args.server, password_file_from, token_file_from)?;
            commands::overhead::run(&args, &secrets, console)
        }
        Command::Plugin(args) => match args.command {
            PluginCommand::List(args) => commands::plugin_list::run(&args, console),
            PluginCommand::Inspect(args) => commands::plugin_inspect::run(&args, console),
            PluginCommand::Run(args) => {
                let secrets = wiring::secrets(&args.server, password_file_from, token_file_from)?;
                commands::plugin_run::run(&args, &secrets, console)
            }
            PluginCommand::Check(args) => {
                let secrets = wiring::secrets(&args.server, password_file_from, token_file_from)?;
                commands::plugin_check::run(&args, &secrets, console)
            }
            PluginCommand::New(args) => commands::plugin_new::run(&args, console),
            PluginCommand::Build(args) => commands::plugin_build::run(&args, console),
            PluginCommand::Wit(args) => commands::plugin_wit::run(&args, console),
        },
    }
}

/// The console that the command's own flags ask for.
fn console(command: &Command) -> Console {
    let flags = match command {
        Command::Run(args) => &args.terminal,
        Command::Suite(args) => match &args.command {
            SuiteCommand::Run(args) => &args.terminal,
            SuiteCommand::Show(args) => &args.terminal,
        },
        Command::Generate(args) => &args.terminal,
        Command::Show(args) => &args.terminal,
        Command::Merge(args) => &args.terminal,
        Command::Serve(args) => &args.terminal,
        Command::Calibrate(args) => &args.terminal,
        Command::Overhead(args) => &args.terminal,
        Command::CalibrationServer(_) => return Console::plain(),
        Command::Plugin(args) => match &args.command {
            PluginCommand::List(args) => &args.terminal,
            PluginCommand::Inspect(args) => &args.terminal,
            PluginCommand::Run(args) => &args.terminal,
            PluginCommand::Check(args) => &args.terminal,
            PluginCommand::New(args) => &args.terminal,
            PluginCommand::Build(args) => &args.terminal,
            PluginCommand::Wit(args) => &args.terminal,
        },
    };
    Console::new(flags.progress, flags.color, flags.verbose)
}

/// Help and version go to stdout, wrong flags to stderr; clap knows which is which. A closed stream is nobody's error.
fn answered(answer: &clap::Error) -> ExitCode {
    let _ = answer.print();
    let status = if answer.use_stderr() { ExitStatus::Usage } else { ExitStatus::Success };
    status.into()
}

fn failed(console: &Console, failure: &Failure) -> ExitCode {
    console.failure(failure);
    failure.status().into()
}
