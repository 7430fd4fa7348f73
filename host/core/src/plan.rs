//! What a run is: everything that was asked for, validated before anything connects.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::schedule::{Arrival, Profile, Share};
use crate::slo::Objective;

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

/// Why a plan cannot be run. Each message names the flag to change.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
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
    /// Neither rows nor a time.
    #[error("neither --rows nor --duration is given: say how much to write, or for how long")]
    Endless,
    /// A schedule and a ladder of workers.
    #[error(
        "--rate (or --stage) goes with one number of --workers: a schedule offers the same load whatever their number; \
         leave out the rate to climb a ladder"
    )]
    LadderWithRate,
    /// A search that is told how much to write.
    #[error(
        "{flag} does not go with --find-max, which decides itself how much to write; leave it out, and say with --probe for how long to \
         try each rate"
    )]
    SearchWithAmount {
        /// The flag, as typed.
        flag: &'static str,
    },
    /// A search and a ladder of workers.
    #[error(
        "--find-max goes with one number of --workers: what is found depends on it; search once for each number, or leave out --find-max \
         to climb a ladder"
    )]
    LadderWithSearch,
    /// A warm-up that leaves nothing to measure.
    #[error("--warmup is longer than --duration: nothing typical would be left to measure; give a shorter warm-up")]
    LongWarmup,
    /// An objective that names a clock which a closed loop has not.
    #[error("--slo {0}: a closed loop has no such clock; give --rate, or name the service time")]
    NoSuchClock(String),
    /// A time and stages that have another.
    #[error(
        "--duration {duration:?} goes with one --rate: the stages of --stage say themselves how long they last, {stages:?} in all; leave \
         out --duration"
    )]
    DurationWithStages {
        /// The time asked for.
        duration: Duration,
        /// The time that the stages take.
        stages: Duration,
    },
    /// A time that is too short to be measured in.
    #[error("{flag} is {given:?}: at least {least:?} are needed for figures that mean something")]
    TooShort {
        /// The flag, as typed.
        flag: &'static str,
        /// What was given.
        given: Duration,
        /// The least.
        least: Duration,
    },
    /// A rate that is not a positive number.
    #[error("--rate is {0}: give more than 0, such as 50krows or 200op")]
    Rate(f64),
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

/// The intervals of a probe of a search, at least.
const PROBE_INTERVALS: u32 = 6;
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

/// The parts of a load that must agree with each other.
fn check_load(spec: &PlanSpec) -> Result<(), PlanError> {
    if let Offered::Search { probe, start_per_s, .. } = spec.offered {
        return check_search(spec, probe, start_per_s);
    }
    // A schedule has an end of its own.
    if spec.offered == Offered::Closed && spec.rows.is_none() && spec.duration.is_none() {
        return Err(PlanError::Endless);
    }
    if spec.duration.is_some_and(|duration| spec.warmup > duration) {
        return Err(PlanError::LongWarmup);
    }
    match &spec.offered {
        Offered::Closed => match spec.objectives.iter().find(|objective| objective.needs_schedule()) {
            Some(objective) => Err(PlanError::NoSuchClock(objective.to_string())),
            None => Ok(()),
        },
        Offered::Open { profile, .. } => {
            let rates = profile.stages().iter().flat_map(|stage| [stage.from_per_s, stage.to_per_s]);
            if let Some(rate) = rates.into_iter().find(|rate| !rate.is_finite() || *rate < 0.0) {
                return Err(PlanError::Rate(rate));
            }
            if profile.operations() <= 0.0 {
                return Err(PlanError::Rate(0.0));
            }
            let stages = profile.length();
            if let Some(duration) = spec.duration.filter(|duration| *duration != stages) {
                return Err(PlanError::DurationWithStages { duration, stages });
            }
            if spec.workers.len() > 1 { Err(PlanError::LadderWithRate) } else { Ok(()) }
        }
        Offered::Search { .. } => Ok(()),
    }
}

/// The parts of a load that a search decides, and those that it does not.
fn check_search(spec: &PlanSpec, probe: Duration, start_per_s: Option<f64>) -> Result<(), PlanError> {
    for (flag, given) in [("--rows", spec.rows.is_some()), ("--duration", spec.duration.is_some())] {
        if given {
            return Err(PlanError::SearchWithAmount { flag });
        }
    }
    // An interval shorter than a nanosecond would be none.
    if (probe / PROBE_INTERVALS).is_zero() {
        return Err(PlanError::Zero { flag: "--probe" });
    }
    if let Some(rate) = start_per_s.filter(|rate| !rate.is_finite() || *rate <= 0.0) {
        return Err(PlanError::Rate(rate));
    }
    if spec.workers.len() > 1 { Err(PlanError::LadderWithSearch) } else { Ok(()) }
}

fn at_least_one(flag: &'static str, given: u64) -> Result<(), PlanError> {
    if given == 0 { Err(PlanError::Zero { flag }) } else { Ok(()) }
}

fn at_least(flag: &'static str, given: Duration, least: Duration) -> Result<(), PlanError> {
    if given < least { Err(PlanError::TooShort { flag, given, least }) } else { Ok(()) }
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
            rows: Some(1000),
            duration: None,
            warmup: Duration::ZERO,
            offered: Offered::Closed,
            batch_rows: 10,
            workers: vec![4],
            connections: None,
            threads: 2,
            spin: false,
            generator_threads: 2,
            timeout: Duration::from_secs(30),
            retries: 3,
            max_errors: 10,
            max_queue: 1_000_000,
            interval: Duration::from_secs(1),
            headroom: Duration::ZERO,
            objectives: Vec::new(),
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
        assert!(error(|s| s.rows = Some(0)).starts_with("--rows is 0"));
        assert!(error(|s| s.workers = vec![0]).starts_with("--workers is 0"));
        assert!(error(|s| s.workers = vec![1, MAX_WORKERS + 1]).contains("at most 10000"));
        assert!(error(|s| s.connections = Some(9)).contains("--connections 9 is more than --workers 4"));
        assert!(error(|s| s.timeout = Duration::ZERO).starts_with("--timeout is 0"));
        assert!(error(|s| s.rows = None).contains("neither --rows nor --duration"));
        let rate = |per_s| Offered::Open {
            profile: Profile::new(vec![crate::schedule::Stage::constant(Duration::from_secs(1), per_s)]),
            arrival: Arrival::Uniform,
        };
        assert!(error(|s| s.offered = rate(0.0)).starts_with("--rate is 0"));
        assert!(error(|s| s.offered = rate(-1.0)).starts_with("--rate is -1"));
        assert!(error(|s| (s.offered, s.workers) = (rate(1.0), vec![1, 2])).contains("climb a ladder"));
        let second = Duration::from_secs(1);
        let stages = error(|s| (s.offered, s.duration) = (rate(1.0), Some(second * 2)));
        assert!(stages.starts_with("--duration 2s goes with one --rate"), "{stages}");
        assert_eq!(error(|s| (s.offered, s.duration) = (rate(1.0), Some(second))), "");
        assert!(error(|s| s.interval = second / 11).contains("at least 100ms"));
        assert_eq!(error(|s| s.interval = second / 10), "");
        assert!(error(|s| (s.duration, s.warmup) = (Some(second), second * 2)).contains("--warmup is longer"));
        assert!(error(|s| s.objectives = vec!["lag.p99<1ms".parse().unwrap()]).contains("no such clock"));
    }

    /// Makes a plan search.
    pub(crate) fn search(spec: &mut PlanSpec, probe: Duration, start_per_s: Option<f64>) {
        (spec.rows, spec.offered) = (None, Offered::Search { arrival: Arrival::Uniform, probe, start_per_s });
    }

    #[test]
    fn a_search_decides_itself_how_much_to_write() {
        let second = Duration::from_secs(1);
        let wrong = |change: fn(&mut PlanSpec)| {
            error(|s| {
                search(s, Duration::from_secs(6), None);
                change(s);
            })
        };
        assert_eq!(wrong(|_| ()), "");
        assert!(wrong(|s| s.rows = Some(1)).starts_with("--rows does not go with --find-max"));
        assert!(
            wrong(|s| s.duration = Some(Duration::from_secs(1))).starts_with("--duration does not go with --find-max")
        );
        assert!(wrong(|s| s.workers = vec![1, 2]).contains("--find-max goes with one number of --workers"));
        assert!(error(|s| search(s, Duration::ZERO, None)).starts_with("--probe is 0"));
        assert!(error(|s| search(s, second / 2, None)).starts_with("--probe is 500ms: at least 600ms"));
        assert_eq!(error(|s| search(s, second * 6 / 10, None)), "");
        for rate in [0.0, -1.0, f64::NAN] {
            assert!(error(|s| search(s, second, Some(rate))).starts_with("--rate is "), "{rate}");
        }
        let interval = |given: Duration| {
            let mut spec = spec();
            (spec.interval, spec.warmup) = (given, second * 60);
            search(&mut spec, second * 3, None);
            Plan::new(spec).unwrap().interval
        };
        assert_eq!(interval(second), second / 2);
        assert_eq!(interval(second / 10), second / 10);
    }

    #[test]
    fn objectives_are_a_part_of_the_load_only_where_they_decide_what_is_offered() {
        let hash = |searching: bool, objective: &str| {
            let mut spec = spec();
            spec.objectives = vec![objective.parse().unwrap()];
            if searching {
                search(&mut spec, Duration::from_secs(6), None);
            }
            Plan::new(spec).unwrap().hash().to_owned()
        };
        assert_eq!(hash(false, "p99<50ms"), hash(false, "p99<60ms"));
        assert_ne!(hash(true, "p99<50ms"), hash(true, "p99<60ms"));
    }

    #[test]
    fn workers_that_share_a_connection_share_a_thread() {
        for (workers, connections, threads) in [(16, Some(3), 2), (7, Some(7), 4), (9, Some(1), 8), (10, None, 3)] {
            let plan = Plan::new(PlanSpec { workers: vec![workers], connections, threads, ..spec() }).unwrap();
            let shared = connections.unwrap_or(workers);
            let mut dealt: Vec<u32> = (0..plan.threads).flat_map(|thread| plan.share(thread, workers).own).collect();
            dealt.sort_unstable();
            assert_eq!(dealt, (0..workers).collect::<Vec<_>>(), "every worker is in one share");
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
        assert_ne!(base.hash(), other(|s| s.workers = vec![5]));
        assert_eq!(base.hash().len(), 16);
    }
}
