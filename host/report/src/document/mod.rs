//! `run.json`: the result of a run as scripts read it. Names are snake_case with their units, and are never renamed within a
//! [`SCHEMA_VERSION`]; what was not measured is absent, never 0. The schema beside this crate says the same to machines.

mod facts;
mod figures;
mod from_recording;
mod from_result;
pub(crate) mod kinds;
mod part;
mod plan;
mod running;
mod search;
mod step;
mod trouble;
mod usage;
mod verdict;
mod words;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use facts::{Client, Dataset, HostFacts, Network, Phase, PluginFacts};
pub use figures::{ByOperation, Counts, Figures, Operations, Rows, Throughput};
pub use part::Part;
pub use plan::{Choice, OfferedPlan, Plan, ProfilePlan, StagePlan};
pub use search::{BoundWord, ProbeFigures, SearchFigures};
pub use step::{Cost, ScheduleFigures, StepFigures};
pub use trouble::{Crash, ErrorEntry};
pub use usage::{ServerSampleEntry, ServerUsageFigures};
pub use verdict::{ObjectiveEntry, Reason, Verdict};
pub use words::{Ended, KeptWord, PluginRole};

pub(crate) use from_recording::{client_share_percent, in_flight};
pub(crate) use from_result::{objective, rfc3339};
pub(crate) use running::{Known, Totals, unfinished};
pub(crate) use step::{headline, slowest};

/// The only operation that there is so far.
pub(crate) const WRITE: &str = "write";

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
    pub ended: Ended,
    /// Set when the run did not do all that the plan asks for.
    #[serde(default, skip_serializing_if = "is_false")]
    pub partial: bool,
    /// Whether to believe the figures.
    pub verdict: Verdict,
    /// The plan's objectives, and whether they were kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objectives: Vec<ObjectiveEntry>,
    /// What was asked for.
    pub plan: Plan,
    /// Work per second of the headline step; absent when nothing was acknowledged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput: Option<Throughput>,
    /// Durations of the headline step, by clock (`service`; with a schedule `response` and `lag`; and `failed` and `timed_out` if there
    /// are any) and operation (`write`).
    pub latency: ByOperation,
    /// Where the time of acknowledged operations of the headline step went, by span (`encode`, `wait`, `plugin`) and operation.
    pub spans: ByOperation,
    /// Load before the clock started; its work is in `counts` and in no other figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warmup: Option<StepFigures>,
    /// The measured steps.
    pub steps: Vec<StepFigures>,
    /// The highest rate that the server sustains, and the probes that it was found by; absent when nobody asked for it, and while the run
    /// goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchFigures>,
    /// Index of the step that `throughput`, `latency`, `spans` and `client` are of: the fastest; in a search, of the windows that
    /// confirmed the rate the one with the longest response times. Absent when there is no such step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline_step: Option<usize>,
    /// What became of the work of the whole run, the warm-up included.
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
    /// What the same plan reached with a server that costs nothing, as a multiple of what it reached here; absent when not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headroom: Option<f64>,
    /// What was written.
    pub dataset: Dataset,
    /// The target's facts about the server, name to value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub server: BTreeMap<String, String>,
    /// True when no server was named: the embedded reference server was written to, which is no database to compare with.
    #[serde(default, skip_serializing_if = "is_false")]
    pub embedded_server: bool,
    /// What the server used; absent when it was not observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_usage: Option<ServerUsageFigures>,
    /// The components that took part.
    pub plugins: Vec<PluginFacts>,
    /// This machine.
    pub host: HostFacts,
    /// The bundles that this document was merged from; absent for a run of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

impl Document {
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

    /// The step that the top-level figures are of.
    #[must_use]
    pub fn headline(&self) -> Option<&StepFigures> {
        self.steps.get(self.headline_step?)
    }

    /// Takes the steps in, and the top-level figures from the fastest of them.
    pub(crate) fn take_steps(&mut self, steps: Vec<StepFigures>) {
        self.headline_step = match &self.search {
            Some(search) => slowest(&steps, search.confirming()),
            None => headline(&steps),
        };
        self.steps = steps;
        if let Some(step) = self.headline().cloned() {
            self.throughput = step.throughput;
            self.latency = step.latency;
            self.spans = step.spans;
            self.client.cost = step.client;
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_false(value: &bool) -> bool {
    !value
}
