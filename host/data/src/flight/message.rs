//! The messages of Flight as protobuf writes them: a key, which is a field number and a wire type, then the value.
//!
//! By hand, because a batch is written in place behind its header, and the rest is a few lines.

/// Fields of `FlightData`.
pub(super) const FLIGHT_DESCRIPTOR: u32 = 1;
pub(super) const DATA_HEADER: u32 = 2;
pub(super) const APP_METADATA: u32 = 3;
pub(super) const DATA_BODY: u32 = 1000;

/// Fields of `FlightDescriptor`, and the type that says that it is a path.
pub(super) const DESCRIPTOR_TYPE: u32 = 1;
pub(super) const DESCRIPTOR_PATH: u32 = 3;
pub(super) const PATH: u64 = 1;

/// The most bytes that a field takes in front of its bytes, which are fewer than 2^32.
pub(super) const MAX_KEY: usize = 2 + 5;

/// Wire types.
pub(super) const VARINT: u64 = 0;
pub(super) const BYTES: u64 = 2;

/// Field 3 of a `FlightData` message, `app_metadata`, with `{"request_id":N}`: what is sent before or behind a batch, so that
/// the batch itself can be sent again under another id. Servers read a signed number, so ids stay below 2^63.
pub fn flight_metadata(request_id: u64) -> Vec<u8> {
    let mut field = Vec::with_capacity(48);
    let mut digits = itoa::Buffer::new();
    let digits = digits.format(request_id);
    push_varint(&mut field, u64::from(APP_METADATA) << 3 | BYTES);
    let (before, behind) = (br#"{"request_id":"#, b"}");
    push_varint(&mut field, (before.len() + digits.len() + behind.len()) as u64);
    field.extend_from_slice(before);
    field.extend_from_slice(digits.as_bytes());
    field.extend_from_slice(behind);
    field
}

pub(super) fn push_bytes(out: &mut Vec<u8>, field: u32, bytes: &[u8]) {
    push_key(out, field, bytes.len());
    out.extend_from_slice(bytes);
}

/// What stands in front of `len` bytes.
pub(super) fn push_key(out: &mut Vec<u8>, field: u32, len: usize) {
    push_varint(out, u64::from(field) << 3 | BYTES);
    push_varint(out, len as u64);
}

pub(super) fn push_varint_field(out: &mut Vec<u8>, field: u32, value: u64) {
    push_varint(out, u64::from(field) << 3 | VARINT);
    push_varint(out, value);
}

fn push_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_one_field_with_the_id() {
        assert_eq!(flight_metadata(0), b"\x1a\x10{\"request_id\":0}");
        assert_eq!(flight_metadata(1234), b"\x1a\x13{\"request_id\":1234}");
        assert_eq!(flight_metadata(u64::MAX), b"\x1a\x23{\"request_id\":18446744073709551615}");
    }

    #[test]
    fn varints_have_seven_bits_a_byte() {
        let mut out = Vec::new();
        [0, 127, 128, 300, 8002].into_iter().for_each(|value| push_varint(&mut out, value));
        assert_eq!(out, [0, 127, 0x80, 1, 0xac, 2, 0xc2, 0x3e]);
    }

    #[test]
    fn a_key_of_the_longest_body_fits_its_bound() {
        let mut out = Vec::new();
        push_key(&mut out, DATA_BODY, u32::MAX as usize);
        assert_eq!(out.len(), MAX_KEY);
    }
}
