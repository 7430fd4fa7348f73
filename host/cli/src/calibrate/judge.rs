//! Whether what was measured is what is true.

use benchhost_core::{Ending, RunResult, Status};
use serde::Serialize;

use super::timer::Noise;

/// A figure may be off by this share of the truth, or by these nanoseconds if that is more.
pub(crate) const SHARE: f64 = 0.01;
pub(crate) const NANOSECONDS: i64 = 20_000;

/// The percentiles that are looked at, where enough samples lie beyond them.
pub(crate) const QUANTILES: [f64; 4] = [0.5, 0.9, 0.99, 0.999];
/// The highest percentile that is judged; a higher one is shown beside. One interrupt in a thousand operations moves the 99.9th
/// percentile of a short time, and whichever of the two threads it hits, the other's clock runs on: that is the machine's doing.
const MOST_JUDGED: f64 = 0.99;
/// Those of a schedule: a stall is a tenth of it, so its edge at 0.9 has no one value.
pub(crate) const SCHEDULE_QUANTILES: [f64; 3] = [0.5, 0.95, 0.99];

/// What a request takes that the server does not hold: wire, kernel and client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Floor {
    /// The median that was measured with a short hold.
    pub measured_ns: u64,
    /// The median that the server held meanwhile: its own work.
    pub held_ns: u64,
    /// What is between them.
    pub floor_ns: i64,
    /// The same at the 90th percentile.
    pub p90_ns: i64,
    /// And at the 99th.
    pub p99_ns: i64,
}

impl Floor {
    /// The floor of these medians.
    pub(crate) fn new(measured_ns: u64, held_ns: u64) -> Self {
        let floor_ns = difference(measured_ns, held_ns);
        Self { measured_ns, held_ns, floor_ns, p90_ns: floor_ns, p99_ns: floor_ns }
    }

    /// The same with what is between them at the 90th and the 99th percentile: what the machine adds now and then is not what it
    /// always adds.
    pub(crate) fn with_tail(self, p90_ns: i64, p99_ns: i64) -> Self {
        Self { p90_ns, p99_ns, ..self }
    }

    /// The floor of a percentile.
    fn at(self, quantile: f64) -> i64 {
        match quantile {
            0.99.. => self.p99_ns,
            0.9.. => self.p90_ns,
            _ => self.floor_ns,
        }
    }
}

/// A percentile as it is and as it was measured.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    /// The case.
    pub case: String,
    /// Which time.
    pub clock: &'static str,
    /// Its share, 0 to 1.
    pub quantile: f64,
    /// What is true.
    pub truth_ns: u64,
    /// What was measured.
    pub measured_ns: u64,
    /// What a closed loop would see of the same server; only where it differs.
    pub closed_loop_ns: Option<u64>,
}

/// A figure and its judgement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Row {
    /// The case.
    pub case: String,
    /// Which time: service or response.
    pub clock: &'static str,
    /// Its share, 0 to 1.
    pub quantile: f64,
    /// What is true.
    pub truth_ns: u64,
    /// What was measured.
    pub measured_ns: u64,
    /// Measured without true.
    pub error_ns: i64,
    /// The error without the floor.
    pub error_beyond_floor_ns: i64,
    /// What a closed loop would see of the same server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_loop_ns: Option<u64>,
    /// Whether the error beyond the floor is within the bound; none where it is shown and not judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<bool>,
}

impl Row {
    /// Judges a figure.
    pub(crate) fn new(figure: Figure, floor: Floor) -> Self {
        let error_ns = difference(figure.measured_ns, figure.truth_ns);
        let beyond = error_ns.saturating_sub(floor.at(figure.quantile));
        Self {
            case: figure.case,
            clock: figure.clock,
            quantile: figure.quantile,
            truth_ns: figure.truth_ns,
            measured_ns: figure.measured_ns,
            error_ns,
            error_beyond_floor_ns: beyond,
            closed_loop_ns: figure.closed_loop_ns,
            holds: (figure.quantile <= MOST_JUDGED).then(|| beyond.abs() <= bound(figure.truth_ns)),
        }
    }
}

/// Everything that came out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Calibration {
    /// Whether every figure and every verdict holds.
    pub holds: bool,
    /// Whether client and server never slept in the cases of one worker.
    pub spin: bool,
    /// How exact this machine's clock and timers are.
    pub timer: Noise,
    /// What is not the server's.
    pub floor: Floor,
    /// The figures.
    pub figures: Vec<Row>,
    /// What does not hold, in words.
    pub failures: Vec<String>,
}

impl Calibration {
    /// Judges figures, beside failures that are no figures.
    pub(crate) fn new(spin: bool, timer: Noise, floor: Floor, figures: Vec<Figure>, mut failures: Vec<String>) -> Self {
        let figures: Vec<Row> = figures.into_iter().map(|figure| Row::new(figure, floor)).collect();
        failures.extend(figures.iter().filter(|row| row.holds == Some(false)).map(|row| {
            format!(
                "{}: p{} of the {} time is off by {:.1} µs beyond the floor, and at most {:.1} µs are allowed",
                row.case,
                percent(row.quantile),
                row.clock,
                row.error_beyond_floor_ns as f64 / 1e3,
                bound(row.truth_ns) as f64 / 1e3
            )
        }));
        Self { holds: failures.is_empty(), spin, timer, floor, figures, failures }
    }
}

/// `50`, `99.9`.
pub(crate) fn percent(quantile: f64) -> f64 {
    (quantile * 1e5).round() / 1e3
}

/// What makes a run useless for a figure: it must be complete, and its rows must be there.
pub(crate) fn unusable(case: &str, result: &RunResult) -> Option<String> {
    if result.ending != Ending::Complete {
        return Some(format!("{case}: the run did not complete ({:?})", result.ending));
    }
    let miscounted = result.verdict.reasons.iter().find(|reason| reason.code.starts_with("stored-"));
    miscounted.map(|reason| format!("{case}: {}", reason.text))
}

/// What is wrong with the verdict of a run that offered more than the server can do.
pub(crate) fn unnoticed(case: &str, result: &RunResult) -> Option<String> {
    let held = ["schedule-not-held", "queue-bound"];
    let noticed = result.verdict.reasons.iter().any(|reason| held.contains(&reason.code));
    if result.verdict.status == Status::Invalid && noticed {
        return None;
    }
    let status = result.verdict.status.as_str();
    Some(format!("{case}: the verdict is {status}, and it must be invalid because the schedule cannot be held"))
}

/// By how much a figure may be off.
fn bound(truth_ns: u64) -> i64 {
    NANOSECONDS.max((truth_ns as f64 * SHARE) as i64)
}

pub(crate) fn difference(a: u64, b: u64) -> i64 {
    let signed = |ns: u64| i64::try_from(ns).unwrap_or(i64::MAX);
    signed(a).saturating_sub(signed(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(truth_ns: u64, measured_ns: u64) -> Figure {
        let case = "constant".into();
        Figure { case, clock: "service", quantile: 0.99, truth_ns, measured_ns, closed_loop_ns: None }
    }

    fn calibration(figures: Vec<Figure>, failures: Vec<String>) -> Calibration {
        let timer = Noise { sleep_overshoot_p50_ns: 1, sleep_overshoot_p99_ns: 2, clock_read_ns: 3.0 };
        Calibration::new(true, timer, Floor::new(60_000, 10_000), figures, failures)
    }

    #[test]
    fn a_percentile_is_compared_with_the_floor_of_its_own_kind() {
        let floor = Floor::new(60_000, 10_000).with_tail(55_000, 70_000);
        assert_eq!(
            [0.5, 0.9, 0.95, 0.99, 0.999].map(|quantile| floor.at(quantile)),
            [50_000, 55_000, 55_000, 70_000, 70_000]
        );
    }

    #[test]
    fn the_floor_is_taken_off_before_a_figure_is_judged() {
        let floor = Floor::new(60_000, 10_000);
        assert_eq!(floor.floor_ns, 50_000);
        let row = Row::new(figure(1_000_000, 1_070_000), floor);
        assert_eq!((row.error_ns, row.error_beyond_floor_ns, row.holds), (70_000, 20_000, Some(true)));
        assert_eq!(Row::new(figure(1_000_000, 1_070_001), floor).holds, Some(false));
        // Too little is as wrong as too much.
        assert_eq!(Row::new(figure(1_000_000, 1_030_000), floor).holds, Some(true));
        assert_eq!(Row::new(figure(1_000_000, 1_029_999), floor).holds, Some(false));
    }

    #[test]
    fn a_long_time_may_be_off_by_a_percent() {
        let floor = Floor::new(0, 0);
        assert_eq!(Row::new(figure(1_000_000_000, 1_010_000_000), floor).holds, Some(true));
        assert_eq!(Row::new(figure(1_000_000_000, 1_010_000_001), floor).holds, Some(false));
        assert_eq!(Row::new(figure(0, 20_000), floor).holds, Some(true));
    }

    #[test]
    fn one_figure_or_one_verdict_that_does_not_hold_is_a_failure() {
        assert!(calibration(vec![figure(1_000_000, 1_050_000)], vec![]).holds);
        let off = calibration(vec![figure(1_000_000, 1_050_000), figure(1_000_000, 1_150_000)], vec![]);
        assert!(!off.holds);
        assert_eq!(
            off.failures,
            ["constant: p99 of the service time is off by 100.0 µs beyond the floor, and at most 20.0 µs are allowed"]
        );
        assert!(!calibration(vec![], vec!["overload: the verdict is valid".into()]).holds);
    }

    #[test]
    fn a_percentile_beyond_the_99th_is_shown_and_not_judged() {
        let off = |quantile| Figure { quantile, ..figure(100_000, 9_000_000) };
        let shown = calibration(vec![off(0.999)], vec![]);
        assert_eq!((shown.holds, shown.figures[0].holds), (true, None));
        assert_eq!(shown.figures[0].error_beyond_floor_ns, 8_850_000);
        for quantile in QUANTILES.into_iter().chain(SCHEDULE_QUANTILES).filter(|quantile| *quantile <= 0.99) {
            assert!(!calibration(vec![off(quantile)], vec![]).holds, "{quantile}");
        }
    }

    #[test]
    fn percentiles_are_told_without_zeros() {
        assert_eq!(QUANTILES.map(|quantile| percent(quantile).to_string()), ["50", "90", "99", "99.9"]);
    }
}
