//! What schedules, phases and series promise, proved against a fake clock and database.

use std::time::Duration;

use crate::error::{ErrorKind, OpError};
use crate::fakes::{Behaviour, ENCODE, FakeProbe, FakeRows, FakeServer, PLUGIN, WAIT};
use crate::observer::{Interval, NoObserver, Observer, Progress};
use crate::plan::tests::spec;
use crate::plan::{Offered, Plan, PlanSpec};
use crate::probe::Probe;
use crate::recording::Recording;
use crate::result::{Phase, PhaseName, RunResult};
use crate::run::{RunEnv, run_on};
use crate::schedule::{Arrival, Profile, Stage};
use crate::slo::Kept;
use crate::stop::StopToken;
use crate::verdict::{Ending, Status, Stored};

const SECOND: Duration = Duration::from_secs(1);

/// One thread, so that the fake clock moves for all workers alike.
fn plan(change: impl FnOnce(&mut PlanSpec)) -> Plan {
    let mut spec = PlanSpec { threads: 1, rows: None, duration: Some(SECOND * 4), ..spec() };
    change(&mut spec);
    Plan::new(spec).unwrap()
}

fn open(per_s: f64, length: Duration, arrival: Arrival) -> Offered {
    Offered::Open { profile: Profile::new(vec![Stage::constant(length, per_s)]), arrival }
}

fn run_watched(server: &FakeServer, plan: &Plan, observer: &mut dyn Observer) -> RunResult {
    let env = RunEnv { stop: StopToken::new(), observer, probe: None };
    run_on(&server.clock.clone(), plan, &server, &FakeRows::default(), env).unwrap()
}

fn run(server: &FakeServer, plan: &Plan) -> RunResult {
    run_watched(server, plan, &mut NoObserver)
}

#[test]
fn a_schedule_that_the_server_can_take_is_held_without_lag() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let result = run(&server, &plan(|p| p.offered = open(100.0, SECOND * 4, Arrival::Uniform)));
    let step = &result.steps[0];
    let schedule = step.schedule.unwrap();
    assert_eq!(step.recording.operations.ok, 400);
    assert_eq!((schedule.operations, schedule.offered_per_s, schedule.unsent), (400.0, 100.0, 0));
    assert!((schedule.achieved_per_s - 100.0).abs() < 0.5, "{schedule:?}");
    assert!(step.recording.lag.max().unwrap() < 1_000);
    let service = (ENCODE + WAIT + PLUGIN * 2).as_nanos() as u64;
    assert_eq!(step.recording.service.max(), Some(service));
    assert!(step.recording.response.max().unwrap() <= service + 1_000);
    assert_eq!(result.verdict.status, Status::Valid, "{:?}", result.verdict);
    assert_eq!(result.stored, Stored::Rows(4000));
}

#[test]
fn a_rate_that_the_server_cannot_take_is_invalid_and_names_both_rates() {
    let server = FakeServer::new(|_| Behaviour::Store);
    // One worker and 2.012 ms an operation: 497 a second at most.
    let offered = open(1000.0, SECOND * 4, Arrival::Uniform);
    let result = run(&server, &plan(|p| (p.offered, p.workers) = (offered, vec![1])));
    let step = &result.steps[0];
    assert_eq!(step.recording.operations.ok, 4000, "nothing that is due is dropped");
    let schedule = step.schedule.unwrap();
    assert!((schedule.achieved_per_s - 497.0).abs() < 2.0, "{schedule:?}");
    assert!(schedule.max_queue > 1000);
    // The last operation was due at 4 s and started after 8.
    assert!(step.recording.lag.max().unwrap() > 4_000_000_000);
    assert!(step.recording.service.max().unwrap() < 3_000_000, "the service time alone would hide it");
    let reason = &result.verdict.reasons[0];
    assert_eq!((result.verdict.status, reason.code), (Status::Invalid, "schedule-not-held"));
    assert!(reason.text.contains("1000 operations/s were offered and 497 achieved"), "{}", reason.text);
    assert!(reason.advice.contains("raise --workers to 4: "), "{}", reason.advice);
}

#[test]
fn a_stall_shows_in_the_response_time_of_all_that_was_due_meanwhile() {
    // Operation 100 of 400 takes two seconds; one worker, so everything behind it waits.
    let server = FakeServer::new(|n| if n == 100 { Behaviour::Stall(SECOND * 2) } else { Behaviour::Store });
    let offered = open(100.0, SECOND * 4, Arrival::Uniform);
    let result = run(&server, &plan(|p| (p.offered, p.workers) = (offered, vec![1])));
    let step = &result.steps[0];
    let late = |quantile| Duration::from_nanos(step.recording.response.value_at_quantile(quantile));
    // 200 operations were due in the stall, and the backlog took half a second more: more than half of all were late.
    assert!(late(0.5) > Duration::from_millis(2), "{:?}", late(0.5));
    assert!(late(0.9) > Duration::from_secs(1), "{:?}", late(0.9));
    let service = Duration::from_nanos(step.recording.service.value_at_quantile(0.99));
    assert!(service < Duration::from_millis(3), "a closed loop sees one slow operation: {service:?}");
}

#[test]
fn a_queue_beyond_its_bound_ends_the_run() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let offered = open(20_000.0, SECOND * 4, Arrival::Uniform);
    let change = |p: &mut PlanSpec| (p.offered, p.max_queue) = (offered, 500);
    let result = run(&server, &plan(change));
    assert_eq!(result.ending, Ending::QueueBound);
    let schedule = result.steps[0].schedule.unwrap();
    assert!(schedule.max_queue > 500 && schedule.unsent > 0);
    let codes: Vec<_> = result.verdict.reasons.iter().map(|reason| reason.code).collect();
    assert!(codes.contains(&"queue-bound"), "{codes:?}");
}

#[test]
fn poisson_arrivals_offer_the_rate_and_lag_only_while_all_workers_are_busy() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let offered = open(200.0, SECOND * 4, Arrival::Poisson);
    let result = run(&server, &plan(|p| (p.offered, p.workers) = (offered, vec![64])));
    let recording = &result.steps[0].recording;
    // 800 expected, standard deviation 28.
    assert!((recording.operations.ok as f64 - 800.0).abs() < 150.0, "{}", recording.operations.ok);
    assert_eq!(recording.response.count(), recording.operations.ok);
    assert_eq!(recording.lag.count(), recording.operations.ok);
}

#[test]
fn warm_up_is_recorded_apart_and_counted_in_what_is_stored() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let result = run(&server, &plan(|p| (p.warmup, p.workers) = (SECOND, vec![1])));
    let warmup = result.warmup.as_ref().unwrap();
    let per_second = 1.0 / (ENCODE + WAIT + PLUGIN * 2).as_secs_f64();
    let ok = warmup.recording.operations.ok;
    assert!((ok as f64 - per_second).abs() < 2.0, "{ok}");
    assert!((result.steps[0].recording.operations.ok as f64 - 4.0 * per_second).abs() < 2.0);
    assert_eq!(result.stored, Stored::Rows(result.rows.acknowledged));
    let both = warmup.recording.rows.acknowledged + result.steps[0].recording.rows.acknowledged;
    assert_eq!(result.rows.acknowledged, both);
    let names: Vec<_> = result.phases.iter().map(|phase| phase.name).collect();
    let expected = [
        PhaseName::Prepare,
        PhaseName::Generate,
        PhaseName::Open,
        PhaseName::Warmup,
        PhaseName::Drain,
        PhaseName::Measure,
        PhaseName::Drain,
        PhaseName::Verify,
        PhaseName::Close,
    ];
    assert_eq!(names, expected);
    assert_eq!(result.verdict.status, Status::Valid, "{:?}", result.verdict);
}

#[test]
fn a_ladder_measures_each_number_of_workers_on_rows_of_its_own() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let result = run(&server, &plan(|p| (p.workers, p.rows, p.duration) = (vec![1, 2, 4], Some(2005), None)));
    assert_eq!(result.steps.len(), 3);
    assert!(result.steps.iter().all(|step| step.recording.rows.acknowledged == 2005));
    assert_eq!(result.stored, Stored::Rows(3 * 2005));
    let rates: Vec<_> = result.steps.iter().map(|step| step.throughput().unwrap().rows_per_s).collect();
    assert!(rates[1] > 1.9 * rates[0] && rates[2] > 3.6 * rates[0], "{rates:?}");
    assert_eq!(result.headline().unwrap().workers, 4);
    assert!(result.dataset.fingerprint.is_some());
}

/// Keeps what the intervals hold.
#[derive(Default)]
struct Series {
    total: Recording,
    starts: Vec<(PhaseName, Duration)>,
}

impl Observer for Series {
    fn begins(&mut self, _: PhaseName) {}
    fn progress(&mut self, _: PhaseName, _: Progress) {}
    fn interval(&mut self, interval: Interval<'_>) {
        self.total.merge(interval.recording);
        self.starts.push((interval.phase, interval.start));
    }
    fn ended(&mut self, _: Phase) {}
    fn crashed(&mut self, _: &crate::error::Crash) {}
}

#[test]
fn the_intervals_add_up_to_the_whole_in_every_count() {
    let refuse = OpError::new(ErrorKind::Rejected, "no");
    let server = FakeServer::new(move |n| match n % 50 {
        7 => Behaviour::Refuse(refuse.clone()),
        9 => Behaviour::LoseAnswer(OpError::new(ErrorKind::TimedOut, "late")),
        11 => Behaviour::Partly(3),
        _ => Behaviour::Store,
    });
    let mut series = Series::default();
    let change = |p: &mut PlanSpec| (p.workers, p.max_errors, p.warmup) = (vec![3], u64::MAX, SECOND);
    let result = run_watched(&server, &plan(change), &mut series);
    assert_eq!(series.total.rows, result.rows);
    assert_eq!(series.total.operations, result.operations);
    assert_eq!(series.total.volume, result.volume);
    assert_eq!(series.total.errors, result.errors);
    assert!(result.operations.timed_out > 0 && result.operations.failed > 0);
    assert!(series.starts.is_sorted_by_key(|(_, start)| *start));
    let step = &result.steps[0];
    assert_eq!(step.intervals.iter().map(|interval| interval.ok).sum::<u64>(), step.recording.operations.ok);
    assert_eq!(step.intervals.iter().map(|interval| interval.rows).sum::<u64>(), step.recording.rows.acknowledged);
    assert!(step.intervals.len() >= 4);
    let count = step.recording.service.count() + step.recording.failed.count() + step.recording.timed_out.count();
    let operations = step.recording.operations;
    assert_eq!(count, operations.ok + operations.failed + operations.timed_out);
}

#[test]
fn a_stall_of_the_whole_server_leaves_intervals_without_operations_in_the_series() {
    let server = FakeServer::new(|n| if n == 50 { Behaviour::Stall(SECOND * 3) } else { Behaviour::Store });
    let result = run(&server, &plan(|p| p.workers = vec![1]));
    let empty = result.steps[0].intervals.iter().filter(|interval| interval.ok == 0).count();
    assert!(empty >= 2, "{:?}", result.steps[0].intervals);
}

#[test]
fn throughput_that_still_falls_is_suspect() {
    // Each operation takes a little longer than the one before.
    let server = FakeServer::new(|n| Behaviour::Stall(Duration::from_micros(2000 + n * 2)));
    let result = run(&server, &plan(|p| (p.workers, p.duration) = (vec![1], Some(SECOND * 20))));
    assert_eq!(result.verdict.status, Status::Suspect);
    let reason = &result.verdict.reasons[0];
    assert_eq!(reason.code, "drift");
    assert!(reason.text.contains("fell by"), "{}", reason.text);
}

#[test]
fn an_objective_is_checked_against_every_step() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let objectives = vec!["p99<1ms".parse().unwrap(), "p99<5ms".parse().unwrap(), "errors<1%".parse().unwrap()];
    let result = run(&server, &plan(|p| p.objectives = objectives));
    let kept: Vec<_> = result.objectives.iter().map(|(_, kept)| kept).collect();
    assert!(matches!(kept[..], [Kept::No(_), Kept::Yes, Kept::Yes]), "{kept:?}");
}

/// A run whose server is looked at, at its start and at its end.
fn run_observed(server: &FakeServer, probe: Box<dyn Probe>) -> RunResult {
    // The thread that looks waits in real time: no interval ends while the test lasts.
    let plan = plan(|p| (p.warmup, p.workers, p.interval) = (SECOND, vec![1, 2], SECOND * 3600));
    let env = RunEnv { stop: StopToken::new(), observer: &mut NoObserver, probe: Some(probe) };
    run_on(&server.clock.clone(), &plan, &server, &FakeRows::default(), env).unwrap()
}

#[test]
fn a_server_is_observed_from_before_the_warm_up_to_the_end_of_the_drain() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let result = run_observed(&server, FakeProbe::new(&server.clock));
    let (warmup, last) = (result.warmup.unwrap(), &result.steps[1]);
    let usage = result.server_usage.unwrap();
    assert!(warmup.start < result.steps[0].start && result.steps[0].start < last.start);
    let [before, after] = usage.samples[..] else { panic!("{:?}", usage.samples) };
    assert!(before.at <= warmup.start && after.at >= last.start + last.measured + last.drained);
    for percent in [usage.mean_cpu_percent, usage.max_cpu_percent] {
        assert!((percent.unwrap() - 50.0).abs() < 0.001, "{percent:?}");
    }
    assert_eq!((usage.max_memory_bytes, usage.failed), (Some(1_000_000), 0));
    assert_eq!(result.verdict.status, Status::Valid, "{:?}", result.verdict);
}

#[test]
fn a_server_that_could_not_be_observed_is_named_without_a_worse_verdict() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let result = run_observed(&server, FakeProbe::with(|_| Err("no such process".into())));
    assert_eq!((result.verdict.status, result.verdict.reasons.len()), (Status::Valid, 1), "{:?}", result.verdict);
    let reason = &result.verdict.reasons[0];
    assert_eq!(reason.code, "server-not-observed");
    assert!(reason.text.contains("`fake`") && reason.text.contains("no such process"), "{}", reason.text);
}

#[test]
fn headroom_is_what_the_client_reaches_without_the_server_and_is_counted_nowhere() {
    let server = FakeServer::new(|_| Behaviour::Store);
    let result = run(&server, &plan(|p| (p.workers, p.headroom) = (vec![2], SECOND / 50)));
    // With the server an operation takes the client 12 µs and the server 2 ms, two at a time.
    let alone = 1.0 / (ENCODE + PLUGIN * 2).as_secs_f64();
    let reached = result.steps[0].throughput().unwrap().operations_per_s;
    let headroom = result.headroom.unwrap();
    assert!((headroom / (alone / reached) - 1.0).abs() < 0.05, "{headroom} and {}", alone / reached);
    assert_eq!(result.stored, Stored::Rows(result.rows.acknowledged));
    assert_eq!(result.rows.acknowledged, result.steps[0].recording.rows.acknowledged);
    assert_eq!(result.verdict.status, Status::Valid, "{:?}", result.verdict);
    let phases: Vec<_> = result.phases.iter().map(|phase| phase.name).collect();
    assert_eq!(phases.iter().filter(|phase| **phase == PhaseName::Headroom).count(), 1, "{phases:?}");
}

#[test]
fn a_client_that_would_not_be_much_faster_without_the_server_measures_itself() {
    // The client computes for a third of the time that the server takes: one worker leaves it little.
    let server = FakeServer::new(|_| Behaviour::Stall(ENCODE / 8));
    let result =
        run(&server, &plan(|p| (p.workers, p.duration, p.headroom) = (vec![1], Some(SECOND / 50), SECOND / 50)));
    let headroom = result.headroom.unwrap();
    assert!(headroom < 1.2, "{headroom}");
    let reason = result.verdict.reasons.iter().find(|reason| reason.code == "headroom").unwrap();
    assert_eq!((result.verdict.status, reason.weight), (Status::Invalid, Status::Invalid));
}

#[test]
fn a_target_that_cannot_replay_has_no_headroom() {
    let server = FakeServer { replaying: None, ..FakeServer::new(|_| Behaviour::Store) };
    assert_eq!(run(&server, &plan(|p| p.headroom = SECOND)).headroom, None);
}

#[test]
fn a_run_given_up_waits_for_operations_in_flight_but_not_for_ever() {
    // Every operation but the first is refused, and the first never ends by itself.
    let refuse = OpError::new(ErrorKind::Rejected, "no");
    let server = FakeServer::new(move |n| match n {
        0 => Behaviour::Stall(SECOND * 60),
        _ => Behaviour::Refuse(refuse.clone()),
    });
    let stop = StopToken::new();
    let env = RunEnv { stop: stop.clone(), observer: &mut NoObserver, probe: None };
    let plan = plan(|p| (p.workers, p.max_errors) = (vec![2], 3));
    // The fake does not give up, as a real target does, so only the signal is looked at.
    let result = run_on(&server.clock.clone(), &plan, &&server, &FakeRows::default(), env).unwrap();
    assert_eq!((result.ending, stop.level()), (Ending::ErrorBudget, crate::stop::StopLevel::Cancelled));
}
