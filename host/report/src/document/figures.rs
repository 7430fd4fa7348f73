//! Figures of a step or of a whole run: rates, durations, counts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Clock or span to operation to figures.
pub type ByOperation = BTreeMap<String, BTreeMap<String, Figures>>;

/// Acknowledged work per second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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

/// Figures of one histogram, in nanoseconds. A percentile is absent when fewer than ten samples lie beyond it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Figures {
    /// Samples.
    pub count: u64,
    /// The shortest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_ns: Option<u64>,
    /// The mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_ns: Option<f64>,
    /// The median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_ns: Option<u64>,
    /// The 90th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p90_ns: Option<u64>,
    /// The 95th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p95_ns: Option<u64>,
    /// The 99th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<u64>,
    /// The 99.9th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p999_ns: Option<u64>,
    /// The longest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_ns: Option<u64>,
    /// Samples over an hour, which count as one hour in percentiles; absent when there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub saturated: u64,
}

/// Totals of a step, or of the whole run with its warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Rows by what became of them.
    pub rows: Rows,
    /// Operations by how they ended.
    pub operations: Operations,
    /// Field values in acknowledged rows.
    pub values: u64,
    /// Payload bytes of acknowledged operations, before compression.
    pub raw_bytes: u64,
    /// Bytes written to the network, every attempt included.
    pub sent_bytes: u64,
    /// Bytes read from the network.
    pub received_bytes: u64,
}

/// Rows, by what became of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    /// Sent at least once.
    pub sent: u64,
    /// Acknowledged by the server.
    pub acknowledged: u64,
    /// Of attempts whose answer never came.
    pub unknown: u64,
    /// Found in the database afterwards; absent when it could not be asked, and in a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<u64>,
}

/// Operations, by how they ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    /// Acknowledged whole, or handed over.
    pub ok: u64,
    /// Those of them that were handed over to a stream, which the server acknowledges at its end: their latency is the time that the
    /// connection took to take them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub handed_over: u64,
    /// Ended with an error other than a time-out.
    pub failed: u64,
    /// Ended with a time-out.
    pub timed_out: u64,
    /// Attempts after the first.
    pub retried: u64,
    /// Sessions that died in an operation.
    pub crashed: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}
