//! What the server used while the run went on, put in relation to its steps. Pure: what was seen goes in, figures come out.

use std::time::Duration;

use crate::observe::Seen;
use crate::probe::Usage;

/// What the server used at a moment, and since the sample before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServerSample {
    /// When, on the run's clock.
    pub at: Duration,
    /// Use of processors since the previous sample; 100 is one processor. None in the first sample, and where it is not known.
    pub cpu_percent: Option<f64>,
    /// Memory that it held at that moment.
    pub memory_bytes: Option<u64>,
    /// Bytes read from disks since the previous sample.
    pub disk_read_bytes: Option<u64>,
    /// Bytes written to disks since the previous sample.
    pub disk_written_bytes: Option<u64>,
    /// Bytes received from the network since the previous sample.
    pub network_received_bytes: Option<u64>,
    /// Bytes sent to the network since the previous sample.
    pub network_sent_bytes: Option<u64>,
}

/// What the server used while the run went on. Figures are of the measured steps, from the first one's start to the last one's last
/// acknowledgement; the series begins before the warm-up and ends after the drain. What could not be told is none.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerUsage {
    /// What was looked at, as the user named it.
    pub probe: String,
    /// In order of time; empty when every sample failed.
    pub samples: Vec<ServerSample>,
    /// The most that it used between two samples; 100 is one processor.
    pub max_cpu_percent: Option<f64>,
    /// What it used on average over time; 100 is one processor.
    pub mean_cpu_percent: Option<f64>,
    /// The most memory that it held in any sample.
    pub max_memory_bytes: Option<u64>,
    /// The memory that it held on average over time.
    pub mean_memory_bytes: Option<u64>,
    /// Bytes read from disks.
    pub disk_read_bytes: Option<u64>,
    /// Bytes written to disks.
    pub disk_written_bytes: Option<u64>,
    /// Bytes received from the network.
    pub network_received_bytes: Option<u64>,
    /// Bytes sent to the network.
    pub network_sent_bytes: Option<u64>,
    /// Processor time that the observing itself took from this machine.
    pub observer_cpu: Duration,
    /// Samples that could not be taken.
    pub failed: u64,
    /// Why the first of them could not.
    pub first_failure: Option<String>,
}

impl ServerUsage {
    /// Figures of the part of the run from `start` to `end`. An interval that lies partly in it counts with that part in means and sums, and
    /// as a whole for the maxima if at least half of it does.
    pub(crate) fn of(seen: Seen, start: Duration, end: Duration) -> Self {
        let intervals: Vec<Interval> = seen.samples.windows(2).map(|pair| Interval::new(pair, start, end)).collect();
        let inside = intervals.iter().filter(|interval| interval.share > 0.0);
        let mostly = || inside.clone().filter(|interval| interval.share >= 0.5);
        // A run that is shorter than an interval has only one that holds all of it.
        let whole: Vec<&Interval> = if mostly().count() > 0 { mostly().collect() } else { inside.clone().collect() };
        let sum = |count: fn(&Used) -> Option<u64>| {
            let parts = inside.clone().filter_map(|interval| Some(count(&interval.used)? as f64 * interval.share));
            parts.reduce(|a, b| a + b).map(|sum| sum.round() as u64)
        };
        let first = seen.samples.first().map(|(at, usage)| ServerSample {
            at: *at,
            cpu_percent: None,
            memory_bytes: usage.memory_bytes,
            disk_read_bytes: None,
            disk_written_bytes: None,
            network_received_bytes: None,
            network_sent_bytes: None,
        });
        Self {
            probe: seen.probe,
            max_cpu_percent: whole.iter().filter_map(|interval| interval.cpu_percent()).reduce(f64::max),
            mean_cpu_percent: mean(inside.clone(), Interval::cpu_percent),
            max_memory_bytes: whole.iter().filter_map(|interval| interval.usage.memory_bytes).max(),
            mean_memory_bytes: mean(inside.clone(), Interval::memory).map(|bytes| bytes.round() as u64),
            disk_read_bytes: sum(|used| used.disk_read_bytes),
            disk_written_bytes: sum(|used| used.disk_written_bytes),
            network_received_bytes: sum(|used| used.network_received_bytes),
            network_sent_bytes: sum(|used| used.network_sent_bytes),
            samples: first.into_iter().chain(intervals.iter().map(Interval::sample)).collect(),
            observer_cpu: seen.cpu,
            failed: seen.failed,
            first_failure: seen.first_failure,
        }
    }
}

/// The mean over time of what is known.
fn mean<'a>(intervals: impl Iterator<Item = &'a Interval>, value: fn(&Interval) -> Option<f64>) -> Option<f64> {
    let (mut sum, mut time) = (0.0, 0.0);
    for (value, interval) in intervals.filter_map(|interval| Some((value(interval)?, interval))) {
        let weight = interval.length.as_secs_f64() * interval.share;
        sum += value * weight;
        time += weight;
    }
    (time > 0.0).then(|| sum / time)
}

/// From one sample to the next.
struct Interval {
    end: Duration,
    length: Duration,
    /// The part of it that lies in the measured steps, 0 to 1.
    share: f64,
    /// Memory at its start.
    memory_before: Option<u64>,
    /// At its end.
    usage: Usage,
    used: Used,
}

/// By how much counters grew. One that went back, because the server was started anew, tells nothing.
#[derive(Clone, Copy)]
struct Used {
    cpu: Option<Duration>,
    disk_read_bytes: Option<u64>,
    disk_written_bytes: Option<u64>,
    network_received_bytes: Option<u64>,
    network_sent_bytes: Option<u64>,
}

impl Interval {
    fn new(pair: &[(Duration, Usage)], start: Duration, end: Duration) -> Self {
        let [(from, before), (to, usage)] = [pair[0], pair[1]];
        let length = to.saturating_sub(from);
        let inside = to.min(end).saturating_sub(from.max(start));
        let grown = |count: fn(&Usage) -> Option<u64>| count(&usage)?.checked_sub(count(&before)?);
        Self {
            end: to,
            length,
            share: if length.is_zero() { 0.0 } else { inside.as_secs_f64() / length.as_secs_f64() },
            memory_before: before.memory_bytes,
            usage,
            used: Used {
                cpu: usage.cpu.zip(before.cpu).and_then(|(after, before)| after.checked_sub(before)),
                disk_read_bytes: grown(|usage| usage.disk_read_bytes),
                disk_written_bytes: grown(|usage| usage.disk_written_bytes),
                network_received_bytes: grown(|usage| usage.network_received_bytes),
                network_sent_bytes: grown(|usage| usage.network_sent_bytes),
            },
        }
    }

    fn cpu_percent(&self) -> Option<f64> {
        let cpu = self.used.cpu.filter(|_| !self.length.is_zero())?;
        Some(cpu.as_secs_f64() / self.length.as_secs_f64() * 100.0)
    }

    /// Between its two ends.
    fn memory(&self) -> Option<f64> {
        let after = self.usage.memory_bytes?;
        Some(self.memory_before.map_or(after as f64, |before| (before as f64 + after as f64) / 2.0))
    }

    fn sample(&self) -> ServerSample {
        ServerSample {
            at: self.end,
            cpu_percent: self.cpu_percent(),
            memory_bytes: self.usage.memory_bytes,
            disk_read_bytes: self.used.disk_read_bytes,
            disk_written_bytes: self.used.disk_written_bytes,
            network_received_bytes: self.used.network_received_bytes,
            network_sent_bytes: self.used.network_sent_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of (second, processor seconds so far, memory in bytes, bytes written so far).
    fn seen(samples: &[(u64, u64, u64, u64)]) -> Seen {
        let usage = |&(at, cpu, memory, written)| {
            let usage = Usage {
                cpu: Some(Duration::from_secs(cpu)),
                memory_bytes: Some(memory),
                disk_written_bytes: Some(written),
                ..Usage::default()
            };
            (Duration::from_secs(at), usage)
        };
        Seen { probe: "fake".into(), samples: samples.iter().map(usage).collect(), ..Seen::default() }
    }

    fn usage(samples: &[(u64, u64, u64, u64)], start: u64, end: u64) -> ServerUsage {
        ServerUsage::of(seen(samples), Duration::from_secs(start), Duration::from_secs(end))
    }

    #[test]
    fn figures_are_of_the_measured_steps_and_the_series_of_the_whole_time() {
        // A warm-up of four processors, then one, then two; then nothing.
        let samples =
            [(0, 0, 9000, 0), (10, 40, 100, 500), (20, 50, 200, 600), (30, 70, 400, 800), (40, 70, 9000, 900)];
        let usage = usage(&samples, 10, 30);
        assert_eq!((usage.max_cpu_percent, usage.mean_cpu_percent), (Some(200.0), Some(150.0)));
        assert_eq!((usage.max_memory_bytes, usage.mean_memory_bytes), (Some(400), Some(225)));
        assert_eq!((usage.disk_written_bytes, usage.disk_read_bytes), (Some(300), None));
        let series: Vec<_> = usage.samples.iter().map(|sample| sample.cpu_percent).collect();
        assert_eq!(series, [None, Some(400.0), Some(100.0), Some(200.0), Some(0.0)]);
        let written: Vec<_> = usage.samples.iter().map(|sample| sample.disk_written_bytes).collect();
        assert_eq!(written, [None, Some(500), Some(100), Some(200), Some(100)]);
        assert_eq!(usage.samples[0].memory_bytes, Some(9000));
    }

    #[test]
    fn means_are_weighted_by_time_and_partial_intervals_count_in_part() {
        // One processor for 8 s, of which 2 s are measured; then three processors for 2 s.
        let usage = usage(&[(0, 0, 0, 0), (8, 8, 0, 80), (10, 14, 0, 100)], 6, 10);
        assert_eq!(usage.mean_cpu_percent, Some(200.0));
        assert_eq!(usage.max_cpu_percent, Some(300.0));
        assert_eq!(usage.disk_written_bytes, Some(40));
    }

    #[test]
    fn a_run_within_one_interval_has_the_figures_of_that_interval() {
        let usage = usage(&[(0, 0, 10, 0), (10, 5, 30, 100)], 4, 5);
        assert_eq!((usage.max_cpu_percent, usage.mean_cpu_percent), (Some(50.0), Some(50.0)));
        assert_eq!((usage.max_memory_bytes, usage.disk_written_bytes), (Some(30), Some(10)));
    }

    #[test]
    fn a_counter_that_goes_back_is_left_out() {
        let usage = usage(&[(0, 100, 1, 1000), (1, 101, 1, 1100), (2, 0, 1, 5), (3, 1, 1, 25)], 0, 3);
        let series: Vec<_> = usage.samples.iter().map(|sample| sample.cpu_percent).collect();
        assert_eq!(series, [None, Some(100.0), None, Some(100.0)]);
        assert_eq!((usage.mean_cpu_percent, usage.disk_written_bytes), (Some(100.0), Some(120)));
    }

    #[test]
    fn what_was_never_told_is_absent_and_not_zero() {
        let usage = ServerUsage::of(seen(&[]), Duration::ZERO, Duration::from_secs(1));
        assert_eq!((usage.max_cpu_percent, usage.mean_memory_bytes, usage.disk_written_bytes), (None, None, None));
        assert!(usage.samples.is_empty());
        let usage = self::usage(&[(0, 1, 1, 1)], 0, 1);
        assert_eq!((usage.samples.len(), usage.max_cpu_percent), (1, None));
    }

    #[test]
    fn two_samples_at_the_same_moment_are_no_rate() {
        let usage = usage(&[(1, 0, 1, 0), (1, 1, 1, 0)], 0, 2);
        assert_eq!((usage.samples[1].cpu_percent, usage.mean_cpu_percent), (None, None));
    }
}
