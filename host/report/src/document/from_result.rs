//! From what came of a run to the document. Nothing is computed here that the result can tell itself.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use benchhost_core::{Ending, RunResult, Stored};
use benchhost_stats::{Histogram, Summary};

use super::{
    ByOperation, Client, Counts, Crash, Dataset, Document, ErrorEntry, Figures, HostFacts, Operations, Phase, Plan,
    PluginFacts, Reason, Rows, SCHEMA_VERSION, Throughput, Verdict,
};

/// The only operation that there is so far.
const WRITE: &str = "write";

impl Document {
    /// The document of a run. `host` is the machine it was made on, `plugins` the components that took part.
    #[must_use]
    pub fn new(result: &RunResult, host: &HostFacts, plugins: &[PluginFacts]) -> Self {
        Self {
            schema_version: SCHEMA_VERSION.to_owned(),
            benchhost_version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: rfc3339(result.started_at),
            ended: result.ending,
            partial: result.ending != Ending::Complete,
            verdict: verdict(&result.verdict),
            plan: Plan::from(&result.plan),
            throughput: throughput(result),
            latency: latency(result),
            spans: spans(result),
            counts: counts(result),
            errors: errors(result),
            crash: result.first_crash.as_ref().map(crash),
            phases: phases(result),
            client: client(result),
            dataset: dataset(result),
            server: result.server.iter().cloned().collect(),
            plugins: plugins.to_vec(),
            host: host.clone(),
        }
    }

    /// The document as it is written: JSON, indented, with a newline at its end.
    #[must_use]
    #[expect(
        clippy::expect_used,
        reason = "serialization fails only for maps whose keys are no strings, and there is none"
    )]
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("all keys are strings");
        json.push('\n');
        json
    }
}

/// To the millisecond. A clock that stands before 1970 is set wrong, and gives 1970.
fn rfc3339(time: SystemTime) -> String {
    let mut text = String::new();
    match write!(text, "{}", humantime::format_rfc3339_millis(time.max(UNIX_EPOCH))) {
        Ok(()) => text,
        // Past the year 9999.
        Err(_) => "9999-12-31T23:59:59.999Z".to_owned(),
    }
}

fn verdict(verdict: &benchhost_core::Verdict) -> Verdict {
    let reasons = verdict.reasons.iter().map(|reason| Reason {
        code: reason.code.to_owned(),
        text: reason.text.clone(),
        advice: reason.advice.clone(),
        weight: reason.weight,
    });
    Verdict { status: verdict.status, reasons: reasons.collect() }
}

fn throughput(result: &RunResult) -> Option<Throughput> {
    let rates = result.throughput()?;
    Some(Throughput {
        rows_per_s: rates.rows_per_s,
        values_per_s: rates.values_per_s,
        operations_per_s: rates.operations_per_s,
        raw_bytes_per_s: rates.raw_bytes_per_s,
        wire_bytes_per_s: rates.wire_bytes_per_s,
    })
}

fn latency(result: &RunResult) -> ByOperation {
    let recording = &result.recording;
    by_operation([
        ("service", &recording.ok),
        ("service_failed", &recording.failed),
        ("service_timed_out", &recording.timed_out),
    ])
}

fn spans(result: &RunResult) -> ByOperation {
    let recording = &result.recording;
    by_operation([("encode", &recording.encode), ("wait", &recording.wait), ("plugin", &recording.plugin)])
}

/// Empty histograms are left out: nothing was measured.
fn by_operation<const N: usize>(histograms: [(&str, &Histogram); N]) -> ByOperation {
    let measured = histograms.into_iter().filter(|(_, histogram)| !histogram.is_empty());
    measured
        .map(|(name, histogram)| (name.to_owned(), BTreeMap::from([(WRITE.to_owned(), figures(histogram))])))
        .collect()
}

fn figures(histogram: &Histogram) -> Figures {
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

fn counts(result: &RunResult) -> Counts {
    let recording = &result.recording;
    let (rows, operations, volume) = (recording.rows, recording.operations, recording.volume);
    Counts {
        rows: Rows {
            sent: rows.sent,
            acknowledged: rows.acknowledged,
            unknown: rows.unknown,
            stored: match result.stored {
                Stored::Rows(stored) => Some(stored),
                Stored::NotAsked { .. } => None,
            },
        },
        operations: Operations {
            ok: operations.ok,
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

fn errors(result: &RunResult) -> Vec<ErrorEntry> {
    let counts = result.recording.errors.counts().into_iter();
    counts
        .map(|error| ErrorEntry {
            kind: error.kind.as_str().to_owned(),
            code: error.code,
            count: error.count,
            example: error.example,
        })
        .collect()
}

fn crash(crash: &benchhost_core::Crash) -> Crash {
    Crash {
        plugin: crash.plugin.clone(),
        call: crash.call.clone(),
        reason: crash.reason.clone(),
        stderr: crash.stderr.clone(),
    }
}

fn phases(result: &RunResult) -> Vec<Phase> {
    let phases = result.phases.iter();
    phases
        .map(|phase| Phase {
            name: phase.name.as_str().to_owned(),
            seconds: phase.time.as_secs_f64(),
            rows: (phase.rows > 0).then_some(phase.rows),
        })
        .collect()
}

fn client(result: &RunResult) -> Client {
    let measured = !result.measured().is_zero();
    Client {
        cpu_seconds: measured.then_some(result.client.cpu.as_secs_f64()),
        cpu_seconds_per_million_rows: result.cpu_seconds_per_million_rows().filter(|_| measured),
        max_rss_bytes: result.client.max_rss_bytes,
        batch_bytes: (result.client.batch_bytes > 0).then_some(result.client.batch_bytes),
    }
}

fn dataset(result: &RunResult) -> Dataset {
    let facts = &result.dataset;
    Dataset {
        name: result.plan.dataset.name.clone(),
        settings: result.plan.dataset.settings.clone(),
        seed: result.plan.seed,
        rows: facts.rows,
        series: facts.series,
        tables: facts.tables.clone(),
        fingerprint: facts.fingerprint.clone(),
        streamed: facts.streamed,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_utc_to_the_millisecond_whatever_the_clock_says() {
        let after = |seconds| rfc3339(UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_millis(7));
        assert_eq!(after(1_709_208_000), "2024-02-29T12:00:00.007Z");
        assert_eq!(rfc3339(UNIX_EPOCH - Duration::from_secs(1)), "1970-01-01T00:00:00.000Z");
        assert_eq!(after(400_000_000_000), "9999-12-31T23:59:59.999Z");
    }
}
