//! The fields of a message, one after the other.

use crate::{Error, Result};

/// A field's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// An integer, boolean or enum.
    Varint(u64),
    /// Eight bytes.
    Fixed64(u64),
    /// Text, bytes, a message, or packed numbers.
    Bytes(&'a [u8]),
    /// Four bytes.
    Fixed32(u32),
}

impl<'a> Value<'a> {
    /// The integer that it is; none when it is something else.
    #[must_use]
    pub fn as_varint(self) -> Option<u64> {
        if let Self::Varint(value) = self { Some(value) } else { None }
    }

    /// The bytes that it is; none when it is something else.
    #[must_use]
    pub fn as_bytes(self) -> Option<&'a [u8]> {
        if let Self::Bytes(value) = self { Some(value) } else { None }
    }
}

/// All fields of a message, with their numbers, in their order.
///
/// # Errors
///
/// `internal` when the bytes are no message.
pub fn fields(mut message: &[u8]) -> Result<Vec<(u32, Value<'_>)>> {
    let mut all = Vec::new();
    while !message.is_empty() {
        all.push(next(&mut message).ok_or_else(|| Error::internal("the answer is no protobuf message"))?);
    }
    Ok(all)
}

/// The last value of `field`, which is the one that counts; none where there is no such field.
///
/// # Errors
///
/// `internal` when the bytes are no message.
pub fn field(message: &[u8], field: u32) -> Result<Option<Value<'_>>> {
    Ok(fields(message)?.into_iter().rev().find(|(number, _)| *number == field).map(|(_, value)| value))
}

fn next<'a>(rest: &mut &'a [u8]) -> Option<(u32, Value<'a>)> {
    let tag = varint(rest)?;
    let number = u32::try_from(tag >> 3).ok().filter(|number| *number > 0)?;
    let value = match tag & 7 {
        0 => Value::Varint(varint(rest)?),
        1 => Value::Fixed64(u64::from_le_bytes(take(rest, 8)?.try_into().ok()?)),
        2 => {
            let size = usize::try_from(varint(rest)?).ok()?;
            Value::Bytes(take(rest, size)?)
        }
        5 => Value::Fixed32(u32::from_le_bytes(take(rest, 4)?.try_into().ok()?)),
        _ => return None,
    };
    Some((number, value))
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..70).step_by(7) {
        let byte = take(rest, 1)?[0];
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn take<'a>(rest: &mut &'a [u8], size: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(size)?;
    *rest = left;
    Some(taken)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::proto::Message;

    #[test]
    fn what_was_written_is_read() {
        let bytes = Message::new().varint(1, u64::MAX).text(2, "a").fixed64(300, 7).varint(1, 5).into_bytes();
        let all = fields(&bytes).unwrap();
        let expected =
            [(1, Value::Varint(u64::MAX)), (2, Value::Bytes(b"a")), (300, Value::Fixed64(7)), (1, Value::Varint(5))];
        assert_eq!(all, expected);
        assert_eq!(field(&bytes, 1).unwrap().and_then(Value::as_varint), Some(5));
        assert_eq!(field(&bytes, 9).unwrap(), None);
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let bad: [&[u8]; 6] = [b"\x08", b"\x0a\x05ab", b"\x0b", b"\x00\x01", b"\x09\x01", &[0xff; 11]];
        for bytes in bad {
            assert!(fields(bytes).is_err(), "{bytes:?}");
        }
    }
}
