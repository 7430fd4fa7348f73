//! What a search found, and how.

use crate::result::Step;
use crate::search::machine::CONFIRMATIONS;

/// Why a rate was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To find a rate on either side: twice the last while probes pass, half of it until the first one does.
    Double,
    /// To narrow down where probes begin to fail.
    Bisect,
    /// To see whether the rate holds for longer, and again.
    Confirm,
}

impl Purpose {
    /// The word in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Double => "double",
            Self::Bisect => "bisect",
            Self::Confirm => "confirm",
        }
    }
}

/// What keeps the found rate from being higher.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// The server: beyond the rate, a probe failed by its doing.
    Server,
    /// The client: the server sustains at least the rate, and nobody knows how much more.
    Client(Limit),
    /// No rate held, or none was confirmed.
    NothingHeld,
    /// The search was stopped before its end.
    Unfinished,
}

/// Why a probe failed, where that was not the server's doing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// A load thread was busy for this share of the time, 0 to 1.
    Thread(f64),
    /// Operations waited at the client, although the server answered as fast as under less load. So many workers took part.
    Workers(u32),
    /// The dataset ended in a probe.
    Dataset,
    /// Without the server, the client reaches only so many times the rate.
    Headroom(f64),
    /// No probe failed: the search gave up doubling.
    Doublings,
}

impl Limit {
    /// What was at its limit, with figures.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Thread(busy) => format!("a load thread was busy {:.0} % of the time", busy * 100.0),
            Self::Workers(workers) => format!(
                "operations waited for one of {workers} workers, or for their rows to be made, while the server answered as \
                 fast as under less load"
            ),
            Self::Dataset => "the dataset ended before a probe did".into(),
            Self::Headroom(headroom) => {
                format!("with a server that costs nothing, the client reaches only {headroom:.2} times the rate")
            }
            Self::Doublings => "no rate that was tried was too high".into(),
        }
    }

    /// What to change.
    #[must_use]
    pub fn advice(self) -> String {
        match self {
            Self::Thread(_) | Self::Headroom(_) => "raise --threads, or give the client a faster machine".into(),
            Self::Workers(workers) => format!("raise --workers above {workers} and search again"),
            Self::Dataset => "give the dataset more rows, or shorten --probe".into(),
            Self::Doublings => "begin higher, with --rate".into(),
        }
    }
}

/// A window of load at one rate.
#[derive(Debug, Clone, PartialEq)]
pub struct RateProbe {
    /// Operations per second that were due.
    pub offered_per_s: f64,
    /// Operations per second that were started when they should, those that failed left out.
    pub achieved_per_s: f64,
    /// Why this rate was tried.
    pub purpose: Purpose,
    /// Whether the server sustained it.
    pub passed: bool,
    /// Why it did not pass; empty when it did.
    pub why: Vec<String>,
    /// Index of its step in the result.
    pub step: usize,
}

/// The highest rate that the server sustains, and the probes that it was found by.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The confirmed rate in operations per second; none when no rate was.
    pub rate_per_s: Option<f64>,
    /// The same in acknowledged rows per second.
    pub rows_per_s: Option<f64>,
    /// What keeps it from being higher.
    pub bound: Bound,
    /// Every probe, in order.
    pub probes: Vec<RateProbe>,
    /// Windows in which the last confirmed rate held, of [`Self::CONFIRMATIONS`].
    pub confirmed: u32,
}

impl Found {
    /// Windows in a row that a rate must hold for.
    pub const CONFIRMATIONS: u32 = CONFIRMATIONS;

    /// The windows that confirmed the rate, of all steps of the run; none when no rate was.
    #[must_use]
    pub fn confirmed_steps<'a>(&self, steps: &'a [Step]) -> &'a [Step] {
        // They are in a row, and the search ends with them.
        let confirming = self.rate_per_s.map_or(0, |_| self.confirmed as usize);
        steps.get(steps.len().saturating_sub(confirming)..).unwrap_or_default()
    }

    /// The probe of the lowest rate that did not pass; none when all did.
    #[must_use]
    pub fn lowest_failure(&self) -> Option<&RateProbe> {
        let failed = self.probes.iter().filter(|probe| !probe.passed);
        failed.min_by(|a, b| a.offered_per_s.total_cmp(&b.offered_per_s))
    }
}
