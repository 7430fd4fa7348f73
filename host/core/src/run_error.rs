//! Why a run has no result at all. Once the clock has started there always is one, and what goes wrong then is counted in it.

use crate::error::{CallError, ErrorKind};
use crate::plan::PlanError;

/// What kind of failure it was: it decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureClass {
    /// Flags, settings, or a state of the database that the user must change.
    Usage,
    /// A plugin broke its contract.
    Contract,
    /// The server could not be reached, or refused.
    Unreachable,
    /// A bug in benchhost.
    Internal,
}

/// Why a run could not be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The plan contradicts the dataset.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A call to a plugin did not succeed.
    #[error("{stage}: {source}")]
    Call {
        /// What the run was doing.
        stage: &'static str,
        /// What the plugin answered.
        source: CallError,
    },
    /// The table is not empty.
    #[error(
        "table `{table}` already holds {rows} rows in the dataset's range of time, so nothing could be proved about what \
         this run stores: give --existing drop to drop it first, --existing append to write on top, or another --database"
    )]
    Existing {
        /// The table.
        table: String,
        /// What it holds.
        rows: u64,
    },
    /// The user stopped the run before the clock started.
    #[error("stopped before the clock started: nothing was written")]
    Interrupted,
    /// A bug in benchhost.
    #[error("{0}; this is a bug in benchhost, please report it")]
    Internal(String),
}

impl RunError {
    pub(crate) fn internal(what: impl Into<String>) -> Self {
        Self::Internal(what.into())
    }

    /// What kind of failure it was.
    #[must_use]
    pub fn class(&self) -> FailureClass {
        match self {
            Self::Plan(_) | Self::Existing { .. } | Self::Interrupted => FailureClass::Usage,
            Self::Internal(_) => FailureClass::Internal,
            Self::Call { source: CallError::Crash(_), .. } => FailureClass::Contract,
            Self::Call { source: CallError::Error(error), .. } => match error.kind {
                ErrorKind::Unsupported | ErrorKind::Invalid | ErrorKind::Denied => FailureClass::Usage,
                ErrorKind::Internal => FailureClass::Contract,
                ErrorKind::Unavailable
                | ErrorKind::TimedOut
                | ErrorKind::Throttled
                | ErrorKind::Rejected
                | ErrorKind::Partial
                | ErrorKind::Cancelled => FailureClass::Unreachable,
            },
        }
    }
}
