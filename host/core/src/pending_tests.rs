//! What holds for targets that stream: rows count when the stream is acknowledged, and are unknown when it is not.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::counts::RowCounts;
use crate::error::{CallError, Crash, ErrorKind, OpError};
use crate::fakes::{AtEnd, Behaviour, FakeRows, FakeServer, WAIT};
use crate::observer::NoObserver;
use crate::plan::tests::spec;
use crate::plan::{Plan, PlanSpec};
use crate::result::RunResult;
use crate::run::{RunEnv, run_on};
use crate::stop::StopToken;
use crate::verdict::{Status, Stored};

const ROWS: u64 = 1000;

fn run(server: &FakeServer, change: impl FnOnce(&mut PlanSpec)) -> RunResult {
    let mut spec = PlanSpec { workers: vec![4], rows: Some(ROWS), batch_rows: 10, ..spec() };
    change(&mut spec);
    let env = RunEnv { stop: StopToken::new(), observer: &mut NoObserver, probe: None };
    run_on(&server.clock.clone(), &Plan::new(spec).unwrap(), &server, &FakeRows::default(), env).unwrap()
}

fn streaming(at_end: AtEnd) -> FakeServer {
    FakeServer { at_end, ..FakeServer::new(|_| Behaviour::Take) }
}

fn counts(sent: u64, acknowledged: u64, unknown: u64) -> RowCounts {
    RowCounts { sent, acknowledged, unknown }
}

#[test]
fn rows_of_a_stream_are_acknowledged_when_it_is_and_measured_until_then() {
    let result = run(&streaming(Box::new(|_| Ok(None))), |_| {});
    assert_eq!(result.verdict.status, Status::Valid, "{:?}", result.verdict);
    assert_eq!((result.rows, result.stored), (counts(ROWS, ROWS, 0), Stored::Rows(ROWS)));
    assert_eq!((result.operations.ok, result.operations.handed_over), (100, 100));
    assert_eq!(result.volume.values, ROWS);
    assert_eq!(result.volume.raw_bytes, 100 * 100);
    // Each worker hands over 25 batches or so, and then waits for the answer.
    assert!(result.steps[0].measured > WAIT * 25, "{:?}", result.steps[0].measured);
}

#[test]
fn a_server_that_counts_fewer_rows_at_the_end_is_believed() {
    let result = run(&streaming(Box::new(|rows| Ok(Some(rows - 1)))), |plan| plan.workers = vec![1]);
    assert_eq!(result.rows, counts(ROWS, ROWS - 1, 0));
    assert_eq!(result.volume.values, ROWS - 1);
    assert_eq!(result.verdict.status, Status::Invalid, "one row more is stored than was acknowledged");
}

#[test]
fn a_stream_without_an_answer_leaves_all_its_rows_unknown_and_fails_once() {
    let refusal = || OpError::new(ErrorKind::Unavailable, "gone");
    let result = run(&streaming(Box::new(move |_| Err(refusal().into()))), |plan| plan.workers = vec![1]);
    assert_eq!(result.rows, counts(ROWS, 0, ROWS));
    assert_eq!((result.operations.ok, result.operations.failed), (100, 1));
    assert_eq!(result.errors.counts()[0].example, "gone");
}

#[test]
fn what_an_error_says_was_stored_is_acknowledged_and_the_rest_is_not() {
    let partly = || OpError { rows_accepted: Some(300), ..OpError::new(ErrorKind::Partial, "some") };
    let result = run(&streaming(Box::new(move |_| Err(partly().into()))), |plan| plan.workers = vec![1]);
    assert_eq!(result.rows, counts(ROWS, 300, 0));
}

#[test]
fn a_stream_that_breaks_takes_along_what_it_was_given_before() {
    let broken = || OpError { retryable: true, ..OpError::new(ErrorKind::Unavailable, "broken") };
    // The eleventh batch breaks the stream, and is sent again in the next one. The fake stores what it had been given.
    let server = FakeServer::new(move |n| if n == 10 { Behaviour::LoseAnswer(broken()) } else { Behaviour::Take });
    let result = run(&server, |plan| (plan.workers, plan.retries) = (vec![1], 3));
    assert_eq!(result.rows, counts(ROWS, ROWS - 100, 110));
    assert_eq!((result.operations.ok, result.operations.retried), (100, 1));
}

#[test]
fn a_session_that_dies_at_the_end_of_a_stream_is_replaced_and_its_rows_are_unknown() {
    let died = AtomicU64::new(0);
    let crash = || {
        let text = |text: &str| text.to_owned();
        Crash { plugin: text("fake"), call: text("streaming.finish"), reason: text("oh"), stderr: String::new() }
    };
    let server = streaming(Box::new(move |_| {
        if died.fetch_add(1, Ordering::SeqCst) == 0 { Err(CallError::Crash(crash())) } else { Ok(None) }
    }));
    let result = run(&server, |plan| plan.workers = vec![1]);
    assert_eq!(result.rows, counts(ROWS, 0, ROWS));
    assert_eq!((result.operations.crashed, server.opened.load(Ordering::SeqCst)), (1, 3));
}

#[test]
fn a_rehearsal_believes_no_number_of_another_stream() {
    let server = streaming(Box::new(|_| Ok(Some(1))));
    let result = run(&server, |plan| (plan.workers, plan.headroom) = (vec![1], Duration::from_millis(500)));
    assert_eq!(result.rows.acknowledged, 1);
    let real = streaming(Box::new(|_| Ok(None)));
    let same = run(&real, |plan| (plan.workers, plan.headroom) = (vec![1], Duration::from_millis(500)));
    assert!(same.headroom.unwrap_or_default() > 2.0, "{:?}", same.headroom);
}

#[test]
fn every_segment_ends_its_streams() {
    let ends = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&ends);
    let server = streaming(Box::new(move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
        Ok(None)
    }));
    let result = run(&server, |plan| (plan.workers, plan.rows) = (vec![1, 2], Some(ROWS)));
    assert_eq!(result.rows.acknowledged, result.rows.sent);
    // One worker in the first step, and in the second as many as had their turn.
    assert!((2..=3).contains(&ends.load(Ordering::SeqCst)), "{ends:?}");
}
