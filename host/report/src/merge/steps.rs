//! The same step of all parts as one.

use benchhost_core::{OperationCounts, Recording, RowCounts, Volume};
use benchhost_stats::Histogram;

use super::Source;
use super::when::Span;
use crate::document::{Cost, Counts, ScheduleFigures, StepFigures, Throughput, client_share_percent, in_flight, kinds};
use crate::histogram_log::tag;

/// A step of one part.
pub(super) struct Share<'a> {
    pub(super) source: &'a Source,
    /// Seconds that the part began after the first one.
    pub(super) offset: f64,
    pub(super) step: &'a StepFigures,
}

/// What is left of the parts' operations: as if all of them had been recorded by one.
pub(super) fn recording(shares: &[Share<'_>], prefix: &str) -> Recording {
    let mut all = Recording::default();
    for Share { source, step, .. } in shares {
        for kind in kinds::all() {
            let part = source.histograms.get(&tag(prefix, kind));
            if let (Some(whole), Some(part)) = (kinds::histogram_mut(&mut all, kind), part) {
                whole.merge(part);
            }
        }
        let (rows, operations, volume) = counters(&step.counts);
        all.rows += rows;
        all.operations += operations;
        all.volume += volume;
    }
    all
}

/// The step; none when no part has it.
pub(super) fn merged(shares: &[Share<'_>], all: &Recording) -> Option<StepFigures> {
    let first = shares.first()?;
    let spans: Vec<Span> = shares.iter().map(|share| Span::of(share.step, share.offset)).collect();
    let union = Span::union(&spans)?;
    let workers = shares.iter().map(|share| share.step.workers).sum();
    let costs = || shares.iter().map(|share| &share.step.client);
    let cpu_seconds = sum(costs().map(|cost| cost.cpu_seconds));
    let rows = all.rows.acknowledged;
    Some(StepFigures {
        measured: first.step.measured,
        schedule: schedule(shares),
        throughput: throughput(shares),
        client: Cost {
            cpu_seconds,
            cpu_seconds_per_million_rows: cpu_seconds.filter(|_| rows > 0).map(|cpu| cpu / (rows as f64 / 1e6)),
            busiest_thread_percent: costs().filter_map(|cost| cost.busiest_thread_percent).reduce(f64::max),
            in_flight: sum(costs().map(|cost| cost.in_flight)).or_else(|| in_flight(all, union.seconds())),
            client_share_percent: client_share_percent(all),
        },
        ..StepFigures::of(all, workers, union.start, union.seconds())
    })
}

/// The parts ran beside each other, so that their rates add up; one that acknowledged nothing adds nothing.
fn throughput(shares: &[Share<'_>]) -> Option<Throughput> {
    shares.iter().filter_map(|share| share.step.throughput).reduce(|a, b| Throughput {
        rows_per_s: a.rows_per_s + b.rows_per_s,
        values_per_s: a.values_per_s + b.values_per_s,
        operations_per_s: a.operations_per_s + b.operations_per_s,
        raw_bytes_per_s: a.raw_bytes_per_s + b.raw_bytes_per_s,
        wire_bytes_per_s: a.wire_bytes_per_s + b.wire_bytes_per_s,
    })
}

/// Offered and achieved add up. Queues were longest at different times, so that only the longest of them is known to have been.
fn schedule(shares: &[Share<'_>]) -> Option<ScheduleFigures> {
    shares.iter().filter_map(|share| share.step.schedule).reduce(|a, b| ScheduleFigures {
        offered_per_s: a.offered_per_s + b.offered_per_s,
        achieved_per_s: a.achieved_per_s + b.achieved_per_s,
        max_queue: a.max_queue.max(b.max_queue),
        unsent: a.unsent + b.unsent,
    })
}

/// A sum is known when all of its parts are.
fn sum(parts: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    parts.reduce(|a, b| Some(a? + b?)).flatten()
}

/// The counters of a document as core has them.
pub(super) fn counters(counts: &Counts) -> (RowCounts, OperationCounts, Volume) {
    let Counts { rows, operations, values, raw_bytes, sent_bytes, received_bytes } = *counts;
    (
        RowCounts { sent: rows.sent, acknowledged: rows.acknowledged, unknown: rows.unknown },
        OperationCounts {
            ok: operations.ok,
            failed: operations.failed,
            timed_out: operations.timed_out,
            retried: operations.retried,
            crashed: operations.crashed,
            handed_over: operations.handed_over,
        },
        Volume { values, raw_bytes, sent_bytes, received_bytes },
    )
}

/// The histograms of a recording that hold anything, with their tags.
pub(super) fn histograms(recording: &Recording, prefix: &str) -> impl Iterator<Item = (String, Histogram)> {
    let all =
        kinds::all().filter_map(move |kind| Some((tag(prefix, kind), kinds::histogram(recording, kind)?.clone())));
    all.filter(|(_, histogram)| !histogram.is_empty())
}
