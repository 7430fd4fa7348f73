//! How a run goes, phase by phase.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use benchhost_data::Batch;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use crate::batches::Parts;
use crate::budget::Budget;
use crate::clock::{Clock, MonotonicClock};
use crate::coordinator::Coordinator;
use crate::counts::{ErrorTable, OperationCounts, RowCounts, Volume};
use crate::error::{CallError, Crash};
use crate::generate::{self, Made};
use crate::generator::{Facts, Generator, Generators};
use crate::health;
use crate::load::with_load;
use crate::observe::Sampler;
use crate::observer::Observer;
use crate::operation::Rules;
use crate::plan::{Existing, Plan, PlanError};
use crate::probe::Probe;
use crate::result::{ClientCost, DatasetFacts, Phase, PhaseName, RunResult, Step};
use crate::run_error::RunError;
use crate::runtime::{block_on, event_loop};
use crate::search::{Finder, Found};
use crate::segment::Segment;
use crate::segments::Segments;
use crate::server_usage::ServerUsage;
use crate::slo::Kept;
use crate::stop::{StopLevel, StopToken};
use crate::supply::Supply;
use crate::target::{CONTROL_SESSION, Target, Targets};
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

    let (dataset, mut session, server, before) =
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
    let measure = |supply: &Supply| {
        let shared =
            Shared { targets, supply, rules: &rules, budget: &budget, clock: clock.clone(), crashes: &crashes };
        with_load(plan, &shared, phases.observer, |load, observer| {
            let mut loaded = measured(clock, plan, segments, supply, load, observer, probe)?;
            headroom(plan, targets, supply, &mut loaded, load, observer)?;
            if let Some(found) = &mut loaded.search {
                found.compare(loaded.headroom);
            }
            Ok(loaded)
        })
    };
    let ((loaded, [open, close]), made, dataset_failure) = match ahead {
        Some((batches, made)) => (measure(&Supply::ready(batches))?, made, None),
        None => streaming(plan, generators, &dataset, &rules.stop, measure)?,
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
    let mut verdict = judge(Evidence {
        plan,
        ending,
        rows: totals.rows,
        stored: &stored,
        operations: totals.operations,
        steps: &loaded.steps,
        headroom: loaded.headroom,
        search: loaded.search.as_ref(),
        dataset_failure: dataset_failure.as_deref(),
        server_usage: server_usage.as_ref(),
    });
    // It changes nothing of what the figures are worth, so it comes last.
    verdict.reasons.extend(loaded.headroom_failures.map(health::headroom_not_measured));
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

/// What came of the load.
#[derive(Default)]
struct Loaded {
    warmup: Option<Step>,
    steps: Vec<Step>,
    search: Option<Found>,
    headroom: Option<f64>,
    /// Operations that failed without the server, where headroom could not be told for that.
    headroom_failures: Option<u64>,
    server_usage: Option<ServerUsage>,
    phases: Vec<Phase>,
    first_crash: Option<Crash>,
}

impl Loaded {
    /// The steps that the result is about: all, or those that confirmed what a search found.
    fn judged(&self) -> &[Step] {
        self.search.as_ref().map_or(&self.steps, |found| found.confirmed_steps(&self.steps))
    }
}

/// Runs the segments, one after the other, while a probe looks at the server every so often.
fn measured<C: Clock + 'static>(
    clock: &C,
    plan: &Plan,
    segments: Segments,
    supply: &Supply,
    load: &mut Coordinator<'_, C>,
    observer: &mut dyn Observer,
    probe: Option<Box<dyn Probe>>,
) -> Result<Loaded, RunError> {
    let mut loaded = Loaded::default();
    let sampler = probe.map(|probe| Sampler::start(probe, clock, plan.interval));
    let mut run = |segment: Segment, load: &mut Coordinator<'_, C>, loaded: &mut Loaded| {
        let (phase, workers) = (segment.phase, segment.workers);
        if let Some((part, first)) = segment.part {
            supply.begin(part, first);
        }
        observer.begins(phase);
        let start = clock.now();
        let step = Step::new(workers, load.run(segment, observer)?, start);
        let mut ended = |name, time, rows| {
            let phase = Phase { name, time, rows };
            loaded.phases.push(phase);
            observer.ended(phase);
        };
        ended(phase, step.measured, step.recording.rows.acknowledged);
        ended(PhaseName::Drain, step.drained, 0);
        Ok::<_, RunError>(step)
    };
    if let Some(segment) = segments.warmup {
        loaded.warmup = Some(run(segment, load, &mut loaded)?);
    }
    for segment in segments.steps {
        // A run that was stopped has the steps that it got to, and the one that it was stopped in.
        if loaded.steps.is_empty() || load.going_on() {
            let step = run(segment, load, &mut loaded)?;
            loaded.steps.push(step);
        }
    }
    if let Some(mut finder) = Finder::of(plan, loaded.warmup.as_ref()) {
        while let Some(segment) = finder.next().filter(|_| loaded.steps.is_empty() || load.going_on()) {
            let step = run(segment, load, &mut loaded)?;
            finder.take(&step, loaded.steps.len(), !load.going_on());
            loaded.steps.push(step);
        }
        loaded.search = Some(finder.finish(&loaded.steps));
    }
    let measured = loaded.steps.first().zip(loaded.steps.last());
    if let Some((sampler, (first, last))) = sampler.zip(measured) {
        loaded.server_usage = Some(ServerUsage::of(sampler.finish(), first.start, last.start + last.measured));
    }
    loaded.first_crash = load.take_first_crash();
    Ok(loaded)
}

/// How many times faster the client would have been with a server that costs nothing: the same sessions write the same batches for a
/// moment, and none leaves the client. Left out when the target cannot do that, or there is nothing to compare with.
fn headroom<T: Targets, C: Clock>(
    plan: &Plan,
    targets: &T,
    supply: &Supply,
    loaded: &mut Loaded,
    load: &mut Coordinator<'_, C>,
    observer: &mut dyn Observer,
) -> Result<(), RunError> {
    let fastest = loaded.judged().iter().filter_map(|step| Some((step.throughput()?.rows_per_s, step.workers)));
    let Some((reached, workers)) = fastest.max_by(|a, b| a.0.total_cmp(&b.0)) else { return Ok(()) };
    let Some(supply) = supply.repeated() else { return Ok(()) };
    // A target that waits for nobody has no server to be compared with.
    let waited = loaded.steps.iter().any(|step| step.recording.wait.max() > Some(0));
    if plan.headroom.is_zero() || !waited || !load.going_on() || !targets.replay(true) {
        return Ok(());
    }
    observer.begins(PhaseName::Headroom);
    let result = load.run(Segment::rehearsal(workers, plan.headroom, supply), observer);
    targets.replay(false);
    let result = result?;
    let phase = Phase { name: PhaseName::Headroom, time: result.measured + result.drained, rows: 0 };
    observer.ended(phase);
    loaded.phases.push(phase);
    if result.recording.operations.errors() == 0 && !result.measured.is_zero() {
        let alone = result.recording.rows.acknowledged as f64 / result.measured.as_secs_f64();
        loaded.headroom = Some(alone / reached);
    } else {
        loaded.headroom_failures = Some(result.recording.operations.errors());
    }
    Ok(())
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
    batches: Parts,
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
    segments: &Segments,
    targets: &T,
    generators: &G,
) -> Result<(Dataset, T::Session, Vec<(String, String)>, u64), RunError> {
    let at = |stage: &'static str| move |source: CallError| RunError::Call { stage, source };
    control.block_on(async {
        let mut generator = generators.open().await.map_err(at("opening the dataset"))?;
        let facts = generator.facts().clone();
        let batches = Parts::new(facts.tables.len(), &segments.rows, plan.batch_rows);
        if let Some(available) = facts.rows.filter(|available| *available < batches.rows_per_table()) {
            let tables = facts.tables.len() as u64;
            let available = available.saturating_mul(tables);
            return Err(PlanError::DatasetTooShort { asked: batches.rows(), available }.into());
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
    segments: &Segments,
    generators: &G,
    dataset: &Dataset,
    stop: &StopToken,
    observer: &mut dyn Observer,
) -> Result<Option<(Vec<Arc<Batch>>, Made)>, RunError> {
    let fits = dataset.bytes_per_row * dataset.batches.rows() as f64 <= plan.memory_budget_bytes as f64;
    if !segments.known || !fits {
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

/// Runs `measure`, with a thread beside it that makes the batches.
fn streaming<G: Generators, R>(
    plan: &Plan,
    generators: &G,
    dataset: &Dataset,
    stop: &StopToken,
    measure: impl FnOnce(&Supply) -> Result<R, RunError>,
) -> Result<(R, Made, Option<String>), RunError> {
    let batch_bytes = (dataset.bytes_per_row * f64::from(plan.batch_rows)).max(1.0);
    let ahead = (plan.memory_budget_bytes as f64 / batch_bytes).clamp(2.0, 4096.0) as usize;
    let (sender, receiver) = mpsc::channel(ahead);
    let part = Arc::new(AtomicUsize::new(0));
    let supply = Supply::streamed(receiver, Arc::clone(&part));
    std::thread::scope(|scope| {
        let making = scope.spawn(|| block_on(generate::stream(generators, &dataset.batches, sender, &part, stop)));
        let measured = measure(&supply);
        // Without workers nobody takes batches any more: the generator must not wait for them.
        drop(supply);
        let made = making.join().map_err(|_| RunError::internal("the generating thread panicked"))??;
        let measured = measured?;
        Ok(match made {
            Ok(made) => (measured, made, None),
            Err((error, made)) => (measured, made, Some(error.to_string())),
        })
    })
}
