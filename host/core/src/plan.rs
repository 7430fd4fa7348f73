//! What a run is: everything that was asked for, validated before anything connects.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use sha2::{Digest, Sha256};

/// A plugin as the plan names it. Settings are those that may be shown: secrets are masked before they get here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanSpec {
    /// The database's plugin.
    pub target: PluginChoice,
    /// The dataset's plugin.
    pub dataset: PluginChoice,
    /// The server, without credentials; none for a target that has none.
    pub endpoint: Option<String>,
    /// Rows to write.
    pub rows: u64,
    /// Rows of a batch; the last one may be smaller.
    pub batch_rows: u32,
    /// Workers, each with one operation in flight.
    pub workers: u32,
    /// Connections that the workers share; none: one each.
    pub connections: Option<u32>,
    /// Operating-system threads that the workers run on; no more than there are workers or shared connections.
    pub threads: u32,
    /// Threads that make batches before the clock starts. They do not change the rows.
    pub generator_threads: u32,
    /// The longest that one request may take.
    #[serde(serialize_with = "as_seconds", rename = "timeout_seconds")]
    pub timeout: Duration,
    /// How often a retryable error is tried again before the operation has failed.
    pub retries: u32,
    /// Failed operations after which the run is given up.
    pub max_errors: u64,
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

fn as_seconds<S: serde::Serializer>(value: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(value.as_secs_f64())
}

/// Why a plan cannot be run. Each message names the flag to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A count that must be at least one.
    #[error("{flag} is 0: nothing would run; give at least 1")]
    Zero {
        /// The flag, as typed.
        flag: &'static str,
    },
    /// A count over its ceiling.
    #[error("{flag} is {given}: at most {most} are supported")]
    TooMany {
        /// The flag, as typed.
        flag: &'static str,
        /// What was given.
        given: u64,
        /// The ceiling.
        most: u64,
    },
    /// More shared connections than workers.
    #[error(
        "--connections {connections} is more than --workers {workers}: the rest would idle; give at most {workers}"
    )]
    IdleConnections {
        /// Connections asked for.
        connections: u32,
        /// Workers asked for.
        workers: u32,
    },
    /// The dataset ends before the rows asked for.
    #[error("--rows {asked} is more than the dataset has: {available} rows with these settings")]
    DatasetTooShort {
        /// Rows asked for.
        asked: u64,
        /// Rows that there are.
        available: u64,
    },
}

/// The most workers that a run may have: each holds an instance and, by default, a connection.
pub const MAX_WORKERS: u32 = 10_000;
/// The most rows in one batch.
pub const MAX_BATCH_ROWS: u32 = 10_000_000;
/// The most times that an operation is tried again.
pub const MAX_RETRIES: u32 = 1_000;

/// A validated [`PlanSpec`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    pub fn new(mut spec: PlanSpec) -> Result<Self, PlanError> {
        at_least_one("--rows", spec.rows)?;
        at_least_one("--batch-rows", spec.batch_rows.into())?;
        at_least_one("--workers", spec.workers.into())?;
        at_least_one("--threads", spec.threads.into())?;
        spec.generator_threads = spec.generator_threads.max(1);
        at_most("--batch-rows", spec.batch_rows.into(), MAX_BATCH_ROWS.into())?;
        at_most("--workers", spec.workers.into(), MAX_WORKERS.into())?;
        at_most("--retries", spec.retries.into(), MAX_RETRIES.into())?;
        if spec.timeout.is_zero() {
            return Err(PlanError::Zero { flag: "--timeout" });
        }
        if let Some(connections) = spec.connections {
            at_least_one("--connections", connections.into())?;
            if connections > spec.workers {
                return Err(PlanError::IdleConnections { connections, workers: spec.workers });
            }
        }
        spec.threads = spec.threads.min(spec.workers).min(spec.connections.unwrap_or(u32::MAX));
        let hash = hash(&spec);
        Ok(Self { spec, hash })
    }

    /// The thread that a worker runs on. Workers that share a connection share a thread: a connection is served by the event loop
    /// that it was made on, and only while that loop runs.
    #[must_use]
    pub fn thread_of(&self, worker: u32) -> u32 {
        worker % self.spec.connections.unwrap_or(u32::MAX) % self.spec.threads
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

fn at_least_one(flag: &'static str, given: u64) -> Result<(), PlanError> {
    if given == 0 { Err(PlanError::Zero { flag }) } else { Ok(()) }
}

fn at_most(flag: &'static str, given: u64, most: u64) -> Result<(), PlanError> {
    if given > most { Err(PlanError::TooMany { flag, given, most }) } else { Ok(()) }
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
    part("rows", &spec.rows.to_string());
    part("batch_rows", &spec.batch_rows.to_string());
    part("workers", &spec.workers.to_string());
    part("connections", &spec.connections.map_or_else(|| "own".into(), |n| n.to_string()));
    part("threads", &spec.threads.to_string());
    part("timeout", &spec.timeout.as_nanos().to_string());
    part("retries", &spec.retries.to_string());
    sha.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A plan that is valid as it stands.
    pub(crate) fn spec() -> PlanSpec {
        let plugin = |name: &str| PluginChoice {
            name: name.into(),
            version: "1.0.0".into(),
            sha256: String::new(),
            settings: BTreeMap::new(),
        };
        PlanSpec {
            target: plugin("fake"),
            dataset: plugin("fake-rows"),
            endpoint: None,
            rows: 1000,
            batch_rows: 10,
            workers: 4,
            connections: None,
            threads: 2,
            generator_threads: 2,
            timeout: Duration::from_secs(30),
            retries: 3,
            max_errors: 10,
            max_crashes: 10,
            memory_budget_bytes: 1 << 30,
            existing: Existing::Refuse,
            verify_timeout: Duration::from_secs(5),
            seed: 42,
            tags: BTreeMap::new(),
        }
    }

    fn error(change: impl FnOnce(&mut PlanSpec)) -> String {
        let mut spec = spec();
        change(&mut spec);
        Plan::new(spec).err().map(|e| e.to_string()).unwrap_or_default()
    }

    #[test]
    fn contradictions_name_the_flag() {
        assert!(error(|s| s.rows = 0).starts_with("--rows is 0"));
        assert!(error(|s| s.workers = 0).starts_with("--workers is 0"));
        assert!(error(|s| s.workers = MAX_WORKERS + 1).contains("at most 10000"));
        assert!(error(|s| s.connections = Some(9)).contains("--connections 9 is more than --workers 4"));
        assert!(error(|s| s.timeout = Duration::ZERO).starts_with("--timeout is 0"));
    }

    #[test]
    fn workers_that_share_a_connection_share_a_thread() {
        for (workers, connections, threads) in [(16, Some(3), 2), (7, Some(7), 4), (9, Some(1), 8), (10, None, 3)] {
            let plan = Plan::new(PlanSpec { workers, connections, threads, ..spec() }).unwrap();
            let shared = connections.unwrap_or(workers);
            for worker in 0..workers {
                assert!(plan.thread_of(worker) < plan.threads);
                assert_eq!(plan.thread_of(worker), plan.thread_of(worker % shared));
            }
            assert!(
                (0..plan.threads).all(|thread| (0..workers).any(|w| plan.thread_of(w) == thread)),
                "no idle thread"
            );
        }
    }

    #[test]
    fn the_hash_is_of_the_load_and_not_of_the_target() {
        let base = Plan::new(spec()).unwrap();
        let other = |change: fn(&mut PlanSpec)| {
            let mut spec = spec();
            change(&mut spec);
            Plan::new(spec).unwrap().hash().to_owned()
        };
        assert_eq!(base.hash(), other(|s| s.target.name = "another".into()));
        assert_eq!(base.hash(), other(|s| s.endpoint = Some("http://localhost:1".into())));
        assert_ne!(base.hash(), other(|s| s.seed = 43));
        assert_ne!(base.hash(), other(|s| s.batch_rows = 11));
        assert_ne!(base.hash(), other(|s| s.workers = 5));
        assert_eq!(base.hash().len(), 16);
    }
}
