//! A stretch of load under one rule: so many workers, at such a pace, for so long.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
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
    /// Whether it may turn out to be more than the server can take.
    probing: bool,
    given_up: AtomicBool,
    /// Whether a worker ended because its time was over.
    out_of_time: AtomicBool,
    /// Nanoseconds from its start until somebody saw that it was cut short; the largest number while it was not.
    cut_ns: AtomicU64,
    /// The part of the dataset that it begins at, and the number of its first batch; none: where the one before has ended.
    pub(crate) part: Option<(usize, u64)>,
}

impl Segment {
    pub(crate) fn new(
        phase: PhaseName,
        workers: u32,
        pace: Pace,
        length: Option<Duration>,
        batches: Option<u64>,
    ) -> Self {
        Self {
            phase,
            workers,
            pace,
            length,
            batches,
            taken: AtomicU64::new(0),
            rehearsal: None,
            probing: false,
            given_up: AtomicBool::new(false),
            out_of_time: AtomicBool::new(false),
            cut_ns: AtomicU64::new(u64::MAX),
            part: None,
        }
    }

    /// A closed loop over batches that were written already.
    pub(crate) fn rehearsal(workers: u32, length: Duration, supply: Supply) -> Self {
        let segment = Self::new(PhaseName::Headroom, workers, Pace::Closed, Some(length), None);
        Self { rehearsal: Some(supply), ..segment }
    }

    /// A schedule that tries out what the server can take: it may fail without harm to the run, and is given up when it is lost.
    pub(crate) fn probe(phase: PhaseName, workers: u32, pace: Pace, length: Duration) -> Self {
        Self { probing: true, ..Self::new(phase, workers, pace, Some(length), None) }
    }

    /// Whether it may fail without harm to the run.
    pub(crate) fn probing(&self) -> bool {
        self.probing
    }

    /// No more operations start: what is still due is left out.
    pub(crate) fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// Whether it was given up.
    pub(crate) fn given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// A worker ends because its time is over.
    pub(crate) fn end_of_time(&self) {
        self.out_of_time.store(true, Ordering::Relaxed);
    }

    /// Whether it ended because its time was over.
    pub(crate) fn out_of_time(&self) -> bool {
        self.out_of_time.load(Ordering::Relaxed)
    }

    /// It is seen to be cut short, by the stop signal or because it was given up, `elapsed` after its start. The first to see it counts.
    pub(crate) fn cut(&self, elapsed: Duration) {
        self.cut_ns.fetch_min(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// How long after its start it was cut short, if it was.
    pub(crate) fn cut_after(&self) -> Option<Duration> {
        Some(self.cut_ns.load(Ordering::Relaxed)).filter(|ns| *ns < u64::MAX).map(Duration::from_nanos)
    }

    /// Its own batches, if it has some.
    pub(crate) fn own_supply(&self) -> Option<&Supply> {
        self.rehearsal.as_ref()
    }

    /// Whether it belongs to the run: the observer is told of its intervals.
    pub(crate) fn counts(&self) -> bool {
        self.rehearsal.is_none()
    }

    /// Whether its failures are charged to the run. Probes beyond what the server can take fail on purpose.
    pub(crate) fn charged(&self) -> bool {
        self.counts() && !self.probing
    }

    /// Whether batches are left to be taken. Nobody needs to wait for an operation to be due when there is nothing to write.
    pub(crate) fn has_more(&self) -> bool {
        !self.given_up() && self.batches.is_none_or(|batches| self.taken.load(Ordering::Relaxed) < batches)
    }

    /// Whether another batch may be taken; it counts as taken then.
    pub(crate) fn take(&self) -> bool {
        if self.given_up() {
            return false;
        }
        self.batches.is_none_or(|batches| self.taken.fetch_add(1, Ordering::Relaxed) < batches)
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
    /// The same of a thread that ended before the segment did: it was idle then, however busy it had been.
    pub(crate) fn of_segment(self, length: Duration) -> Self {
        Self { wall: self.wall.max(length), ..self }
    }

    /// Share of the time that the thread was computing, 0 to 1.
    #[must_use]
    pub fn busy(&self) -> f64 {
        // The two come from different clocks of the kernel, which need not agree to the last microsecond.
        if self.wall.is_zero() { 0.0 } else { (self.cpu.as_secs_f64() / self.wall.as_secs_f64()).min(1.0) }
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
    /// The median lag of the operations that ended in it; none without operations, and in a closed loop.
    pub lag: Option<Duration>,
}

/// What came of a segment.
#[derive(Debug, Clone)]
pub(crate) struct SegmentResult {
    /// Everything recorded, all threads and intervals.
    pub(crate) recording: Recording,
    pub(crate) intervals: Vec<IntervalFigures>,
    /// From the start to the last acknowledgement, and to the end of its time where that decided.
    pub(crate) measured: Duration,
    /// From there until the last worker had no more to do.
    pub(crate) drained: Duration,
    /// Processor time of the process meanwhile.
    pub(crate) cpu: Duration,
    /// Of the threads that had a worker to run.
    pub(crate) threads: Vec<ThreadUse>,
    /// The most operations that were due and not started; 0 in a closed loop.
    pub(crate) max_queue: u64,
    /// Operations that its schedule wanted in all, and in what time; none in a closed loop.
    pub(crate) schedule: Option<(f64, Duration)>,
    /// Operations that were due and never started, because the run was stopped or the segment given up.
    pub(crate) unsent: u64,
    /// Operations that were started.
    pub(crate) started: u64,
    /// Whether it was given up before its end.
    pub(crate) given_up: bool,
    /// When its schedule was cut short, from its start, and the operations that were due by then; none when it was not.
    pub(crate) cut: Option<(Duration, f64)>,
}
