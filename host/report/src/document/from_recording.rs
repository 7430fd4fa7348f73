//! From what was recorded of operations to figures.

use std::collections::BTreeMap;

use benchhost_core::Recording;
use benchhost_stats::{Histogram, Summary};

use super::{ByOperation, Cost, Counts, Figures, Operations, Rows, StepFigures, Throughput, WRITE, kinds};

/// Empty histograms are left out: nothing was measured.
fn by_operation<const N: usize>(recording: &Recording, names: [&str; N]) -> ByOperation {
    let histograms = names.into_iter().filter_map(|name| Some((name, kinds::histogram(recording, name)?)));
    histograms
        .filter(|(_, histogram)| !histogram.is_empty())
        .map(|(name, histogram)| (name.to_owned(), BTreeMap::from([(WRITE.to_owned(), figures(histogram))])))
        .collect()
}

/// The figures of a histogram.
pub(crate) fn figures(histogram: &Histogram) -> Figures {
    let Summary { count, min_ns, mean_ns, p50_ns, p90_ns, p95_ns, p99_ns, p999_ns, max_ns } = histogram.summary();
    Figures {
        count,
        min_ns,
        mean_ns,
        p50_ns,
        p90_ns,
        p95_ns,
        p99_ns,
        p999_ns,
        max_ns,
        saturated: histogram.saturated(),
    }
}

/// Rates of acknowledged work; none when there is none.
fn throughput(recording: &Recording, seconds: f64) -> Option<Throughput> {
    if seconds <= 0.0 || recording.rows.acknowledged == 0 {
        return None;
    }
    let rate = |count: u64| count as f64 / seconds;
    Some(Throughput {
        rows_per_s: rate(recording.rows.acknowledged),
        values_per_s: rate(recording.volume.values),
        operations_per_s: rate(recording.operations.ok),
        raw_bytes_per_s: rate(recording.volume.raw_bytes),
        wire_bytes_per_s: rate(recording.volume.sent_bytes),
    })
}

/// Operations in flight on average while `seconds` passed; none when no time passed.
pub(crate) fn in_flight(recording: &Recording, seconds: f64) -> Option<f64> {
    // The service time of what failed is not recorded; it is what is left of the time from intended to given up without the lag, and
    // the lag of acknowledged operations is what lies between their response and their service time.
    let acknowledged_lag = recording.response.sum().saturating_sub(recording.service.sum());
    let failed_lag = recording.lag.sum().saturating_sub(acknowledged_lag);
    let failed = (recording.failed.sum() + recording.timed_out.sum()).saturating_sub(failed_lag);
    (seconds > 0.0).then(|| (recording.service.sum() + failed) as f64 / 1e9 / seconds)
}

/// Share of the service time that was the client's own, in percent; none when nothing was acknowledged.
pub(crate) fn client_share_percent(recording: &Recording) -> Option<f64> {
    let service = recording.service.sum();
    (service > 0).then(|| (recording.encode.sum() + recording.plugin.sum()) as f64 / service as f64 * 100.0)
}

impl StepFigures {
    /// What a recording tells of a step; its schedule and its cost are for others to add.
    pub(crate) fn of(recording: &Recording, workers: u32, start_seconds: f64, seconds: f64) -> Self {
        Self {
            measured: true,
            name: None,
            workers,
            start_seconds,
            seconds,
            schedule: None,
            throughput: throughput(recording, seconds),
            latency: by_operation(recording, kinds::CLOCKS),
            spans: by_operation(recording, kinds::SPANS),
            counts: Counts::of(recording.rows, recording.operations, recording.volume),
            client: Cost::default(),
        }
    }
}

impl Counts {
    /// From core's counters, without what is stored.
    pub(crate) fn of(
        rows: benchhost_core::RowCounts,
        operations: benchhost_core::OperationCounts,
        volume: benchhost_core::Volume,
    ) -> Self {
        Self {
            rows: Rows { sent: rows.sent, acknowledged: rows.acknowledged, unknown: rows.unknown, stored: None },
            operations: Operations {
                ok: operations.ok,
                handed_over: operations.handed_over,
                failed: operations.failed,
                timed_out: operations.timed_out,
                retried: operations.retried,
                crashed: operations.crashed,
            },
            values: volume.values,
            raw_bytes: volume.raw_bytes,
            sent_bytes: volume.sent_bytes,
            received_bytes: volume.received_bytes,
        }
    }
}
