//! The plan as the document keeps it. `benchhost-core` validates plans and only writes them; this one can be read back, from a bundle
//! of long ago, without being validated again.

use std::collections::BTreeMap;

use benchhost_core::{Arrival, Existing, Offered, PlanSpec, PluginChoice, Stage};
use serde::{Deserialize, Serialize};

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Identifies the load, not the target: runs with the same hash may be compared.
    pub hash: String,
    /// The database's plugin.
    pub target: Choice,
    /// The dataset's plugin.
    pub dataset: Choice,
    /// The server, without credentials; absent for a target that has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Rows to write in each measured step; absent: as many as the time allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// How long each measured step lasts; absent: until its rows are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<f64>,
    /// Load before the clock starts; 0: none.
    pub warmup_seconds: f64,
    /// When operations start.
    pub offered: OfferedPlan,
    /// Rows of a batch.
    pub batch_rows: u32,
    /// Workers, each with one operation in flight: one measured step for each number.
    pub workers: Vec<u32>,
    /// Connections that the workers share; absent: one each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<u32>,
    /// Threads that the workers run on.
    pub threads: u32,
    /// Whether these threads wait without sleeping.
    pub spin: bool,
    /// Threads that make batches before the clock starts.
    pub generator_threads: u32,
    /// The longest that one request may take.
    pub timeout_seconds: f64,
    /// How often a retryable error is tried again.
    pub retries: u32,
    /// Failed operations after which the run is given up.
    pub max_errors: u64,
    /// Operations that may be due and not started; beyond it the run is given up.
    pub max_queue: u64,
    /// Length of an interval of the series.
    pub interval_seconds: f64,
    /// For how long the same load was to be tried without a server afterwards; 0: not at all.
    pub headroom_seconds: f64,
    /// What the result must keep to.
    pub objectives: Vec<String>,
    /// Crashed sessions after which the run is given up.
    pub max_crashes: u64,
    /// Bytes of batches above which they are made as the run goes.
    pub memory_budget_bytes: u64,
    /// What to do with rows that are there already: `refuse`, `drop` or `append`.
    pub existing: String,
    /// How long to wait until what was acknowledged is visible to a reader.
    pub verify_timeout_seconds: f64,
    /// The dataset's seed.
    pub seed: u64,
    /// The user's own words about the run.
    pub tags: BTreeMap<String, String>,
}

/// When operations start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "loop")]
pub enum OfferedPlan {
    /// Each worker starts the next operation when the last has ended.
    Closed,
    /// Operations start when they are due, whatever became of those before.
    Open {
        /// The offered rate over time.
        profile: ProfilePlan,
        /// How arrivals are spaced: `uniform` or `poisson`.
        arrival: String,
    },
    /// The highest rate that the server sustains is searched for.
    Search {
        /// How arrivals are spaced: `uniform` or `poisson`.
        arrival: String,
        /// How long a rate is tried.
        probe_seconds: f64,
        /// The first rate, in operations per second; absent: a quarter of what a closed loop reaches.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        start_per_s: Option<f64>,
    },
}

/// The offered rate over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfilePlan {
    /// One after the other.
    pub stages: Vec<StagePlan>,
}

/// A piece of a profile: the rate goes in a straight line.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StagePlan {
    /// How long it lasts.
    pub seconds: f64,
    /// Operations per second at its start.
    pub from_per_s: f64,
    /// Operations per second at its end.
    pub to_per_s: f64,
}

/// A plugin as the plan names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of the component, hex.
    pub sha256: String,
    /// Name to value, defaults included, secrets masked.
    pub settings: BTreeMap<String, String>,
}

impl From<&benchhost_core::Plan> for Plan {
    fn from(plan: &benchhost_core::Plan) -> Self {
        // Taken apart by name, so that a new part of the plan does not compile until it is kept here too.
        let PlanSpec {
            target,
            dataset,
            endpoint,
            rows,
            duration,
            warmup,
            offered,
            batch_rows,
            workers,
            connections,
            threads,
            spin,
            generator_threads,
            timeout,
            retries,
            max_errors,
            max_queue,
            interval,
            headroom,
            objectives,
            max_crashes,
            memory_budget_bytes,
            existing,
            verify_timeout,
            seed,
            tags,
        } = plan.spec().clone();
        Self {
            hash: plan.hash().to_owned(),
            target: target.into(),
            dataset: dataset.into(),
            endpoint,
            rows,
            duration_seconds: duration.map(|duration| duration.as_secs_f64()),
            warmup_seconds: warmup.as_secs_f64(),
            offered: offered.into(),
            batch_rows,
            workers,
            connections,
            threads,
            spin,
            generator_threads,
            timeout_seconds: timeout.as_secs_f64(),
            retries,
            max_errors,
            max_queue,
            interval_seconds: interval.as_secs_f64(),
            headroom_seconds: headroom.as_secs_f64(),
            objectives: objectives.iter().map(ToString::to_string).collect(),
            max_crashes,
            memory_budget_bytes,
            existing: existing_word(existing).to_owned(),
            verify_timeout_seconds: verify_timeout.as_secs_f64(),
            seed,
            tags,
        }
    }
}

impl From<Offered> for OfferedPlan {
    fn from(offered: Offered) -> Self {
        match offered {
            Offered::Closed => Self::Closed,
            Offered::Open { profile, arrival } => Self::Open {
                profile: ProfilePlan { stages: profile.stages().iter().map(StagePlan::from).collect() },
                arrival: arrival_word(arrival).to_owned(),
            },
            Offered::Search { arrival, probe, start_per_s } => Self::Search {
                arrival: arrival_word(arrival).to_owned(),
                probe_seconds: probe.as_secs_f64(),
                start_per_s,
            },
        }
    }
}

impl From<&Stage> for StagePlan {
    fn from(stage: &Stage) -> Self {
        let Stage { length, from_per_s, to_per_s } = *stage;
        Self { seconds: length.as_secs_f64(), from_per_s, to_per_s }
    }
}

fn arrival_word(arrival: Arrival) -> &'static str {
    match arrival {
        Arrival::Uniform => "uniform",
        Arrival::Poisson => "poisson",
    }
}

impl From<PluginChoice> for Choice {
    fn from(choice: PluginChoice) -> Self {
        let PluginChoice { name, version, sha256, settings } = choice;
        Self { name, version, sha256, settings }
    }
}

fn existing_word(existing: Existing) -> &'static str {
    match existing {
        Existing::Refuse => "refuse",
        Existing::Drop => "drop",
        Existing::Append => "append",
    }
}
