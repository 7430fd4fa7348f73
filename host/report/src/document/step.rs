//! A stretch of load: the warm-up, or one measured step.

use serde::{Deserialize, Serialize};

use super::{ByOperation, Counts, Throughput, WRITE};

/// One number of workers, one offered load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepFigures {
    /// False for a warm-up, whose figures are not to be quoted.
    pub measured: bool,
    /// What its tags begin with in the log of histograms; absent unless it is a probe of a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Workers that took part.
    pub workers: u32,
    /// When it began, on the run's clock.
    pub start_seconds: f64,
    /// From its start to the last acknowledgement.
    pub seconds: f64,
    /// The schedule and how it was kept; absent in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<ScheduleFigures>,
    /// Work per second; absent when nothing was acknowledged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput: Option<Throughput>,
    /// Durations, by clock and operation.
    pub latency: ByOperation,
    /// Where the time of acknowledged operations went, by span and operation.
    pub spans: ByOperation,
    /// What became of its work.
    pub counts: Counts,
    /// What it cost this machine.
    pub client: Cost,
}

impl StepFigures {
    /// Acknowledged rows per second; 0 when there are none.
    pub(crate) fn rows_per_s(&self) -> f64 {
        self.throughput.map_or(0.0, |throughput| throughput.rows_per_s)
    }
}

/// Index of the fastest step, the first of equals.
pub(crate) fn headline(steps: &[StepFigures]) -> Option<usize> {
    let faster = |best: usize, index: usize| steps[index].rows_per_s() > steps[best].rows_per_s();
    (0..steps.len()).reduce(|best, index| if faster(best, index) { index } else { best })
}

/// Of these steps, the index of the one with the longest response times.
pub(crate) fn slowest(steps: &[StepFigures], of: impl Iterator<Item = usize>) -> Option<usize> {
    // A percentile that too few samples tell is the lowest of all.
    let response = |index: &usize| steps.get(*index)?.latency.get("response")?.get(WRITE)?.p99_ns;
    of.max_by_key(response)
}

/// An offered load, in operations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ScheduleFigures {
    /// Operations per second that the schedule wanted.
    pub offered_per_s: f64,
    /// Operations per second that were started.
    pub achieved_per_s: f64,
    /// The most operations that were due and not started.
    pub max_queue: u64,
    /// Operations that were due and never started.
    pub unsent: u64,
}

/// What a step cost the client. Everything is absent when it was not measured.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Cost {
    /// Processor time of the process, user and system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<f64>,
    /// The same for a million acknowledged rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds_per_million_rows: Option<f64>,
    /// Share of time that the busiest load thread was on a processor, 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busiest_thread_percent: Option<f64>,
    /// Operations in flight on average, by Little's law: the time that all of them took, divided by the time that passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_flight: Option<f64>,
    /// Share of the service time of acknowledged operations that was the client's own: encoding and the plugin. 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_share_percent: Option<f64>,
}
