//! What is recorded of operations: one recording per thread, without locks, merged at the end.

use std::time::Duration;

use benchhost_stats::Histogram;

use crate::counts::{ErrorTable, OperationCounts, RowCounts, Volume};

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

/// Histograms and counts of the operations of one thread, or of several after [`Recording::merge`].
#[derive(Debug, Clone, Default)]
pub struct Recording {
    /// Service time of acknowledged operations: from its first call into the plugin to its acknowledgement, attempts included.
    pub ok: Histogram,
    /// The same of failed ones.
    pub failed: Histogram,
    /// The same of timed-out ones.
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
    /// When the last acknowledgement came, on the run's clock.
    pub last_acknowledged: Option<Duration>,
}

impl Recording {
    /// Records an operation that took `service`.
    pub fn operation(&mut self, ending: Ending, service: Duration, spans: Spans) {
        let service = nanos(service);
        match ending {
            Ending::Ok => {
                self.operations.ok += 1;
                self.ok.record(service);
                self.encode.record(nanos(spans.encode));
                self.wait.record(nanos(spans.wait));
                self.plugin.record(nanos(spans.plugin));
            }
            Ending::Failed => {
                self.operations.failed += 1;
                self.failed.record(service);
            }
            Ending::TimedOut => {
                self.operations.timed_out += 1;
                self.timed_out.record(service);
            }
        }
    }

    /// Adds another recording; nothing is lost.
    pub fn merge(&mut self, other: &Self) {
        self.ok.merge(&other.ok);
        self.failed.merge(&other.failed);
        self.timed_out.merge(&other.timed_out);
        self.encode.merge(&other.encode);
        self.wait.merge(&other.wait);
        self.plugin.merge(&other.plugin);
        self.rows += other.rows;
        self.operations += other.operations;
        self.volume += other.volume;
        self.errors.merge(&other.errors);
        self.last_acknowledged = self.last_acknowledged.max(other.last_acknowledged);
    }
}

/// Saturates after 584 years.
fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
