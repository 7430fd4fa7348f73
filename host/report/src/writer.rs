//! Writes a bundle while its run goes on, so that whatever ends the process leaves a bundle that can be read: the series and the
//! histograms up to the last interval, and a document that says that it is not the result.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use benchhost_core::{Crash, Interval, Observer, Phase, PhaseName, Plan, Progress, Recording};

use crate::bundle::{Bundle, BundleError, Durable, INTERVALS_FILE, LOG_FILE, RUN_FILE};
use crate::document::{Document, HostFacts, Known, PluginFacts, StepFigures, Totals, kinds, rfc3339, unfinished};
use crate::histogram_log::{LogWriter, Tags, WARMUP, tag};
use crate::interval_csv::IntervalCsv;

/// A bundle being written. It is an observer of its run, or part of one.
///
/// What cannot be written does not end the run: the first error is kept and given back at the [end](Self::finish).
pub struct BundleWriter {
    bundle: Bundle,
    csv: IntervalCsv,
    log: LogWriter,
    tags: Tags,
    plan: Plan,
    started_at: String,
    host: HostFacts,
    plugins: Vec<PluginFacts>,
    phases: Vec<Phase>,
    first_crash: Option<Crash>,
    warmup: Option<Stretch>,
    steps: Vec<Stretch>,
    totals: Totals,
    failure: Option<BundleError>,
}

/// Load so far.
struct Stretch {
    /// Of a probe.
    name: Option<String>,
    workers: u32,
    start: Duration,
    end: Duration,
    recording: Recording,
}

impl Stretch {
    fn figures(&self, measured: bool) -> StepFigures {
        let seconds = self.end.saturating_sub(self.start).as_secs_f64();
        StepFigures {
            measured,
            name: self.name.clone(),
            ..StepFigures::of(&self.recording, self.workers, self.start.as_secs_f64(), seconds)
        }
    }
}

impl BundleWriter {
    /// Writes the files as they are before the first interval. The run's clock starts at `started_at`, or soon after.
    ///
    /// # Errors
    ///
    /// When a file cannot be written, or somebody else has written a result there since the bundle was made.
    pub fn start(
        bundle: Bundle,
        plan: &Plan,
        started_at: SystemTime,
        host: &HostFacts,
        plugins: &[PluginFacts],
    ) -> Result<Self, BundleError> {
        let csv = bundle.new_file(INTERVALS_FILE)?;
        let started = bundle.new_file(LOG_FILE).and_then(|log| {
            let csv = IntervalCsv::start(csv).map_err(|cause| bundle.failed(INTERVALS_FILE, cause))?;
            let log = LogWriter::start(log, started_at).map_err(|cause| bundle.failed(LOG_FILE, cause));
            Ok((csv, log.inspect_err(|_| remove(&bundle, LOG_FILE))?))
        });
        let (csv, log) = started.inspect_err(|_| remove(&bundle, INTERVALS_FILE))?;
        let writer = Self {
            bundle,
            csv,
            log,
            tags: Tags::of_run(plan),
            plan: plan.clone(),
            started_at: rfc3339(started_at),
            host: host.clone(),
            plugins: plugins.to_vec(),
            phases: Vec::new(),
            first_crash: None,
            warmup: None,
            steps: Vec::new(),
            totals: Totals::default(),
            failure: None,
        };
        match writer.bundle.begin(&writer.document()) {
            Ok(()) => Ok(writer),
            Err(error) => {
                // The document that is there is not ours.
                [INTERVALS_FILE, LOG_FILE].iter().for_each(|name| remove(&writer.bundle, name));
                Err(error)
            }
        }
    }

    /// The bundle.
    #[must_use]
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// Why the bundle is not complete so far, if it is not.
    #[must_use]
    pub fn failure(&self) -> Option<&BundleError> {
        self.failure.as_ref()
    }

    /// Writes the result in the place of what was written while the run went on, and each distribution as a file of its own. Gives the
    /// path of the document. All of it is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// The first thing that could not be written, now or while the run went on; the document is written all the same if it can be.
    pub fn finish(self, document: &Document) -> Result<PathBuf, BundleError> {
        let file = self.bundle.replace(document, Durable::Yes)?;
        self.distributions(document)?;
        self.csv.sync().map_err(|cause| self.bundle.failed(INTERVALS_FILE, cause))?;
        self.log.sync().map_err(|cause| self.bundle.failed(LOG_FILE, cause))?;
        self.bundle.sync_folder()?;
        self.failure.map_or(Ok(file), Err)
    }

    /// Takes the files away again, because the run gave no result. The folder stays. What cannot be removed stays too.
    pub fn discard(self) {
        [RUN_FILE, INTERVALS_FILE, LOG_FILE].iter().for_each(|name| remove(&self.bundle, name));
    }

    fn gather(&mut self, interval: &Interval<'_>) {
        let Interval { phase, step, start, length, recording, .. } = *interval;
        let step = if phase == PhaseName::Warmup { 0 } else { step };
        // The probes of a search all have the same.
        let workers = self.plan.workers.get(step).or(self.plan.workers.first()).copied().unwrap_or_default();
        let name = self.tags.name(step).filter(|_| phase == PhaseName::Measure);
        let new = || Stretch { name: name.clone(), workers, start, end: start, recording: Recording::default() };
        let stretch = if phase == PhaseName::Warmup {
            self.warmup.get_or_insert_with(new)
        } else {
            while self.steps.len() <= step {
                self.steps.push(new());
            }
            &mut self.steps[step]
        };
        stretch.end = start + length;
        stretch.recording.merge(recording);
        self.totals.rows += recording.rows;
        self.totals.operations += recording.operations;
        self.totals.volume += recording.volume;
        self.totals.errors.merge(&recording.errors);
    }

    /// The series before the document: a document that is an interval behind is right all the same.
    fn write(&mut self, prefix: &str, interval: &Interval<'_>) -> Result<(), BundleError> {
        self.csv.interval(interval).map_err(|cause| self.bundle.failed(INTERVALS_FILE, cause))?;
        let lines = tagged(prefix, interval.recording);
        self.log
            .interval(interval.start, interval.length, lines)
            .map_err(|cause| self.bundle.failed(LOG_FILE, cause))?;
        self.bundle.replace(&self.document(), Durable::No).map(drop)
    }

    fn document(&self) -> Document {
        unfinished(Known {
            started_at: &self.started_at,
            plan: &self.plan,
            host: &self.host,
            plugins: &self.plugins,
            phases: &self.phases,
            first_crash: self.first_crash.as_ref(),
            warmup: self.warmup.as_ref().map(|warmup| warmup.figures(false)),
            steps: self.steps.iter().map(|step| step.figures(true)).collect(),
            totals: &self.totals,
        })
    }

    /// Of a search, only those of the windows that confirmed its rate: nobody looks at the others one by one.
    fn distributions(&self, document: &Document) -> Result<(), BundleError> {
        let confirming: Option<Vec<usize>> = document.search.as_ref().map(|search| search.confirming().collect());
        let wanted = |index: &usize| confirming.as_ref().is_none_or(|steps| steps.contains(index));
        let steps = self.steps.iter().enumerate().filter(|(index, _)| wanted(index));
        let steps = steps.filter_map(|(index, step)| Some((self.tags.step(index)?, step)));
        for (prefix, stretch) in self.warmup.iter().map(|warmup| (WARMUP, warmup)).chain(steps) {
            for (tag, histogram) in tagged(prefix, &stretch.recording).filter(|(_, histogram)| !histogram.is_empty()) {
                self.bundle.write_distribution(&tag, histogram)?;
            }
        }
        Ok(())
    }
}

/// Removes a file of ours. What cannot be removed stays: there is an error to be told of already.
fn remove(bundle: &Bundle, name: &str) {
    let _ = fs::remove_file(bundle.folder().join(name));
}

/// The histograms of a recording with their tags.
fn tagged<'a>(
    prefix: &'a str,
    recording: &'a Recording,
) -> impl Iterator<Item = (String, &'a benchhost_stats::Histogram)> {
    kinds::all().filter_map(move |kind| Some((tag(prefix, kind), kinds::histogram(recording, kind)?)))
}

impl Observer for BundleWriter {
    fn begins(&mut self, _: PhaseName) {}

    fn progress(&mut self, _: PhaseName, _: Progress) {}

    /// Takes in an interval of the warm-up or of a measured step; others are no part of the result.
    fn interval(&mut self, interval: Interval<'_>) {
        if interval.phase == PhaseName::Measure {
            self.tags.probe(interval.step, interval.offered_per_s);
        }
        let Some(prefix) = self.tags.prefix(interval.phase, interval.step).map(str::to_owned) else { return };
        self.gather(&interval);
        // A file that may end in the middle of a line must not grow behind it.
        if self.failure.is_none() {
            self.failure = self.write(&prefix, &interval).err();
        }
    }

    fn ended(&mut self, phase: Phase) {
        self.phases.push(phase);
    }

    fn crashed(&mut self, crash: &Crash) {
        self.first_crash.get_or_insert_with(|| crash.clone());
    }
}
