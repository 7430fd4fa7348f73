//! What is told of a load at its limits: one that is cut short, a server that dies, a dataset that is slow, rows that are counted.

use std::time::Duration;

use crate::error::{ErrorKind, OpError};
use crate::fakes::{Behaviour, ENCODE, FakeRows, FakeServer, PLUGIN, WAIT};
use crate::observer::NoObserver;
use crate::plan::tests::spec;
use crate::plan::{Offered, Plan, PlanSpec};
use crate::result::RunResult;
use crate::run::{RunEnv, run_on};
use crate::schedule::{Arrival, Profile, Stage};
use crate::stop::{StopLevel, StopToken};
use crate::verdict::{Ending, Reason, Status, Stored};

const SECOND: Duration = Duration::from_secs(1);

/// One thread, so that the fake clock moves for all workers alike.
fn plan(change: impl FnOnce(&mut PlanSpec)) -> Plan {
    let mut spec = PlanSpec { threads: 1, rows: None, duration: Some(SECOND * 4), ..spec() };
    change(&mut spec);
    Plan::new(spec).unwrap()
}

fn open(per_s: f64, length: Duration) -> Offered {
    Offered::Open { profile: Profile::new(vec![Stage::constant(length, per_s)]), arrival: Arrival::Uniform }
}

fn run_until(stop: StopToken, server: &FakeServer, rows: &FakeRows, plan: &Plan) -> RunResult {
    let env = RunEnv { stop, observer: &mut NoObserver, probe: None };
    run_on(&server.clock.clone(), plan, &server, rows, env).unwrap()
}

fn run(server: &FakeServer, plan: &Plan) -> RunResult {
    run_until(StopToken::new(), server, &FakeRows::default(), plan)
}

fn reason<'a>(result: &'a RunResult, code: &str) -> Option<&'a Reason> {
    result.verdict.reasons.iter().find(|reason| reason.code == code)
}

#[test]
fn a_run_that_loses_its_queue_tells_the_rates_until_then() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let result = run(&server, &plan(|p| (p.offered, p.max_queue) = (open(20_000.0, SECOND * 4), 500)));
    assert_eq!(result.ending, Ending::QueueBound);
    let schedule = result.steps[0].schedule.unwrap();
    // Four workers that take 2.012 ms each.
    let most = 4.0 / (ENCODE + WAIT + PLUGIN * 2).as_secs_f64();
    assert!((schedule.achieved_per_s / most - 1.0).abs() < 0.05, "{schedule:?}");
    assert!(schedule.offered_per_s > 19_000.0, "{schedule:?}");
    let text = &reason(&result, "queue-bound").unwrap().text;
    let (offered, achieved) = (schedule.offered_per_s, schedule.achieved_per_s);
    assert!(text.contains(&format!("{offered:.0} operations/s were offered and {achieved:.0} achieved")), "{text}");
}

#[test]
fn a_schedule_that_was_held_until_the_user_stopped_it_was_held() {
    let stop = StopToken::new();
    let raise = stop.clone();
    let server = FakeServer::new(move |n| {
        if n == 200 {
            raise.raise(StopLevel::Draining);
        }
        Behaviour::Store
    });
    let result = run_until(stop, &server, &FakeRows::default(), &plan(|p| p.offered = open(100.0, SECOND * 4)));
    let schedule = result.steps[0].schedule.unwrap();
    for rate in [schedule.offered_per_s, schedule.achieved_per_s] {
        assert!((rate - 100.0).abs() < 2.0, "{schedule:?}");
    }
    assert_eq!(result.ending, Ending::Interrupted);
    assert_eq!(reason(&result, "schedule-not-held"), None);
}

#[test]
fn threads_without_a_worker_in_a_step_are_not_among_its_threads() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let result = run(&server, &plan(|p| (p.workers, p.threads, p.rows, p.duration) = (vec![1, 4], 2, Some(500), None)));
    assert_eq!(result.steps.iter().map(|step| step.threads.len()).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn a_server_that_dies_early_has_had_the_whole_time() {
    let lost = OpError::new(ErrorKind::TimedOut, "late");
    let server = FakeServer::new(move |n| if n < 500 { Behaviour::Store } else { Behaviour::LoseAnswer(lost.clone()) });
    let result = run(&server, &plan(|p| (p.workers, p.max_errors) = (vec![1], u64::MAX)));
    let step = &result.steps[0];
    assert_eq!(step.measured, SECOND * 4);
    assert!((step.throughput().unwrap().rows_per_s - 5000.0 / 4.0).abs() < 1e-6);
}

#[test]
fn rows_that_end_first_decide_what_was_measured() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let result = run(&server, &plan(|p| (p.workers, p.rows) = (vec![1], Some(1000))));
    assert!(result.steps[0].measured < SECOND, "{:?}", result.steps[0].measured);
}

#[test]
fn workers_that_wait_for_rows_do_not_measure_the_server() {
    let waited = |time: Duration, memory_bytes: u64| {
        let server = FakeServer::new(|_| Behaviour::Store);
        let rows = FakeRows { takes: Some((server.clock.clone(), time)), ..FakeRows::default() };
        run_until(
            StopToken::new(),
            &server,
            &rows,
            &plan(|p| (p.workers, p.memory_budget_bytes) = (vec![1], memory_bytes)),
        )
    };
    // A batch takes 2 ms to write, and there is room for two of them.
    let result = waited(WAIT * 5, 1);
    let found = reason(&result, "dataset-slow").unwrap();
    assert_eq!(found.weight, Status::Invalid, "{}", found.text);
    assert!(found.text.contains(" % of their time") && found.advice.contains("--rows"), "{found:?}");
    assert_eq!(reason(&waited(WAIT / 20, 1 << 30), "dataset-slow"), None);
}

#[test]
fn every_table_is_written_to_its_last_batch() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let rows = FakeRows { tables: 2, ..FakeRows::default() };
    let result = run_until(StopToken::new(), &server, &rows, &plan(|p| (p.rows, p.duration) = (Some(30), None)));
    assert_eq!((result.rows.acknowledged, result.operations.ok), (30, 4), "two batches of ten, two of five");
}

#[test]
fn what_a_warm_up_leaves_is_not_written_by_the_step() {
    for offered in [Offered::Closed, open(100.0, SECOND)] {
        for memory in [1, 1 << 30] {
            let server = FakeServer::new(|_| Behaviour::Store);
            let change = |p: &mut PlanSpec| {
                (p.rows, p.duration, p.warmup) = (Some(25), None, SECOND);
                (p.offered, p.memory_budget_bytes) = (offered.clone(), memory);
            };
            let result = run(&server, &plan(change));
            assert_eq!(result.steps[0].recording.rows.acknowledged, 25, "{offered:?}");
            assert!(result.warmup.unwrap().recording.rows.acknowledged > 0);
            assert_eq!(result.stored, Stored::Rows(result.rows.acknowledged));
        }
    }
}

#[test]
fn reasons_of_a_ladder_say_which_step_and_headroom_is_of_the_fastest() {
    let server = FakeServer::new(|_| Behaviour::Stall(ENCODE / 8));
    let length = SECOND / 50;
    let change = |p: &mut PlanSpec| {
        (p.workers, p.duration, p.headroom, p.warmup) = (vec![1, 2], Some(length), length, length);
    };
    let result = run(&server, &plan(change));
    assert_eq!(result.warmup.as_ref().unwrap().workers, 2, "every worker is warm");
    let texts = |code: &str| -> Vec<&str> {
        let of = result.verdict.reasons.iter().filter(|reason| reason.code == code);
        of.map(|reason| reason.text.as_str()).collect()
    };
    assert!(
        matches!(texts("short")[..], [one, two]
        if one.starts_with("with 1 worker: ") && two.starts_with("with 2 workers: ")),
        "{:?}",
        texts("short")
    );
    assert_eq!(texts("headroom").len(), 1, "{:?}", result.verdict);
}

#[test]
fn after_the_last_row_nobody_waits_for_another_arrival() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let change = |p: &mut PlanSpec| {
        (p.offered, p.rows, p.duration) = (open(1.0, SECOND * 100), Some(20), None);
    };
    let result = run(&server, &plan(change));
    assert_eq!(result.operations.ok, 2);
    assert!(result.steps[0].drained < SECOND / 2, "{:?}", result.steps[0].drained);
}

#[test]
fn a_client_that_fails_without_the_server_has_no_headroom_and_says_so() {
    let failure = Some(OpError::new(ErrorKind::Internal, "no answer fits"));
    let server = FakeServer { replay_failure: failure, ..FakeServer::new(|_| Behaviour::Store) };
    let result = run(&server, &plan(|p| p.headroom = SECOND / 50));
    assert_eq!((result.headroom, result.verdict.status), (None, Status::Valid), "{:?}", result.verdict);
    assert!(reason(&result, "headroom-not-measured").unwrap().text.contains("failed without the server"));
}
