//! How exact the machine is, without a server: what the errors of a calibration must be seen against.

use std::thread;
use std::time::{Duration, Instant};

use benchhost_reference::Samples;
use serde::Serialize;

use crate::host_facts::clock::cost_of_reading;

/// Sleeps that are measured: enough for a 99th percentile.
const SLEEPS: usize = 1000;
const SLEEP: Duration = Duration::from_millis(1);

/// The noise of clock and timers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Noise {
    /// By how much a sleep of one millisecond is too long: the median.
    pub sleep_overshoot_p50_ns: u64,
    /// The 99th percentile.
    pub sleep_overshoot_p99_ns: u64,
    /// What reading the clock costs.
    pub clock_read_ns: f64,
}

/// Measures it. Takes a second.
pub(crate) fn noise() -> Noise {
    let overshoots = (0..SLEEPS).map(|_| {
        let began = Instant::now();
        thread::sleep(SLEEP);
        u64::try_from(began.elapsed().saturating_sub(SLEEP).as_nanos()).unwrap_or(u64::MAX)
    });
    let overshoots = Samples::new(overshoots.collect());
    Noise {
        sleep_overshoot_p50_ns: overshoots.quantile(0.5).unwrap_or(0),
        sleep_overshoot_p99_ns: overshoots.quantile(0.99).unwrap_or(0),
        clock_read_ns: cost_of_reading(),
    }
}
