//! From what came of a run to the document. Nothing is computed here that the result can tell itself.

use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use benchhost_core::{Ending, ErrorTable, Kept, Objective, RunResult, Schedule, Step, Stored};

use super::{
    ByOperation, Client, Cost, Counts, Crash, Dataset, Document, ErrorEntry, HostFacts, Network, ObjectiveEntry, Phase,
    Plan, PluginFacts, Reason, SCHEMA_VERSION, ScheduleFigures, StepFigures, Verdict, client_share_percent, in_flight,
};
use crate::histogram_log::Tags;

impl Document {
    /// The document of a run. `host` is the machine it was made on, `plugins` the components that took part.
    #[must_use]
    pub fn new(result: &RunResult, host: &HostFacts, plugins: &[PluginFacts]) -> Self {
        let mut document = Self {
            schema_version: SCHEMA_VERSION.to_owned(),
            benchhost_version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: rfc3339(result.started_at),
            ended: result.ending.into(),
            partial: result.ending != Ending::Complete,
            verdict: verdict(&result.verdict),
            objectives: result.objectives.iter().map(|(wanted, kept)| objective(wanted, kept)).collect(),
            plan: Plan::from(&result.plan),
            throughput: None,
            latency: ByOperation::new(),
            spans: ByOperation::new(),
            warmup: result.warmup.as_ref().map(|warmup| step(warmup, false)),
            steps: Vec::new(),
            search: result.search.as_ref().map(Into::into),
            headline_step: None,
            counts: counts(result),
            errors: errors(&result.errors),
            crash: result.first_crash.as_ref().map(crash),
            phases: result.phases.iter().map(phase).collect(),
            client: Client {
                cost: Cost::default(),
                max_rss_bytes: result.client.max_rss_bytes,
                network: None,
                batch_bytes: (result.client.batch_bytes > 0).then_some(result.client.batch_bytes),
            },
            headroom: result.headroom,
            dataset: dataset(result),
            server: result.server.iter().cloned().collect(),
            embedded_server: false,
            server_usage: result.server_usage.as_ref().map(Into::into),
            plugins: plugins.to_vec(),
            host: host.clone(),
            parts: Vec::new(),
        };
        let mut tags = Tags::of_run(&result.plan);
        let steps = result.steps.iter().enumerate().map(|(index, measured)| {
            tags.probe(index, measured.schedule.map(|schedule| schedule.offered_per_s));
            StepFigures { name: tags.name(index), ..step(measured, true) }
        });
        document.take_steps(steps.collect());
        document
    }

    /// The same, said to be of the embedded reference server. It answers as a database does, so the target took it for one: its product is
    /// set right, or a figure might be quoted as that database's.
    #[must_use]
    pub fn of_embedded_server(mut self, embedded: bool) -> Self {
        self.embedded_server = embedded;
        if let Some(product) = self.server.get_mut("product").filter(|_| embedded) {
            *product = format!("benchhost reference server, answering as {product}");
        }
        self
    }

    /// The same with what the kernel counted on the connections.
    #[must_use]
    pub fn with_network(mut self, network: Option<Network>) -> Self {
        self.client.network = network;
        self
    }
}

/// To the millisecond. A clock that stands before 1970 is set wrong, and gives 1970.
pub(crate) fn rfc3339(time: SystemTime) -> String {
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

/// An objective and what became of it.
pub(crate) fn objective(objective: &Objective, kept: &Kept) -> ObjectiveEntry {
    let found = match kept {
        Kept::No(found) => Some(found.clone()),
        Kept::Yes | Kept::TooFew => None,
    };
    ObjectiveEntry { text: objective.to_string(), kept: kept.into(), found }
}

fn step(step: &Step, measured: bool) -> StepFigures {
    let seconds = step.measured.as_secs_f64();
    // Who had not answered when the last acknowledgement came is in flight until the step has drained.
    let in_flight = in_flight(&step.recording, seconds + step.drained.as_secs_f64());
    StepFigures {
        measured,
        schedule: step.schedule.as_ref().map(schedule),
        client: Cost {
            cpu_seconds: (seconds > 0.0).then_some(step.cpu.as_secs_f64()),
            cpu_seconds_per_million_rows: step.cpu_seconds_per_million_rows(),
            busiest_thread_percent: (!step.threads.is_empty()).then(|| step.busiest_thread() * 100.0),
            in_flight,
            client_share_percent: client_share_percent(&step.recording),
        },
        ..StepFigures::of(&step.recording, step.workers, step.start.as_secs_f64(), seconds)
    }
}

fn schedule(schedule: &Schedule) -> ScheduleFigures {
    ScheduleFigures {
        offered_per_s: schedule.offered_per_s,
        achieved_per_s: schedule.achieved_per_s,
        max_queue: schedule.max_queue,
        unsent: schedule.unsent,
    }
}

fn counts(result: &RunResult) -> Counts {
    let mut counts = Counts::of(result.rows, result.operations, result.volume);
    counts.rows.stored = match result.stored {
        Stored::Rows(stored) => Some(stored),
        Stored::NotAsked { .. } => None,
    };
    counts
}

/// Errors as the document lists them.
pub(super) fn errors(table: &ErrorTable) -> Vec<ErrorEntry> {
    let counts = table.counts().into_iter();
    counts
        .map(|error| ErrorEntry {
            kind: error.kind.as_str().to_owned(),
            code: error.code,
            count: error.count,
            example: error.example,
        })
        .collect()
}

pub(super) fn crash(crash: &benchhost_core::Crash) -> Crash {
    Crash {
        plugin: crash.plugin.clone(),
        call: crash.call.clone(),
        reason: crash.reason.clone(),
        stderr: crash.stderr.clone(),
    }
}

/// A phase as the document lists it.
pub(super) fn phase(phase: &benchhost_core::Phase) -> Phase {
    Phase {
        name: phase.name.as_str().to_owned(),
        seconds: phase.time.as_secs_f64(),
        rows: (phase.rows > 0).then_some(phase.rows),
    }
}

fn dataset(result: &RunResult) -> Dataset {
    let facts = &result.dataset;
    Dataset {
        name: result.plan.dataset.name.clone(),
        settings: result.plan.dataset.settings.clone(),
        seed: result.plan.seed,
        rows: Some(facts.rows),
        series: Some(facts.series),
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
