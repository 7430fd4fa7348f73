//! The words that the document uses for the enums of others, which know nothing of documents.

use benchhost_core::{Ending, Kept, Status};
use serde::{Deserialize, Serialize};

/// What a component did in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PluginRole {
    /// Spoke to the database.
    Target,
    /// Made the rows.
    Dataset,
}

impl PluginRole {
    /// The word in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::Dataset => "dataset",
        }
    }
}

/// How a run came to its end, if it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// All that the plan asks for was offered to the server.
    Complete,
    /// The user stopped it.
    Interrupted,
    /// More operations were due and not started than the plan allows.
    QueueBound,
    /// More operations failed than the plan allows.
    ErrorBudget,
    /// More sessions died than the plan allows.
    CrashBudget,
    /// The dataset's plugin could not give all rows.
    DatasetFailed,
    /// It has not ended, or its process was killed.
    Running,
}

impl From<Ending> for Ended {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Complete => Self::Complete,
            Ending::Interrupted => Self::Interrupted,
            Ending::QueueBound => Self::QueueBound,
            Ending::ErrorBudget => Self::ErrorBudget,
            Ending::CrashBudget => Self::CrashBudget,
            Ending::DatasetFailed => Self::DatasetFailed,
        }
    }
}

/// Whether an objective was kept; the later in this order, the worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeptWord {
    /// It was.
    Yes,
    /// Too few samples lie beyond the quantile to say.
    TooFew,
    /// It was not.
    No,
}

impl From<&Kept> for KeptWord {
    fn from(kept: &Kept) -> Self {
        match kept {
            Kept::Yes => Self::Yes,
            Kept::TooFew => Self::TooFew,
            Kept::No(_) => Self::No,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Status", rename_all = "snake_case")]
pub(super) enum StatusWord {
    Valid,
    Suspect,
    Invalid,
}
