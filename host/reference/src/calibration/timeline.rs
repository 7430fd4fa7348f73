//! When a request is answered: arithmetic that the server and the simulation share, so that they cannot differ.

use std::time::Duration;

use crate::calibration::injection::{Injection, Stall};

/// Nanoseconds of a second.
const SECOND: f64 = 1e9;

/// A `/write` that was taken on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Admission {
    /// Its drawn service time, in nanoseconds.
    pub(crate) nominal: u64,
    /// When it is answered, in nanoseconds on the timeline.
    pub(crate) release: u64,
}

/// The requests of a server, in the order in which they arrive. All times are nanoseconds since the first one.
#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    injection: Injection,
    seed: u64,
    number: u64,
    /// The gap between two answers under a rate limit.
    gap: u64,
    /// The earliest time of the next answer under a rate limit.
    next: u64,
}

impl Timeline {
    pub(crate) fn new(injection: Injection, seed: u64) -> Self {
        let gap = injection.rate_limit.map_or(0, |rate| (SECOND / rate).round() as u64);
        Self { injection, seed, number: 0, gap, next: 0 }
    }

    /// Takes the next request on, which arrived at `arrived`.
    pub(crate) fn admit(&mut self, arrived: u64) -> Admission {
        let nominal = nanos(self.injection.service.draw(self.seed, self.number));
        self.number += 1;
        let mut release = self.after_stall(arrived.saturating_add(nominal));
        if self.gap > 0 {
            release = self.after_stall(release.max(self.next));
            self.next = release.saturating_add(self.gap);
        }
        Admission { nominal, release }
    }

    /// `time`, or the end of the stall that it lies in: whoever arrives in a stall, or is in service when it begins, waits for its end.
    fn after_stall(&self, time: u64) -> u64 {
        let Some(Stall { every, length }) = self.injection.stall else { return time };
        let (every, length) = (nanos(every).max(1), nanos(length));
        let Some(since_first) = time.checked_sub(every / 2) else { return time };
        let since_begin = since_first % every;
        if since_begin < length { time.saturating_add(length - since_begin) } else { time }
    }
}

/// Saturates after 584 years.
pub(crate) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::distribution::Distribution;

    const MS: u64 = 1_000_000;

    fn timeline(service_ms: u64, stall_ms: Option<(u64, u64)>, rate_limit: Option<f64>) -> Timeline {
        let stall = stall_ms.map(|(every, length)| Stall {
            every: Duration::from_millis(every),
            length: Duration::from_millis(length),
        });
        let service = Distribution::Constant(Duration::from_millis(service_ms));
        Timeline::new(Injection { service, stall, rate_limit }, 0)
    }

    #[test]
    fn whoever_arrives_in_a_stall_or_is_in_service_when_it_begins_waits_for_its_end() {
        let mut timeline = timeline(10, Some((1000, 100)), None);
        let mut answered = |arrived: u64| timeline.admit(arrived * MS).release / MS;
        assert_eq!(answered(0), 10);
        assert_eq!(answered(489), 499);
        // In service when it begins.
        assert_eq!(answered(490), 600);
        assert_eq!(answered(550), 600);
        // Its own service time outlasts the stall.
        assert_eq!(answered(595), 605);
        assert_eq!(answered(600), 610);
        assert_eq!(answered(1495), 1600);
    }

    #[test]
    fn answers_under_a_rate_limit_are_spaced_and_lost_time_is_not_made_up() {
        let mut timeline = timeline(1, None, Some(100.0));
        let mut answered = |arrived: u64| timeline.admit(arrived * MS).release / MS;
        assert_eq!([answered(0), answered(0), answered(5)], [1, 11, 21]);
        assert_eq!([answered(500), answered(500)], [501, 511]);
    }

    #[test]
    fn a_rate_limit_gives_no_answer_in_a_stall() {
        let mut timeline = timeline(0, Some((1000, 100)), Some(10.0));
        let answered: Vec<u64> = (0..8).map(|_| timeline.admit(0).release / MS).collect();
        assert_eq!(answered, [0, 100, 200, 300, 400, 600, 700, 800]);
    }

    #[test]
    fn the_draw_is_told_beside_the_time() {
        assert_eq!(timeline(7, None, None).admit(3 * MS), Admission { nominal: 7 * MS, release: 10 * MS });
    }
}
