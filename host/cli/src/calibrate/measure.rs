//! A case as a run: the same plan, plugins and transport that any run has.

use std::sync::Arc;
use std::time::Duration;

use benchhost_core::{
    Arrival, Crash, Interval, Observer, Offered, Phase, PhaseName, Plan, PlanSpec, Profile, Progress, RunEnv, RunError,
    RunResult, Stage, StopToken,
};
use benchhost_net::{Endpoint, Grants, HttpOptions, Transport};
use benchhost_reference::truth::{Client, ClosedLoop, OpenLoop};
use benchhost_reference::{ServerOptions, Truth};
use benchhost_stats::earned;
use benchhost_wasm::{Host, TargetWiring};

use super::cases::{Case, TruthOf};
use super::child::Child;
use super::judge::{self, Figure, Floor, QUANTILES, SCHEDULE_QUANTILES};
use crate::failure::{Classify, Failure};
use crate::plugins::{self, Loaded};

/// Rows of an operation: few, so that reading them costs the server little.
const BATCH_ROWS: u32 = 10;
/// The longest warm-up.
const WARMUP: Duration = Duration::from_secs(1);
/// Limit of a request: no case holds one as long, except for a server that is overloaded.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Operations that may wait; the overload must come to its end.
const MAX_QUEUE: u64 = 1_000_000;
/// Memory for batches.
const MEMORY: u64 = 256 << 20;
/// Workers of the closed loop that a schedule is compared with: what a run has by default.
const CLOSED_WORKERS: u32 = 8;

/// What all cases share.
pub(crate) struct Bench<'a> {
    /// The sandbox.
    pub host: &'a Host,
    /// The plugin that speaks to the server.
    pub target: &'a Loaded,
    /// The rows.
    pub dataset: &'a Loaded,
    /// Whether client and server wait without sleeping, where a case lets them.
    pub spin: bool,
    /// The user's wish to stop.
    pub stop: &'a StopToken,
}

/// What a case gave.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// What is not the server's; of the case that measures it.
    pub floor: Option<Floor>,
    /// What is to be judged.
    pub figures: Vec<Figure>,
    /// What is wrong already.
    pub failures: Vec<String>,
}

impl Bench<'_> {
    /// Starts a server, runs the case against it, and ends it.
    pub(crate) fn measure(&self, case: &Case) -> Result<Outcome, Failure> {
        let options = ServerOptions { injection: case.injection, spin: self.spins(case), ..ServerOptions::default() };
        let mut child = Child::start(&options)?;
        let result = self.run(case, &mut child)?;
        let truth = child.truth()?;
        Ok(outcome(case, options.seed, &result, &truth))
    }

    fn run(&self, case: &Case, child: &mut Child) -> Result<RunResult, Failure> {
        let url = child.endpoint();
        let endpoint: Endpoint = url.parse().or_internal()?;
        let target_settings = self.target.resolve(&[("endpoint".into(), url)])?;
        let dataset_settings = self.dataset.resolve(&[])?;
        let spec = PlanSpec {
            target: self.target.choice(&target_settings),
            dataset: self.dataset.choice(&dataset_settings),
            endpoint: Some(endpoint.to_string()),
            ..self.spec(case)
        };
        let plan = Plan::new(spec).or_internal()?;
        let options = HttpOptions { request_timeout: TIMEOUT, ..HttpOptions::default() };
        let transport = Arc::new(Transport::new(options, Grants::new(Some(endpoint))).or_internal()?);
        let wiring = TargetWiring { transport, stop: self.stop.clone() };
        let targets = self.host.targets(&self.target.plugin, &target_settings, wiring).map_err(plugins::classify)?;
        let generators =
            self.host.generators(&self.dataset.plugin, &dataset_settings, plan.seed).map_err(plugins::classify)?;
        let mut observer = Resetting { child, failure: None };
        let env = RunEnv { stop: self.stop.clone(), observer: &mut observer, probe: None };
        let result = benchhost_core::run(&plan, &targets, &generators, env);
        match observer.failure {
            Some(failure) => Err(failure),
            None => result.map_err(|error: RunError| Failure::new(error.class().into(), error)),
        }
    }

    fn spins(&self, case: &Case) -> bool {
        self.spin && case.can_spin()
    }

    /// The plan of a case without its plugins.
    fn spec(&self, case: &Case) -> PlanSpec {
        let offered = case.rate_per_s.map_or(Offered::Closed, |rate| Offered::Open {
            profile: Profile::new(vec![Stage::constant(case.length, rate)]),
            arrival: Arrival::Uniform,
        });
        PlanSpec {
            duration: Some(case.length),
            // The stalls of a server are counted from its first write, which must be the first one of the schedule.
            warmup: if case.rate_per_s.is_some() { Duration::ZERO } else { WARMUP.min(case.length / 4) },
            offered,
            batch_rows: BATCH_ROWS,
            workers: vec![case.workers],
            // One load thread, as by default: the server needs the other processors.
            spin: self.spin,
            timeout: TIMEOUT,
            max_queue: MAX_QUEUE,
            // No headroom, as by default: the server is the limit by design, and its times are what is judged.
            memory_budget_bytes: MEMORY,
            verify_timeout: Duration::from_secs(10),
            ..PlanSpec::default()
        }
    }
}

/// What is to be judged of a run.
fn outcome(case: &Case, seed: u64, result: &RunResult, truth: &Truth) -> Outcome {
    if case.truth == TruthOf::Overload {
        let failures = judge::unnoticed(&case.name, result).into_iter().collect();
        return Outcome { failures, ..Outcome::default() };
    }
    if let Some(failure) = judge::unusable(&case.name, result) {
        return Outcome { failures: vec![failure], ..Outcome::default() };
    }
    let Some(step) = result.steps.first() else {
        return Outcome { failures: vec![format!("{}: nothing was measured", case.name)], ..Outcome::default() };
    };
    let scheduled = case.truth == TruthOf::Schedule;
    let (clock, measured) =
        if scheduled { ("response", &step.recording.response) } else { ("service", &step.recording.service) };
    let mut outcome = Outcome::default();
    if case.truth == TruthOf::Floor {
        let beyond = |quantile: f64| {
            truth.held.at(quantile).map(|held| judge::difference(measured.value_at_quantile(quantile), held))
        };
        outcome.floor = truth.held.p50_ns.map(|held| {
            let floor = Floor::new(measured.value_at_quantile(0.5), held);
            floor.with_tail(beyond(0.9).unwrap_or(floor.floor_ns), beyond(0.99).unwrap_or(floor.floor_ns))
        });
        return outcome;
    }
    if truth.writes != measured.count() {
        let (server, client) = (truth.writes, measured.count());
        outcome
            .failures
            .push(format!("{}: the server answered {server} writes, and {client} were measured", case.name));
    }
    let simulated = scheduled.then(|| simulate(case, seed));
    let quantiles = if scheduled { &SCHEDULE_QUANTILES[..] } else { &QUANTILES[..] };
    for &quantile in quantiles.iter().filter(|quantile| earned(measured.count(), **quantile)) {
        let (truth_ns, closed_loop_ns) = match &simulated {
            Some((open, closed)) => (open.quantile(quantile), closed.quantile(quantile)),
            None => (truth.held.at(quantile), None),
        };
        let Some(truth_ns) = truth_ns else { continue };
        let measured_ns = measured.value_at_quantile(quantile);
        outcome.figures.push(Figure {
            case: case.name.clone(),
            clock,
            quantile,
            truth_ns,
            measured_ns,
            closed_loop_ns,
        });
    }
    outcome
}

/// Response times of the case's schedule, and service times of a closed loop against the same server.
fn simulate(case: &Case, seed: u64) -> (benchhost_reference::Samples, benchhost_reference::Samples) {
    // The floor is taken off what was measured, so there is none here.
    let client = Client { injection: case.injection, seed, workers: case.workers, floor: Duration::ZERO };
    let rate_per_s = case.rate_per_s.unwrap_or(1.0);
    let operations = (rate_per_s * case.length.as_secs_f64()).round() as u64;
    let open = OpenLoop { client, rate_per_s, operations }.simulate();
    let closed = ClosedLoop { client: Client { workers: CLOSED_WORKERS, ..client }, length: case.length }.simulate();
    (open.response, closed.service)
}

/// Tells the server to forget the warm-up when the clock starts: no operation is in flight then.
struct Resetting<'a> {
    child: &'a mut Child,
    failure: Option<Failure>,
}

impl Observer for Resetting<'_> {
    fn begins(&mut self, phase: PhaseName) {
        if phase == PhaseName::Measure
            && let Err(failure) = self.child.reset()
        {
            self.failure.get_or_insert(failure);
        }
    }

    fn progress(&mut self, _: PhaseName, _: Progress) {}

    fn interval(&mut self, _: Interval<'_>) {}

    fn ended(&mut self, _: Phase) {}

    fn crashed(&mut self, _: &Crash) {}
}
