//! The measured part of a run: warm-up, steps or a search, and what the client reaches without a server.

use crate::clock::Clock;
use crate::coordinator::Coordinator;
use crate::error::Crash;
use crate::observe::Sampler;
use crate::observer::Observer;
use crate::plan::Plan;
use crate::probe::Probe;
use crate::result::{Phase, PhaseName, Step, fastest};
use crate::run_error::RunError;
use crate::search::{Finder, Found};
use crate::segment::Segment;
use crate::segments::Segments;
use crate::server_usage::ServerUsage;
use crate::supply::Supply;
use crate::target::Targets;
use crate::worker::Shared;

/// What came of the load.
#[derive(Default)]
pub(crate) struct Loaded {
    pub(crate) warmup: Option<Step>,
    pub(crate) steps: Vec<Step>,
    pub(crate) search: Option<Found>,
    pub(crate) headroom: Option<f64>,
    /// Operations that failed without the server, where headroom could not be told for that.
    pub(crate) headroom_failures: Option<u64>,
    pub(crate) server_usage: Option<ServerUsage>,
    pub(crate) phases: Vec<Phase>,
    pub(crate) first_crash: Option<Crash>,
}

impl Loaded {
    /// The steps that the result is about: all, or those that confirmed what a search found.
    pub(crate) fn judged(&self) -> &[Step] {
        self.search.as_ref().map_or(&self.steps, |found| found.confirmed_steps(&self.steps))
    }
}

/// Runs the segments, one after the other, and then the client alone.
pub(crate) fn measure<T: Targets, C: Clock + 'static>(
    plan: &Plan,
    shared: &Shared<'_, T, C>,
    segments: Segments,
    probe: Option<Box<dyn Probe>>,
    load: &mut Coordinator<'_, C>,
    observer: &mut dyn Observer,
) -> Result<Loaded, RunError> {
    let mut loaded = with_server(plan, &shared.clock, segments, shared.supply, probe, load, observer)?;
    without_server(plan, shared, &mut loaded, load, observer)?;
    if let Some(found) = &mut loaded.search {
        found.compare(loaded.headroom);
    }
    Ok(loaded)
}

/// Runs the segments, while a probe looks at the server every so often.
fn with_server<C: Clock + 'static>(
    plan: &Plan,
    clock: &C,
    segments: Segments,
    supply: &Supply,
    probe: Option<Box<dyn Probe>>,
    load: &mut Coordinator<'_, C>,
    observer: &mut dyn Observer,
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
fn without_server<T: Targets, C: Clock>(
    plan: &Plan,
    shared: &Shared<'_, T, C>,
    loaded: &mut Loaded,
    load: &mut Coordinator<'_, C>,
    observer: &mut dyn Observer,
) -> Result<(), RunError> {
    // A target that waits for nobody has no server to be compared with.
    let waited = loaded.steps.iter().any(|step| step.recording.wait.max() > Some(0));
    if plan.headroom.is_zero() || !waited || !load.going_on() {
        return Ok(());
    }
    let fastest = fastest(loaded.judged()).map(|index| &loaded.judged()[index]);
    let reached = fastest.and_then(|step| Some((step.throughput()?.rows_per_s, step.workers)));
    let (Some((reached, workers)), Some(supply)) = (reached, shared.supply.repeated()) else { return Ok(()) };
    if !shared.targets.replay(true) {
        return Ok(());
    }
    observer.begins(PhaseName::Headroom);
    let result = load.run(Segment::rehearsal(workers, plan.headroom, supply), observer);
    shared.targets.replay(false);
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
