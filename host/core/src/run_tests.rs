//! What a run promises, proved against a fake clock, database and dataset.

use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::error::{ErrorKind, OpError};
use crate::fakes::{Behaviour, ENCODE, FakeRows, FakeServer, PLUGIN, WAIT};
use crate::observer::{NoObserver, Observer, Progress};
use crate::plan::tests::spec;
use crate::plan::{Existing, Plan, PlanSpec};
use crate::result::{Phase, PhaseName, RunResult};
use crate::run::{RunEnv, run_on};
use crate::run_error::{FailureClass, RunError};
use crate::stop::{StopLevel, StopToken};
use crate::verdict::{Ending, Status, Stored};

fn plan(change: impl FnOnce(&mut PlanSpec)) -> Plan {
    let mut spec = spec();
    change(&mut spec);
    Plan::new(spec).unwrap()
}

fn try_run(server: &FakeServer, rows: &FakeRows, plan: &Plan) -> Result<RunResult, RunError> {
    let env = RunEnv { stop: StopToken::new(), observer: &mut NoObserver, probe: None };
    run_on(&server.clock.clone(), plan, &server, rows, env)
}

fn run(server: &FakeServer, plan: &Plan) -> RunResult {
    try_run(server, &FakeRows::default(), plan).unwrap()
}

fn refusal(kind: ErrorKind, retryable: bool) -> OpError {
    OpError { retryable, ..OpError::new(kind, "no") }
}

#[test]
fn every_row_is_sent_acknowledged_and_stored_once_the_tail_included() {
    for (rows, batch_rows) in [(1000, 10), (1001, 10), (7, 100), (1, 1)] {
        let server = FakeServer::new(|_| Behaviour::Store);
        let result = run(&server, &plan(|p| (p.rows, p.batch_rows) = (Some(rows), batch_rows)));
        assert_eq!(result.verdict.status, Status::Valid, "{:?}", result.verdict);
        let counts = result.rows;
        assert_eq!((counts.sent, counts.acknowledged, counts.unknown), (rows, rows, 0));
        assert_eq!(result.stored, Stored::Rows(rows));
        assert_eq!(result.operations.ok, rows.div_ceil(u64::from(batch_rows)));
        assert_eq!(result.steps[0].recording.service.count(), result.operations.ok);
        assert_eq!(result.volume.values, rows);
        assert_eq!(result.ending, Ending::Complete);
    }
}

#[test]
fn every_session_is_opened_and_closed_once() {
    let server = FakeServer::new(|_| Behaviour::Store);
    run(&server, &plan(|p| p.workers = vec![7]));
    assert_eq!(server.opened.load(Ordering::SeqCst), 8, "seven workers and a control session");
    assert_eq!(server.closed.load(Ordering::SeqCst), 8);
}

#[test]
fn what_opening_a_session_took_is_not_charged_to_its_first_operation() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let result = run(&server, &plan(|p| p.workers = vec![1]));
    let recording = &result.steps[0].recording;
    assert_eq!(recording.volume.sent_bytes, 100 * 150, "bodies and heads, and nothing of the greeting");
    assert_eq!(recording.wait.max(), Some(WAIT.as_nanos() as u64));
}

#[test]
fn spans_and_service_time_are_what_the_clock_says() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let result = run(&server, &plan(|p| (p.workers, p.threads) = (vec![1], 1)));
    let near = |histogram: &benchhost_stats::Histogram, truth: Duration| {
        let truth = truth.as_nanos() as u64;
        assert_eq!((histogram.min(), histogram.max()), (Some(truth), Some(truth)));
    };
    near(&result.steps[0].recording.encode, ENCODE);
    near(&result.steps[0].recording.wait, WAIT);
    near(&result.steps[0].recording.plugin, PLUGIN * 2);
    near(&result.steps[0].recording.service, ENCODE + WAIT + PLUGIN * 2);
    assert_eq!(result.steps[0].measured, (ENCODE + WAIT + PLUGIN * 2) * 100);
    let rate = result.steps[0].throughput().unwrap().rows_per_s;
    assert!((rate - 1000.0 / result.steps[0].measured.as_secs_f64()).abs() < 1e-6);
}

#[test]
fn a_retry_sends_the_same_payload_without_encoding_again() {
    let server = FakeServer::new(|n| match n {
        0 | 1 => Behaviour::Refuse(refusal(ErrorKind::Throttled, true)),
        _ => Behaviour::Store,
    });
    let result = run(&server, &plan(|p| (p.workers, p.rows) = (vec![1], Some(20))));
    assert_eq!(server.encoded.load(Ordering::SeqCst), 2);
    assert_eq!(result.operations.retried, 2);
    assert_eq!(result.operations.ok, 2);
    assert_eq!(result.errors.counts()[0].count, 2);
    assert_eq!(result.verdict.status, Status::Valid);
}

#[test]
fn the_server_decides_how_long_to_wait_before_a_retry() {
    let asked = OpError { retry_after: Some(Duration::from_secs(3)), ..refusal(ErrorKind::Throttled, true) };
    let server = FakeServer::new(move |n| if n == 0 { Behaviour::Refuse(asked.clone()) } else { Behaviour::Store });
    let result = run(&server, &plan(|p| (p.workers, p.rows) = (vec![1], Some(10))));
    assert!(result.steps[0].recording.service.max().unwrap() >= 3_000_000_000);
    assert!(result.steps[0].recording.plugin.max().unwrap() < 1_000_000, "back-off is not the plugin's time");
}

#[test]
fn an_error_that_is_not_retryable_is_not_tried_again() {
    let server =
        FakeServer::new(
            |n| {
                if n == 0 { Behaviour::Refuse(refusal(ErrorKind::Rejected, false)) } else { Behaviour::Store }
            },
        );
    let result = run(&server, &plan(|p| p.workers = vec![1]));
    assert_eq!((result.operations.failed, result.operations.retried), (1, 0));
    assert_eq!(result.rows.acknowledged, 990);
    assert_eq!(result.steps[0].recording.failed.count(), 1);
    assert_eq!(result.stored, Stored::Rows(990));
    assert_eq!(result.verdict.status, Status::Suspect, "within the budget");
    assert_eq!(result.verdict.reasons[0].code, "operations-failed");
    assert!(result.verdict.reasons[0].text.contains("10 of 1,000 rows"), "{}", result.verdict.reasons[0].text);
}

#[test]
fn an_answer_that_was_lost_leaves_rows_unknown_even_when_a_retry_succeeds() {
    let lost = refusal(ErrorKind::Unavailable, true);
    let server = FakeServer::new(move |n| if n == 5 { Behaviour::LoseAnswer(lost.clone()) } else { Behaviour::Store });
    let result = run(&server, &plan(|p| p.workers = vec![1]));
    assert_eq!(result.rows.unknown, 10);
    assert_eq!(result.rows.acknowledged, 1000);
    assert_eq!(result.stored, Stored::Rows(1010));
    assert_eq!(result.verdict.status, Status::Valid, "explained by the unknown rows");
}

#[test]
fn a_server_that_stores_nothing_is_found_out() {
    let server = FakeServer::new(|_| Behaviour::Pretend);
    let result = run(&server, &plan(|_| {}));
    assert_eq!(result.stored, Stored::Rows(0));
    assert_eq!((result.verdict.status, result.verdict.reasons[0].code), (Status::Invalid, "stored-less"));
}

#[test]
fn a_partial_success_counts_the_rows_that_the_server_took() {
    let server = FakeServer::new(|n| if n == 0 { Behaviour::Partly(4) } else { Behaviour::Store });
    let result = run(&server, &plan(|p| p.workers = vec![1]));
    assert_eq!(result.rows.acknowledged, 994);
    assert_eq!(result.operations.failed, 1);
    assert_eq!(result.stored, Stored::Rows(994));
    assert_eq!(result.errors.counts()[0].kind, ErrorKind::Partial);
}

#[test]
fn a_time_out_counts_at_least_its_limit() {
    let server = FakeServer::new(|n| {
        if n == 0 { Behaviour::LoseAnswer(refusal(ErrorKind::TimedOut, false)) } else { Behaviour::Store }
    });
    let result = run(&server, &plan(|p| (p.workers, p.timeout) = (vec![1], Duration::from_secs(7))));
    assert_eq!(result.operations.timed_out, 1);
    assert_eq!(result.steps[0].recording.timed_out.min(), Some(7_000_000_000));
    assert_eq!(result.operations.failed, 0);
}

#[test]
fn a_run_is_given_up_when_its_error_budget_is_spent() {
    let server = FakeServer::new(|_| Behaviour::Refuse(refusal(ErrorKind::Rejected, false)));
    let result = run(&server, &plan(|p| (p.workers, p.max_errors) = (vec![1], 5)));
    assert_eq!(result.ending, Ending::ErrorBudget);
    assert_eq!(result.operations.failed, 6);
    assert_eq!(result.verdict.status, Status::Invalid);
    assert!(result.steps[0].throughput().is_none(), "no number without an acknowledged row");
}

#[test]
fn a_dead_session_is_replaced_and_the_run_goes_on() {
    let server = FakeServer::new(|n| if n == 3 { Behaviour::Crash } else { Behaviour::Store });
    let result = run(&server, &plan(|p| p.workers = vec![2]));
    assert_eq!(result.operations.crashed, 1);
    assert_eq!(server.opened.load(Ordering::SeqCst), 4);
    assert_eq!(result.rows.acknowledged, 990);
    assert_eq!(result.first_crash.unwrap().stderr, "oh no");
    assert_eq!(result.verdict.status, Status::Suspect);
}

#[test]
fn a_run_is_given_up_when_sessions_keep_dying() {
    let server = FakeServer::new(|_| Behaviour::Crash);
    let result = run(&server, &plan(|p| p.max_crashes = 3));
    assert_eq!(result.ending, Ending::CrashBudget);
    assert!(result.operations.crashed > 3);
}

#[test]
fn a_table_that_is_not_empty_is_refused_dropped_or_added_to_as_asked() {
    let server = FakeServer::new(|_| Behaviour::Store);
    server.stored.store(17, Ordering::SeqCst);
    let error = try_run(&server, &FakeRows::default(), &plan(|_| {})).unwrap_err();
    assert!(error.to_string().contains("already holds 17 rows"), "{error}");
    assert!(error.to_string().contains("--existing drop"));
    assert_eq!(error.class(), FailureClass::Usage);

    let result = run(&server, &plan(|p| p.existing = Existing::Append));
    assert_eq!(result.stored, Stored::Rows(1000), "only the rows that the run added");
    let result = run(&server, &plan(|p| p.existing = Existing::Drop));
    assert_eq!(result.stored, Stored::Rows(1000));
    assert_eq!(server.dropped.load(Ordering::SeqCst), 1);
}

#[test]
fn a_database_that_cannot_count_is_still_measured() {
    let server = FakeServer { countable: false, ..FakeServer::new(|_| Behaviour::Store) };
    let result = run(&server, &plan(|_| {}));
    assert!(matches!(result.stored, Stored::NotAsked { .. }));
    assert_eq!(result.verdict.reasons[0].code, "stored-not-asked");
}

#[test]
fn the_rows_are_the_same_streamed_or_made_ahead_whatever_the_batch_size() {
    let fingerprint = |change: fn(&mut PlanSpec)| {
        let server = FakeServer::new(|_| Behaviour::Store);
        let result = run(&server, &plan(change));
        assert_eq!(result.stored, Stored::Rows(1000));
        (result.dataset.fingerprint.unwrap(), result.dataset.streamed)
    };
    let (ahead, streamed) = fingerprint(|_| {});
    assert!(!streamed);
    assert_eq!(fingerprint(|p| p.memory_budget_bytes = 1), (ahead.clone(), true));
    assert_eq!(fingerprint(|p| p.batch_rows = 333), (ahead.clone(), false));
    assert_ne!(fingerprint(|p| (p.batch_rows, p.rows) = (999, Some(1000))).0, "");
    assert_eq!(fingerprint(|p| (p.workers, p.threads) = (vec![1], 1)).0, ahead);
}

#[test]
fn a_dataset_that_fails_while_it_streams_leaves_a_result_that_says_so() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let rows = FakeRows { fails_at: Some(500), ..FakeRows::default() };
    let result = try_run(&server, &rows, &plan(|p| p.memory_budget_bytes = 1)).unwrap();
    assert_eq!(result.ending, Ending::DatasetFailed);
    assert_eq!(result.rows.acknowledged, 500);
    assert_eq!(result.stored, Stored::Rows(500));
    assert!(result.verdict.reasons[0].text.contains("no row 500"));
    assert_eq!(result.dataset.fingerprint, None);
}

#[test]
fn rows_before_and_after_are_counted_in_the_same_range_also_when_the_run_ends_early() {
    let server = FakeServer::new(|_| Behaviour::Store);
    server.stored.store(17, Ordering::SeqCst);
    let rows = FakeRows { fails_at: Some(500), ..FakeRows::default() };
    let append = plan(|p| (p.memory_budget_bytes, p.existing) = (1, Existing::Append));
    let result = try_run(&server, &rows, &append).unwrap();
    assert_eq!(result.stored, Stored::Rows(500));
    let counted = server.counted.lock().unwrap();
    assert!(counted.len() >= 2 && counted.iter().all(|range| *range == counted[0]), "{counted:?}");
}

#[test]
fn a_dataset_that_fails_ahead_of_the_clock_writes_nothing() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let rows = FakeRows { fails_at: Some(500), ..FakeRows::default() };
    let error = try_run(&server, &rows, &plan(|_| {})).unwrap_err();
    assert_eq!(error.class(), FailureClass::Contract);
    assert_eq!(server.stored.load(Ordering::SeqCst), 0);
}

#[test]
fn more_rows_than_the_dataset_has_are_refused() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let rows = FakeRows { rows: Some(10), ..FakeRows::default() };
    let error = try_run(&server, &rows, &plan(|_| {})).unwrap_err();
    assert!(error.to_string().contains("10 rows with these settings"));
}

/// Stops the run when it has seen some progress, and notes the phases.
struct Watcher {
    stop: StopToken,
    at: PhaseName,
    seen: Vec<PhaseName>,
}

impl Observer for Watcher {
    fn begins(&mut self, phase: PhaseName) {
        if phase == self.at {
            self.stop.raise(StopLevel::Draining);
        }
    }
    fn progress(&mut self, _: PhaseName, _: Progress) {}
    fn interval(&mut self, _: crate::observer::Interval<'_>) {}
    fn ended(&mut self, phase: Phase) {
        self.seen.push(phase.name);
    }
    fn crashed(&mut self, _: &crate::error::Crash) {}
}

fn watched(at: PhaseName) -> (Result<RunResult, RunError>, Vec<PhaseName>) {
    let server = FakeServer::new(|_| Behaviour::Store);
    let stop = StopToken::new();
    let mut observer = Watcher { stop: stop.clone(), at, seen: Vec::new() };
    let env = RunEnv { stop, observer: &mut observer, probe: None };
    let result = run_on(&server.clock.clone(), &plan(|_| {}), &&server, &FakeRows::default(), env);
    (result, observer.seen)
}

#[test]
fn a_run_that_is_stopped_drains_and_has_a_result() {
    let (result, seen) = watched(PhaseName::Measure);
    let result = result.unwrap();
    assert_eq!(result.ending, Ending::Interrupted);
    assert_eq!(result.verdict.status, Status::Invalid);
    let counts = result.rows;
    assert_eq!(result.stored, Stored::Rows(counts.acknowledged));
    assert_eq!(seen.last(), Some(&PhaseName::Verify));
}

#[test]
fn a_run_that_is_stopped_before_the_clock_starts_writes_nothing() {
    let (result, seen) = watched(PhaseName::Generate);
    assert!(matches!(result, Err(RunError::Interrupted)));
    assert_eq!(seen, [PhaseName::Prepare, PhaseName::Generate]);
}
