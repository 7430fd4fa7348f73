//! How long a request is held: distributions with a closed form of their quantiles.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::calibration::injection::InjectionError;
use crate::calibration::random::unit;

/// The longest service time that can be injected.
pub const MAX_HOLD: Duration = Duration::from_secs(60);

/// The distribution of service times. The n-th draw of a seed is the quantile at the n-th number of the seed's sequence, so it is
/// known without a server.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distribution {
    /// Nothing is held: a request takes what it takes.
    #[default]
    None,
    /// Always the same.
    Constant(Duration),
    /// One of two, as a cache that hits or misses.
    TwoPoint {
        /// The usual one.
        low: Duration,
        /// The rare one; not less than `low`.
        high: Duration,
        /// Share of the rare one, from 0 to 1.
        share_high: f64,
    },
    /// Exponential, cut off at [`MAX_HOLD`].
    Exponential {
        /// The mean.
        mean: Duration,
    },
    /// A bounded Pareto distribution: most draws lie near the least, few are hundreds of times as long, none is beyond the most.
    HeavyTail {
        /// The least, more than zero.
        least: Duration,
        /// The most, more than the least.
        most: Duration,
        /// The exponent of the tail, more than 0: a share `q` of draws is longer than about `least * q^(-1/alpha)`.
        alpha: f64,
    },
}

impl Distribution {
    /// The `n`-th service time of a seed, counted from 0.
    #[must_use]
    pub fn draw(&self, seed: u64, n: u64) -> Duration {
        match self {
            Self::None => Duration::ZERO,
            Self::Constant(time) => *time,
            other => other.quantile(unit(seed, n)),
        }
    }

    /// The shortest time that at least the share `q` (0 to 1) of all draws does not exceed, to a nanosecond.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Duration {
        let q = q.clamp(0.0, 1.0);
        match *self {
            Self::None => Duration::ZERO,
            Self::Constant(time) => time,
            Self::TwoPoint { low, high, share_high } => {
                if q <= 1.0 - share_high {
                    low
                } else {
                    high
                }
            }
            Self::Exponential { mean } => seconds(-mean.as_secs_f64() * (-q).ln_1p()),
            Self::HeavyTail { least, most, alpha } => {
                let least = least.as_secs_f64();
                // The share of the unbounded distribution that lies beyond the most.
                let beyond = (least / most.as_secs_f64()).powf(alpha);
                seconds(least * (1.0 - q * (1.0 - beyond)).powf(-1.0 / alpha)).min(most)
            }
        }
    }

    /// Whether the numbers make a distribution.
    ///
    /// # Errors
    ///
    /// The first number that does not, with what it may be.
    pub fn check(&self) -> Result<(), InjectionError> {
        let wrong = |what, allowed| Err(InjectionError { what, allowed });
        match *self {
            Self::Constant(time) if time > MAX_HOLD => wrong("the constant service time", "at most 60 s"),
            Self::None | Self::Constant(_) => Ok(()),
            Self::TwoPoint { low, high, share_high } => {
                if !(0.0..=1.0).contains(&share_high) {
                    return wrong("the share of the higher service time", "from 0 to 1");
                }
                if low > high || high > MAX_HOLD {
                    return wrong("the higher service time", "at least the lower one and at most 60 s");
                }
                Ok(())
            }
            Self::Exponential { mean } if mean > MAX_HOLD => wrong("the mean service time", "at most 60 s"),
            Self::Exponential { .. } => Ok(()),
            Self::HeavyTail { least, most, alpha } => {
                if least.is_zero() || most <= least || most > MAX_HOLD {
                    return wrong(
                        "the most of the heavy tail",
                        "more than the least, itself over zero, and at most 60 s",
                    );
                }
                if !alpha.is_finite() || alpha < 0.01 {
                    return wrong("the exponent of the heavy tail", "at least 0.01");
                }
                Ok(())
            }
        }
    }
}

/// Seconds, at most [`MAX_HOLD`], also where the quantile is infinite.
fn seconds(value: f64) -> Duration {
    Duration::from_nanos((value.clamp(0.0, MAX_HOLD.as_secs_f64()) * 1e9).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn all() -> [Distribution; 5] {
        [
            Distribution::None,
            Distribution::Constant(MS),
            Distribution::TwoPoint { low: MS, high: 10 * MS, share_high: 0.1 },
            Distribution::Exponential { mean: MS },
            Distribution::HeavyTail { least: MS, most: 1000 * MS, alpha: 1.5 },
        ]
    }

    #[test]
    fn quantiles_are_those_of_the_closed_form() {
        let [none, constant, two, exponential, heavy] = all();
        assert_eq!(none.quantile(0.99), Duration::ZERO);
        assert_eq!(constant.quantile(0.0), MS);
        assert_eq!([0.5, 0.9, 0.91].map(|q| two.quantile(q)), [MS, MS, 10 * MS]);
        // ln 2, and four times the median at 1 - 1/16.
        assert_eq!(exponential.quantile(0.5), Duration::from_nanos(693_147));
        assert_eq!(exponential.quantile(0.9375), Duration::from_nanos(2_772_589));
        assert_eq!(exponential.quantile(1.0), MAX_HOLD);
        assert_eq!((heavy.quantile(0.0), heavy.quantile(1.0)), (MS, 1000 * MS));
        // Without the bound 0.001^(-1/1.5) = 100 times the least; the bound takes 1/31,623 of the draws away.
        assert_eq!(heavy.quantile(0.999).as_micros() / 1000, 97);
    }

    #[test]
    fn draws_are_repeatable_and_follow_the_quantiles() {
        for distribution in all() {
            let draw = |seed| (0..100_000).map(|n| distribution.draw(seed, n)).collect::<Vec<_>>();
            let mut drawn = draw(1);
            assert_eq!(drawn, draw(1));
            drawn.sort_unstable();
            for q in [0.25, 0.5, 0.85, 0.95, 0.99] {
                let (truth, found) = (distribution.quantile(q).as_secs_f64(), drawn[(q * 1e5) as usize].as_secs_f64());
                assert!((found - truth).abs() <= 0.05 * truth, "{distribution:?} {q}: {found} is not {truth}");
            }
        }
        let exponential = Distribution::Exponential { mean: MS };
        assert_ne!(exponential.draw(1, 0), exponential.draw(2, 0));
    }

    #[test]
    fn numbers_that_make_no_distribution_are_refused() {
        for distribution in all() {
            assert_eq!(distribution.check(), Ok(()));
        }
        let long = MAX_HOLD + MS;
        for distribution in [
            Distribution::Constant(long),
            Distribution::TwoPoint { low: MS, high: 2 * MS, share_high: f64::NAN },
            Distribution::TwoPoint { low: 2 * MS, high: MS, share_high: 0.1 },
            Distribution::Exponential { mean: long },
            Distribution::HeavyTail { least: Duration::ZERO, most: MS, alpha: 1.0 },
            Distribution::HeavyTail { least: MS, most: MS, alpha: 1.0 },
            Distribution::HeavyTail { least: MS, most: 2 * MS, alpha: 0.0 },
        ] {
            assert!(distribution.check().is_err(), "{distribution:?}");
        }
    }
}
