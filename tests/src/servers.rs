//! Real servers for tests: one that the tests of a file share, or one of a test's own.

use std::sync::OnceLock;

use anyhow::{Context as _, Result, bail};
use xtask::servers::{Options, Running, Server};

/// A server that all tests of a file share. It starts with the first test that asks for it and ends with the process.
#[derive(Debug)]
pub struct Shared {
    server: Server,
    auth: bool,
    running: OnceLock<Result<Option<Running>, String>>,
}

impl Shared {
    /// A server that asks for no password, if it can help it.
    #[must_use]
    pub const fn open(server: Server) -> Self {
        Self { server, auth: false, running: OnceLock::new() }
    }

    /// A server that asks for a user and password.
    #[must_use]
    pub const fn guarded(server: Server) -> Self {
        Self { server, auth: true, running: OnceLock::new() }
    }

    /// The running server; none when this is a quick run, which leaves this server out.
    ///
    /// # Errors
    ///
    /// It is not there, or does not start.
    pub fn get(&'static self) -> Result<Option<&'static Running>> {
        let started = self.running.get_or_init(|| start(self.server, self.auth).map_err(|error| format!("{error:#}")));
        match started {
            Ok(running) => Ok(running.as_ref()),
            Err(why) => bail!("{why}"),
        }
    }

    /// The running server, which no run leaves out.
    ///
    /// # Errors
    ///
    /// It is not there, or does not start.
    pub fn always(&'static self) -> Result<&'static Running> {
        self.get()?.with_context(|| format!("{} is left out", self.server))
    }
}

/// Starts a server; none when this is a quick run (`BENCHHOST_QUICK=1`) and the server is one of those that take minutes to build. Whoever asked for a
/// quick run is told by `cargo xtask test` what it left out.
///
/// # Errors
///
/// It is not there, or does not start.
pub fn start(server: Server, auth: bool) -> Result<Option<Running>> {
    if crate::quick() && !server.quick() {
        return Ok(None);
    }
    match server.installed()? {
        Some(installed) => installed.start(&Options { auth }).map(Some),
        None => bail!("{server} is not there: run `cargo xtask servers {}`", server.name()),
    }
}
