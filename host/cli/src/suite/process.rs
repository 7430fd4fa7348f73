//! One run as a process of its own, and what Ctrl-C does to it.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clap::ValueEnum;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::NamedTempFile;
use toml::Table;

use crate::args::TerminalArgs;
use crate::console::Console;
use crate::failure::{Classify, Failure};

/// A run could not be started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProcessError {
    /// Its settings could not be handed over.
    #[error("cannot write the settings of a run to a temporary file")]
    Config(#[source] io::Error),
    /// The program itself cannot be found or started.
    #[error("cannot start benchhost once more")]
    Start(#[source] io::Error),
    /// Nobody knows how it ended.
    #[error("cannot wait for a run to end")]
    Wait(#[source] io::Error),
}

/// `benchhost run` with these settings, ready to start.
#[derive(Debug)]
pub(crate) struct Child {
    command: Command,
    /// Gone when this is: settings may hold what is nobody's business.
    _config: NamedTempFile,
}

impl Child {
    /// Prepares a run into `folder`. Its settings go by a file that only the user can read, never by its command line, which all can.
    ///
    /// # Errors
    ///
    /// When there is no room for a temporary file.
    pub(crate) fn new(
        config: &Table,
        words: &[String],
        folder: &Path,
        terminal: &TerminalArgs,
    ) -> Result<Self, ProcessError> {
        let mut file = tempfile::Builder::new()
            .prefix("benchhost-run-")
            .suffix(".toml")
            .tempfile()
            .map_err(ProcessError::Config)?;
        file.write_all(config.to_string().as_bytes()).and_then(|()| file.flush()).map_err(ProcessError::Config)?;
        let mut command = Command::new(std::env::current_exe().map_err(ProcessError::Start)?);
        command.arg("run").arg("--config").arg(file.path()).args(words).arg("--output").arg(folder);
        command.args(["--format", "text"]);
        command.args(["--progress", &word(&terminal.progress), "--color", &word(&terminal.color)]);
        if terminal.verbose {
            command.arg("--verbose");
        }
        // The report is read from the folder; what goes wrong is told on the stderr of both.
        command.stdin(Stdio::null()).stdout(Stdio::null());
        // A terminal sends Ctrl-C to all processes of a group. In a group of its own the run gets each signal once: from here.
        command.process_group(0);
        Ok(Self { command, _config: file })
    }
}

/// A choice as the command line spells it.
fn word(choice: &impl ValueEnum) -> String {
    choice.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Signals of the user, handed on to the run that goes on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupts {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    requested: bool,
    running: Option<Pid>,
}

impl Interrupts {
    /// From now on, a signal ends the run that goes on instead of this process: the first lets it drain, the second ends it at once.
    ///
    /// # Errors
    ///
    /// When the system does not let signals be handled.
    pub(crate) fn watch(console: Console) -> Result<Self, Failure> {
        let interrupts = Self::default();
        let watching = interrupts.clone();
        ctrlc::set_handler(move || {
            if watching.request() {
                console.line("the suite ends with this run");
            }
        })
        .or_internal()
        .map_err(|failure| failure.context("cannot handle signals"))?;
        Ok(interrupts)
    }

    /// Whether the user has asked to stop.
    pub(crate) fn requested(&self) -> bool {
        self.lock().requested
    }

    /// Starts a run and waits for its end; none when the user asked to stop before it started.
    ///
    /// # Errors
    ///
    /// When it cannot be started.
    pub(crate) fn run(&self, child: &mut Child) -> Result<Option<ExitStatus>, ProcessError> {
        let mut process = {
            // Held over the start, so that no signal falls between the start and knowing whom to tell.
            let mut state = self.lock();
            if state.requested {
                return Ok(None);
            }
            let process = child.command.spawn().map_err(ProcessError::Start)?;
            state.running = Some(Pid::from_child(&process));
            process
        };
        let status = process.wait().map_err(ProcessError::Wait);
        self.lock().running = None;
        status.map(Some)
    }

    /// Hands a signal on. Tells whether it was the first.
    fn request(&self) -> bool {
        let mut state = self.lock();
        if let Some(pid) = state.running {
            // One that has ended in this moment needs no signal.
            let _ = kill_process(pid, Signal::INT);
        }
        !std::mem::replace(&mut state.requested, true)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
