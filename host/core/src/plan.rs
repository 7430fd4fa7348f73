//! What a run is: everything that was asked for, validated before anything connects.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::plan_check::{at_least, at_least_one, at_most, check_load};
pub use crate::plan_error::PlanError;
use crate::schedule::{Arrival, Profile, Share};
use crate::slo::Objective;

/// A plugin as the plan names it. Settings are those that may be shown: secrets are masked before they get here.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct PluginChoice {
    /// The plugin's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of the component, in hex.
    pub sha256: String,
    /// Name to value, defaults included, secrets masked.
    pub settings: BTreeMap<String, String>,
}

/// What to do when the table already holds rows in the dataset's range of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Existing {
    /// Refuse to run.
    Refuse,
    /// Drop the table first.
    Drop,
    /// Write on top; stored rows are counted as the difference.
    Append,
}

/// The parts of a plan, before validation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanSpec {
    /// The database's plugin.
    pub target: PluginChoice,
    /// The dataset's plugin.
    pub dataset: PluginChoice,
    /// The server, without credentials; none for a target that has none.
    pub endpoint: Option<String>,
    /// Rows to write in each measured step; none: as many as the time allows.
    pub rows: Option<u64>,
    /// How long each measured step lasts; none: until its rows are written.
    #[serde(
        serialize_with = "as_optional_seconds",
        rename = "duration_seconds",
        skip_serializing_if = "Option::is_none"
    )]
    pub duration: Option<Duration>,
    /// Load before the clock starts, recorded apart; zero: none.
    #[serde(serialize_with = "as_seconds", rename = "warmup_seconds")]
    pub warmup: Duration,
    /// When operations start.
    pub offered: Offered,
    /// Rows of a batch; the last one may be smaller.
    pub batch_rows: u32,
    /// Workers, each with one operation in flight: one measured step for each number.
    pub workers: Vec<u32>,
    /// Connections that the workers share; none: one each.
    pub connections: Option<u32>,
    /// Operating-system threads that the workers run on; no more than there are workers or shared connections.
    pub threads: u32,
    /// Whether these threads wait without sleeping: they see an answer at once, and take a whole processor each.
    pub spin: bool,
    /// Threads that make batches before the clock starts. They do not change the rows.
    pub generator_threads: u32,
    /// The longest that one request may take.
    #[serde(serialize_with = "as_seconds", rename = "timeout_seconds")]
    pub timeout: Duration,
    /// How often a retryable error is tried again before the operation has failed.
    pub retries: u32,
    /// Failed operations after which the run is given up.
    pub max_errors: u64,
    /// Operations that may be due and not started; beyond it the run is given up. Only a schedule has a queue.
    pub max_queue: u64,
    /// Length of an interval of the series; 100 ms at least.
    #[serde(serialize_with = "as_seconds", rename = "interval_seconds")]
    pub interval: Duration,
    /// For how long the same load is tried without a server afterwards, to learn what the client alone could do; zero: not at all.
    #[serde(serialize_with = "as_seconds", rename = "headroom_seconds")]
    pub headroom: Duration,
    /// What the result must keep to.
    pub objectives: Vec<Objective>,
    /// Crashed sessions after which the run is given up.
    pub max_crashes: u64,
    /// Batches are made before the clock starts if they fit in this many bytes; otherwise as the run goes.
    pub memory_budget_bytes: u64,
    /// What to do with rows that are there already.
    pub existing: Existing,
    /// How long to wait until what was acknowledged is visible to a reader.
    #[serde(serialize_with = "as_seconds", rename = "verify_timeout_seconds")]
    pub verify_timeout: Duration,
    /// The dataset's seed.
    pub seed: u64,
    /// The user's own words about the run.
    pub tags: BTreeMap<String, String>,
}

impl Default for PlanSpec {
    /// The strictest and plainest load, to be filled in: one worker in a closed loop, nothing retried, not one failure tolerated. It does
    /// not say how much is written, so it is no plan yet.
    fn default() -> Self {
        Self {
            target: PluginChoice::default(),
            dataset: PluginChoice::default(),
            endpoint: None,
            rows: None,
            duration: None,
            warmup: Duration::ZERO,
            offered: Offered::Closed,
            batch_rows: 1,
            workers: vec![1],
            connections: None,
            threads: 1,
            spin: false,
            generator_threads: 1,
            timeout: Duration::from_secs(30),
            retries: 0,
            max_errors: 0,
            max_queue: 0,
            interval: Duration::from_secs(1),
            headroom: Duration::ZERO,
            objectives: Vec::new(),
            max_crashes: 0,
            memory_budget_bytes: 1 << 30,
            existing: Existing::Refuse,
            verify_timeout: Duration::ZERO,
            seed: 42,
            tags: BTreeMap::new(),
        }
    }
}

/// When operations start.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "loop")]
pub enum Offered {
    /// Each worker starts the next operation when the last has ended.
    Closed,
    /// Operations start when they are due, whatever became of those before.
    Open {
        /// The offered rate over time.
        profile: Profile,
        /// How arrivals are spaced.
        arrival: Arrival,
    },
    /// The highest rate that the server sustains is searched for: an open loop at one constant rate after the other. A rate is
    /// sustained when the plan's objectives hold, nearly all operations are achieved when they are due, and lag does not grow; without
    /// objectives the other two decide.
    Search {
        /// How arrivals are spaced.
        arrival: Arrival,
        /// How long a rate is tried, 600 ms at least; longer where the objectives need more operations than that.
        #[serde(serialize_with = "as_seconds", rename = "probe_seconds")]
        probe: Duration,
        /// The first rate, in operations per second; none: a quarter of what a closed loop reaches.
        #[serde(skip_serializing_if = "Option::is_none")]
        start_per_s: Option<f64>,
    },
}

pub(crate) fn as_seconds<S: serde::Serializer>(value: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(value.as_secs_f64())
}

fn as_optional_seconds<S: serde::Serializer>(value: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    value.map(|value| value.as_secs_f64()).serialize(serializer)
}

/// The most workers that a run may have: each holds an instance and, by default, a connection.
pub const MAX_WORKERS: u32 = 10_000;
/// The most rows in one batch.
pub const MAX_BATCH_ROWS: u32 = 10_000_000;
/// The most times that an operation is tried again.
pub const MAX_RETRIES: u32 = 1_000;

/// The intervals of a probe of a search, at least.
pub(crate) const PROBE_INTERVALS: u32 = 6;
/// The shortest interval: recordings are put together that often, on a processor that the load needs too, and fewer operations than end
/// in this time make no series.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(100);

/// A validated [`PlanSpec`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    #[serde(flatten)]
    spec: PlanSpec,
    hash: String,
}

impl Plan {
    /// Checks every part against every other.
    ///
    /// # Errors
    ///
    /// The first contradiction found.
    pub fn new(spec: PlanSpec) -> Result<Self, PlanError> {
        at_least("--interval", spec.interval, SHORTEST_INTERVAL)?;
        if let Offered::Search { probe, .. } = spec.offered {
            at_least("--probe", probe, SHORTEST_INTERVAL * PROBE_INTERVALS)?;
        }
        Self::with_any_interval(spec)
    }

    /// [`Plan::new`] without the bounds that a real clock needs.
    ///
    /// # Errors
    ///
    /// The first contradiction found.
    pub(crate) fn with_any_interval(mut spec: PlanSpec) -> Result<Self, PlanError> {
        if let Some(rows) = spec.rows {
            at_least_one("--rows", rows)?;
        }
        at_least_one("--batch-rows", spec.batch_rows.into())?;
        at_most("--batch-rows", spec.batch_rows.into(), MAX_BATCH_ROWS.into())?;
        at_least_one("--workers", spec.workers.iter().copied().min().unwrap_or(0).into())?;
        at_least_one("--threads", spec.threads.into())?;
        at_most("--retries", spec.retries.into(), MAX_RETRIES.into())?;
        spec.generator_threads = spec.generator_threads.max(1);
        let most = spec.workers.iter().copied().max().unwrap_or(0);
        at_most("--workers", most.into(), MAX_WORKERS.into())?;
        for (flag, time) in
            [("--timeout", Some(spec.timeout)), ("--interval", Some(spec.interval)), ("--duration", spec.duration)]
        {
            if time.is_some_and(|time| time.is_zero()) {
                return Err(PlanError::Zero { flag });
            }
        }
        check_load(&spec)?;
        if let Offered::Search { probe, .. } = spec.offered {
            // Whether lag grows is seen by comparing intervals of a probe.
            spec.interval = spec.interval.min(probe / PROBE_INTERVALS);
        }
        if let Some(connections) = spec.connections {
            at_least_one("--connections", connections.into())?;
            if connections > most {
                return Err(PlanError::IdleConnections { connections, workers: most });
            }
        }
        spec.threads = spec.threads.min(most).min(spec.connections.unwrap_or(u32::MAX));
        let hash = hash(&spec);
        Ok(Self { spec, hash })
    }

    /// The thread that a worker runs on. Workers that share a connection share a thread: a connection is served by the event loop
    /// that it was made on, and only while that loop runs.
    #[must_use]
    pub fn thread_of(&self, worker: u32) -> u32 {
        worker % self.spec.connections.unwrap_or(u32::MAX) % self.spec.threads
    }

    /// The part of the first `workers` workers that thread number `thread` runs.
    pub(crate) fn share(&self, thread: u32, workers: u32) -> Share {
        Share::new(thread, workers, (0..workers).filter(|worker| self.thread_of(*worker) == thread).collect())
    }

    /// The most workers of any step.
    #[must_use]
    pub fn max_workers(&self) -> u32 {
        self.spec.workers.iter().copied().max().unwrap_or(1)
    }

    /// The parts.
    #[must_use]
    pub fn spec(&self) -> &PlanSpec {
        &self.spec
    }

    /// Identifies the load, not the target: two runs with the same hash asked for the same work under the same rules, so their
    /// results may be compared. 16 hex digits.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

impl std::ops::Deref for Plan {
    type Target = PlanSpec;

    fn deref(&self) -> &PlanSpec {
        &self.spec
    }
}

/// What makes two runs comparable: the rows, and how they are offered. The plugins' versions are left out on purpose: they are what
/// a comparison is about.
fn hash(spec: &PlanSpec) -> String {
    let mut sha = Sha256::new();
    let mut part = |name: &str, value: &str| {
        sha.update((name.len() as u64).to_le_bytes());
        sha.update(name);
        sha.update((value.len() as u64).to_le_bytes());
        sha.update(value);
    };
    part("dataset", &spec.dataset.name);
    for (name, value) in &spec.dataset.settings {
        part(name, value);
    }
    part("seed", &spec.seed.to_string());
    part("rows", &format!("{:?}", spec.rows));
    part("duration", &format!("{:?}", spec.duration));
    part("warmup", &format!("{:?}", spec.warmup));
    part("offered", &format!("{:?}", spec.offered));
    if matches!(spec.offered, Offered::Search { .. }) {
        // Elsewhere objectives only judge; here they decide what is offered.
        part("objectives", &spec.objectives.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
    }
    part("batch_rows", &spec.batch_rows.to_string());
    part("workers", &format!("{:?}", spec.workers));
    part("connections", &spec.connections.map_or_else(|| "own".into(), |n| n.to_string()));
    part("threads", &spec.threads.to_string());
    part("spin", &spec.spin.to_string());
    part("timeout", &spec.timeout.as_nanos().to_string());
    part("retries", &spec.retries.to_string());
    sha.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
#[path = "plan_tests.rs"]
pub(crate) mod tests;
