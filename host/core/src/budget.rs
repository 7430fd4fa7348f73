//! The budgets of a run: how many failures it bears before it is given up.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use crate::stop::{StopLevel, StopToken};
use crate::verdict::Ending;

/// Counts failures of all workers, and stops the run when there are too many.
#[derive(Debug)]
pub(crate) struct Budget {
    max_errors: u64,
    max_crashes: u64,
    errors: AtomicU64,
    crashes: AtomicU64,
    ending: AtomicU8,
    stop: StopToken,
}

const OPEN: u8 = 0;
const ERRORS: u8 = 1;
const CRASHES: u8 = 2;
const QUEUE: u8 = 3;

impl Budget {
    pub(crate) fn new(max_errors: u64, max_crashes: u64, stop: StopToken) -> Self {
        Self {
            max_errors,
            max_crashes,
            errors: AtomicU64::new(0),
            crashes: AtomicU64::new(0),
            ending: AtomicU8::new(OPEN),
            stop,
        }
    }

    /// One operation has failed.
    pub(crate) fn error(&self) {
        if self.errors.fetch_add(1, Ordering::Relaxed) + 1 > self.max_errors {
            self.exhausted(ERRORS);
        }
    }

    /// One session has died. Its operation failed too, but that is charged here only.
    pub(crate) fn crash(&self) {
        if self.crashes.fetch_add(1, Ordering::Relaxed) + 1 > self.max_crashes {
            self.exhausted(CRASHES);
        }
    }

    /// More operations are due and not started than the plan allows.
    pub(crate) fn queue(&self) {
        self.exhausted(QUEUE);
    }

    fn exhausted(&self, why: u8) {
        // The first cause wins, unless the user stopped the run before.
        if self.stop.level() == StopLevel::Running {
            let _ = self.ending.compare_exchange(OPEN, why, Ordering::Relaxed, Ordering::Relaxed);
        }
        self.stop.raise(StopLevel::Draining);
    }

    /// How the run ended.
    pub(crate) fn ending(&self) -> Ending {
        match self.ending.load(Ordering::Relaxed) {
            ERRORS => Ending::ErrorBudget,
            CRASHES => Ending::CrashBudget,
            QUEUE => Ending::QueueBound,
            _ if self.stop.level() > StopLevel::Running => Ending::Interrupted,
            _ => Ending::Complete,
        }
    }
}
