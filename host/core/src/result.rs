//! What came of a run, as data. Nothing here is formatted; rates are derived from counts in one place.

use std::time::{Duration, SystemTime};

use crate::counts::{ErrorTable, OperationCounts, RowCounts, Volume};
use crate::error::Crash;
use crate::plan::Plan;
use crate::recording::Recording;
use crate::search::Found;
use crate::segment::{IntervalFigures, SegmentResult, ThreadUse};
use crate::server_usage::ServerUsage;
use crate::slo::{Kept, Objective};
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
    /// Load that is recorded apart, so that caches, connections and the server are in their usual state when the clock starts.
    Warmup,
    /// The clock runs: from the start to the last acknowledgement, or to the end of the time that the step was given.
    Measure,
    /// Operations still in flight end: time-outs, cancelled ones.
    Drain,
    /// The same plan, for a moment, with a server that costs nothing: how much faster the client could have gone.
    Headroom,
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
            Self::Warmup => "warm-up",
            Self::Measure => "measure",
            Self::Drain => "drain",
            Self::Headroom => "headroom",
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

/// What a run cost the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientCost {
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
    /// Identifies the rows, whatever the target and the batch size; none when not all generated rows were sent.
    pub fingerprint: Option<String>,
    /// Whether batches were made as the run went: because they would not have fitted in the memory budget, or because time
    /// decided how many were needed.
    pub streamed: bool,
}

/// Work per second of a step; only acknowledged work counts.
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

/// The schedule of a step, and how it was kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    /// Operations that it wanted.
    pub operations: f64,
    /// Operations per second that it offered; of a schedule that was cut short, until then.
    pub offered_per_s: f64,
    /// Operations per second that were started, in the same time or until the last one was.
    pub achieved_per_s: f64,
    /// The most operations that were due and not started.
    pub max_queue: u64,
    /// Operations that were due and never started.
    pub unsent: u64,
    /// Whether it was given up before its end, because its queue was lost. Only a probe of a search is.
    pub given_up: bool,
}

/// A measured step: one number of workers, one offered load.
#[derive(Debug, Clone)]
pub struct Step {
    /// Workers that took part.
    pub workers: u32,
    /// When it began, on the run's clock.
    pub start: Duration,
    /// None in a closed loop.
    pub schedule: Option<Schedule>,
    /// Its operations.
    pub recording: Recording,
    /// Its series.
    pub intervals: Vec<IntervalFigures>,
    /// From its start to the last acknowledgement; to the end of its time where the server acknowledged nothing more until then.
    pub measured: Duration,
    /// From there until the last worker had no more to do.
    pub drained: Duration,
    /// Processor time of the whole process meanwhile, user and system.
    pub cpu: Duration,
    /// What each load thread used that had a worker to run.
    pub threads: Vec<ThreadUse>,
}

impl Step {
    pub(crate) fn new(workers: u32, result: SegmentResult, start: Duration) -> Self {
        let schedule = result.schedule.map(|(operations, length)| {
            let length = length.as_secs_f64();
            // The schedule is kept when the last operation starts when it is due, whatever its answer takes.
            let last = result.recording.last_sent.map_or(0.0, |sent| sent.saturating_sub(start).as_secs_f64());
            let (offered_per_s, achieved_per_s) = match result.cut {
                // What would have come due after that was neither offered nor missed.
                Some((cut, due)) if due > 0.0 && !cut.is_zero() => {
                    (due / cut.as_secs_f64(), result.started as f64 / cut.as_secs_f64())
                }
                Some(_) => (operations / length, 0.0),
                None => (operations / length, (operations - result.unsent as f64) / length.max(last)),
            };
            Schedule {
                operations,
                offered_per_s,
                achieved_per_s,
                max_queue: result.max_queue,
                unsent: result.unsent,
                given_up: result.given_up,
            }
        });
        Self {
            workers,
            start,
            schedule,
            recording: result.recording,
            intervals: result.intervals,
            measured: result.measured,
            drained: result.drained,
            cpu: result.cpu,
            threads: result.threads,
        }
    }

    /// Rates over the step; none when nothing was acknowledged.
    #[must_use]
    pub fn throughput(&self) -> Option<Throughput> {
        let seconds = self.measured.as_secs_f64();
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
        (rows > 0).then(|| self.cpu.as_secs_f64() / (rows as f64 / 1e6))
    }

    /// The busiest load thread's share of time on a processor, 0 to 1.
    #[must_use]
    pub fn busiest_thread(&self) -> f64 {
        self.threads.iter().map(ThreadUse::busy).fold(0.0, f64::max)
    }

    /// Share of the service time of acknowledged operations that was the client's: encoding and the plugin. None when there are none.
    #[must_use]
    pub fn client_share(&self) -> Option<f64> {
        let recording = &self.recording;
        let service = recording.service.sum();
        (service > 0).then(|| (recording.encode.sum() + recording.plugin.sum()) as f64 / service as f64)
    }
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
    /// Load before the clock started.
    pub warmup: Option<Step>,
    /// The measured steps; never empty.
    pub steps: Vec<Step>,
    /// Rows of the whole run, the warm-up included.
    pub rows: RowCounts,
    /// Operations of the whole run.
    pub operations: OperationCounts,
    /// Work of the whole run.
    pub volume: Volume,
    /// Errors of the whole run.
    pub errors: ErrorTable,
    /// What the database holds.
    pub stored: Stored,
    /// What the same plan reached with a server that costs nothing, as a multiple of what it reached here; none when not tried.
    pub headroom: Option<f64>,
    /// The highest rate that the server sustains; none when nobody asked for it.
    pub search: Option<Found>,
    /// The plan's objectives, and whether every step kept them; in a search, every window that confirmed the rate.
    pub objectives: Vec<(Objective, Kept)>,
    /// What the client cost.
    pub client: ClientCost,
    /// The target's facts about the server, name to value.
    pub server: Vec<(String, String)>,
    /// What the server used; none when it was not observed.
    pub server_usage: Option<ServerUsage>,
    /// What was written.
    pub dataset: DatasetFacts,
    /// The first session that died.
    pub first_crash: Option<Crash>,
}

impl RunResult {
    /// The step that a one-line summary is about: the fastest; in a search, the window with the longest response times of those that
    /// confirmed the rate.
    #[must_use]
    pub fn headline(&self) -> Option<&Step> {
        if let Some(found) = &self.search {
            let slowest = |step: &&Step| step.recording.response.value_at_quantile(0.99);
            return found.confirmed_steps(&self.steps).iter().max_by_key(slowest);
        }
        self.steps.get(fastest(&self.steps)?)
    }
}

/// Index of the step with the highest throughput in rows, the first of equals; none without steps.
pub(crate) fn fastest(steps: &[Step]) -> Option<usize> {
    let rows_per_s = |index: usize| steps[index].throughput().map_or(0.0, |throughput| throughput.rows_per_s);
    (0..steps.len()).reduce(|best, index| if rows_per_s(index) > rows_per_s(best) { index } else { best })
}
