//! Hands out what is due to the workers of one thread, in order and never early.

use std::time::Duration;

use tokio::sync::Mutex;

use crate::clock::{Clock, Timer};
use crate::schedule::Arrivals;
use crate::stop::{StopLevel, StopToken};

/// The schedule of one thread.
pub(crate) struct Pacer<C: Clock> {
    clock: C,
    start: Duration,
    stop: StopToken,
    /// Held by the one worker that waits for the next operation to be due; the others queue behind it in the order they came.
    turn: Mutex<Turn<C>>,
}

struct Turn<C: Clock> {
    arrivals: Arrivals,
    timer: C::Timer,
}

impl<C: Clock> Pacer<C> {
    /// A pacer whose schedule begins at `start`.
    pub(crate) fn new(clock: &C, start: Duration, arrivals: Arrivals, stop: &StopToken) -> Self {
        let turn = Turn { arrivals, timer: clock.timer() };
        Self { clock: clock.clone(), start, stop: stop.clone(), turn: Mutex::new(turn) }
    }

    /// Waits until the next operation is due and says when that was; none when nothing is due any more, the run was stopped, or by the
    /// time that it is the worker's turn there is no `more` to do.
    pub(crate) async fn next(&self, more: impl Fn() -> bool) -> Option<Duration> {
        let mut turn = self.turn.lock().await;
        if self.stop.level() > StopLevel::Running || !more() {
            return None;
        }
        let due = self.start + turn.arrivals.next()?;
        if self.clock.now() < due {
            tokio::select! {
                biased;
                () = turn.timer.until(due) => {}
                () = self.stop.reached(StopLevel::Draining) => return None,
            }
        }
        Some(due)
    }
}
