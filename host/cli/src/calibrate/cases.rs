//! The cases: what the server does, who asks it, and what must come out.

use std::time::Duration;

use benchhost_reference::{Distribution, Injection, Stall};

const MS: Duration = Duration::from_millis(1);
const MICRO: Duration = Duration::from_micros(1);

/// Share of a period in which a stalled server stalls: its 99th percentile lies well inside a stall.
const STALLED_SHARE: u32 = 10;
/// The shortest period of stalls. The first write is some milliseconds late, and the stalls with it: of a second that is no matter.
const SHORTEST_PERIOD: Duration = Duration::from_secs(10);
/// Operations a second that are offered to a server that stalls: few enough that the burst after a stall is over in milliseconds.
const STALLED_RATE: f64 = 200.0;
/// What it takes when it does not stall. Its many workers cannot spin, so a percent of it must be more than a machine is late.
const STALLED_SERVICE: Duration = Duration::from_millis(20);
/// Answers a second of a server with a limit, and what is offered to it when it is overloaded.
const LIMIT: f64 = 200.0;
const OVERLOAD: f64 = 300.0;

/// One measurement of one server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Case {
    /// Its name on the page.
    pub name: String,
    /// What the server does.
    pub injection: Injection,
    /// Workers.
    pub workers: u32,
    /// Operations a second that are offered; none: a closed loop.
    pub rate_per_s: Option<f64>,
    /// How long it is measured.
    pub length: Duration,
    /// What must come out.
    pub truth: TruthOf,
}

impl Case {
    /// Whether client and server can spin: each takes a processor, and so would every worker more.
    pub(crate) fn can_spin(&self) -> bool {
        self.workers == 1
    }
}

/// What a case is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TruthOf {
    /// A short service time: what is measured beyond what the server held is the floor.
    Floor,
    /// The service time that the server says it held, percentile by percentile.
    Held,
    /// The response time of the simulated schedule.
    Schedule,
    /// The verdict: the server cannot do what is offered, so the run must be invalid.
    Overload,
}

/// All cases, each `length` long. The first one is the floor.
pub(crate) fn cases(length: Duration) -> Vec<Case> {
    let held = |name: &str, service, workers| Case {
        name: name.into(),
        injection: Injection { service, ..Injection::default() },
        workers,
        rate_per_s: None,
        length,
        truth: TruthOf::Held,
    };
    // One worker, so that both ends can spin: of a short time, a late thread is more than a percent. Of a long one it is not, and more
    // workers make more of it; but few, as those that are held equally long are answered together, and then wait for each other.
    let mut cases = vec![
        // Not none at all: a server that answers at once is done before its client has finished asking, which saves time that every
        // other case has.
        Case { truth: TruthOf::Floor, ..held("the floor", Distribution::Constant(50 * MICRO), 1) },
        held("constant 100 µs", Distribution::Constant(100 * MICRO), 1),
        held("constant 1 ms", Distribution::Constant(MS), 1),
        held("constant 10 ms", Distribution::Constant(10 * MS), 1),
        held("constant 100 ms", Distribution::Constant(100 * MS), 4),
        held("constant 1 s", Distribution::Constant(1000 * MS), 16),
        held("two points 1 and 20 ms", Distribution::TwoPoint { low: MS, high: 20 * MS, share_high: 0.05 }, 1),
        held("exponential, mean 5 ms", Distribution::Exponential { mean: 5 * MS }, 1),
        held("heavy tail from 1 ms", Distribution::HeavyTail { least: MS, most: 1000 * MS, alpha: 1.5 }, 1),
    ];
    let service = Distribution::Constant(STALLED_SERVICE);
    let period = length.max(SHORTEST_PERIOD);
    let stall = Stall { every: period, length: period / STALLED_SHARE };
    cases.push(Case {
        injection: Injection { service, stall: Some(stall), rate_limit: None },
        workers: (STALLED_RATE * (stall.length + STALLED_SERVICE).as_secs_f64() * 1.25).ceil().min(400.0) as u32,
        rate_per_s: Some(STALLED_RATE),
        length: period,
        truth: TruthOf::Schedule,
        ..held(&format!("stall of {:.1} s", stall.length.as_secs_f64()), service, 1)
    });
    let limited = Injection { rate_limit: Some(LIMIT), ..Injection::default() };
    cases.push(Case { injection: limited, ..held("rate limit", Distribution::None, 8) });
    cases.push(Case {
        injection: limited,
        rate_per_s: Some(OVERLOAD),
        truth: TruthOf::Overload,
        ..held("rate above the limit", Distribution::None, 16)
    });
    cases
}

#[cfg(test)]
mod tests {
    use benchhost_reference::truth::{Client, ClosedLoop, OpenLoop};

    use super::*;

    #[test]
    fn every_case_can_be_injected_and_the_floor_comes_first() {
        for seconds in [2, 10, 60] {
            let cases = cases(Duration::from_secs(seconds));
            assert_eq!(cases[0].truth, TruthOf::Floor);
            for case in &cases {
                assert_eq!(case.injection.check(), Ok(()), "{}", case.name);
                assert!((1..=400).contains(&case.workers), "{}", case.name);
                let scheduled = matches!(case.truth, TruthOf::Schedule | TruthOf::Overload);
                assert_eq!(case.rate_per_s.is_some(), scheduled, "{}", case.name);
            }
        }
    }

    #[test]
    fn one_worker_has_operations_enough_for_a_99th_percentile_in_ten_seconds() {
        let length = Duration::from_secs(10);
        let spread = |case: &&Case| {
            matches!(case.injection.service, Distribution::Exponential { .. } | Distribution::HeavyTail { .. })
        };
        let cases = cases(length);
        assert_eq!(cases.iter().filter(spread).count(), 2);
        for Case { name, injection, workers, .. } in cases.iter().filter(spread) {
            assert_eq!(*workers, 1, "{name}");
            let client = Client { injection: *injection, seed: 42, workers: 1, floor: 200 * MICRO };
            let operations = ClosedLoop { client, length }.simulate().service.as_slice().len();
            assert!(operations >= 1000, "{name}: {operations}");
        }
    }

    #[test]
    fn a_stall_has_a_worker_for_each_operation_that_it_holds_up() {
        for seconds in [2, 10] {
            let cases = cases(Duration::from_secs(seconds));
            let case = cases.iter().find(|case| case.truth == TruthOf::Schedule).unwrap();
            let client = Client { injection: case.injection, seed: 42, workers: case.workers, floor: Duration::ZERO };
            let rate_per_s = case.rate_per_s.unwrap();
            let operations = (rate_per_s * case.length.as_secs_f64()) as u64;
            let seen = OpenLoop { client, rate_per_s, operations }.simulate();
            assert_eq!(seen.response, seen.service);
            assert_eq!(seen.response.quantile(0.5), Some(20_000_000));
            assert!(!case.can_spin());
        }
    }

    #[test]
    fn names_are_told_apart() {
        let mut names: Vec<_> = cases(Duration::from_secs(10)).into_iter().map(|case| case.name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
