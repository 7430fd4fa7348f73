//! What others may watch while a run goes: the terminal, a stream of lines, a writer of bundles.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::recording::Recording;
use crate::result::{Phase, PhaseName};

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Time since the phase began.
    pub elapsed: Duration,
    /// Rows that the phase has done: generated or acknowledged.
    pub rows: u64,
    /// Rows that it will do if nothing stops it; none where time decides.
    pub total_rows: Option<u64>,
    /// How long it will last; none where rows decide.
    pub length: Option<Duration>,
    /// Operations that did not succeed.
    pub errors: u64,
}

/// Everything recorded in an interval.
#[derive(Debug, Clone, Copy)]
pub struct Interval<'a> {
    /// The phase: warm-up or measure.
    pub phase: PhaseName,
    /// Number of the measured step, from 0.
    pub step: usize,
    /// Operations per second that the step's schedule offers; none in a closed loop.
    pub offered_per_s: Option<f64>,
    /// Start of the interval, on the run's clock.
    pub start: Duration,
    /// Its length.
    pub length: Duration,
    /// The operations that ended in it.
    pub recording: &'a Recording,
}

/// Told of a run's events, from the thread that called [`crate::run()`]; it must not block for long.
pub trait Observer {
    /// A phase begins.
    fn begins(&mut self, phase: PhaseName);
    /// About ten times a second in the phases `generate` and `measure`.
    fn progress(&mut self, phase: PhaseName, progress: Progress);
    /// An interval of a phase with load is complete. They come in order.
    fn interval(&mut self, interval: Interval<'_>);
    /// A phase has ended.
    fn ended(&mut self, phase: Phase);
    /// A session died and was replaced.
    fn crashed(&mut self, crash: &crate::error::Crash);
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn begins(&mut self, _: PhaseName) {}
    fn progress(&mut self, _: PhaseName, _: Progress) {}
    fn interval(&mut self, _: Interval<'_>) {}
    fn ended(&mut self, _: Phase) {}
    fn crashed(&mut self, _: &crate::error::Crash) {}
}

/// Counters that one thread writes and the observer's thread reads. On a cache line of their own, so that
/// threads do not slow each other.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct LiveCounters {
    rows: AtomicU64,
    errors: AtomicU64,
    started: AtomicU64,
    ended: AtomicU64,
}

impl LiveCounters {
    pub(crate) fn add_rows(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    pub(crate) fn add_error(&self) {
        self.errors.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn add_started(&self) {
        self.started.fetch_add(1, Ordering::Relaxed);
    }

    /// Changes whenever an operation starts or ends.
    pub(crate) fn activity(&self) -> u64 {
        self.started().wrapping_add(self.ended.load(Ordering::Relaxed))
    }

    pub(crate) fn add_ended(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn started(&self) -> u64 {
        self.started.load(Ordering::Relaxed)
    }

    pub(crate) fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    pub(crate) fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }
}
