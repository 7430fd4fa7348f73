//! The wire format of Protocol Buffers, read without a message in between: for rows, of which there are millions.

use thiserror::Error;

/// Bytes that are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(super) enum WireError {
    /// It ends within a field.
    #[error("the message ends within a field")]
    Truncated,
    /// A number of more than 64 bits.
    #[error("a number has more than 64 bits")]
    Overlong,
    /// A kind of field that Protocol Buffers no longer have.
    #[error("field {field} is of the unknown kind {kind}")]
    UnknownKind {
        /// Its number.
        field: u64,
        /// Its wire type.
        kind: u64,
    },
}

/// A field's value, as far as the wire tells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Raw<'a> {
    /// Integers, booleans and enums.
    Varint(u64),
    /// 4 bytes, little-endian.
    Fixed32([u8; 4]),
    /// 8 bytes, little-endian.
    Fixed64([u8; 8]),
    /// Text, bytes and messages.
    Bytes(&'a [u8]),
}

/// Reads a message field by field.
#[derive(Debug, Clone)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// Reads `message`.
    pub(super) fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    /// The next field's number and value; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Raw<'a>)>, WireError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Raw::Varint(self.varint()?),
            1 => Raw::Fixed64(self.array()?),
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| WireError::Truncated)?;
                let (bytes, rest) = self.rest.split_at_checked(length).ok_or(WireError::Truncated)?;
                self.rest = rest;
                Raw::Bytes(bytes)
            }
            5 => Raw::Fixed32(self.array()?),
            kind => return Err(WireError::UnknownKind { field: key >> 3, kind }),
        };
        Ok(Some((key >> 3, value)))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (bytes, rest) = self.rest.split_first_chunk::<N>().ok_or(WireError::Truncated)?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn varint(&mut self) -> Result<u64, WireError> {
        let mut value = 0;
        for (place, byte) in self.rest.iter().enumerate().take(10) {
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                self.rest = &self.rest[place + 1..];
                return Ok(value);
            }
        }
        Err(if self.rest.len() < 10 { WireError::Truncated } else { WireError::Overlong })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(message: &[u8]) -> Result<Vec<(u64, Raw<'_>)>, WireError> {
        let mut fields = Fields::new(message);
        let mut found = Vec::new();
        while let Some(field) = fields.next()? {
            found.push(field);
        }
        Ok(found)
    }

    #[test]
    fn reads_each_kind_of_field() {
        let message = [8, 0xac, 2, 0x12, 2, b'h', b'i', 0x19, 1, 0, 0, 0, 0, 0, 0, 0, 0x25, 9, 0, 0, 0];
        let expected = vec![
            (1, Raw::Varint(300)),
            (2, Raw::Bytes(b"hi")),
            (3, Raw::Fixed64(1u64.to_le_bytes())),
            (4, Raw::Fixed32(9u32.to_le_bytes())),
        ];
        assert_eq!(all(&message), Ok(expected));
    }

    #[test]
    fn a_broken_message_is_an_error_wherever_it_is_cut() {
        assert_eq!(all(&[0x12, 5, b'h']), Err(WireError::Truncated));
        assert_eq!(all(&[8]), Err(WireError::Truncated));
        assert_eq!(all(&[0x19, 1]), Err(WireError::Truncated));
        assert_eq!(all(&[8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]), Err(WireError::Overlong));
        assert_eq!(all(&[0x0b]), Err(WireError::UnknownKind { field: 1, kind: 3 }));
    }
}
