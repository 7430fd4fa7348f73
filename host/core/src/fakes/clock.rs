//! A clock that a test moves.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::clock::{Clock, Timer};

/// A clock that moves when somebody says so, and when all that goes on is waiting for it: then it jumps to the next moment that
/// somebody waits for.
#[derive(Debug, Clone, Default)]
pub(crate) struct FakeClock(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    now: AtomicU64,
    /// Counts everything that happens; while it stands still, everybody waits.
    activity: AtomicU64,
    sleepers: Mutex<BTreeSet<(u64, u64)>>,
}

/// So often must a sleeper be asked in vain before it takes it that everybody waits.
const PATIENCE: u32 = 50;

impl FakeClock {
    pub(crate) fn advance(&self, time: Duration) {
        self.0.now.fetch_add(time.as_nanos() as u64, Ordering::SeqCst);
        self.0.activity.fetch_add(1, Ordering::SeqCst);
    }

    fn sleeper(&self, until: Duration) -> Sleeper {
        let id = self.0.activity.fetch_add(1, Ordering::SeqCst);
        let key = (until.as_nanos() as u64, id);
        self.0.sleepers.lock().unwrap().insert(key);
        Sleeper { clock: self.clone(), key, seen: id, idle: 0, quiet: Instant::now() }
    }
}

/// Waits for a moment of a fake clock.
struct Sleeper {
    clock: FakeClock,
    key: (u64, u64),
    seen: u64,
    idle: u32,
    quiet: Instant,
}

impl Future for Sleeper {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let inner = Arc::clone(&self.clock.0);
        if inner.now.load(Ordering::SeqCst) >= self.key.0 {
            return Poll::Ready(());
        }
        let activity = inner.activity.load(Ordering::SeqCst);
        if activity == self.seen {
            self.idle += 1;
        } else {
            (self.idle, self.seen, self.quiet) = (0, activity, Instant::now());
        }
        // A long jump may have been forestalled by a thread that the machine keeps waiting: it needs real patience.
        let far = self.key.0.saturating_sub(inner.now.load(Ordering::SeqCst)) > 100_000_000;
        let patient = self.idle > PATIENCE && (!far || self.quiet.elapsed() > Duration::from_millis(100));
        if patient && inner.sleepers.lock().unwrap().first() == Some(&self.key) {
            inner.now.fetch_max(self.key.0, Ordering::SeqCst);
            inner.activity.fetch_add(1, Ordering::SeqCst);
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.clock.0.sleepers.lock().unwrap().remove(&self.key);
        self.clock.0.activity.fetch_add(1, Ordering::SeqCst);
    }
}

pub(crate) struct FakeTimer(FakeClock);

impl Timer for FakeTimer {
    async fn until(&mut self, moment: Duration) {
        self.0.sleeper(moment).await;
    }
}

impl Clock for FakeClock {
    type Timer = FakeTimer;

    fn now(&self) -> Duration {
        Duration::from_nanos(self.0.now.load(Ordering::SeqCst))
    }

    async fn sleep(&self, time: Duration) {
        self.sleeper(self.now() + time).await;
    }

    fn thread_cpu(&self) -> Duration {
        Duration::ZERO
    }

    fn process_cpu(&self) -> Duration {
        Duration::ZERO
    }

    fn timer(&self) -> FakeTimer {
        FakeTimer(self.clone())
    }
}
