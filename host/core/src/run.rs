//! How a run goes, phase by phase.

use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use crate::budget::Budget;
use crate::clock::{Clock, MonotonicClock};
use crate::counts::{ErrorTable, OperationCounts, RowCounts, Volume};
use crate::generator::Generators;
use crate::load::with_load;
use crate::measure::measure;
use crate::observer::Observer;
use crate::operation::Rules;
use crate::plan::Plan;
use crate::prepare::{Prepared, make_ahead, prepare, streaming};
use crate::probe::Probe;
use crate::result::{ClientCost, DatasetFacts, Phase, PhaseName, RunResult, Step};
use crate::run_error::RunError;
use crate::runtime::event_loop;
use crate::segments::Segments;
use crate::slo::Kept;
use crate::stop::{StopLevel, StopToken};
use crate::supply::Supply;
use crate::target::{Target, Targets};
use crate::usage;
use crate::verdict::{Ending, Evidence, Stored, judge};
use crate::verify::{self, Expected};
use crate::worker::Shared;

/// How long an incomplete run waits for its rows to become visible.
const BRIEF: Duration = Duration::from_secs(2);

/// What surrounds a run.
pub struct RunEnv<'a> {
    /// Raised by the user, and by the run itself when its budget of failures is spent.
    pub stop: StopToken,
    /// Told of every event.
    pub observer: &'a mut dyn Observer,
    /// Looks at the server while the load runs; none: nobody does.
    pub probe: Option<Box<dyn Probe>>,
}

/// Runs a plan, from the first connection to the last count. Blocks; the load runs on threads of its own.
///
/// # Errors
///
/// When the run could not be measured at all. What goes wrong after the clock has started is counted in the result.
pub fn run<T: Targets, G: Generators>(
    plan: &Plan,
    targets: &T,
    generators: &G,
    env: RunEnv<'_>,
) -> Result<RunResult, RunError> {
    run_on(&MonotonicClock::start(), plan, targets, generators, env)
}

/// [`run`] on a clock of the caller's choice.
pub(crate) fn run_on<T: Targets, G: Generators, C: Clock + 'static>(
    clock: &C,
    plan: &Plan,
    targets: &T,
    generators: &G,
    env: RunEnv<'_>,
) -> Result<RunResult, RunError> {
    let started_at = SystemTime::now();
    let RunEnv { stop, observer, probe } = env;
    let mut phases = Phases { clock, observer, done: Vec::new() };
    let control = event_loop()?;
    let mut segments = Segments::of(plan);

    let Prepared { dataset, mut session, server, before } =
        phases.run(PhaseName::Prepare, |_| (0, prepare(&control, plan, &segments, targets, generators)))?;
    segments.bound(&dataset.batches, plan.rows);
    let ahead = phases.run(PhaseName::Generate, |observer| {
        let ahead = make_ahead(plan, &segments, generators, &dataset, &stop, observer);
        (ahead.as_ref().map_or(0, |ahead| ahead.as_ref().map_or(0, |(_, made)| made.rows)), ahead)
    })?;
    if stop.level() > StopLevel::Running {
        return Err(RunError::Interrupted);
    }

    let rules = Rules { retries: plan.retries, timeout: plan.timeout, stop: stop.clone() };
    let budget = Budget::new(plan.max_errors, plan.max_crashes, stop.clone());
    let crashes = Mutex::new(Vec::new());
    let streamed = ahead.is_none();
    let batch_bytes = ahead.as_ref().map_or(0, |(_, made)| made.bytes);
    let measured = |supply: &Supply| {
        let shared =
            Shared { targets, supply, rules: &rules, budget: &budget, clock: clock.clone(), crashes: &crashes };
        with_load(plan, &shared, phases.observer, |load, observer| {
            measure(plan, &shared, segments, probe, load, observer)
        })
    };
    let ((loaded, [open, close]), made, dataset_failure) = match ahead {
        Some((batches, made)) => (measured(&Supply::ready(batches))?, made, None),
        None => streaming(plan, generators, &dataset, &rules.stop, measured)?,
    };
    let ending = if dataset_failure.is_some() { Ending::DatasetFailed } else { budget.ending() };
    let objectives = plan.objectives.iter().map(|objective| {
        let kept = loaded.judged().iter().map(|step| objective.check(&step.recording, step.measured));
        (objective.clone(), kept.max_by_key(Kept::weight).unwrap_or(Kept::TooFew))
    });
    let objectives = objectives.collect();
    phases.done.push(open);
    phases.done.extend(loaded.phases);

    let totals = Totals::of(loaded.warmup.iter().chain(&loaded.steps));
    let expected = Expected {
        tables: &dataset.facts.tables,
        // Rows that were there before were counted in the planned range, so only that one may be compared with it.
        range: if before == 0 { made.range() } else { dataset.range },
        before,
        rows: totals.rows,
        // A run that did not end as it should is not kept waiting for a server that may be gone.
        patience: if ending == Ending::Complete { plan.verify_timeout } else { plan.verify_timeout.min(BRIEF) },
    };
    let stored = phases.run(PhaseName::Verify, |_| {
        let stored = control.block_on(verify::stored(&mut session, expected, clock, &stop));
        (if let Stored::Rows(rows) = stored { rows } else { 0 }, Ok(stored))
    })?;
    control.block_on(session.close());
    // Sessions were closed before the count, but the phases are listed in their proper order.
    phases.done.push(close);

    let server_usage = loaded.server_usage;
    let verdict = judge(Evidence {
        plan,
        ending,
        rows: totals.rows,
        stored: &stored,
        operations: totals.operations,
        steps: &loaded.steps,
        headroom: loaded.headroom,
        headroom_failures: loaded.headroom_failures,
        search: loaded.search.as_ref(),
        dataset_failure: dataset_failure.as_deref(),
        server_usage: server_usage.as_ref(),
    });
    let tables = dataset.facts.tables.iter().map(|table| table.name().to_owned()).collect();
    Ok(RunResult {
        started_at,
        plan: plan.clone(),
        ending,
        verdict,
        phases: phases.done,
        warmup: loaded.warmup,
        steps: loaded.steps,
        rows: totals.rows,
        operations: totals.operations,
        volume: totals.volume,
        errors: totals.errors,
        stored,
        headroom: loaded.headroom,
        search: loaded.search,
        objectives,
        client: ClientCost { max_rss_bytes: usage::max_rss_bytes(), batch_bytes },
        server,
        server_usage,
        dataset: DatasetFacts {
            rows: made.rows,
            series: dataset.facts.series,
            tables,
            fingerprint: (ending == Ending::Complete && made.rows == totals.rows.sent)
                .then(|| made.fingerprint.to_string()),
            streamed,
        },
        first_crash: loaded.first_crash,
    })
}

/// Counts of the whole run.
#[derive(Default)]
struct Totals {
    rows: RowCounts,
    operations: OperationCounts,
    volume: Volume,
    errors: ErrorTable,
}

impl Totals {
    fn of<'a>(steps: impl Iterator<Item = &'a Step>) -> Self {
        let mut totals = Self::default();
        for step in steps {
            totals.rows += step.recording.rows;
            totals.operations += step.recording.operations;
            totals.volume += step.recording.volume;
            totals.errors.merge(&step.recording.errors);
        }
        totals
    }
}

/// Times phases and tells the observer.
struct Phases<'a, C> {
    clock: &'a C,
    observer: &'a mut dyn Observer,
    done: Vec<Phase>,
}

impl<C: Clock> Phases<'_, C> {
    /// Runs a phase, which says how many rows it was about.
    fn run<R>(
        &mut self,
        name: PhaseName,
        work: impl FnOnce(&mut dyn Observer) -> (u64, Result<R, RunError>),
    ) -> Result<R, RunError> {
        self.observer.begins(name);
        let began = self.clock.now();
        let (rows, result) = work(self.observer);
        let phase = Phase { name, time: self.clock.now().saturating_sub(began), rows };
        self.done.push(phase);
        self.observer.ended(phase);
        result
    }
}
