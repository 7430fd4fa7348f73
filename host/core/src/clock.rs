//! The run's clock: monotonic time since the run began. One clock stamps everything.

use std::future::Future;
use std::time::{Duration, Instant};

use crate::usage;

/// A monotonic clock that can also wait.
pub trait Clock: Clone + Send + Sync {
    /// Waits until a moment; belongs to one thread.
    type Timer: Timer;

    /// Time since the clock's origin.
    fn now(&self) -> Duration;
    /// Waits at least `time`.
    fn sleep(&self, time: Duration) -> impl Future<Output = ()>;
    /// Processor time of the calling thread so far.
    fn thread_cpu(&self) -> Duration;
    /// Processor time of the whole process so far.
    fn process_cpu(&self) -> Duration;
    /// A timer for the event loop of this thread.
    fn timer(&self) -> Self::Timer;
}

/// Waits until a moment of its clock, as exactly as it can.
pub trait Timer {
    /// Returns at `moment`, or at once when it is past. Never early.
    fn until(&mut self, moment: Duration) -> impl Future<Output = ()>;
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
    type Timer = MonotonicTimer;

    fn now(&self) -> Duration {
        self.origin.elapsed()
    }

    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn thread_cpu(&self) -> Duration {
        usage::thread_cpu()
    }

    fn process_cpu(&self) -> Duration {
        usage::process_cpu()
    }

    fn timer(&self) -> MonotonicTimer {
        MonotonicTimer { clock: *self, kernel: kernel::Alarm::new() }
    }
}

/// The event loop's own timers count in milliseconds, which is too coarse for a schedule of thousands of operations a second. Where
/// the kernel has timers as files, one of them wakes the loop within tens of microseconds, without spinning.
#[derive(Debug)]
pub struct MonotonicTimer {
    clock: MonotonicClock,
    /// None where the kernel has none: the event loop's timers have to do.
    kernel: Option<kernel::Alarm>,
}

impl Timer for MonotonicTimer {
    async fn until(&mut self, moment: Duration) {
        loop {
            let now = self.clock.now();
            if now >= moment {
                return;
            }
            let left = moment - now;
            let rung = match &mut self.kernel {
                Some(alarm) => alarm.ring_after(left).await,
                None => false,
            };
            if !rung {
                tokio::time::sleep(left).await;
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::os::fd::OwnedFd;
    use std::time::Duration;

    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
    };
    use tokio::io::unix::AsyncFd;

    /// A kernel timer on this thread's event loop.
    #[derive(Debug)]
    pub(super) struct Alarm(AsyncFd<OwnedFd>);

    impl Alarm {
        #[expect(
            deprecated,
            reason = "sound for a file that nobody else can close, which an owned one is; the successor is an unsafe function"
        )]
        pub(super) fn new() -> Option<Self> {
            let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
            let file = timerfd_create(TimerfdClockId::Monotonic, flags).ok()?;
            AsyncFd::new(file).ok().map(Self)
        }

        /// Waits about `time`; false when the kernel refuses.
        pub(super) async fn ring_after(&mut self, time: Duration) -> bool {
            let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
            let value = Timespec {
                tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
                // A time of zero would disarm it.
                tv_nsec: i64::from(time.subsec_nanos().max(1)),
            };
            let spec = Itimerspec { it_interval: zero, it_value: value };
            if timerfd_settime(self.0.get_ref(), TimerfdTimerFlags::empty(), &spec).is_err() {
                return false;
            }
            loop {
                let Ok(mut ready) = self.0.readable().await else { return false };
                let mut rung = [0; 8];
                // Readiness may be stale, from an alarm that was given up: then there is nothing to read yet.
                match ready.try_io(|file| Ok(rustix::io::read(file.get_ref(), &mut rung)?)) {
                    Ok(Ok(_)) => return true,
                    Ok(Err(_)) => return false,
                    Err(_would_block) => {}
                }
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use std::time::Duration;

    /// No kernel timer here.
    #[derive(Debug)]
    pub(super) struct Alarm;

    impl Alarm {
        pub(super) fn new() -> Option<Self> {
            None
        }

        pub(super) async fn ring_after(&mut self, _: Duration) -> bool {
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_never_rings_early_and_can_be_given_up() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let clock = MonotonicClock::start();
            let mut timer = clock.timer();
            for step in 1..=20_u64 {
                let moment = clock.now() + Duration::from_micros(step * 100);
                timer.until(moment).await;
                assert!(clock.now() >= moment);
            }
            let far = clock.now() + Duration::from_secs(3600);
            assert!(tokio::time::timeout(Duration::from_millis(5), timer.until(far)).await.is_err());
            let soon = clock.now() + Duration::from_millis(1);
            timer.until(soon).await;
            assert!(clock.now() >= soon);
            timer.until(Duration::ZERO).await;
        });
    }
}
