//! How a run goes, phase by phase.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use benchhost_data::Batch;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use crate::batches::BatchPlan;
use crate::budget::Budget;
use crate::clock::{Clock, MonotonicClock};
use crate::error::CallError;
use crate::generate::{self, Made};
use crate::generator::{Facts, Generator, Generators};
use crate::load::{Loaded, load};
use crate::observer::Observer;
use crate::operation::Rules;
use crate::plan::{Existing, Plan, PlanError};
use crate::result::{ClientCost, DatasetFacts, Phase, PhaseName, RunResult};
use crate::run_error::RunError;
use crate::runtime::{block_on, event_loop};
use crate::stop::{StopLevel, StopToken};
use crate::supply::Supply;
use crate::target::{CONTROL_SESSION, Target, Targets};
use crate::usage;
use crate::verdict::{Ending, Evidence, Stored, judge};
use crate::verify::{self, Expected};

/// How long an incomplete run waits for its rows to become visible.
const BRIEF: Duration = Duration::from_secs(2);

/// What surrounds a run.
pub struct RunEnv<'a> {
    /// Raised by the user, and by the run itself when its budget of failures is spent.
    pub stop: StopToken,
    /// Told of every event.
    pub observer: &'a mut dyn Observer,
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
pub(crate) fn run_on<T: Targets, G: Generators, C: Clock>(
    clock: &C,
    plan: &Plan,
    targets: &T,
    generators: &G,
    env: RunEnv<'_>,
) -> Result<RunResult, RunError> {
    let started_at = SystemTime::now();
    let RunEnv { stop, observer } = env;
    let mut phases = Phases { clock, observer, done: Vec::new() };
    let control = event_loop()?;

    let (dataset, mut session, server, before) =
        phases.run(PhaseName::Prepare, |_| (0, prepare(&control, plan, targets, generators)))?;
    let ahead = phases.run(PhaseName::Generate, |observer| {
        let ahead = make_ahead(plan, generators, &dataset, &stop, observer);
        (ahead.as_ref().map_or(0, |ahead| ahead.as_ref().map_or(0, |(_, made)| made.rows)), ahead)
    })?;
    if stop.level() > StopLevel::Running {
        return Err(RunError::Interrupted);
    }

    let rules = Rules { retries: plan.retries, timeout: plan.timeout, stop: stop.clone() };
    let budget = Budget::new(plan.max_errors, plan.max_crashes, stop.clone());
    let streamed = ahead.is_none();
    let batch_bytes = ahead.as_ref().map_or(0, |(_, made)| made.bytes);
    let (loaded, made, dataset_failure) = match ahead {
        Some((batches, made)) => {
            let supply = Supply::ready(batches);
            (load(plan, targets, &supply, &rules, &budget, clock, phases.observer)?, made, None)
        }
        None => load_streaming(plan, targets, generators, &dataset, &rules, &budget, clock, phases.observer)?,
    };
    let ending = if dataset_failure.is_some() { Ending::DatasetFailed } else { budget.ending() };
    let Loaded { recording, cpu, first_crash, phases: load_phases } = loaded;
    let mut closing = None;
    for phase in load_phases {
        // Sessions were closed before the count, but the phases are listed in their proper order.
        if phase.name == PhaseName::Close { closing = Some(phase) } else { phases.done.push(phase) }
    }

    let expected = Expected {
        tables: &dataset.facts.tables,
        // Rows that were there before were counted in the planned range, so only that one may be compared with it.
        range: if before == 0 { made.range() } else { dataset.range },
        before,
        rows: recording.rows,
        // A run that did not end as it should is not kept waiting for a server that may be gone.
        patience: if ending == Ending::Complete { plan.verify_timeout } else { plan.verify_timeout.min(BRIEF) },
    };
    let stored = phases.run(PhaseName::Verify, |_| {
        let stored = control.block_on(verify::stored(&mut session, expected, clock, &stop));
        (if let Stored::Rows(rows) = stored { rows } else { 0 }, Ok(stored))
    })?;
    control.block_on(session.close());
    phases.done.extend(closing);

    let verdict = judge(Evidence {
        ending,
        rows: recording.rows,
        stored: &stored,
        errors: recording.operations.errors(),
        crashes: recording.operations.crashed,
        max_errors: plan.max_errors,
        max_crashes: plan.max_crashes,
        dataset_failure: dataset_failure.as_deref(),
    });
    let tables = dataset.facts.tables.iter().map(|table| table.name().to_owned()).collect();
    Ok(RunResult {
        started_at,
        plan: plan.clone(),
        ending,
        verdict,
        phases: phases.done,
        recording,
        stored,
        client: ClientCost { cpu, max_rss_bytes: usage::max_rss_bytes(), batch_bytes },
        server,
        dataset: DatasetFacts {
            rows: made.rows,
            series: dataset.facts.series,
            tables,
            fingerprint: (made.rows == plan.rows).then(|| made.fingerprint.to_string()),
            streamed,
        },
        first_crash,
    })
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

/// A dataset, cut into batches.
struct Dataset {
    facts: Facts,
    batches: BatchPlan,
    /// Memory of one row, from a sample; 0 when there are no rows.
    bytes_per_row: f64,
    /// The range of time that it plans to write, in nanoseconds, end exclusive.
    range: (i64, i64),
}

/// Opens the dataset and a control session, and makes the table ready. Gives the rows that were there before.
#[expect(clippy::type_complexity, reason = "four results of one phase, taken apart at once")]
fn prepare<T: Targets, G: Generators>(
    control: &Runtime,
    plan: &Plan,
    targets: &T,
    generators: &G,
) -> Result<(Dataset, T::Session, Vec<(String, String)>, u64), RunError> {
    let at = |stage: &'static str| move |source: CallError| RunError::Call { stage, source };
    control.block_on(async {
        let mut generator = generators.open().await.map_err(at("opening the dataset"))?;
        let facts = generator.facts().clone();
        let batches = BatchPlan::new(facts.tables.len(), plan.rows, plan.batch_rows);
        let available = facts.rows.map(|rows| rows.saturating_mul(facts.tables.len() as u64));
        if let Some(available) = available.filter(|available| *available < plan.rows) {
            return Err(PlanError::DatasetTooShort { asked: plan.rows, available }.into());
        }
        let sample = generate::make(&mut generator, &batches, 0).await.map_err(at("generating the first rows"))?;
        let bytes_per_row = sample.map_or(0.0, |batch| batch.memory_bytes() as f64 / f64::from(batch.rows().max(1)));
        let range = generate::time_range(&mut generator, &batches).await.map_err(at("generating the last rows"))?;

        let mut session = targets.open(CONTROL_SESSION).await.map_err(at("opening the control session"))?;
        let server = session.server().await.map_err(at("asking the server what it is"))?;
        let mut before = 0;
        for table in &facts.tables {
            if plan.existing == Existing::Drop {
                session.drop_table(table).await.map_err(at("dropping the table"))?;
            }
            let one = std::slice::from_ref(table);
            let rows = match verify::count(&mut session, one, range).await {
                Ok(rows) => rows,
                // A target that cannot count cannot be asked afterwards either: the verdict says so then.
                Err(CallError::Error(error)) if error.kind == crate::error::ErrorKind::Unsupported => 0,
                Err(source) => return Err(at("counting the rows that are there already")(source)),
            };
            if rows > 0 && plan.existing == Existing::Refuse {
                return Err(RunError::Existing { table: table.name().to_owned(), rows });
            }
            before += rows;
            session.create_table(table).await.map_err(at("creating the table"))?;
        }
        session.take_effort();
        Ok((Dataset { facts, batches, bytes_per_row, range }, session, server, before))
    })
}

/// All batches, if they fit in the memory budget.
#[expect(clippy::type_complexity, reason = "batches and what is known of them, or neither")]
fn make_ahead<G: Generators>(
    plan: &Plan,
    generators: &G,
    dataset: &Dataset,
    stop: &StopToken,
    observer: &mut dyn Observer,
) -> Result<Option<(Vec<Arc<Batch>>, Made)>, RunError> {
    if dataset.bytes_per_row * plan.rows as f64 > plan.memory_budget_bytes as f64 {
        return Ok(None);
    }
    let threads = if dataset.facts.seekable {
        // More threads than batches would only open instances.
        u64::from(plan.generator_threads).min(dataset.batches.len()) as u32
    } else {
        1
    };
    generate::all(generators, &dataset.batches, threads, stop, observer).map(Some)
}

/// The load, with a thread beside it that makes the batches.
#[expect(clippy::too_many_arguments, reason = "the parts of a run, each once")]
fn load_streaming<T: Targets, G: Generators, C: Clock>(
    plan: &Plan,
    targets: &T,
    generators: &G,
    dataset: &Dataset,
    rules: &Rules,
    budget: &Budget,
    clock: &C,
    observer: &mut dyn Observer,
) -> Result<(Loaded, Made, Option<String>), RunError> {
    let batch_bytes = (dataset.bytes_per_row * f64::from(plan.batch_rows)).max(1.0);
    let ahead = (plan.memory_budget_bytes as f64 / batch_bytes).clamp(2.0, 4096.0) as usize;
    let (sender, receiver) = mpsc::channel(ahead);
    let supply = Supply::Streamed(receiver.into());
    std::thread::scope(|scope| {
        let making = scope.spawn(|| block_on(generate::stream(generators, &dataset.batches, sender, &rules.stop)));
        let loaded = load(plan, targets, &supply, rules, budget, clock, observer);
        // Without workers nobody takes batches any more: the generator must not wait for them.
        drop(supply);
        let made = making.join().map_err(|_| RunError::internal("the generating thread panicked"))??;
        let loaded = loaded?;
        Ok(match made {
            Ok(made) => (loaded, made, None),
            Err((error, made)) => (loaded, made, Some(error.to_string())),
        })
    })
}
