//! What a server says of one batch: a `PutResult` with JSON in its `app_metadata`, and the number by which batches are told apart.

use std::io::Write;
use std::time::Duration;

use super::json;

/// The field `app_metadata` of `FlightData`: number 3, a length and bytes.
const APP_METADATA_OF_DATA: u8 = 0x1a;

/// The field `app_metadata` of `PutResult`: number 1.
const APP_METADATA_OF_RESULT: u64 = 1;

/// What the server said of one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PutAck {
    /// `affected_rows`; none where it does not say.
    pub rows: Option<u64>,
    /// `elapsed_secs`: how long the server worked on it. None where it does not say.
    pub server_time: Option<Duration>,
}

/// `app_metadata` of a batch, to stand before or behind the other fields of its message.
#[derive(Debug)]
pub(crate) struct Numbered {
    bytes: [u8; 40],
    length: usize,
}

impl Numbered {
    /// `{"request_id":id}` as a field.
    pub(crate) fn new(id: u64) -> Self {
        let mut bytes = [0; 40];
        let mut room = &mut bytes[2..];
        let whole = room.len();
        // The longest number leaves room.
        _ = write!(room, "{{\"request_id\":{id}}}");
        let text = whole - room.len();
        bytes[0] = APP_METADATA_OF_DATA;
        bytes[1] = text as u8;
        Self { bytes, length: 2 + text }
    }

    /// As it goes over the wire.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Which batch a `PutResult` acknowledges, and how. Outer none: it cannot be read. Inner none: it names no batch, as the
/// acknowledgement of a schema.
pub(crate) fn read(result: &[u8]) -> Option<Option<(u64, PutAck)>> {
    let mut text: &[u8] = &[];
    let mut rest = result;
    while !rest.is_empty() {
        let tag = varint(&mut rest)?;
        match tag & 7 {
            0 => _ = varint(&mut rest)?,
            1 => _ = take(&mut rest, 8)?,
            2 => {
                let length = varint(&mut rest)?;
                let bytes = take(&mut rest, length)?;
                if tag >> 3 == APP_METADATA_OF_RESULT {
                    text = bytes;
                }
            }
            5 => _ = take(&mut rest, 4)?,
            _ => return None,
        }
    }
    if text.is_empty() {
        return Some(None);
    }
    let mut id = None;
    let mut ack = PutAck { rows: None, server_time: None };
    json::scalars(text, |name, value| match name {
        b"request_id" => id = number(value),
        b"affected_rows" => ack.rows = number(value),
        b"elapsed_secs" => ack.server_time = number(value).and_then(|secs| Duration::try_from_secs_f64(secs).ok()),
        _ => {}
    })?;
    Some(id.map(|id| (id, ack)))
}

fn number<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn take<'a>(rest: &mut &'a [u8], length: u64) -> Option<&'a [u8]> {
    let (bytes, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    *rest = after;
    Some(bytes)
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
    use super::*;

    fn result(text: &str) -> Vec<u8> {
        [&[0x0a, text.len() as u8], text.as_bytes()].concat()
    }

    #[test]
    fn an_acknowledgement_is_read() {
        let text = r#"{"request_id":17,"affected_rows":5000,"elapsed_secs":0.003113386}"#;
        let ack = PutAck { rows: Some(5000), server_time: Some(Duration::from_nanos(3_113_386)) };
        assert_eq!(read(&result(text)), Some(Some((17, ack))));
        let other_fields =
            [&[0x10, 0x80, 0x01, 0x1d, 1, 2, 3, 4][..], &result(text), &[0x21, 0, 0, 0, 0, 0, 0, 0, 0]].concat();
        assert_eq!(read(&other_fields), Some(Some((17, ack))));
        for end in 1..other_fields.len() {
            _ = read(&other_fields[..end]);
        }
    }

    #[test]
    fn what_a_server_does_not_say_is_absent() {
        let silent = PutAck { rows: None, server_time: None };
        assert_eq!(
            read(&result(r#"{"request_id":1,"elapsed_secs":-1.0,"affected_rows":-2}"#)),
            Some(Some((1, silent)))
        );
        assert_eq!(read(&result(r#"{"request_id":"1"}"#)), Some(None));
        assert_eq!(read(&result(r#"{"request_id":-1}"#)), Some(None));
        assert_eq!(read(b""), Some(None));
        assert_eq!(read(b"\x0a\0"), Some(None));
    }

    #[test]
    fn what_is_no_acknowledgement_is_refused() {
        for wrong in [
            &result("nothing")[..],
            b"\x0a\x05ab",
            b"\x0b",
            b"\x0a",
            &[0xff; 12],
            b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        ] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn the_longest_number_fits() {
        let field = Numbered::new(u64::MAX);
        assert_eq!(field.bytes()[..2], [0x1a, 35]);
        assert_eq!(&field.bytes()[2..], br#"{"request_id":18446744073709551615}"#);
        assert_eq!(Numbered::new(1).bytes(), b"\x1a\x10{\"request_id\":1}");
    }
}
