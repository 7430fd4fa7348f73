//! Service-level objectives: `p99<50ms`, `errors<0.1%`, `rate>=100krows`. Parsed once, checked against a result.
//!
//! An objective of a time is about all operations, those that failed or timed out included: a server that answers nine operations at
//! once and lets the tenth run into its limit does not keep a p99. Such an operation counts from when it was due until it was given up,
//! in the service time too, because nobody knows what its service would have taken.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use benchhost_stats::{Histogram, SAMPLES_BEYOND, earned};
use serde::{Serialize, Serializer};

use crate::recording::Recording;

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Metric {
    /// A quantile of one of the clocks; none of a clock: the one that the report leads with.
    Quantile(Option<ClockName>, f64),
    /// The longest.
    Max(Option<ClockName>),
    /// The mean.
    Mean(Option<ClockName>),
    /// Share of operations that did not succeed, 0 to 1.
    Errors,
    /// Acknowledged rows per second.
    Rate,
}

/// A clock that operations are measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClockName {
    Response,
    Service,
    Lag,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// One objective.
#[derive(Debug, Clone, PartialEq)]
pub struct Objective {
    text: String,
    metric: Metric,
    comparison: Comparison,
    /// Nanoseconds, a share, or rows per second.
    limit: f64,
}

/// Why a text is no objective.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is no objective: {why}; write a metric (p50, p90, p95, p99, p99.9, max, mean, each also as response.p99, service.p99 or \
     lag.p99; errors; rate), a comparison (< <= > >=) and a limit (50ms, 0.1%, 100krows), such as p99<50ms"
)]
pub struct ObjectiveError {
    text: String,
    why: String,
}

/// Whether an objective was kept.
#[derive(Debug, Clone, PartialEq)]
pub enum Kept {
    /// Yes.
    Yes,
    /// No; what was found instead, as a text with a unit.
    No(String),
    /// Too few samples lie beyond the quantile to say.
    TooFew,
}

impl Kept {
    /// Of several answers, the one that matters most has the highest weight.
    pub(crate) fn weight(&self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::TooFew => 1,
            Self::No(_) => 2,
        }
    }
}

impl Objective {
    /// Whether it names a clock that only a schedule has.
    pub(crate) fn needs_schedule(&self) -> bool {
        matches!(
            self.metric,
            Metric::Quantile(Some(ClockName::Response | ClockName::Lag), _)
                | Metric::Max(Some(ClockName::Response | ClockName::Lag))
                | Metric::Mean(Some(ClockName::Response | ClockName::Lag))
        )
    }

    /// Whether it wants a rate.
    pub(crate) fn is_of_rate(&self) -> bool {
        self.metric == Metric::Rate
    }

    /// Operations that it takes to check it.
    pub(crate) fn samples(&self) -> f64 {
        match self.metric {
            Metric::Quantile(_, quantile) => SAMPLES_BEYOND as f64 / (1.0 - quantile),
            _ => 1.0,
        }
    }

    /// Checks it against what was recorded in `measured` time.
    #[must_use]
    pub fn check(&self, recording: &Recording, measured: Duration) -> Kept {
        let found = match self.metric {
            Metric::Quantile(clock, quantile) => {
                let histogram = &times(recording, clock);
                if !earned(histogram.count(), quantile) {
                    return Kept::TooFew;
                }
                histogram.value_at_quantile(quantile) as f64
            }
            Metric::Max(clock) => match times(recording, clock).max() {
                Some(max) => max as f64,
                None => return Kept::TooFew,
            },
            Metric::Mean(clock) => match times(recording, clock).mean() {
                Some(mean) => mean,
                None => return Kept::TooFew,
            },
            Metric::Errors => {
                let errors = recording.operations.errors();
                let all = errors + recording.operations.ok;
                if all == 0 {
                    return Kept::TooFew;
                }
                errors as f64 / all as f64
            }
            Metric::Rate => recording.rows.acknowledged as f64 / measured.as_secs_f64().max(1e-9),
        };
        let kept = match self.comparison {
            Comparison::Less => found < self.limit,
            Comparison::LessOrEqual => found <= self.limit,
            Comparison::Greater => found > self.limit,
            Comparison::GreaterOrEqual => found >= self.limit,
        };
        if kept { Kept::Yes } else { Kept::No(self.with_unit(found)) }
    }

    fn with_unit(&self, value: f64) -> String {
        match self.metric {
            Metric::Errors => format!("{:.3} %", value * 100.0),
            Metric::Rate => format!("{value:.0} rows/s"),
            _ => format!("{:.3} ms", value / 1e6),
        }
    }
}

/// What an objective of a clock is checked on: acknowledged operations and all others. Lag is recorded of all of them anyway.
fn times(recording: &Recording, clock: Option<ClockName>) -> Cow<'_, Histogram> {
    let acknowledged = clock_of(recording, clock);
    if clock == Some(ClockName::Lag) || (recording.failed.is_empty() && recording.timed_out.is_empty()) {
        return Cow::Borrowed(acknowledged);
    }
    let mut all = acknowledged.clone();
    all.merge(&recording.failed);
    all.merge(&recording.timed_out);
    Cow::Owned(all)
}

/// The histogram of a clock; by default the one that the report leads with.
fn clock_of(recording: &Recording, clock: Option<ClockName>) -> &Histogram {
    match clock {
        Some(ClockName::Response) => &recording.response,
        Some(ClockName::Service) => &recording.service,
        Some(ClockName::Lag) => &recording.lag,
        None if recording.response.is_empty() => &recording.service,
        None => &recording.response,
    }
}

impl FromStr for Objective {
    type Err = ObjectiveError;

    fn from_str(text: &str) -> Result<Self, ObjectiveError> {
        let error = |why: &str| ObjectiveError { text: text.to_owned(), why: why.to_owned() };
        let at = text.find(['<', '>']).ok_or_else(|| error("it has no comparison"))?;
        let (name, rest) = text.split_at(at);
        let (comparison, limit) = if let Some(limit) = rest.strip_prefix("<=") {
            (Comparison::LessOrEqual, limit)
        } else if let Some(limit) = rest.strip_prefix(">=") {
            (Comparison::GreaterOrEqual, limit)
        } else if let Some(limit) = rest.strip_prefix('<') {
            (Comparison::Less, limit)
        } else {
            (Comparison::Greater, rest.strip_prefix('>').unwrap_or(rest))
        };
        let metric = metric(name.trim()).ok_or_else(|| error(&format!("there is no metric `{}`", name.trim())))?;
        let limit = limit.trim();
        let value = match metric {
            Metric::Errors => share(limit),
            Metric::Rate => limit.strip_suffix("rows").and_then(count),
            _ => nanoseconds(limit),
        };
        let limit = value.ok_or_else(|| error(&format!("`{limit}` is no limit for it")))?;
        Ok(Self { text: text.trim().to_owned(), metric, comparison, limit })
    }
}

fn metric(name: &str) -> Option<Metric> {
    match name {
        "errors" => return Some(Metric::Errors),
        "rate" => return Some(Metric::Rate),
        _ => {}
    }
    let (clock, statistic) = match name.split_once('.') {
        Some(("response", statistic)) => (Some(ClockName::Response), statistic),
        Some(("service", statistic)) => (Some(ClockName::Service), statistic),
        Some(("lag", statistic)) => (Some(ClockName::Lag), statistic),
        _ => (None, name),
    };
    match statistic {
        "max" => Some(Metric::Max(clock)),
        "mean" => Some(Metric::Mean(clock)),
        _ => {
            let percent: f64 = statistic.strip_prefix('p')?.parse().ok()?;
            (percent > 0.0 && percent < 100.0).then_some(Metric::Quantile(clock, percent / 100.0))
        }
    }
}

fn share(text: &str) -> Option<f64> {
    let value = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok()? / 100.0,
        None => text.parse().ok()?,
    };
    (0.0..=1.0).contains(&value).then_some(value)
}

fn count(text: &str) -> Option<f64> {
    let text = text.trim();
    let (number, scale) = match text.char_indices().next_back()? {
        (at, 'k') => (&text[..at], 1e3),
        (at, 'm') => (&text[..at], 1e6),
        (at, 'g') => (&text[..at], 1e9),
        _ => (text, 1.0),
    };
    number.trim().parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0).map(|value| value * scale)
}

fn nanoseconds(text: &str) -> Option<f64> {
    let (number, scale) = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)]
        .iter()
        .find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, *scale)))?;
    number.trim().parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0).map(|value| value * scale)
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Objective {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
#[path = "slo_tests.rs"]
mod tests;
