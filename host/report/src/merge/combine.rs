//! The whole document of all parts.

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use benchhost_core::{Kept, Objective, Recording, Status};

use super::steps::{self, Share, counters, histograms, recording};
use super::when::{self, Span};
use super::{Merged, Source};
use crate::document::{
    Counts, Document, Ended, ErrorEntry, Network, ObjectiveEntry, Part, Phase, Reason, StepFigures, Verdict, objective,
    rfc3339,
};
use crate::histogram_log::{Tags, WARMUP};

/// Rates of parts that share less of their time than this are no rate of anything.
const AT_THE_SAME_TIME: f64 = 0.8;

/// Merges parts of one load; there is at least one.
pub(super) fn all(sources: &[Source]) -> Merged {
    let began = sources.iter().map(|source| when::started(&source.document)).min().unwrap_or(UNIX_EPOCH);
    let offset = |source: &Source| when::after(&source.document, began);
    let shares = |step: &dyn Fn(&Document) -> Option<&StepFigures>| -> Vec<Share<'_>> {
        let with = sources.iter().filter_map(|source| Some((source, step_of(source, step)?)));
        with.map(|(source, step)| Share { source, offset: offset(source), step }).collect()
    };
    let mut merged = Merged { document: sources[0].document.clone(), histograms: BTreeMap::new() };
    let tags = Tags::of_document(&merged.document);

    let warmup = shares(&|document| document.warmup.as_ref());
    let warm = recording(&warmup, WARMUP);
    merged.histograms.extend(histograms(&warm, WARMUP));
    let (mut figures, mut recordings) = (Vec::new(), Vec::new());
    let mut least_shared = 1.0_f64;
    for index in 0..sources.iter().map(|source| source.document.steps.len()).max().unwrap_or(0) {
        let parts = shares(&|document| document.steps.get(index));
        let prefix = tags.step(index).unwrap_or_default();
        let recorded = recording(&parts, prefix);
        merged.histograms.extend(histograms(&recorded, prefix));
        let spans: Vec<Span> = parts.iter().map(|part| Span::of(part.step, part.offset)).collect();
        least_shared = least_shared.min(Span::shared(&spans));
        if let Some(step) = steps::merged(&parts, &recorded) {
            let name = parts.first().and_then(|part| part.step.name.clone());
            figures.push(StepFigures { name, ..step });
            recordings.push(recorded);
        }
    }
    let document = &mut merged.document;
    document.started_at = rfc3339(began);
    document.warmup = steps::merged(&warmup, &warm);
    // A search is alone here, and only some of its steps are to keep the objectives.
    if document.search.is_none() {
        document.objectives = objectives(sources, &figures, &recordings);
    }
    whole(document, sources);
    document.take_steps(figures);
    document.verdict = verdict(sources, least_shared);
    document.parts = sources.iter().map(part).collect();
    merged
}

fn step_of<'a>(source: &'a Source, step: &dyn Fn(&'a Document) -> Option<&'a StepFigures>) -> Option<&'a StepFigures> {
    step(&source.document)
}

/// What is of the run and not of a step. Facts of the first part stay where all have the same.
fn whole(document: &mut Document, sources: &[Source]) {
    let documents = || sources.iter().map(|source| &source.document);
    document.ended = documents().map(|part| part.ended).max_by_key(|ended| badness(*ended)).unwrap_or(Ended::Running);
    document.partial = documents().any(|part| part.partial);
    document.counts = documents().skip(1).fold(document.counts, |sum, part| add(&sum, &part.counts));
    document.errors = errors(documents());
    document.crash = documents().find_map(|part| part.crash.clone());
    document.phases = phases(documents());
    document.client.max_rss_bytes = documents().map(|part| part.client.max_rss_bytes).reduce(both).flatten();
    document.client.batch_bytes = documents().filter_map(|part| part.client.batch_bytes).reduce(|a, b| a + b);
    document.client.network = documents().filter_map(|part| part.client.network).reduce(Network::plus);
    document.headroom = documents().map(|part| part.headroom).reduce(|a, b| Some(a?.min(b?))).flatten();
    document.dataset.rows = documents().map(|part| part.dataset.rows).reduce(both).flatten();
    document.dataset.streamed = documents().any(|part| part.dataset.streamed);
    if sources.len() > 1 {
        document.dataset.fingerprint = None;
        // Two probes may have looked at one server or at two: what they saw does not add up.
        let mut usages = documents().filter_map(|part| part.server_usage.clone());
        document.server_usage = usages.next().filter(|_| usages.next().is_none());
        if documents().any(|part| part.plan.endpoint != document.plan.endpoint) {
            document.plan.endpoint = None;
        }
    }
}

fn both(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    Some(a? + b?)
}

fn badness(ended: Ended) -> u8 {
    match ended {
        Ended::Complete => 0,
        Ended::Running => 2,
        _ => 1,
    }
}

fn add(a: &Counts, b: &Counts) -> Counts {
    let ((mut rows, mut operations, mut volume), other) = (counters(a), counters(b));
    rows += other.0;
    operations += other.1;
    volume += other.2;
    let mut sum = Counts::of(rows, operations, volume);
    sum.rows.stored = both(a.rows.stored, b.rows.stored);
    sum
}

fn errors<'a>(documents: impl Iterator<Item = &'a Document>) -> Vec<ErrorEntry> {
    let mut all: Vec<ErrorEntry> = Vec::new();
    for error in documents.flat_map(|document| &document.errors) {
        match all.iter_mut().find(|known| known.kind == error.kind && known.code == error.code) {
            Some(known) => known.count += error.count,
            None => all.push(error.clone()),
        }
    }
    all.sort_by_key(|error| std::cmp::Reverse(error.count));
    all
}

/// Phases went on beside each other: each took as long as it took the slowest, for the rows of all.
fn phases<'a>(documents: impl Iterator<Item = &'a Document>) -> Vec<Phase> {
    let mut all: Vec<Phase> = Vec::new();
    for document in documents {
        for (index, phase) in document.phases.iter().enumerate() {
            match all.get_mut(index) {
                Some(known) if known.name == phase.name => {
                    known.seconds = known.seconds.max(phase.seconds);
                    known.rows = known.rows.map_or(phase.rows, |rows| Some(rows + phase.rows.unwrap_or(0)));
                }
                // A part that left a phase out cannot be laid beside the others from there on.
                Some(_) => break,
                None => all.push(phase.clone()),
            }
        }
    }
    all
}

/// Objectives are of the whole load, so they are checked anew. Those that this version cannot read are left out.
fn objectives(sources: &[Source], steps: &[StepFigures], recordings: &[Recording]) -> Vec<ObjectiveEntry> {
    let wanted = sources[0].document.plan.objectives.iter().filter_map(|text| text.parse::<Objective>().ok());
    wanted
        .map(|wanted| {
            let checked = steps.iter().zip(recordings).map(|(step, recording)| {
                // The time in which the acknowledged rows make the added rate.
                let rate = step.rows_per_s();
                let rows = recording.rows.acknowledged as f64;
                let seconds = if rate > 0.0 { rows / rate } else { step.seconds };
                let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
                objective(&wanted, &wanted.check(recording, time))
            });
            let worst = checked.max_by_key(|entry| entry.kept);
            worst.unwrap_or_else(|| objective(&wanted, &Kept::TooFew))
        })
        .collect()
}

fn verdict(sources: &[Source], shared: f64) -> Verdict {
    let mut reasons: Vec<Reason> = Vec::new();
    if shared < AT_THE_SAME_TIME {
        reasons.push(Reason {
            code: "parts-apart".to_owned(),
            text: format!(
                "the parts ran at the same time for {:.0} % of the measured time only, and their rates are added as if for all of it",
                shared * 100.0
            ),
            advice: "start them together, with the same --duration, on machines whose clocks agree".to_owned(),
            weight: Status::Suspect,
        });
    }
    for source in sources {
        let named = |reason: &Reason| match sources.len() {
            1 => reason.clone(),
            _ => Reason { text: format!("{}: {}", source.name, reason.text), ..reason.clone() },
        };
        reasons.extend(source.document.verdict.reasons.iter().map(named));
    }
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.weight));
    let worst = sources.iter().map(|source| source.document.verdict.status).max().unwrap_or(Status::Valid);
    Verdict { status: reasons.first().map_or(worst, |reason| reason.weight.max(worst)), reasons }
}

fn part(source: &Source) -> Part {
    let Document { started_at, verdict, plan, throughput, host, .. } = &source.document;
    Part {
        name: source.name.clone(),
        started_at: started_at.clone(),
        status: verdict.status,
        plan_hash: plan.hash.clone(),
        seed: plan.seed,
        endpoint: plan.endpoint.clone(),
        rows_per_s: throughput.map(|throughput| throughput.rows_per_s),
        host: host.clone(),
    }
}
