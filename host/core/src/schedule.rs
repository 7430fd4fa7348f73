//! When operations are due: arithmetic on the number of the operation, so that a slow server, a late timer or a busy client can
//! never move the schedule.
//!
//! A [`Profile`] says how many operations are due up to a time; its inverse says when the n-th is due. Evenly spaced arrivals ask
//! for the whole numbers; Poisson arrivals ask for the running sum of seeded exponential variates, which by the time-change
//! theorem gives a Poisson process of exactly the profile's rate, ramps included.

use std::time::Duration;

use serde::Serialize;

/// How arrivals are spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrival {
    /// Evenly: repeatable, for comparisons.
    Uniform,
    /// As independent users would: seeded, so it is repeatable too.
    Poisson,
}

/// A piece of a profile: the rate goes in a straight line from `from` to `to`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Stage {
    /// How long it lasts.
    #[serde(serialize_with = "crate::plan::as_seconds", rename = "seconds")]
    pub length: Duration,
    /// Operations per second at its start.
    pub from_per_s: f64,
    /// Operations per second at its end.
    pub to_per_s: f64,
}

impl Stage {
    /// A constant rate.
    #[must_use]
    pub fn constant(length: Duration, per_s: f64) -> Self {
        Self { length, from_per_s: per_s, to_per_s: per_s }
    }

    fn operations(&self) -> f64 {
        f64::midpoint(self.from_per_s, self.to_per_s) * self.length.as_secs_f64()
    }

    /// Seconds from its start until `n` operations are due; `n` is at most [`Stage::operations`].
    fn seconds_until(&self, n: f64) -> f64 {
        let slope = (self.to_per_s - self.from_per_s) / self.length.as_secs_f64();
        // n = from t + slope t² / 2, solved without the cancellation that the school formula has for gentle slopes.
        let root = (self.from_per_s * self.from_per_s + 2.0 * slope * n).max(0.0).sqrt();
        if n == 0.0 { 0.0 } else { 2.0 * n / (self.from_per_s + root) }
    }
}

/// The offered rate over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    stages: Vec<Stage>,
}

impl Profile {
    /// Stages one after the other.
    #[must_use]
    pub fn new(stages: Vec<Stage>) -> Self {
        Self { stages }
    }

    /// The stages.
    #[must_use]
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// How long it lasts.
    #[must_use]
    pub fn length(&self) -> Duration {
        self.stages.iter().map(|stage| stage.length).sum()
    }

    /// Operations that are due in all.
    #[must_use]
    pub fn operations(&self) -> f64 {
        self.stages.iter().map(Stage::operations).sum()
    }

    /// Operations that are due in the first `elapsed` of the profile.
    #[must_use]
    pub fn operations_by(&self, elapsed: Duration) -> f64 {
        let mut due = 0.0;
        let mut left = elapsed;
        for stage in &self.stages {
            if left >= stage.length {
                due += stage.operations();
                left -= stage.length;
            } else {
                let part = left.as_secs_f64();
                let slope = (stage.to_per_s - stage.from_per_s) / stage.length.as_secs_f64();
                return due + (stage.from_per_s + slope * part / 2.0) * part;
            }
        }
        due
    }

    /// When the `n`-th operation is due, counted from 0 and from the start of the profile; none when it is not due at all. `n` need not
    /// be whole.
    #[must_use]
    pub fn due(&self, n: f64) -> Option<Duration> {
        let mut before = 0.0;
        let mut start = Duration::ZERO;
        for stage in &self.stages {
            let operations = stage.operations();
            if n < before + operations {
                return Some(start + Duration::from_secs_f64(stage.seconds_until(n - before)));
            }
            before += operations;
            start += stage.length;
        }
        None
    }
}

/// The arrivals of one thread: every `threads`-th of the profile's when they are even, a Poisson process of its share otherwise.
#[derive(Debug, Clone)]
pub struct Arrivals {
    profile: Profile,
    threads: f64,
    next: f64,
    exponential: Option<Exponential>,
}

impl Arrivals {
    /// Those of thread number `thread` of `threads`.
    #[must_use]
    pub fn new(profile: Profile, arrival: Arrival, seed: u64, thread: u32, threads: u32) -> Self {
        let mut arrivals = Self { profile, threads: f64::from(threads), next: f64::from(thread), exponential: None };
        if arrival == Arrival::Poisson {
            let mut exponential = Exponential::new(seed, thread);
            arrivals.next = exponential.draw() * arrivals.threads;
            arrivals.exponential = Some(exponential);
        }
        arrivals
    }
}

impl Iterator for Arrivals {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let due = self.profile.due(self.next)?;
        let gap = self.exponential.as_mut().map_or(1.0, Exponential::draw);
        self.next += gap * self.threads;
        Some(due)
    }
}

/// Exponential variates of mean 1, from a counter and a mixer: the n-th is known without the ones before.
#[derive(Debug, Clone)]
struct Exponential {
    state: u64,
}

impl Exponential {
    fn new(seed: u64, thread: u32) -> Self {
        Self { state: mix(seed ^ mix(u64::from(thread) + 1)) }
    }

    fn draw(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        // In (0, 1]: the logarithm is finite.
        let uniform = ((mix(self.state) >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        -uniform.ln()
    }
}

/// The finalizer of SplitMix64.
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(length: u64, from_per_s: f64, to_per_s: f64) -> Stage {
        Stage { length: Duration::from_secs(length), from_per_s, to_per_s }
    }

    #[test]
    fn a_constant_rate_is_due_at_i_over_rate_whatever_the_number_of_threads() {
        let profile = Profile::new(vec![seconds(10, 1000.0, 1000.0)]);
        for threads in [1, 2, 3, 8] {
            let mut all: Vec<_> = (0..threads)
                .flat_map(|thread| Arrivals::new(profile.clone(), Arrival::Uniform, 0, thread, threads))
                .collect();
            all.sort_unstable();
            assert_eq!(all.len(), 10_000);
            for (i, due) in all.iter().enumerate() {
                let truth = i as f64 / 1000.0;
                assert!((due.as_secs_f64() - truth).abs() < 1e-8, "{i}: {due:?}");
            }
        }
    }

    #[test]
    fn a_ramp_offers_the_area_under_its_line() {
        let profile = Profile::new(vec![seconds(10, 0.0, 100.0), seconds(10, 100.0, 100.0), seconds(5, 100.0, 0.0)]);
        assert!((profile.operations() - 1750.0).abs() < 1e-9);
        let due: Vec<_> = Arrivals::new(profile.clone(), Arrival::Uniform, 0, 0, 1).collect();
        assert_eq!(due.len(), 1750);
        assert!(due.is_sorted());
        for n in [0.0, 1.0, 333.0, 777.5, 1749.0] {
            assert!((profile.operations_by(profile.due(n).unwrap()) - n).abs() < 1e-4, "{n}");
        }
        // Half of the first ramp's operations are due after 1/√2 of its time.
        assert!((due[250].as_secs_f64() - 10.0 / 2_f64.sqrt()).abs() < 1e-6);
        assert!((due[500].as_secs_f64() - 10.0).abs() < 1e-6);
        assert!(due[1749] < profile.length());
    }

    #[test]
    fn poisson_arrivals_have_the_rate_and_the_spread_of_a_poisson_process_and_are_repeatable() {
        let profile = Profile::new(vec![seconds(200, 500.0, 500.0)]);
        let draw = |seed| -> Vec<Duration> {
            let mut all: Vec<_> =
                (0..4).flat_map(|t| Arrivals::new(profile.clone(), Arrival::Poisson, seed, t, 4)).collect();
            all.sort_unstable();
            all
        };
        let all = draw(7);
        assert_eq!(all, draw(7));
        assert_ne!(all, draw(8));
        // 100,000 expected, standard deviation 316.
        assert!((all.len() as f64 - 100_000.0).abs() < 5.0 * 316.0, "{}", all.len());
        let gaps: Vec<f64> = all.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64()).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        // The gaps of a Poisson process have a coefficient of variation of 1.
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.03, "{}", variance.sqrt() / mean);
    }

    #[test]
    fn a_profile_that_has_ended_has_nothing_due() {
        let profile = Profile::new(vec![seconds(1, 10.0, 10.0)]);
        assert_eq!(profile.due(10.0), None);
        assert_eq!(Profile::new(Vec::new()).due(0.0), None);
        assert_eq!(profile.due(0.0), Some(Duration::ZERO));
    }
}
