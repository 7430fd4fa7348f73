//! The document of a run that has not ended: what a reader finds when the process was killed.

use benchhost_core::{ErrorTable, OperationCounts, PhaseName, RowCounts, Status, Volume};

use super::from_result::{crash, errors, phase};
use super::{
    ByOperation, Client, Counts, Dataset, Document, Ended, HostFacts, Plan, PluginFacts, Reason, SCHEMA_VERSION,
    StepFigures, Verdict,
};

/// What is known of a run while it goes.
#[derive(Debug)]
pub(crate) struct Known<'a> {
    pub(crate) started_at: &'a str,
    pub(crate) plan: &'a benchhost_core::Plan,
    pub(crate) host: &'a HostFacts,
    pub(crate) plugins: &'a [PluginFacts],
    pub(crate) phases: &'a [benchhost_core::Phase],
    pub(crate) first_crash: Option<&'a benchhost_core::Crash>,
    pub(crate) warmup: Option<StepFigures>,
    pub(crate) steps: Vec<StepFigures>,
    pub(crate) totals: &'a Totals,
}

/// Counts of the whole run so far.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) rows: RowCounts,
    pub(crate) operations: OperationCounts,
    pub(crate) volume: Volume,
    pub(crate) errors: ErrorTable,
}

/// The document so far. Its verdict says that it is not the result.
pub(crate) fn unfinished(known: Known<'_>) -> Document {
    let Known { started_at, plan, host, plugins, phases, first_crash, warmup, steps, totals } = known;
    let generated = phases.iter().find(|phase| phase.name == PhaseName::Generate);
    let mut document = Document {
        schema_version: SCHEMA_VERSION.to_owned(),
        benchhost_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: started_at.to_owned(),
        ended: Ended::Running,
        partial: true,
        verdict: verdict(),
        objectives: Vec::new(),
        plan: Plan::from(plan),
        throughput: None,
        latency: ByOperation::new(),
        spans: ByOperation::new(),
        warmup,
        steps: Vec::new(),
        search: None,
        headline_step: None,
        counts: Counts::of(totals.rows, totals.operations, totals.volume),
        errors: errors(&totals.errors),
        crash: first_crash.map(crash),
        phases: phases.iter().map(phase).collect(),
        client: Client::default(),
        headroom: None,
        dataset: Dataset {
            name: plan.dataset.name.clone(),
            settings: plan.dataset.settings.clone(),
            seed: plan.seed,
            rows: generated.map(|phase| phase.rows).filter(|rows| *rows > 0),
            series: None,
            tables: Vec::new(),
            fingerprint: None,
            // The phase makes no row when the rows are made as the run goes.
            streamed: generated.is_some_and(|phase| phase.rows == 0),
        },
        server: std::collections::BTreeMap::new(),
        embedded_server: false,
        server_usage: None,
        plugins: plugins.to_vec(),
        host: host.clone(),
        parts: Vec::new(),
    };
    document.take_steps(steps);
    document
}

fn verdict() -> Verdict {
    let reason = Reason {
        code: "unfinished".to_owned(),
        text: "the run did not end, or has not ended yet; the figures are up to its last interval".to_owned(),
        advice: "wait for its end; if its process was killed, run it again".to_owned(),
        weight: Status::Invalid,
    };
    Verdict { status: Status::Invalid, reasons: vec![reason] }
}
