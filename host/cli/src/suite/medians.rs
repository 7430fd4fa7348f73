//! Medians over the repetitions of a run.

use serde::Serialize;

use super::repetition::{Outcome, Repetition};

/// Medians, and the span of the rates. Each is of all repetitions that count, or absent when one of them does not have it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Medians {
    /// Repetitions that count.
    pub of: u32,
    /// Acknowledged rows per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_per_s: Option<f64>,
    /// Of the slowest repetition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rows_per_s: Option<f64>,
    /// Of the fastest repetition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rows_per_s: Option<f64>,
    /// Median latency; which clock, the repetitions tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_ns: Option<f64>,
    /// The 99th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<f64>,
    /// Processor time of the client for a million acknowledged rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_cpu_seconds_per_million_rows: Option<f64>,
}

impl Medians {
    /// Those of the repetitions that count; none when no repetition does.
    pub(super) fn of(repetitions: &[Repetition]) -> Option<Self> {
        let counting: Vec<&Repetition> = repetitions
            .iter()
            .filter(|repetition| matches!(repetition.outcome, Outcome::Valid | Outcome::Suspect))
            .collect();
        if counting.is_empty() {
            return None;
        }
        let all = |figure: fn(&Repetition) -> Option<f64>| -> Option<Vec<f64>> {
            counting.iter().map(|repetition| figure(repetition)).collect()
        };
        let rates = all(|repetition| repetition.rows_per_s);
        let extreme = |pick: fn(f64, f64) -> f64| rates.as_ref()?.iter().copied().reduce(pick);
        Some(Self {
            of: u32::try_from(counting.len()).unwrap_or(u32::MAX),
            min_rows_per_s: extreme(f64::min),
            max_rows_per_s: extreme(f64::max),
            p50_ns: all(|repetition| repetition.p50_ns.map(|ns| ns as f64)).and_then(median),
            p99_ns: all(|repetition| repetition.p99_ns.map(|ns| ns as f64)).and_then(median),
            client_cpu_seconds_per_million_rows: all(|repetition| repetition.client_cpu_seconds_per_million_rows)
                .and_then(median),
            rows_per_s: rates.and_then(median),
        })
    }
}

/// The middle one, or the mean of the two in the middle; none when there is nothing.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = *values.get((values.len() / 2).checked_sub(1)?)?;
    Some(lower + (upper - lower) / 2.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn the_middle_of_an_even_number_is_between_the_two() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![7.0]), Some(7.0));
        assert_eq!(median(vec![9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 100.0]), Some(3.0));
    }

    fn repetition(outcome: Outcome, rows_per_s: f64, p99_ns: Option<u64>) -> Repetition {
        Repetition { outcome, rows_per_s: Some(rows_per_s), p99_ns, ..Repetition::without_result("a", 1, Some(0)) }
    }

    #[test]
    fn an_invalid_repetition_is_in_no_median() {
        let all = [
            repetition(Outcome::Valid, 10.0, Some(5)),
            repetition(Outcome::Invalid, 1000.0, Some(1)),
            repetition(Outcome::Suspect, 20.0, Some(7)),
        ];
        let medians = Medians::of(&all).unwrap();
        assert_eq!((medians.of, medians.rows_per_s, medians.p99_ns), (2, Some(15.0), Some(6.0)));
        assert_eq!((medians.min_rows_per_s, medians.max_rows_per_s), (Some(10.0), Some(20.0)));
        assert_eq!(Medians::of(&all[1..2]), None);
        assert_eq!(Medians::of(&[]), None);
    }

    #[test]
    fn a_figure_that_one_repetition_lacks_has_no_median() {
        let all = [repetition(Outcome::Valid, 10.0, None), repetition(Outcome::Valid, 12.0, Some(5))];
        let medians = Medians::of(&all).unwrap();
        assert_eq!((medians.rows_per_s, medians.p99_ns), (Some(11.0), None));
    }
}
