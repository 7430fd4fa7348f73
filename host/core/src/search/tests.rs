//! Whole searches, on a fake clock and on servers of known capacity.

use std::sync::Mutex;
use std::time::Duration;

use super::{Bound, Found, Limit, Purpose};
use crate::clock::Clock;
use crate::error::{ErrorKind, OpError};
use crate::fakes::{Behaviour, ENCODE, FakeClock, FakeRows, FakeServer, PLUGIN, WAIT};
use crate::observer::NoObserver;
use crate::plan::tests::{search, spec};
use crate::plan::{Plan, PlanSpec};
use crate::result::{PhaseName, RunResult};
use crate::run::{RunEnv, run_on};
use crate::slo::Kept;
use crate::stop::StopToken;
use crate::verdict::{Ending, Status, Stored};

const SECOND: Duration = Duration::from_secs(1);
const SERVICE: Duration = Duration::from_millis(20);
/// Operations a second that a server does one after the other, at most.
const CAPACITY: f64 = 50.0;

fn plan(start_per_s: Option<f64>, change: impl FnOnce(&mut PlanSpec)) -> Plan {
    // One thread, so that the fake clock moves for all workers alike.
    // Rows are made in real time, beside the fake clock: enough of them ahead that no worker waits for them.
    let mut spec = PlanSpec { threads: 1, workers: vec![2], memory_budget_bytes: 300_000, ..spec() };
    search(&mut spec, SECOND, start_per_s);
    change(&mut spec);
    // On a fake clock, a probe may be as short as a test likes.
    Plan::with_any_interval(spec).unwrap()
}

fn run(server: &FakeServer, plan: &Plan) -> (RunResult, Found) {
    let env = RunEnv { stop: StopToken::new(), observer: &mut NoObserver, probe: None };
    let result = run_on(&server.clock.clone(), plan, &server, &FakeRows::default(), env).unwrap();
    let found = result.search.clone().unwrap();
    (result, found)
}

/// Codes of the reasons that make a result worse than valid.
fn doubts(result: &RunResult) -> Vec<&'static str> {
    let doubts = result.verdict.reasons.iter().filter(|reason| reason.weight > Status::Valid);
    doubts.map(|reason| reason.code).collect()
}

#[test]
fn the_capacity_of_a_server_is_found_and_every_probe_is_a_step() {
    let server = FakeServer::one_at_a_time(|_| SERVICE);
    let objectives = vec!["p50<100ms".parse().unwrap(), "rate>=400rows".parse().unwrap()];
    let (result, found) = run(&server, &plan(None, |p| p.objectives = objectives));
    let rate = found.rate_per_s.unwrap();
    // 2 % of resolution, and 1 % that an achieved rate may be short of the offered one.
    assert!(rate > CAPACITY * 0.97 && rate < CAPACITY * 1.02, "{rate}: {:#?}", found.probes);
    assert!((found.rows_per_s.unwrap() / rate - 10.0).abs() < 1e-9, "ten rows an operation");
    assert_eq!((found.bound, found.confirmed), (Bound::Server, 5));
    assert_eq!((result.ending, doubts(&result)), (Ending::Complete, vec![]), "{:?}", result.verdict);
    assert_eq!(result.stored, Stored::Rows(result.rows.acknowledged), "the rows of failed probes are stored too");

    // The first probe is at a quarter of what the closed loop reached.
    assert!((found.probes[0].offered_per_s - CAPACITY / 4.0).abs() < 1.0, "{:?}", found.probes[0]);
    assert_eq!(found.probes.len(), result.steps.len());
    for (index, (probe, step)) in found.probes.iter().zip(&result.steps).enumerate() {
        assert_eq!(probe.step, index);
        assert_eq!(step.schedule.unwrap().offered_per_s.to_bits(), probe.offered_per_s.to_bits());
        assert_eq!(probe.passed, probe.why.is_empty());
    }
    let confirming = found.confirmed_steps(&result.steps);
    assert!(confirming.iter().all(|step| (step.schedule.unwrap().offered_per_s / rate - 1.0).abs() < 0.01));
    assert!(result.headline().is_some_and(|step| confirming.iter().any(|window| window.start == step.start)));
    let measured = result.phases.iter().filter(|phase| phase.name == PhaseName::Measure).count();
    assert_eq!(measured, found.probes.len());
    assert!(result.objectives.iter().all(|(_, kept)| *kept == Kept::Yes), "{:?}", result.objectives);
}

#[test]
fn an_objective_is_the_ceiling_where_it_is_missed_first() {
    // 75 operations a second at most. But the one behind every third waits for it, unless it comes 24 ms later, and it is the median: at
    // 50 a second it takes 12 ms.
    let server = FakeServer::one_at_a_time(|n| Duration::from_millis(if n % 3 == 2 { 24 } else { 8 }));
    let objective = "p50<12ms".parse().unwrap();
    let (result, found) = run(&server, &plan(Some(24.0), |p| p.objectives = vec![objective]));
    let rate = found.rate_per_s.unwrap();
    assert!(rate > 50.0 * 0.96 && rate < 50.0 * 1.01, "{rate}: {:#?}", found.probes);
    assert_eq!((found.bound, doubts(&result)), (Bound::Server, vec![]), "{:?}", result.verdict);
    let missed = found.probes.iter().filter(|probe| probe.why.iter().any(|why| why.starts_with("p50<12ms: it was")));
    assert!(missed.count() > 0, "{:#?}", found.probes);
    assert_eq!(result.objectives[0].1, Kept::Yes);
    // A second at 24 is too short to be sure of a median: the probe lasted until there were enough operations.
    assert!(found.probes[0].passed && result.steps[0].recording.response.count() > 30);
}

#[test]
fn a_probe_that_is_lost_is_given_up_and_does_not_poison_the_next() {
    let server = FakeServer::one_at_a_time(|_| SERVICE);
    // A hundred times the capacity for a second would take the server minutes. The run's own bound of the queue does not hold here.
    let start = |p: &mut PlanSpec| {
        search(p, SECOND, Some(100.0 * CAPACITY));
        p.max_queue = 10;
    };
    let (result, found) = run(&server, &plan(None, start));
    let first = result.steps[0].schedule.unwrap();
    assert!(first.given_up && first.unsent > 1000, "{first:?}");
    assert!(first.achieved_per_s < 80.0, "{first:?}");
    assert!(found.probes[0].why[0].contains("given up"), "{:?}", found.probes[0].why);
    assert!(result.steps[0].measured + result.steps[0].drained < SECOND * 60, "{:?}", result.steps[0].measured);
    assert_eq!(result.ending, Ending::Complete);
    let rate = found.rate_per_s.unwrap();
    assert!(rate > CAPACITY * 0.97 && rate < CAPACITY * 1.02, "{rate}: {:#?}", found.probes);
    assert_eq!(doubts(&result), Vec::<&str>::new());
}

#[test]
fn too_few_workers_are_not_the_servers_ceiling() {
    // Each of two workers does 25 a second, however many there are beside it.
    let server = FakeServer::new(|_| Behaviour::Stall(WAIT * 20));
    let (result, found) = run(&server, &plan(Some(20.0), |p| p.workers = vec![2]));
    let most = 2.0 / (ENCODE + WAIT * 20 + PLUGIN * 2).as_secs_f64();
    let rate = found.rate_per_s.unwrap();
    assert!(rate > most * 0.96 && rate < most * 1.02, "{rate} of {most}");
    assert_eq!(found.bound, Bound::Client(Limit::Workers(2)));
    assert_eq!((result.verdict.status, doubts(&result)), (Status::Suspect, vec!["client-bound"]));
    let reason = &result.verdict.reasons[0];
    assert!(reason.text.contains("at least this rate") && reason.advice.contains("--workers above 2"), "{reason:?}");
}

#[test]
fn a_client_without_headroom_gives_the_least_that_the_server_sustains() {
    // Without the server one operation takes 12 µs, with it 13: it cannot go much faster.
    let server = FakeServer::one_at_a_time(|_| Duration::from_micros(1));
    let (result, found) = run(
        &server,
        &plan(Some(50_000.0), |p| {
            search(p, SECOND / 1000, Some(50_000.0));
            p.headroom = SECOND / 1000;
        }),
    );
    assert!(result.headroom.unwrap() < 1.2, "{:?}", result.headroom);
    assert!(matches!(found.bound, Bound::Client(_)), "{:?}", found.bound);
    assert!(
        doubts(&result).contains(&"client-bound") && !doubts(&result).contains(&"headroom"),
        "{:?}",
        result.verdict
    );
}

#[test]
fn a_server_that_keeps_no_objective_has_no_rate_and_the_reason_says_why() {
    let server = FakeServer::one_at_a_time(|_| SERVICE);
    let strict = |p: &mut PlanSpec| {
        // At rates below 20 a second, so short a probe has too few operations to tell a median by.
        search(p, SECOND / 5, Some(40.0));
        p.objectives = vec!["p50<1ms".parse().unwrap()];
    };
    let (result, found) = run(&server, &plan(None, strict));
    // Each of two rates has failed once or, where it was not plain, twice.
    assert!((2..=4).contains(&found.probes.len()), "{:#?}", found.probes);
    assert!(found.probes.iter().all(|probe| probe.offered_per_s > 19.0), "{:#?}", found.probes);
    assert_eq!((found.rate_per_s, found.rows_per_s, found.confirmed), (None, None, 0));
    assert_eq!(found.bound, Bound::NothingHeld);
    assert_eq!((result.verdict.status, doubts(&result)), (Status::Invalid, vec!["nothing-held"]));
    assert!(result.verdict.reasons[0].text.contains("p50<1ms: it was"), "{:?}", result.verdict);
    assert!(result.headline().is_none());
}

#[test]
fn a_server_that_refuses_at_once_sustains_nothing_more_by_it() {
    // What comes while five wait is refused. A window cannot tell five operations more from a little more capacity.
    let clock = FakeClock::default();
    let (now, free) = (clock.clone(), Mutex::new(Duration::ZERO));
    let no = OpError::new(ErrorKind::Rejected, "busy");
    let behave = move |_| {
        let (mut free, now) = (free.lock().unwrap(), now.now());
        let queue = free.saturating_sub(now);
        if queue > SERVICE * 4 {
            return Behaviour::Refuse(no.clone());
        }
        *free = now + queue + SERVICE;
        Behaviour::Stall(queue + SERVICE)
    };
    let server = FakeServer { clock, ..FakeServer::new(behave) };
    let (result, found) = run(&server, &plan(Some(25.0), |p| (p.workers, p.max_errors) = (vec![8], 0)));
    let rate = found.rate_per_s;
    assert!(result.operations.failed > 0 && result.ending == Ending::Complete, "failures of probes are not charged");
    assert!(rate.is_some_and(|rate| rate > CAPACITY * 0.9 && rate < CAPACITY * 1.06), "{rate:?}");
}

#[test]
fn a_search_that_is_stopped_has_its_probes_and_no_rate() {
    let stop = StopToken::new();
    let raise = stop.clone();
    let server = FakeServer::one_at_a_time(move |n| {
        if n == 100 {
            raise.raise(crate::stop::StopLevel::Draining);
        }
        SERVICE
    });
    let env = RunEnv { stop, observer: &mut NoObserver, probe: None };
    let plan = plan(Some(25.0), |_| ());
    let result = run_on(&server.clock.clone(), &plan, &&server, &FakeRows::default(), env).unwrap();
    let found = result.search.clone().unwrap();
    assert_eq!((found.rate_per_s, found.bound, result.ending), (None, Bound::Unfinished, Ending::Interrupted));
    assert_eq!(found.probes.last().unwrap().why, ["the run was stopped"]);
    assert!(found.probes.len() > 1 && found.probes.len() == result.steps.len());
    assert!(found.probes.iter().all(|probe| probe.purpose != Purpose::Confirm));
    assert_eq!(result.verdict.reasons[0].code, "interrupted");
}

#[test]
fn a_dataset_that_ends_is_not_the_servers_ceiling() {
    let server = FakeServer::one_at_a_time(|_| SERVICE);
    // The generator fails at a row that the first confirmation reaches.
    let rows = FakeRows { fails_at: Some(2_000), ..FakeRows::default() };
    let env = RunEnv { stop: StopToken::new(), observer: &mut NoObserver, probe: None };
    let result = run_on(&server.clock.clone(), &plan(Some(25.0), |_| ()), &&server, &rows, env).unwrap();
    assert_eq!((result.ending, result.verdict.status), (Ending::DatasetFailed, Status::Invalid));
    assert_ne!(result.search.unwrap().bound, Bound::Server);
}
