//! The words that the document uses for the enums of others, which know nothing of documents.

use benchhost_core::{Ending, Status};
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

#[derive(Serialize, Deserialize)]
#[serde(remote = "Status", rename_all = "snake_case")]
pub(super) enum StatusWord {
    Valid,
    Suspect,
    Invalid,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Ending", rename_all = "snake_case")]
pub(super) enum EndingWord {
    Complete,
    Interrupted,
    ErrorBudget,
    CrashBudget,
    DatasetFailed,
}
