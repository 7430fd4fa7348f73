//! Totals are the sum of their parts, in every counter, whatever a database does.

use std::time::Duration;

use proptest::prelude::*;

use crate::error::{ErrorKind, OpError};
use crate::fakes::{Behaviour, FakeRows, FakeServer};
use crate::observer::{Interval, Observer, Progress};
use crate::plan::tests::spec;
use crate::plan::{Plan, PlanSpec};
use crate::recording::Recording;
use crate::result::{Phase, PhaseName};
use crate::run::{RunEnv, run_on};
use crate::stop::StopToken;

/// Adds up what intervals hold.
#[derive(Default)]
struct Sum(Recording);

impl Observer for Sum {
    fn begins(&mut self, _: PhaseName) {}
    fn progress(&mut self, _: PhaseName, _: Progress) {}
    fn interval(&mut self, interval: Interval<'_>) {
        self.0.merge(interval.recording);
    }
    fn ended(&mut self, _: Phase) {}
    fn crashed(&mut self, _: &crate::error::Crash) {}
}

/// What the fake does with a request of this number.
fn behaviour(kind: u8, number: u64) -> Behaviour {
    let refused = |kind| OpError::new(kind, "no");
    match kind {
        0 => Behaviour::Refuse(refused(ErrorKind::Rejected)),
        1 => Behaviour::Refuse(OpError { retryable: true, ..refused(ErrorKind::Unavailable) }),
        2 => Behaviour::LoseAnswer(refused(ErrorKind::TimedOut)),
        3 => Behaviour::Partly(number % 10),
        4 => Behaviour::Crash,
        _ => Behaviour::Store,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn intervals_and_steps_add_up_to_the_run(
        kinds in proptest::collection::vec(0_u8..12, 1..40),
        workers in proptest::collection::vec(1_u32..5, 1..3),
        rows in 1_u64..400,
    ) {
        let server = FakeServer::new(move |number| behaviour(kinds[number as usize % kinds.len()], number));
        let plan = Plan::new(PlanSpec {
            workers,
            rows: Some(rows),
            threads: 1,
            retries: 2,
            max_errors: u64::MAX,
            max_crashes: u64::MAX,
            interval: Duration::from_millis(100),
            ..spec()
        }).unwrap();
        let mut sum = Sum::default();
        let env = RunEnv { stop: StopToken::new(), observer: &mut sum, probe: None };
        let result = run_on(&server.clock.clone(), &plan, &&server, &FakeRows::default(), env).unwrap();
        let mut steps = Recording::default();
        for step in &result.steps {
            steps.merge(&step.recording);
        }
        for parts in [&sum.0, &steps] {
            prop_assert_eq!(parts.rows, result.rows);
            prop_assert_eq!(parts.operations, result.operations);
            prop_assert_eq!(parts.volume, result.volume);
            prop_assert_eq!(&parts.errors, &result.errors);
            let operations = result.operations;
            let recorded = parts.service.count() + parts.failed.count() + parts.timed_out.count();
            prop_assert_eq!(recorded, operations.ok + operations.failed + operations.timed_out);
            prop_assert_eq!(parts.service.count(), operations.ok);
            for span in [&parts.encode, &parts.wait, &parts.plugin] {
                prop_assert_eq!(span.count(), operations.ok);
            }
        }
        prop_assert_eq!(result.rows.sent, rows * result.steps.len() as u64);
    }
}
