//! Where a merged document comes from.

use benchhost_core::Status;
use serde::{Deserialize, Serialize};

use super::{HostFacts, words};

/// A bundle that was merged with others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Name of its folder. Reasons of the verdict begin with it.
    pub name: String,
    /// When it began: RFC 3339, UTC.
    pub started_at: String,
    /// Its own verdict.
    #[serde(with = "words::StatusWord")]
    pub status: Status,
    /// Hash of its plan.
    pub plan_hash: String,
    /// Seed of its dataset.
    pub seed: u64,
    /// The server that it wrote to; absent for a target that has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Rows per second of its headline step; absent when nothing was acknowledged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_per_s: Option<f64>,
    /// The machine that it came from.
    pub host: HostFacts,
}
