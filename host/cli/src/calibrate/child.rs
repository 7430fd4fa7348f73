//! The reference server in a process of its own, so that it takes no processor time and no lock from the client. The two speak in
//! lines: the child says its address when it is ready, then answers one line for each that it is given, and ends when there are no
//! more. So it cannot outlive its parent, however that ends.

use std::io::{self, BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};

use benchhost_reference::{Server, ServerOptions, Truth};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::console;
use crate::failure::{Classify, Failure};

/// The hidden command.
const COMMAND: &str = "calibration-server";
const TRUTH: &str = "truth";
const RESET: &str = "reset";

/// What the child says first.
#[derive(Debug, Serialize, Deserialize)]
struct Ready {
    address: SocketAddr,
}

/// The child cannot do its part.
#[derive(Debug, thiserror::Error)]
enum ChildError {
    #[error("the calibration server cannot be started")]
    Start(#[source] io::Error),
    #[error("the calibration server does not answer")]
    Silent(#[source] io::Error),
    #[error("the calibration server ended early; its own error stands above")]
    Ended,
    #[error("the calibration server answers `{line}`, which cannot be read")]
    Unreadable {
        line: String,
        #[source]
        source: serde_json::Error,
    },
    #[error("the calibration server does not know the command `{0}`")]
    Unknown(String),
}

/// A running server.
pub(crate) struct Child {
    process: process::Child,
    /// None when the server has been told to end.
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    address: SocketAddr,
}

impl Child {
    /// Starts a server; it is ready when this returns.
    pub(crate) fn start(options: &ServerOptions) -> Result<Self, Failure> {
        let options = serde_json::to_string(options).or_internal()?;
        let binary = std::env::current_exe().map_err(ChildError::Start).or_internal()?;
        let mut process = Command::new(binary)
            .args([COMMAND, &options])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(ChildError::Start)
            .or_internal()?;
        let (Some(orders), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(Failure::internal(ChildError::Ended));
        };
        let mut answers = BufReader::new(answers);
        match read::<Ready>(&mut answers) {
            Ok(Ready { address }) => Ok(Self { process, orders: Some(orders), answers, address }),
            Err(error) => {
                drop(orders);
                let _ = process.wait();
                Err(Failure::internal(error))
            }
        }
    }

    /// Its URL.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it did since it was last reset.
    pub(crate) fn truth(&mut self) -> Result<Truth, Failure> {
        self.ask(TRUTH).or_internal()
    }

    /// Forgets what it did.
    pub(crate) fn reset(&mut self) -> Result<(), Failure> {
        self.ask(RESET).or_internal()
    }

    fn ask<T: DeserializeOwned>(&mut self, order: &str) -> Result<T, ChildError> {
        let orders = self.orders.as_mut().ok_or(ChildError::Ended)?;
        orders.write_all(format!("{order}\n").as_bytes()).map_err(ChildError::Silent)?;
        read(&mut self.answers)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.orders = None;
        let _ = self.process.wait();
    }
}

fn read<T: DeserializeOwned>(answers: &mut impl BufRead) -> Result<T, ChildError> {
    let mut line = String::new();
    match answers.read_line(&mut line).map_err(ChildError::Silent)? {
        0 => Err(ChildError::Ended),
        _ => serde_json::from_str(&line)
            .map_err(|source| ChildError::Unreadable { line: line.trim_end().into(), source }),
    }
}

/// The child's side: serves until there are no more lines.
pub(crate) fn serve(options: &str) -> Result<(), Failure> {
    let options: ServerOptions = serde_json::from_str(options).or_usage()?;
    // A terminal sends Ctrl-C to parent and child alike, and the parent's operations in flight still need an answer.
    ctrlc::set_handler(|| ()).or_internal()?;
    let server = Server::start(options).or_internal()?;
    say(&Ready { address: server.address })?;
    for line in io::stdin().lines() {
        match line.or_internal()?.as_str() {
            TRUTH => say(&server.truth())?,
            RESET => {
                server.reset();
                say(&())?;
            }
            other => return Err(Failure::usage(ChildError::Unknown(other.into()))),
        }
    }
    Ok(())
}

/// One line of JSON.
fn say(value: &impl Serialize) -> Result<(), Failure> {
    let line = serde_json::to_string(value).or_internal()?;
    console::print(&format!("{line}\n")).or_internal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_one_by_one_and_their_end_is_the_childs() {
        let mut lines = io::Cursor::new("{\"address\":\"127.0.0.1:80\"}\nnull\nnonsense\n");
        assert!(matches!(read::<Ready>(&mut lines), Ok(ready) if ready.address.port() == 80));
        assert!(matches!(read::<()>(&mut lines), Ok(())));
        assert!(matches!(read::<Truth>(&mut lines), Err(ChildError::Unreadable { line, .. }) if line == "nonsense"));
        assert!(matches!(read::<Truth>(&mut lines), Err(ChildError::Ended)));
    }
}
