//! What is injected into `/write`.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::calibration::distribution::{Distribution, MAX_HOLD};

/// Answers a second: fewer would make a wait look like a hang, more are beyond any socket.
const RATES: std::ops::RangeInclusive<f64> = 0.1..=1e6;

/// How every `/write` is held up, from the moment when its body is read to the moment when its answer is handed to the socket.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Injection {
    /// The service time of each request, whatever the others do.
    #[serde(default)]
    pub service: Distribution,
    /// Times in which nothing is answered; none: there are none.
    #[serde(default)]
    pub stall: Option<Stall>,
    /// Answers a second, all connections together; none: as many as there are. They leave in the order in which requests arrived, evenly
    /// spaced, without bursts: time in which nobody asked is lost.
    #[serde(default)]
    pub rate_limit: Option<f64>,
}

/// A stall that comes back. The first one begins half a period after the first `/write`, so that any stretch as long as `n`
/// periods has the time of `n` stalls, and a run that begins with the first write ends in none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stall {
    /// From the beginning of one to the beginning of the next.
    pub every: Duration,
    /// How long it lasts: at most half of `every`.
    pub length: Duration,
}

/// An injection with a number that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{what} must be {allowed}")]
pub struct InjectionError {
    pub(crate) what: &'static str,
    pub(crate) allowed: &'static str,
}

impl Injection {
    /// Whether the numbers can be.
    ///
    /// # Errors
    ///
    /// The first number that cannot, with what it may be.
    pub fn check(&self) -> Result<(), InjectionError> {
        self.service.check()?;
        if let Some(stall) = self.stall
            && (stall.length.is_zero() || stall.length > stall.every / 2 || stall.length > MAX_HOLD)
        {
            let allowed = "over zero, at most half of its period, and at most 60 s";
            return Err(InjectionError { what: "the length of the stall", allowed });
        }
        match self.rate_limit {
            Some(rate) if !RATES.contains(&rate) => {
                Err(InjectionError { what: "the rate limit", allowed: "from 0.1 to 1000000 requests a second" })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_numbers_are_refused_with_what_they_may_be() {
        let second = Duration::from_secs(1);
        let stalled = |every, length| Injection { stall: Some(Stall { every, length }), ..Injection::default() };
        assert_eq!(Injection::default().check(), Ok(()));
        assert_eq!(stalled(2 * second, second).check(), Ok(()));
        assert!(stalled(second, second).check().is_err());
        assert!(stalled(second, Duration::ZERO).check().is_err());
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 0.01] {
            let error = Injection { rate_limit: Some(rate), ..Injection::default() }.check().unwrap_err();
            assert_eq!(error.to_string(), "the rate limit must be from 0.1 to 1000000 requests a second");
        }
        let service = Distribution::Constant(Duration::from_secs(3600));
        assert!(Injection { service, ..Injection::default() }.check().is_err());
    }
}
