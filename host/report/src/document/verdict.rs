//! Whether to believe the figures, and whether they are what was wanted.

use benchhost_core::Status;
use serde::{Deserialize, Serialize};

use super::words::{self, KeptWord};

/// The verdict and its reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The word.
    #[serde(with = "words::StatusWord")]
    pub status: Status,
    /// The weightiest first.
    pub reasons: Vec<Reason>,
}

/// One thing to know before believing the figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// Stable, kebab-case.
    pub code: String,
    /// What is the matter.
    pub text: String,
    /// What to change.
    pub advice: String,
    /// The best verdict that is possible with this reason.
    #[serde(with = "words::StatusWord")]
    pub weight: Status,
}

/// An objective of the plan and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectiveEntry {
    /// The objective, as typed: `p99<50ms`.
    pub text: String,
    /// Whether every measured step kept it.
    pub kept: KeptWord,
    /// What was found instead, with its unit; absent when it was kept, or when nobody can say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
}
