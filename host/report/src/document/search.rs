//! The highest rate that a server sustains, and the probes that it was found by.

use benchhost_core::{Bound, Found, RateProbe};
use serde::{Deserialize, Serialize};

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchFigures {
    /// The confirmed rate in operations per second; absent when no rate was confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_s: Option<f64>,
    /// The same in acknowledged rows per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_per_s: Option<f64>,
    /// What keeps it from being higher.
    pub bound: BoundWord,
    /// Why the rate is not the server's ceiling; absent unless the client is the bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// Windows in a row in which the rate held.
    pub confirmed: u32,
    /// Windows that it must hold in.
    pub confirmations: u32,
    /// Every probe, in order.
    pub probes: Vec<ProbeFigures>,
}

/// What keeps a found rate from being higher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundWord {
    /// The server.
    Server,
    /// The client: the server sustains at least the rate.
    Client,
    /// No rate held, or none was confirmed.
    NothingHeld,
    /// The search was stopped before its end.
    Unfinished,
}

/// A window of load at one rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeFigures {
    /// Index of its step.
    pub step: usize,
    /// Why this rate was tried: `double`, `bisect` or `confirm`.
    pub purpose: String,
    /// Operations per second that were due.
    pub offered_per_s: f64,
    /// Operations per second that were started when they should, those that failed left out.
    pub achieved_per_s: f64,
    /// Whether the server sustained it.
    pub passed: bool,
    /// Why not; empty when it did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
}

impl SearchFigures {
    /// Indexes of the steps that confirmed the rate; empty when none did.
    pub(crate) fn confirming(&self) -> impl Iterator<Item = usize> {
        // They are in a row, and the search ends with them.
        let confirmed = self.rate_per_s.map_or(0, |_| self.confirmed as usize);
        self.probes[self.probes.len().saturating_sub(confirmed)..].iter().map(|probe| probe.step)
    }
}

impl From<&Found> for SearchFigures {
    fn from(found: &Found) -> Self {
        let (bound, limit) = match found.bound {
            Bound::Server => (BoundWord::Server, None),
            Bound::Client(limit) => (BoundWord::Client, Some(limit.text())),
            Bound::NothingHeld => (BoundWord::NothingHeld, None),
            Bound::Unfinished => (BoundWord::Unfinished, None),
        };
        Self {
            rate_per_s: found.rate_per_s,
            rows_per_s: found.rows_per_s,
            bound,
            limit,
            confirmed: found.confirmed,
            confirmations: Found::CONFIRMATIONS,
            probes: found.probes.iter().map(Into::into).collect(),
        }
    }
}

impl From<&RateProbe> for ProbeFigures {
    fn from(probe: &RateProbe) -> Self {
        Self {
            step: probe.step,
            purpose: probe.purpose.as_str().to_owned(),
            offered_per_s: probe.offered_per_s,
            achieved_per_s: probe.achieved_per_s,
            passed: probe.passed,
            why: probe.why.clone(),
        }
    }
}
