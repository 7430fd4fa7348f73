//! Waiting until a moment, as exactly as a thread can.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A hold up to this long is spun at its end. A late timer would be more than a percent of it; of a longer one it is less, and spinning
/// would take the processor from the client that is being judged.
const SHORT: Duration = Duration::from_millis(5);

/// How long before its end a short hold wakes up: about what a timer of the kernel is late.
const SPUN: Duration = Duration::from_micros(60);

/// The longest that a thread sleeps without looking whether the server has ended.
const SLICE: Duration = Duration::from_millis(100);

/// Asks the kernel to be as exact as it can with the timers of this thread: by default it may be late by 50 µs to save wake-ups.
pub(crate) fn sharpen_timers() {
    // Where it refuses, or is no Linux, holds are longer than asked for, which the truth tells.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}

/// Returns at `end`, never earlier unless the server ends meanwhile. `begin` is when the hold began; one that `spins` never sleeps.
pub(crate) fn until(end: Instant, begin: Instant, spins: bool, ended: &AtomicBool) {
    let short = end.saturating_duration_since(begin) <= SHORT;
    let spun = match (spins, short) {
        (true, _) => Duration::MAX,
        (false, true) => SPUN,
        (false, false) => Duration::ZERO,
    };
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || ended.load(Ordering::Relaxed) {
            return;
        }
        match left.checked_sub(spun).filter(|time| !time.is_zero()) {
            Some(time) => std::thread::sleep(time.min(SLICE)),
            None => std::hint::spin_loop(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hold_is_never_shorter_than_asked_for() {
        sharpen_timers();
        let ended = AtomicBool::new(false);
        for micros in [0, 10, 100, 1000, 6000] {
            for spins in [false, true] {
                let begin = Instant::now();
                let end = begin + Duration::from_micros(micros);
                until(end, begin, spins, &ended);
                assert!(Instant::now() >= end);
            }
        }
    }

    #[test]
    fn the_end_of_the_server_ends_a_hold() {
        let begin = Instant::now();
        let end = begin + Duration::from_secs(3600);
        until(end, begin, false, &AtomicBool::new(true));
        until(end, begin, true, &AtomicBool::new(true));
        assert!(Instant::now() < end);
    }
}
