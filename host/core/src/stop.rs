//! The stop signal of a run: first "take no more work", then "give up what is in flight".

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::Notify;

/// How far a run has been asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopLevel {
    /// Not at all.
    Running = 0,
    /// No new operation starts; those in flight end by themselves.
    Draining = 1,
    /// Operations in flight are given up: waiting host functions answer `cancelled`.
    Cancelled = 2,
}

/// A shared stop signal. It only ever rises. Looking at it costs no lock: every operation does, several times.
#[derive(Debug, Clone, Default)]
pub struct StopToken {
    signal: Arc<Signal>,
}

#[derive(Debug, Default)]
struct Signal {
    level: AtomicU8,
    raised: Notify,
}

impl StopToken {
    /// A signal that nobody has raised.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How far the run has been asked to stop.
    #[must_use]
    pub fn level(&self) -> StopLevel {
        match self.signal.level.load(Ordering::Acquire) {
            0 => StopLevel::Running,
            1 => StopLevel::Draining,
            _ => StopLevel::Cancelled,
        }
    }

    /// Raises the signal; a lower level than the present one changes nothing.
    pub fn raise(&self, level: StopLevel) {
        self.signal.level.fetch_max(level as u8, Ordering::AcqRel);
        self.signal.raised.notify_waiters();
    }

    /// Waits until the signal is at `level` or above.
    pub async fn reached(&self, level: StopLevel) {
        loop {
            let raised = self.signal.raised.notified();
            // A `Notified` hears what comes after it was made, so the level is looked at after that.
            if self.level() >= level {
                return;
            }
            raised.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_waits_is_told_and_who_comes_late_does_not_wait() {
        let stop = StopToken::new();
        let raise = async {
            tokio::task::yield_now().await;
            stop.raise(StopLevel::Draining);
            tokio::task::yield_now().await;
            stop.raise(StopLevel::Cancelled);
        };
        tokio::join!(stop.reached(StopLevel::Cancelled), stop.reached(StopLevel::Draining), raise);
        stop.reached(StopLevel::Cancelled).await;
    }

    #[test]
    fn a_lower_level_changes_nothing() {
        let stop = StopToken::new();
        stop.raise(StopLevel::Cancelled);
        stop.raise(StopLevel::Draining);
        assert_eq!(stop.level(), StopLevel::Cancelled);
    }
}
