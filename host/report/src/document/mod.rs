//! `run.json`: the result of a run as scripts read it. Names are snake_case with their units, and are never renamed within a
//! [`SCHEMA_VERSION`]; what was not measured is absent, never 0. The schema beside this crate says the same to machines.

mod from_result;
mod plan;
mod words;

use std::collections::BTreeMap;

use benchhost_core::{Ending, Status};
use serde::{Deserialize, Serialize};

pub use plan::{Choice, Plan};
pub use words::PluginRole;

/// Changes when a name goes or changes its meaning; names may be added within a version.
pub const SCHEMA_VERSION: &str = "1";

/// The whole document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// [`SCHEMA_VERSION`] of the writer.
    pub schema_version: String,
    /// Version of the program that made the run.
    pub benchhost_version: String,
    /// When the run began: RFC 3339, UTC.
    pub started_at: String,
    /// How it came to its end.
    #[serde(with = "words::EndingWord")]
    pub ended: Ending,
    /// Set when the run did not do all that the plan asks for.
    #[serde(default, skip_serializing_if = "is_false")]
    pub partial: bool,
    /// Whether to believe the figures.
    pub verdict: Verdict,
    /// What was asked for.
    pub plan: Plan,
    /// Work per second of the measured phase; absent when nothing was acknowledged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput: Option<Throughput>,
    /// Durations by clock (`service`, and `service_failed` and `service_timed_out` if there are any) and operation (`write`).
    pub latency: ByOperation,
    /// Where the time of acknowledged operations went, by span (`encode`, `wait`, `plugin`) and operation.
    pub spans: ByOperation,
    /// What became of the work.
    pub counts: Counts,
    /// Errors by kind and code, the most frequent first; attempts that were tried again are counted too.
    pub errors: Vec<ErrorEntry>,
    /// The first session that died.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<Crash>,
    /// The phases that took place, in order.
    pub phases: Vec<Phase>,
    /// What the run cost this machine.
    pub client: Client,
    /// What was written.
    pub dataset: Dataset,
    /// The target's facts about the server, name to value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub server: BTreeMap<String, String>,
    /// The components that took part.
    pub plugins: Vec<PluginFacts>,
    /// This machine.
    pub host: HostFacts,
}

/// Clock or span to operation to figures.
pub type ByOperation = BTreeMap<String, BTreeMap<String, Figures>>;

/// The verdict and its reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The word.
    #[serde(with = "words::StatusWord")]
    pub status: Status,
    /// The weightiest first.
    pub reasons: Vec<Reason>,
}

/// One thing to know before believing the figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// Stable, kebab-case.
    pub code: String,
    /// What is the matter.
    pub text: String,
    /// What to change.
    pub advice: String,
    /// The best verdict that is possible with this reason.
    #[serde(with = "words::StatusWord")]
    pub weight: Status,
}

/// Acknowledged work per second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Throughput {
    /// Rows.
    pub rows_per_s: f64,
    /// Field values.
    pub values_per_s: f64,
    /// Operations.
    pub operations_per_s: f64,
    /// Payload bytes before compression.
    pub raw_bytes_per_s: f64,
    /// Bytes written to the network, every attempt included.
    pub wire_bytes_per_s: f64,
}

/// Figures of one histogram, in nanoseconds. A percentile is absent when fewer than ten samples lie beyond it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Figures {
    /// Samples.
    pub count: u64,
    /// The shortest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_ns: Option<u64>,
    /// The mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_ns: Option<f64>,
    /// The median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_ns: Option<u64>,
    /// The 90th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p90_ns: Option<u64>,
    /// The 95th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p95_ns: Option<u64>,
    /// The 99th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<u64>,
    /// The 99.9th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p999_ns: Option<u64>,
    /// The longest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_ns: Option<u64>,
    /// Samples over an hour, which count as one hour in percentiles; absent when there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub saturated: u64,
}

/// Totals of the measured phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Rows by what became of them.
    pub rows: Rows,
    /// Operations by how they ended.
    pub operations: Operations,
    /// Field values in acknowledged rows.
    pub values: u64,
    /// Payload bytes of acknowledged operations, before compression.
    pub raw_bytes: u64,
    /// Bytes written to the network, every attempt included.
    pub sent_bytes: u64,
    /// Bytes read from the network.
    pub received_bytes: u64,
}

/// Rows, by what became of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    /// Sent at least once.
    pub sent: u64,
    /// Acknowledged by the server.
    pub acknowledged: u64,
    /// Of attempts whose answer never came.
    pub unknown: u64,
    /// Found in the database afterwards; absent when it could not be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<u64>,
}

/// Operations, by how they ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    /// Acknowledged whole.
    pub ok: u64,
    /// Ended with an error other than a time-out.
    pub failed: u64,
    /// Ended with a time-out.
    pub timed_out: u64,
    /// Attempts after the first.
    pub retried: u64,
    /// Sessions that died in an operation.
    pub crashed: u64,
}

/// Errors of one kind and code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorEntry {
    /// The class, kebab-case.
    pub kind: String,
    /// The server's own code, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// How often.
    pub count: u64,
    /// The text of the first one.
    pub example: String,
}

/// A session that died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crash {
    /// Name and version of the plugin.
    pub plugin: String,
    /// The call it died in.
    pub call: String,
    /// Why.
    pub reason: String,
    /// The last lines on its stderr; absent when there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}

/// A phase that took place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Which one.
    pub name: String,
    /// How long it took.
    pub seconds: f64,
    /// Rows that it made, wrote or counted; absent where rows do not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
}

/// What the run cost this machine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Client {
    /// Processor time of the process in the measured phase, user and system; absent when that phase was not reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<f64>,
    /// The same for a million acknowledged rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_seconds_per_million_rows: Option<f64>,
    /// The most resident memory that the process ever had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rss_bytes: Option<u64>,
    /// Memory of the batches that were made ahead of the clock; absent when there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_bytes: Option<u64>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dataset {
    /// Name of the dataset.
    pub name: String,
    /// Its settings, defaults included.
    pub settings: BTreeMap<String, String>,
    /// Its seed.
    pub seed: u64,
    /// Rows generated.
    pub rows: u64,
    /// Distinct series.
    pub series: u64,
    /// Names of the tables.
    pub tables: Vec<String>,
    /// Identifies the rows, whatever the target and the batch size; absent when not all were generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Whether batches were made as the run went, because they would not have fitted in the memory budget.
    pub streamed: bool,
}

/// A component that took part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginFacts {
    /// What it did.
    pub role: PluginRole,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of the file, hex.
    pub sha256: String,
}

/// The machine that the load came from. Facts that the system does not tell are absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HostFacts {
    /// Operating system: `linux`.
    pub os: String,
    /// Processor architecture: `x86_64`.
    pub arch: String,
    /// Version of the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Model of the processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_model: Option<String>,
    /// Processors that the process may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_cpus: Option<u32>,
    /// Memory of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}
