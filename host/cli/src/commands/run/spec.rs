//! From flags to the parts of a plan. What contradicts itself is found by the plan, not here.

use std::time::Duration;

use benchhost_core::{Arrival, Existing, Offered, PlanSpec, PluginChoice, Profile, Stage};

use crate::args::{ArrivalChoice, ExistingChoice, LoadArgs, RunArgs};
use crate::host_facts;
use crate::pairs::Pair;
use crate::units::Rate;

/// Rows of a run that is told neither how many nor for how long.
const ROWS: u64 = 1_000_000;

/// Memory for batches where the system does not say how much there is.
const MEMORY_UNKNOWN: u64 = 1 << 30;

/// A queue may hold what is due in so many seconds, unless the user says otherwise.
const QUEUE_SECONDS: f64 = 10.0;
/// And never has to be shorter than this.
const SHORTEST_QUEUE: u64 = 1000;

/// How long a search tries a rate.
const PROBE: Duration = Duration::from_secs(10);

/// A flag that would be without effect: it is refused, because its user believes that it has one.
#[derive(Debug, thiserror::Error)]
pub(super) enum WithoutEffect {
    #[error("{0} goes with a schedule: give --rate, --stage or --find-max with it, or leave it out")]
    Closed(&'static str),
    #[error("--probe goes with --find-max: give it too, or leave out --probe")]
    Probe,
}

/// Looks for flags without effect.
pub(super) fn check(load: &LoadArgs) -> Result<(), WithoutEffect> {
    let scheduled = load.rate.is_some() || !load.stage.is_empty() || load.find_max;
    for (flag, given) in [("--arrival", load.arrival.is_some()), ("--max-queue", load.max_queue.is_some())] {
        if given && !scheduled {
            return Err(WithoutEffect::Closed(flag));
        }
    }
    if load.probe.is_some() && !load.find_max { Err(WithoutEffect::Probe) } else { Ok(()) }
}

/// The plan without its plugins.
pub(super) fn spec(args: &RunArgs, tags: Vec<Pair>) -> PlanSpec {
    let unknown =
        |name: &Option<String>| PluginChoice { name: name.clone().unwrap_or_default(), ..PluginChoice::default() };
    let load = &args.load;
    let processors = host_facts::logical_cpus();
    let endless = load.duration.is_none() && load.stage.is_empty() && !load.find_max;
    let rows = args.rows.or(endless.then_some(ROWS));
    let offered = offered(load, rows);
    PlanSpec {
        target: unknown(&args.plugin),
        dataset: unknown(&args.dataset),
        endpoint: None,
        rows,
        duration: load.duration,
        warmup: load.warmup,
        max_queue: load.max_queue.unwrap_or_else(|| usual_queue(&offered)),
        offered,
        batch_rows: load.batch_rows,
        workers: load.workers.clone(),
        connections: load.connections,
        threads: load.threads.unwrap_or(processors),
        spin: load.spin,
        generator_threads: processors,
        timeout: load.timeout,
        retries: load.retries,
        max_errors: load.max_errors,
        max_crashes: load.max_crashes,
        interval: load.interval,
        headroom: load.headroom,
        objectives: args.slo.clone(),
        memory_budget_bytes: load
            .memory
            .unwrap_or_else(|| host_facts::usable_memory().map_or(MEMORY_UNKNOWN, |all| all / 4)),
        existing: match load.existing {
            ExistingChoice::Refuse => Existing::Refuse,
            ExistingChoice::Drop => Existing::Drop,
            ExistingChoice::Append => Existing::Append,
        },
        verify_timeout: load.verify_timeout,
        seed: args.seed,
        tags: tags.into_iter().map(|tag| (tag.name, tag.value)).collect(),
    }
}

/// When operations start: a closed loop, unless a rate, a stage or a search is named.
fn offered(load: &LoadArgs, rows: Option<u64>) -> Offered {
    let per_s = |rate: Rate| rate.operations(load.batch_rows);
    let arrival = match load.arrival {
        None | Some(ArrivalChoice::Uniform) => Arrival::Uniform,
        Some(ArrivalChoice::Poisson) => Arrival::Poisson,
    };
    if load.find_max {
        return Offered::Search { arrival, probe: load.probe.unwrap_or(PROBE), start_per_s: load.rate.map(per_s) };
    }
    let stages = match (load.rate, load.stage.first()) {
        (None, None) => return Offered::Closed,
        (Some(rate), None) => vec![constant(load, rows, per_s(rate))],
        (rate, Some((_, first))) => {
            let mut from_per_s = per_s(rate.unwrap_or(*first));
            let stages = load.stage.iter().map(|(length, rate)| {
                let stage = Stage { length: *length, from_per_s, to_per_s: per_s(*rate) };
                from_per_s = stage.to_per_s;
                stage
            });
            stages.collect()
        }
    };
    Offered::Open { profile: Profile::new(stages), arrival }
}

/// One rate for the whole time, or until the rows are written: then the schedule is longer than needed, and the rows end it, because
/// arrivals at random may come later than evenly spaced ones.
fn constant(load: &LoadArgs, rows: Option<u64>, per_s: f64) -> Stage {
    let length = load.duration.unwrap_or_else(|| {
        let operations = rows.unwrap_or(ROWS).div_ceil(u64::from(load.batch_rows.max(1))) as f64;
        let seconds = 1.5 * operations / per_s + 10.0 / per_s;
        // A rate of 0, which the plan refuses, and one so small that no one will see the end.
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::from_secs(u32::MAX.into()))
    });
    Stage::constant(length, per_s)
}

fn usual_queue(offered: &Offered) -> u64 {
    match offered {
        // A search gives up a rate, not the run.
        Offered::Closed | Offered::Search { .. } => SHORTEST_QUEUE,
        Offered::Open { profile, .. } => {
            let highest = profile.stages().iter().map(|stage| stage.from_per_s.max(stage.to_per_s)).fold(0.0, f64::max);
            ((highest * QUEUE_SECONDS) as u64).max(SHORTEST_QUEUE)
        }
    }
}

/// Every worker has an instance of the target, every thread that makes batches one of the dataset; one more of each creates and counts.
pub(super) fn instances(spec: &PlanSpec) -> u32 {
    let most = spec.workers.iter().copied().max().unwrap_or(1);
    let makers = spec.generator_threads.max(spec.threads.min(most));
    most.saturating_add(makers).saturating_add(2)
}
