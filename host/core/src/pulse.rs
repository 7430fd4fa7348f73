//! How fast a segment goes, and when it is lost.

use std::time::Duration;

/// A probe whose queue would take the server this many of its best seconds is lost.
const LOST_SECONDS: u64 = 3;
/// Over how long the speed of a probe is taken.
const BEAT: Duration = Duration::from_secs(1);

/// How fast operations of a segment start. The best second counts, so that a stall does not make a probe look lost.
pub(crate) struct Pulse {
    since: Duration,
    started: u64,
    /// Operations a second, in the best stretch of at least a second; none before there was one.
    best: Option<u64>,
}

impl Pulse {
    pub(crate) fn new(start: Duration) -> Self {
        Self { since: start, started: 0, best: None }
    }

    /// So many operations had been started by now.
    pub(crate) fn beat(&mut self, now: Duration, started: u64) {
        let passed = now.saturating_sub(self.since);
        if passed >= BEAT {
            let per_s = (started.saturating_sub(self.started)) as f64 / passed.as_secs_f64();
            self.best = self.best.max(Some(per_s.ceil() as u64));
            (self.since, self.started) = (now, started);
        }
    }

    /// A queue that is longer than this is not worked off soon.
    pub(crate) fn lost(&self) -> u64 {
        // A server that has not begun yet may stall.
        self.best.filter(|best| *best > 0).map_or(u64::MAX, |best| best.saturating_mul(LOST_SECONDS))
    }
}
