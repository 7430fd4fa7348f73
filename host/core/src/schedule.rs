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

/// A thread's part of the workers: threads need not have the same number of them, and a schedule that dealt all threads alike would
/// overtax those that have fewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    thread: u32,
    workers: u32,
    pub(crate) own: Vec<u32>,
}

impl Share {
    /// Thread number `thread` has the workers `own`, in rising order, of the workers 0 to `workers` - 1.
    #[must_use]
    pub fn new(thread: u32, workers: u32, own: Vec<u32>) -> Self {
        Self { thread, workers, own }
    }
}

/// The arrivals of one thread. Even ones are dealt to the workers in turn, and a thread has those of its workers; at random, it has a
/// Poisson process of its share of the rate.
#[derive(Debug, Clone)]
pub struct Arrivals {
    profile: Profile,
    share: Share,
    spaced: Spaced,
}

/// What is next.
#[derive(Debug, Clone)]
enum Spaced {
    /// An operation of the worker at this place among the thread's own, in this round.
    Evenly { round: f64, place: usize },
    /// The time until then, in operations of the whole profile.
    AtRandom { next: f64, exponential: Exponential },
}

impl Arrivals {
    /// Those of a share of the workers; none when nobody is in it.
    #[must_use]
    pub fn new(profile: Profile, arrival: Arrival, seed: u64, share: Share) -> Self {
        let spaced = match arrival {
            Arrival::Uniform => Spaced::Evenly { round: 0.0, place: 0 },
            Arrival::Poisson => Spaced::AtRandom { next: 0.0, exponential: Exponential::new(seed, share.thread) },
        };
        Self { profile, share, spaced }
    }
}

impl Iterator for Arrivals {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let (workers, own) = (f64::from(self.share.workers), &self.share.own);
        match &mut self.spaced {
            Spaced::Evenly { round, place } => {
                let n = *round * workers + f64::from(*own.get(*place)?);
                *place += 1;
                if *place == own.len() {
                    (*round, *place) = (*round + 1.0, 0);
                }
                self.profile.due(n)
            }
            Spaced::AtRandom { .. } if own.is_empty() => None,
            Spaced::AtRandom { next, exponential } => {
                *next += exponential.draw() * workers / own.len() as f64;
                self.profile.due(*next)
            }
        }
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
#[path = "schedule_tests.rs"]
mod tests;
