//! The run's clock: monotonic nanoseconds since the run began. One clock stamps everything.

use std::future::Future;
use std::time::{Duration, Instant};

/// A monotonic clock that can also wait.
pub trait Clock: Clone + Send + Sync {
    /// Time since the clock's origin.
    fn now(&self) -> Duration;
    /// Waits at least `time`.
    fn sleep(&self, time: Duration) -> impl Future<Output = ()>;
}

/// The machine's monotonic clock.
#[derive(Debug, Clone, Copy)]
pub struct MonotonicClock {
    origin: Instant,
}

impl MonotonicClock {
    /// A clock that begins now.
    #[must_use]
    pub fn start() -> Self {
        Self { origin: Instant::now() }
    }
}

impl Clock for MonotonicClock {
    fn now(&self) -> Duration {
        self.origin.elapsed()
    }

    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}
