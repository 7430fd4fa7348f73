//! A server that runs: where it is, how to get in, and how to halt, kill and stop it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::process::{Process, Signal};
use super::scratch::Scratch;
use super::{Server, tools};

/// How long [`Running::stop`] waits before it kills. QuestDB takes 2 s on an idle machine.
const GRACE: Duration = Duration::from_secs(20);

/// How to start a server.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Ask for a user and password. InfluxDB 2 asks for its token whether this is set or not; VictoriaMetrics can only be told one
    /// user on its command line and is.
    pub auth: bool,
}

/// How to get in. What a server does not know or ask for is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// The user of HTTP basic authentication.
    pub user: Option<String>,
    /// Its password.
    pub password: Option<String>,
    /// The InfluxDB 2 token that may do everything.
    pub token: Option<String>,
    /// The InfluxDB 2 organisation that the token belongs to.
    pub org: Option<String>,
    /// An InfluxDB 2 bucket that exists already; it keeps data for ever.
    pub bucket: Option<String>,
}

/// A running server. Dropped, it is killed and its data folder removed.
#[derive(Debug)]
pub struct Running {
    // Before `data`, so that the process is gone when its files go.
    pub(super) process: Process,
    pub(super) server: Server,
    pub(super) endpoint: String,
    pub(super) grpc: Option<String>,
    pub(super) access: Access,
    pub(super) log: PathBuf,
    pub(super) data: Scratch,
}

impl Running {
    /// Which server this is.
    pub fn server(&self) -> Server {
        self.server
    }

    /// `http://127.0.0.1:PORT`, without a slash at the end.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Where it takes gRPC, as [`endpoint`](Self::endpoint) is written; none for a server that does not.
    pub fn grpc(&self) -> Option<&str> {
        self.grpc.as_deref()
    }

    /// The process number.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// How to get in.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The folder with everything that the server writes.
    pub fn data(&self) -> &Path {
        self.data.path()
    }

    /// The file with what it printed. It goes with the data folder.
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// The last lines that it printed.
    pub fn log_tail(&self) -> String {
        tools::tail(&self.log)
    }

    /// Whether the process is still there. A halted one is.
    ///
    /// # Errors
    /// The system does not tell.
    pub fn is_alive(&self) -> Result<bool> {
        Ok(self.process.ended()?.is_none())
    }

    /// Halts it (SIGSTOP): when this returns, connections stay open and nobody answers.
    ///
    /// # Errors
    /// It has ended.
    pub fn pause(&self) -> Result<()> {
        self.process.pause().with_context(|| format!("cannot halt {}", self.server))
    }

    /// Lets it go on after [`pause`](Self::pause) (SIGCONT).
    ///
    /// # Errors
    /// It has ended.
    pub fn resume(&self) -> Result<()> {
        self.process.signal(Signal::Continue).with_context(|| format!("cannot let {} go on", self.server))
    }

    /// Kills it (SIGKILL), as a crash would; its data folder stays until this value is dropped.
    ///
    /// # Errors
    /// The system refuses.
    pub fn kill(&self) -> Result<()> {
        self.process.kill().with_context(|| format!("cannot kill {}", self.server))
    }

    /// Ends it in good order (SIGTERM), and with force when it takes too long; halted or ended already is fine. Its data folder
    /// stays until this value is dropped.
    ///
    /// # Errors
    /// The system refuses.
    pub fn stop(&self) -> Result<()> {
        self.process.stop(GRACE).with_context(|| format!("cannot stop {}", self.server))
    }
}
