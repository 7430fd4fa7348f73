//! What a server says of a batch: a `PutResult` message whose metadata is a JSON object.

use serde::Deserialize;

use super::message::{BYTES, FIXED32, FIXED64, VARINT};

/// `app_metadata` of `PutResult`.
const METADATA: u64 = 1;

/// The longest time that is believed, in seconds: what fits 64 bits of nanoseconds.
const LONGEST: f64 = u64::MAX as f64 / 1e9;

/// The acknowledgement of one batch. What cannot be read is left out, as servers do on their side: the id becomes 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FlightAck {
    /// The batch's `request_id`; 0 for the stream itself, and where there is none.
    pub request_id: u64,
    /// `affected_rows`.
    pub rows: Option<u64>,
    /// `elapsed_secs`, in nanoseconds.
    pub server_time_ns: Option<u64>,
}

#[derive(Deserialize)]
struct Metadata {
    request_id: Option<u64>,
    affected_rows: Option<u64>,
    elapsed_secs: Option<f64>,
}

impl FlightAck {
    /// Reads a whole `PutResult` message, without the framing of gRPC. Fields and keys that are not known are skipped.
    pub fn parse(message: &[u8]) -> Self {
        metadata(message).map(Self::from_json).unwrap_or_default()
    }

    fn from_json(json: &[u8]) -> Self {
        let Ok(metadata) = serde_json::from_slice::<Metadata>(json) else {
            return Self::default();
        };
        let believed = |seconds: &f64| (0.0..LONGEST).contains(seconds);
        Self {
            request_id: metadata.request_id.unwrap_or(0),
            rows: metadata.affected_rows,
            server_time_ns: metadata.elapsed_secs.filter(believed).map(|seconds| (seconds * 1e9).round() as u64),
        }
    }
}

/// The metadata of a `PutResult`, the last one if there are several; `None` if there is none or it is no such message.
fn metadata(mut message: &[u8]) -> Option<&[u8]> {
    let mut found = None;
    while !message.is_empty() {
        let key = varint(&mut message)?;
        match key & 7 {
            BYTES => {
                let len = usize::try_from(varint(&mut message)?).ok()?;
                let bytes = take(&mut message, len)?;
                if key >> 3 == METADATA {
                    found = Some(bytes);
                }
            }
            VARINT => {
                varint(&mut message)?;
            }
            FIXED64 => {
                take(&mut message, 8)?;
            }
            FIXED32 => {
                take(&mut message, 4)?;
            }
            _ => return None,
        }
    }
    found
}

fn take<'a>(rest: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, behind) = rest.split_at_checked(len)?;
    *rest = behind;
    Some(taken)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *take(rest, 1)?.first()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;
    use crate::flight::message::{push_bytes, push_varint_field};

    fn result(json: &str) -> Vec<u8> {
        let mut message = Vec::new();
        push_bytes(&mut message, 1, json.as_bytes());
        message
    }

    #[test]
    fn an_acknowledgement_tells_id_rows_and_time() {
        let ack = FlightAck::parse(&result(r#"{"request_id":7,"affected_rows":1000,"elapsed_secs":0.0125}"#));
        assert_eq!(ack, FlightAck { request_id: 7, rows: Some(1000), server_time_ns: Some(12_500_000) });
    }

    #[test]
    fn what_is_not_said_is_not_known() {
        let ack = FlightAck::parse(&result(r#"{"request_id":7,"affected_rows":null,"more":[1,{"x":2}]}"#));
        assert_eq!(ack, FlightAck { request_id: 7, ..FlightAck::default() });
        for seconds in ["-1", "1e300", "-0.001"] {
            let ack = FlightAck::parse(&result(&format!(r#"{{"request_id":1,"elapsed_secs":{seconds}}}"#)));
            assert_eq!(ack, FlightAck { request_id: 1, ..FlightAck::default() });
        }
    }

    #[test]
    fn what_cannot_be_read_is_id_0_with_nothing() {
        for json in ["", "x", "{", "[]", r#"{"request_id":"7"}"#, r#"{"request_id":-7}"#, r#"{"request_id":7"#, "\0"] {
            assert_eq!(FlightAck::parse(&result(json)), FlightAck::default(), "{json}");
        }
        for message in
            [&b""[..], b"\x0a", b"\x0a\x05ab", b"\x0b", b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", b"\x0d\0"]
        {
            assert_eq!(FlightAck::parse(message), FlightAck::default());
        }
    }

    #[test]
    fn other_fields_are_skipped_and_the_last_metadata_counts() {
        let mut message = result(r#"{"request_id":1}"#);
        push_varint_field(&mut message, 9, u64::MAX);
        push_bytes(&mut message, 2, b"other");
        message.extend(b"\x1d1234\x2112345678");
        message.extend(result(r#"{"request_id":2}"#));
        assert_eq!(FlightAck::parse(&message).request_id, 2);
    }

    proptest! {
        #[test]
        fn every_acknowledgement_comes_back(id in any::<u64>(), rows: Option<u64>, microseconds in prop::option::of(0..1_u64 << 40)) {
            let seconds = microseconds.map(|value| value as f64 / 1e6);
            let json = serde_json::json!({"elapsed_secs": seconds, "affected_rows": rows, "request_id": id}).to_string();
            let ack = FlightAck::parse(&result(&json));
            prop_assert_eq!((ack.request_id, ack.rows), (id, rows));
            prop_assert_eq!(ack.server_time_ns.map(|ns| (ns + 500) / 1000), microseconds);
        }

        #[test]
        fn no_bytes_are_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            FlightAck::parse(&bytes);
            FlightAck::parse(&result(&String::from_utf8_lossy(&bytes)));
        }
    }
}
