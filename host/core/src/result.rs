//! What came of a run, as data. Nothing here is formatted; rates are derived from counts in one place.

use std::time::{Duration, SystemTime};

use crate::error::Crash;
use crate::plan::Plan;
use crate::recording::Recording;
use crate::verdict::{Ending, Stored, Verdict};

/// The phases of a run, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseName {
    /// A control session is opened, the table is made.
    Prepare,
    /// Batches are made ahead of the clock.
    Generate,
    /// One session per worker is opened.
    Open,
    /// The clock runs: from the barrier that all workers wait at to the last acknowledgement.
    Measure,
    /// Operations still in flight end: time-outs, cancelled ones.
    Drain,
    /// The database is asked what it holds.
    Verify,
    /// Sessions end.
    Close,
}

impl PhaseName {
    /// The name in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prepare => "prepare",
            Self::Generate => "generate",
            Self::Open => "open",
            Self::Measure => "measure",
            Self::Drain => "drain",
            Self::Verify => "verify",
            Self::Close => "close",
        }
    }
}

/// A phase that took place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phase {
    /// Which one.
    pub name: PhaseName,
    /// How long it took.
    pub time: Duration,
    /// Rows that it made, wrote or counted; 0 where rows do not matter.
    pub rows: u64,
}

/// What a run cost the client, in the measured phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientCost {
    /// Processor time of the whole process, user and system.
    pub cpu: Duration,
    /// The most resident memory that the process ever had; none where the system does not tell.
    pub max_rss_bytes: Option<u64>,
    /// Bytes of the batches that were made ahead of the clock; 0 when they were made as the run went.
    pub batch_bytes: u64,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatasetFacts {
    /// Rows generated.
    pub rows: u64,
    /// Distinct series of the dataset.
    pub series: u64,
    /// Names of the tables.
    pub tables: Vec<String>,
    /// Identifies the rows, whatever the target and the batch size; none when not all rows were generated.
    pub fingerprint: Option<String>,
    /// Whether batches were made as the run went because they would not have fitted in the memory budget.
    pub streamed: bool,
}

/// Work per second of the measured phase; only acknowledged work counts.
#[derive(Debug, Clone, Copy, PartialEq)]
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

/// Everything that a report needs.
#[derive(Debug, Clone)]
pub struct RunResult {
    /// When the run began, by the wall clock.
    pub started_at: SystemTime,
    /// What was asked for.
    pub plan: Plan,
    /// How it ended.
    pub ending: Ending,
    /// Whether to believe it.
    pub verdict: Verdict,
    /// The phases that took place.
    pub phases: Vec<Phase>,
    /// All operations.
    pub recording: Recording,
    /// What the database holds.
    pub stored: Stored,
    /// What the client cost.
    pub client: ClientCost,
    /// The target's facts about the server, name to value.
    pub server: Vec<(String, String)>,
    /// What was written.
    pub dataset: DatasetFacts,
    /// The first session that died.
    pub first_crash: Option<Crash>,
}

impl RunResult {
    /// Length of the measured phase; zero when it was never reached.
    #[must_use]
    pub fn measured(&self) -> Duration {
        self.phases.iter().find(|phase| phase.name == PhaseName::Measure).map_or(Duration::ZERO, |phase| phase.time)
    }

    /// Rates over the measured phase; none when nothing was acknowledged.
    #[must_use]
    pub fn throughput(&self) -> Option<Throughput> {
        let seconds = self.measured().as_secs_f64();
        if seconds <= 0.0 || self.recording.rows.acknowledged == 0 {
            return None;
        }
        let rate = |count: u64| count as f64 / seconds;
        Some(Throughput {
            rows_per_s: rate(self.recording.rows.acknowledged),
            values_per_s: rate(self.recording.volume.values),
            operations_per_s: rate(self.recording.operations.ok),
            raw_bytes_per_s: rate(self.recording.volume.raw_bytes),
            wire_bytes_per_s: rate(self.recording.volume.sent_bytes),
        })
    }

    /// Client processor seconds per million acknowledged rows; none when there are none.
    #[must_use]
    pub fn cpu_seconds_per_million_rows(&self) -> Option<f64> {
        let rows = self.recording.rows.acknowledged;
        (rows > 0).then(|| self.client.cpu.as_secs_f64() / (rows as f64 / 1e6))
    }
}
