//! What is recorded of operations: one recording per thread, without locks, merged at the end.

use std::time::Duration;

use benchhost_stats::Histogram;

use crate::counts::{ErrorTable, OperationCounts, RowCounts, Volume};
use crate::error::{Crash, ErrorKind, OpError};

/// How an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Acknowledged.
    Ok,
    /// An error.
    Failed,
    /// A time-out.
    TimedOut,
}

/// Where the time of an operation went. Back-off between attempts is in none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spans {
    /// Native encoders.
    pub encode: Duration,
    /// On the network and in the server.
    pub wait: Duration,
    /// The rest of the calls into the plugin.
    pub plugin: Duration,
}

/// The stamps of an operation, on the run's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamps {
    /// When the schedule wanted it; none in a closed loop, where that is when it was sent.
    pub intended: Option<Duration>,
    /// When a worker took it up.
    pub sent: Duration,
    /// When its answer came, or it was given up.
    pub done: Duration,
}

/// Histograms and counts of the operations of one thread and interval, or of several after [`Recording::merge`].
#[derive(Debug, Clone, Default)]
pub struct Recording {
    /// Service time of acknowledged operations: from sent to done, every attempt included.
    pub service: Histogram,
    /// Response time of acknowledged operations: from intended to done. Empty in a closed loop.
    pub response: Histogram,
    /// Schedule lag of all operations: from intended to sent. Empty in a closed loop.
    pub lag: Histogram,
    /// Failed operations, from intended to given up.
    pub failed: Histogram,
    /// Timed-out operations, likewise; each counts at least the limit.
    pub timed_out: Histogram,
    /// Native encoding, of acknowledged operations.
    pub encode: Histogram,
    /// Waiting for the server, of acknowledged operations.
    pub wait: Histogram,
    /// The rest of the plugin's calls, of acknowledged operations.
    pub plugin: Histogram,
    /// Rows by what became of them.
    pub rows: RowCounts,
    /// Operations by how they ended.
    pub operations: OperationCounts,
    /// Acknowledged work and its bytes.
    pub volume: Volume,
    /// Errors by kind and code.
    pub errors: ErrorTable,
    /// Time that workers waited for batches which were still being made, added up over all workers.
    pub starved: Duration,
    /// When the last operation was taken up, on the run's clock.
    pub last_sent: Option<Duration>,
    /// When the last acknowledgement came, on the run's clock.
    pub last_acknowledged: Option<Duration>,
}

impl Recording {
    /// Records an operation.
    pub fn operation(&mut self, ending: Ending, stamps: Stamps, spans: Spans) {
        self.last_sent = self.last_sent.max(Some(stamps.sent));
        let intended = stamps.intended.unwrap_or(stamps.sent);
        let response = nanos(stamps.done.saturating_sub(intended));
        if stamps.intended.is_some() {
            self.lag.record(nanos(stamps.sent.saturating_sub(intended)));
        }
        match ending {
            Ending::Ok => {
                self.operations.ok += 1;
                self.service.record(nanos(stamps.done.saturating_sub(stamps.sent)));
                if stamps.intended.is_some() {
                    self.response.record(response);
                }
                self.encode.record(nanos(spans.encode));
                self.wait.record(nanos(spans.wait));
                self.plugin.record(nanos(spans.plugin));
            }
            Ending::Failed => {
                self.operations.failed += 1;
                self.failed.record(response);
            }
            Ending::TimedOut => {
                self.operations.timed_out += 1;
                self.timed_out.record(response);
            }
        }
    }

    /// Records that a session died in an operation; how that ended is recorded besides.
    pub(crate) fn crash(&mut self, crash: &Crash) {
        self.errors
            .add(&OpError { code: Some("crash".into()), ..OpError::new(ErrorKind::Internal, crash.reason.clone()) });
        self.operations.crashed += 1;
    }

    /// Adds another recording; nothing is lost.
    pub fn merge(&mut self, other: &Self) {
        self.service.merge(&other.service);
        self.response.merge(&other.response);
        self.lag.merge(&other.lag);
        self.failed.merge(&other.failed);
        self.timed_out.merge(&other.timed_out);
        self.encode.merge(&other.encode);
        self.wait.merge(&other.wait);
        self.plugin.merge(&other.plugin);
        self.rows += other.rows;
        self.operations += other.operations;
        self.volume += other.volume;
        self.errors.merge(&other.errors);
        self.starved += other.starved;
        self.last_sent = self.last_sent.max(other.last_sent);
        self.last_acknowledged = self.last_acknowledged.max(other.last_acknowledged);
    }

    /// Forgets everything and keeps the memory.
    pub fn reset(&mut self) {
        for histogram in [
            &mut self.service,
            &mut self.response,
            &mut self.lag,
            &mut self.failed,
            &mut self.timed_out,
            &mut self.encode,
            &mut self.wait,
            &mut self.plugin,
        ] {
            histogram.reset();
        }
        self.rows = RowCounts::default();
        self.operations = OperationCounts::default();
        self.volume = Volume::default();
        self.errors = ErrorTable::default();
        self.starved = Duration::ZERO;
        self.last_sent = None;
        self.last_acknowledged = None;
    }
}

/// Saturates after 584 years.
fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
