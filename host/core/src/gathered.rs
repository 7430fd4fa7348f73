//! What the load threads have recorded in a segment, put together interval by interval.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::observer::Interval;
use crate::recording::Recording;
use crate::result::PhaseName;
use crate::segment::{IntervalFigures, ThreadUse};

/// Recordings of a segment as they come in.
pub(crate) struct Gathered {
    start: Duration,
    length: Duration,
    /// Threads that still work.
    pub(crate) running: usize,
    /// For each thread, the intervals before this one are complete.
    pub(crate) reached: Vec<u64>,
    pending: BTreeMap<u64, Recording>,
    emitted: u64,
    pub(crate) total: Recording,
    pub(crate) figures: Vec<IntervalFigures>,
    pub(crate) threads: Vec<ThreadUse>,
}

impl Gathered {
    pub(crate) fn new(threads: usize, start: Duration, length: Duration) -> Self {
        Self {
            start,
            length,
            running: threads,
            reached: vec![0; threads],
            pending: BTreeMap::new(),
            emitted: 0,
            total: Recording::default(),
            figures: Vec::new(),
            threads: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, index: u64, recording: &Recording) {
        self.pending.entry(index).or_default().merge(recording);
        self.total.merge(recording);
    }

    /// Hands out the intervals that all threads have completed, those without any operation included. The last one ends with the
    /// segment.
    pub(crate) fn emit(&mut self, now: Duration, mut each: impl FnMut(Interval<'_>)) {
        let complete = self.reached.iter().min().copied().unwrap_or(0);
        let last = self.pending.keys().next_back().map_or(0, |last| last + 1);
        while self.emitted < complete.min(last) {
            let recording = self.pending.remove(&self.emitted).unwrap_or_default();
            let offset = self.length.saturating_mul(u32::try_from(self.emitted).unwrap_or(u32::MAX));
            let start = self.start + offset;
            let length = self.length.min(now.saturating_sub(start));
            self.figures.push(IntervalFigures {
                start: offset,
                length,
                rows: recording.rows.acknowledged,
                ok: recording.operations.ok,
                failed: recording.operations.failed,
                timed_out: recording.operations.timed_out,
                lag: (!recording.lag.is_empty()).then(|| Duration::from_nanos(recording.lag.value_at_quantile(0.5))),
            });
            let phase = PhaseName::Measure;
            each(Interval { phase, step: 0, offered_per_s: None, start, length, recording: &recording });
            self.emitted += 1;
        }
    }
}
