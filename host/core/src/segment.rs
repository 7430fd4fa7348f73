//! A stretch of load under one rule: so many workers, at such a pace, for so long.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::recording::Recording;
use crate::result::PhaseName;
use crate::schedule::{Arrival, Profile};
use crate::supply::Supply;

/// When operations start.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Pace {
    /// As soon as a worker is free.
    Closed,
    /// When they are due.
    Open {
        /// The offered rate.
        profile: Profile,
        /// How arrivals are spaced.
        arrival: Arrival,
        /// Of Poisson arrivals.
        seed: u64,
    },
}

/// A stretch of load.
#[derive(Debug)]
pub(crate) struct Segment {
    /// The phase that it is, for the observer.
    pub(crate) phase: PhaseName,
    /// The first so many workers take part.
    pub(crate) workers: u32,
    pub(crate) pace: Pace,
    /// In a closed loop, no operation starts after this time; a schedule ends by itself.
    pub(crate) length: Option<Duration>,
    /// No more batches than this; none: as many as there are.
    pub(crate) batches: Option<u64>,
    /// Batches taken so far.
    taken: AtomicU64,
    /// Where its batches come from, if not from the run's supply. What becomes of them then is nobody's business: failures are not charged.
    rehearsal: Option<Supply>,
}

impl Segment {
    pub(crate) fn new(
        phase: PhaseName,
        workers: u32,
        pace: Pace,
        length: Option<Duration>,
        batches: Option<u64>,
    ) -> Self {
        Self { phase, workers, pace, length, batches, taken: AtomicU64::new(0), rehearsal: None }
    }

    /// A closed loop over batches that were written already.
    pub(crate) fn rehearsal(workers: u32, length: Duration, supply: Supply) -> Self {
        let segment = Self::new(PhaseName::Headroom, workers, Pace::Closed, Some(length), None);
        Self { rehearsal: Some(supply), ..segment }
    }

    /// Its own batches, if it has some.
    pub(crate) fn own_supply(&self) -> Option<&Supply> {
        self.rehearsal.as_ref()
    }

    /// Whether it belongs to the run: its failures are charged, and the observer is told of its intervals.
    pub(crate) fn counts(&self) -> bool {
        self.rehearsal.is_none()
    }

    /// Whether another batch may be taken; it counts as taken then.
    pub(crate) fn take(&self) -> bool {
        self.batches.is_none_or(|batches| self.taken.fetch_add(1, Ordering::Relaxed) < batches)
    }

    /// Operations that the schedule wants in all, and in what time; none in a closed loop.
    pub(crate) fn schedule(&self) -> Option<(f64, Duration)> {
        match &self.pace {
            Pace::Closed => None,
            Pace::Open { profile, .. } => Some(match self.batches.map(|batches| batches as f64) {
                Some(batches) if batches < profile.operations() => {
                    (batches, profile.due(batches).unwrap_or(profile.length()))
                }
                _ => (profile.operations(), profile.length()),
            }),
        }
    }

    /// Operations that are due by `elapsed` into the segment; none in a closed loop.
    pub(crate) fn due_by(&self, elapsed: Duration) -> Option<f64> {
        match &self.pace {
            Pace::Closed => None,
            Pace::Open { profile, .. } => {
                let due = profile.operations_by(elapsed);
                Some(self.batches.map_or(due, |batches| due.min(batches as f64)))
            }
        }
    }
}

/// What a thread used while a segment ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadUse {
    /// Its processor time.
    pub cpu: Duration,
    /// Time that passed.
    pub wall: Duration,
}

impl ThreadUse {
    /// Share of the time that the thread was computing, 0 to 1.
    #[must_use]
    pub fn busy(&self) -> f64 {
        if self.wall.is_zero() { 0.0 } else { self.cpu.as_secs_f64() / self.wall.as_secs_f64() }
    }
}

/// Operations of one interval, in figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalFigures {
    /// Its start, from the start of the segment.
    pub start: Duration,
    /// Its length.
    pub length: Duration,
    /// Rows acknowledged.
    pub rows: u64,
    /// Operations acknowledged.
    pub ok: u64,
    /// Operations failed.
    pub failed: u64,
    /// Operations timed out.
    pub timed_out: u64,
}

/// What came of a segment.
#[derive(Debug, Clone)]
pub(crate) struct SegmentResult {
    /// Everything recorded, all threads and intervals.
    pub(crate) recording: Recording,
    pub(crate) intervals: Vec<IntervalFigures>,
    /// From the start to the last acknowledgement.
    pub(crate) measured: Duration,
    /// From there until the last worker had no more to do.
    pub(crate) drained: Duration,
    /// Processor time of the process meanwhile.
    pub(crate) cpu: Duration,
    pub(crate) threads: Vec<ThreadUse>,
    /// The most operations that were due and not started; 0 in a closed loop.
    pub(crate) max_queue: u64,
    /// Operations that were due and never started, because the run was stopped.
    pub(crate) unsent: u64,
}
