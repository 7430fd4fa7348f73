//! What it costs to read the clock. Every operation reads it several times, and on some machines that is a call into the kernel.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Readings in a batch: enough that the two that enclose them do not count.
const READINGS: u32 = 1000;
/// Batches, of which the one in the middle is taken: others may have had to wait for the processor. All of them take less than a
/// millisecond where the clock is fast.
const BATCHES: usize = 9;

/// Nanoseconds that one reading of the monotonic clock takes.
pub(crate) fn cost_of_reading() -> f64 {
    let batch = || {
        let start = Instant::now();
        for _ in 0..READINGS {
            black_box(Instant::now());
        }
        start.elapsed()
    };
    let mut batches = [Duration::ZERO; BATCHES];
    batches.fill_with(batch);
    batches.sort_unstable();
    batches[BATCHES / 2].as_nanos() as f64 / f64::from(READINGS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_the_clock_is_not_free() {
        let cost = cost_of_reading();
        assert!(cost.is_finite() && cost > 0.0, "{cost}");
    }
}
