//! The stop signal of a run: first "take no more work", then "give up what is in flight".

use std::sync::Arc;

use tokio::sync::watch;

/// How far a run has been asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopLevel {
    /// Not at all.
    Running,
    /// No new operation starts; those in flight end by themselves.
    Draining,
    /// Operations in flight are given up: waiting host functions answer `cancelled`.
    Cancelled,
}

/// A shared stop signal. It only ever rises.
#[derive(Debug, Clone)]
pub struct StopToken {
    level: Arc<watch::Sender<StopLevel>>,
}

impl Default for StopToken {
    fn default() -> Self {
        Self::new()
    }
}

impl StopToken {
    /// A signal that nobody has raised.
    #[must_use]
    pub fn new() -> Self {
        Self { level: Arc::new(watch::Sender::new(StopLevel::Running)) }
    }

    /// How far the run has been asked to stop.
    #[must_use]
    pub fn level(&self) -> StopLevel {
        *self.level.borrow()
    }

    /// Raises the signal; a lower level than the present one changes nothing.
    pub fn raise(&self, level: StopLevel) {
        self.level.send_if_modified(|now| {
            let rises = level > *now;
            if rises {
                *now = level;
            }
            rises
        });
    }

    /// Waits until the signal is at `level` or above.
    pub async fn reached(&self, level: StopLevel) {
        let mut receiver = self.level.subscribe();
        // The sender lives in `self`, so this cannot fail while `self` is borrowed.
        let _ = receiver.wait_for(|now| *now >= level).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_level_changes_nothing() {
        let stop = StopToken::new();
        stop.raise(StopLevel::Cancelled);
        stop.raise(StopLevel::Draining);
        assert_eq!(stop.level(), StopLevel::Cancelled);
    }
}
