//! What can go wrong in an operation, as values that are measured and counted. A run that cannot go on has an error of its
//! own, [`crate::run::RunError`].

use std::fmt;
use std::time::Duration;

/// The classes of errors that the host acts on; the same as `error-kind` in the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorKind {
    /// The target was asked for something that it cannot do.
    Unsupported,
    /// Wrong settings or data; trying again will not help.
    Invalid,
    /// The host refused: not granted, or over a limit.
    Denied,
    /// No connection, or it broke before an answer came.
    Unavailable,
    /// No answer in time.
    TimedOut,
    /// The server asked for less.
    Throttled,
    /// The server answered and said no.
    Rejected,
    /// The server took some rows and refused others.
    Partial,
    /// The run is stopping.
    Cancelled,
    /// A bug in the plugin, or an answer that it did not understand.
    Internal,
}

impl ErrorKind {
    /// The name in reports and in the contract: kebab-case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unsupported => "unsupported",
            Self::Invalid => "invalid",
            Self::Denied => "denied",
            Self::Unavailable => "unavailable",
            Self::TimedOut => "timed-out",
            Self::Throttled => "throttled",
            Self::Rejected => "rejected",
            Self::Partial => "partial",
            Self::Cancelled => "cancelled",
            Self::Internal => "internal",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// An error that a target answered. It is measured and counted; the host tries again when `retryable`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}{}: {message}", self.code.as_deref().map(|c| format!(" ({c})")).unwrap_or_default())]
pub struct OpError {
    /// The class that the host acts on.
    pub kind: ErrorKind,
    /// The server's own code, for counting.
    pub code: Option<String>,
    /// What happened, without secrets.
    pub message: String,
    /// Whether the same payload may succeed when sent again.
    pub retryable: bool,
    /// How long the server asked to wait before the next attempt.
    pub retry_after: Option<Duration>,
    /// Rows stored in spite of the error, where the server says so.
    pub rows_accepted: Option<u64>,
}

impl OpError {
    /// An error that is not worth trying again.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, code: None, message: message.into(), retryable: false, retry_after: None, rows_accepted: None }
    }
}

/// A session that died in a call: a trap, or a broken rule of the contract. The session must not be used again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Crash {
    /// Name and version of the plugin.
    pub plugin: String,
    /// The call it died in, e.g. `ingest.send`.
    pub call: String,
    /// Why, in plain words.
    pub reason: String,
    /// The last lines that the plugin wrote to its stderr; may be empty.
    pub stderr: String,
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plugin {} died in `{}`: {}", self.plugin, self.call, self.reason)?;
        if !self.stderr.is_empty() {
            write!(f, "\nits last words on stderr:\n{}", self.stderr.trim_end())?;
        }
        Ok(())
    }
}

/// Why a call to a target or generator did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// It answered with an error; the session lives.
    #[error(transparent)]
    Error(#[from] OpError),
    /// The session died.
    #[error(transparent)]
    Crash(#[from] Crash),
}
