//! One repetition of one run: what the record keeps of its bundle.

use benchhost_core::Status;
use benchhost_report::Document;
use benchhost_report::document::Reason;
use serde::Serialize;

use super::plan::folder_name;

/// The only operation that there is so far.
const WRITE: &str = "write";

/// What became of a repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// Fit to be quoted.
    Valid,
    /// To be quoted with care.
    Suspect,
    /// Not to be quoted.
    Invalid,
    /// Nothing was measured.
    NoResult,
}

/// One repetition. The figures are copied from its bundle.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Repetition {
    /// Which one of its run, from 1.
    pub number: u32,
    /// Its bundle, beside this document; nothing is there when there is no result.
    pub folder: String,
    /// What its process answered; absent when a signal ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What became of it.
    pub outcome: Outcome,
    /// What stands against it, the weightiest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// When it began: RFC 3339, UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// Rows that the server acknowledged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acknowledged_rows: Option<u64>,
    /// Rows that were found in the database afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored_rows: Option<u64>,
    /// Acknowledged rows per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_per_s: Option<f64>,
    /// The clock of the percentiles: `response` with a schedule, else `service`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<&'static str>,
    /// Median latency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_ns: Option<u64>,
    /// The 99th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<u64>,
    /// Processor time of the client for a million acknowledged rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_cpu_seconds_per_million_rows: Option<f64>,
}

impl Repetition {
    /// One that left no result.
    pub(crate) fn without_result(run: &str, number: u32, exit_code: Option<i32>) -> Self {
        Self {
            number,
            folder: folder_name(run, number),
            exit_code,
            outcome: Outcome::NoResult,
            reasons: Vec::new(),
            started_at: None,
            acknowledged_rows: None,
            stored_rows: None,
            rows_per_s: None,
            clock: None,
            p50_ns: None,
            p99_ns: None,
            client_cpu_seconds_per_million_rows: None,
        }
    }

    /// One with a result.
    pub(crate) fn new(run: &str, number: u32, exit_code: Option<i32>, document: &Document) -> Self {
        let latency = ["response", "service"]
            .into_iter()
            .find_map(|clock| Some((clock, document.latency.get(clock)?.get(WRITE)?)));
        Self {
            outcome: match document.verdict.status {
                Status::Valid => Outcome::Valid,
                Status::Suspect => Outcome::Suspect,
                Status::Invalid => Outcome::Invalid,
            },
            reasons: document.verdict.reasons.clone(),
            started_at: Some(document.started_at.clone()),
            acknowledged_rows: Some(document.counts.rows.acknowledged),
            stored_rows: document.counts.rows.stored,
            rows_per_s: document.throughput.map(|throughput| throughput.rows_per_s),
            clock: latency.map(|(clock, _)| clock),
            p50_ns: latency.and_then(|(_, figures)| figures.p50_ns),
            p99_ns: latency.and_then(|(_, figures)| figures.p99_ns),
            client_cpu_seconds_per_million_rows: document.client.cost.cpu_seconds_per_million_rows,
            ..Self::without_result(run, number, exit_code)
        }
    }
}
