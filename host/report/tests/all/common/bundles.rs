//! Bundles written as by real runs: interval by interval.

use std::path::{Path, PathBuf};
use std::time::Duration;

use benchhost_core::{Interval, Observer, PhaseName, Recording, RunResult};
use benchhost_report::{Bundle, BundleWriter, Document};

/// A run's load, cut into intervals of a second that belong to the warm-up or to a measured step.
pub(crate) struct Cut {
    pub(crate) phase: PhaseName,
    pub(crate) step: usize,
    pub(crate) recordings: Vec<Recording>,
}

/// A writer for a run, with nothing told to it yet.
pub(crate) fn writer(folder: &Path, result: &RunResult) -> BundleWriter {
    let bundle = Bundle::create(folder).unwrap();
    BundleWriter::start(bundle, &result.plan, result.started_at, &super::host(), &super::plugins(result)).unwrap()
}

/// Tells the writer of all intervals.
pub(crate) fn tell(writer: &mut BundleWriter, cuts: &[Cut]) {
    for (number, cut) in cuts.iter().enumerate() {
        for (index, recording) in cut.recordings.iter().enumerate() {
            let start = Duration::from_secs(100 * number as u64 + index as u64);
            let length = Duration::from_secs(1);
            writer.interval(Interval {
                phase: cut.phase,
                step: cut.step,
                offered_per_s: None,
                start,
                length,
                recording,
            });
        }
    }
}

/// A whole bundle in `folder`, of a run whose load is `cuts`. Gives the run's document.
pub(crate) fn whole(folder: &Path, result: &mut RunResult, cuts: &[Cut]) -> Document {
    result.warmup = None;
    result.steps.clear();
    for (number, cut) in cuts.iter().enumerate() {
        let mut step = super::recorded::step(result.plan.workers[cut.step.min(result.plan.workers.len() - 1)], 1);
        step.recording = merged(&cut.recordings);
        (step.start, step.measured) = (Duration::from_secs(100 * number as u64), seconds(&cut.recordings));
        match cut.phase {
            PhaseName::Warmup => result.warmup = Some(step),
            _ => result.steps.push(step),
        }
    }
    let (ending, stored) = (result.ending, benchhost_core::Stored::Rows);
    (result.rows, result.operations) = Default::default();
    (result.volume, result.errors) = Default::default();
    let document = super::document(&super::finish(result, ending, stored));
    let mut writer = writer(folder, result);
    tell(&mut writer, cuts);
    writer.finish(&document).unwrap();
    document
}

fn seconds(recordings: &[Recording]) -> Duration {
    Duration::from_secs(recordings.len() as u64)
}

/// All recordings as one.
pub(crate) fn merged(recordings: &[Recording]) -> Recording {
    let mut all = Recording::default();
    recordings.iter().for_each(|recording| all.merge(recording));
    all
}

/// Intervals of so many operations each.
pub(crate) fn intervals(operations: &[u64], lag: Option<u64>) -> Vec<Recording> {
    let mut next = 0;
    operations
        .iter()
        .map(|count| {
            let mut recording = Recording::default();
            super::recorded::fill(&mut recording, next..next + count, lag);
            next += count;
            recording
        })
        .collect()
}

/// The only measured step of a run.
pub(crate) fn measured(recordings: Vec<Recording>) -> Vec<Cut> {
    vec![Cut { phase: PhaseName::Measure, step: 0, recordings }]
}

/// Names of the files in a folder, sorted.
pub(crate) fn names_in(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into()).collect();
    names.sort();
    names
}
