//! What GreptimeDB writes beside batches, and answers them with: JSON.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::messages::arrow::flight::protocol::PutResult;

/// What a client says of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub(super) struct Metadata {
    /// Comes back with the acknowledgement.
    pub(super) request_id: i64,
    /// The batch's first time, in the unit of the table's time index.
    pub(super) min_timestamp: Option<i64>,
    /// Its last.
    pub(super) max_timestamp: Option<i64>,
}

impl Metadata {
    /// Reads it. What cannot be read counts as nothing said, so its number is 0.
    pub(super) fn read(json: &[u8]) -> Self {
        serde_json::from_slice(json).unwrap_or_default()
    }

    /// The batch's first and last time, if both are said.
    pub(super) fn times(self) -> Option<(i64, i64)> {
        Some((self.min_timestamp?, self.max_timestamp?))
    }
}

#[derive(Serialize)]
struct Ack {
    request_id: i64,
    affected_rows: u64,
    elapsed_secs: f64,
}

/// The acknowledgement of a batch that took `elapsed` seconds.
pub(super) fn ack(request_id: i64, affected_rows: u64, elapsed: f64) -> PutResult {
    let json = serde_json::to_vec(&Ack { request_id, affected_rows, elapsed_secs: elapsed });
    PutResult { app_metadata: Bytes::from(json.unwrap_or_default()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_acknowledgement_reads_as_the_real_one() {
        let bytes = br#"{"request_id":0,"affected_rows":0,"elapsed_secs":0.0}"#;
        assert_eq!(ack(0, 0, 0.0).app_metadata.as_ref(), bytes);
    }

    #[test]
    fn numbers_come_back_and_anything_odd_is_0() {
        let id = |json: &str| Metadata::read(json.as_bytes()).request_id;
        assert_eq!(id(r#"{"request_id":-3,"else":1}"#), -3);
        assert_eq!(id(r#"{"request_id":4611686018427387904}"#), 1 << 62);
        assert_eq!([id(""), id("{"), id(r#"{"request_id":"7"}"#), id("[]")], [0; 4]);
        let times = Metadata::read(br#"{"request_id":1,"min_timestamp":5,"max_timestamp":9}"#).times();
        assert_eq!(times, Some((5, 9)));
    }
}
