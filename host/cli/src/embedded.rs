//! The embedded reference server: what a run writes to when no server was named. It is a process of its own, so that the figures of the
//! client are the client's alone.

use std::io::{self, BufRead, BufReader};
use std::process::{self, ChildStdin, Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::failure::{Classify, Failure};

/// What the server says when it is ready, in one line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Addresses {
    /// The URL of its HTTP paths.
    pub http: String,
    /// The URL of its gRPC services.
    pub grpc: String,
}

impl Addresses {
    /// Well-formed addresses where nobody answers.
    pub(crate) fn nowhere() -> Self {
        Self { http: "http://127.0.0.1:1".into(), grpc: "http://127.0.0.1:1".into() }
    }
}

/// The server could not be had.
#[derive(Debug, thiserror::Error)]
enum EmbeddedError {
    #[error("the embedded reference server cannot be started")]
    Start(#[source] io::Error),
    #[error("the embedded reference server ended before it was ready; its own error stands above")]
    Ended,
    #[error("the embedded reference server said `{0}` instead of its addresses")]
    Unreadable(String),
}

/// A reference server that lives as long as this.
#[derive(Debug)]
pub(crate) struct Embedded {
    process: process::Child,
    /// While it is open the server runs: it cannot outlive its parent, however that ends.
    lifeline: Option<ChildStdin>,
    addresses: Addresses,
}

impl Embedded {
    /// Starts one on free ports of this machine; it is ready when this returns.
    pub(crate) fn start() -> Result<Self, Failure> {
        Self::start_with(&[])
    }

    /// The same, with more flags of `benchhost serve`.
    pub(crate) fn start_with(flags: &[&str]) -> Result<Self, Failure> {
        let binary = std::env::current_exe().map_err(EmbeddedError::Start).or_internal()?;
        let mut command = Command::new(binary);
        command.args(["serve", "--until-stdin-closes"]).args(flags).stdin(Stdio::piped()).stdout(Stdio::piped());
        // What the user set for servers of their own is not for this one.
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| name.starts_with(crate::args::VARIABLE_PREFIX)) {
                command.env_remove(name);
            }
        }
        let mut process = command.spawn().map_err(EmbeddedError::Start).or_internal()?;
        let lifeline = process.stdin.take();
        let mut line = String::new();
        let read = process.stdout.take().map(|out| BufReader::new(out).read_line(&mut line));
        let addresses = match read {
            Some(Ok(1..)) => {
                serde_json::from_str(&line).map_err(|_| EmbeddedError::Unreadable(line.trim_end().to_owned()))
            }
            _ => Err(EmbeddedError::Ended),
        };
        match addresses {
            Ok(addresses) => Ok(Self { process, lifeline, addresses }),
            Err(error) => {
                drop(lifeline);
                let _ = process.wait();
                Err(Failure::internal(error))
            }
        }
    }

    /// The number of its process.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Where it answers.
    pub(crate) fn addresses(&self) -> &Addresses {
        &self.addresses
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        self.lifeline = None;
        let _ = self.process.wait();
    }
}
