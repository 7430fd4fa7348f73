//! Protocol Buffers by hand: a writer of small messages, the parts of large ones ([`rows`]), and a reader of fields ([`read`]).
//!
//! A message of many rows is best written straight from columns, with every length known ahead; small ones are put together with
//! [`Message`]. The wire format is <https://protobuf.dev/programming-guides/encoding>.

pub mod read;
pub mod rows;

/// A message in the making: fields in the order in which they are added.
///
/// ```
/// # use benchhost_plugin::proto::Message;
/// let inner = Message::new().text(1, "a");
/// assert_eq!(Message::new().varint(2, 300).message(3, &inner).into_bytes(), [0x10, 0xac, 0x02, 0x1a, 3, 0x0a, 1, b'a']);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message(Vec<u8>);

impl Message {
    /// A message without fields.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with an integer, a boolean or an enum. Signed ones go as two's complement of 64 bits.
    #[must_use]
    pub fn varint(mut self, field: u32, value: u64) -> Self {
        push_tag(&mut self.0, field, Wire::Varint);
        push_varint(&mut self.0, value);
        self
    }

    /// The same with eight bytes: a `fixed64` or, as bits, a `double`.
    #[must_use]
    pub fn fixed64(mut self, field: u32, value: u64) -> Self {
        push_tag(&mut self.0, field, Wire::Fixed64);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// The same with bytes.
    #[must_use]
    pub fn bytes(mut self, field: u32, value: &[u8]) -> Self {
        push_tag(&mut self.0, field, Wire::Length);
        push_varint(&mut self.0, value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    /// The same with a text.
    #[must_use]
    pub fn text(self, field: u32, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    /// The same with a message.
    #[must_use]
    pub fn message(self, field: u32, value: &Self) -> Self {
        self.bytes(field, &value.0)
    }

    /// The head of a message of `size` bytes that the caller will write behind it: the field's tag and the length.
    #[must_use]
    pub fn head(mut self, field: u32, size: usize) -> Self {
        push_tag(&mut self.0, field, Wire::Length);
        push_varint(&mut self.0, size as u64);
        self
    }

    /// What has been written.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// What has been written.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// How the value of a field stands on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// An integer of one to ten bytes.
    Varint,
    /// Eight bytes.
    Fixed64,
    /// A length, and as many bytes.
    Length,
    /// Four bytes.
    Fixed32,
}

impl Wire {
    fn number(self) -> u32 {
        match self {
            Self::Varint => 0,
            Self::Fixed64 => 1,
            Self::Length => 2,
            Self::Fixed32 => 5,
        }
    }
}

/// The bytes that go before a value of `field`.
#[must_use]
pub fn tag(field: u32, wire: Wire) -> Vec<u8> {
    let mut bytes = Vec::new();
    push_tag(&mut bytes, field, wire);
    bytes
}

fn push_tag(out: &mut Vec<u8>, field: u32, wire: Wire) {
    push_varint(out, u64::from(field) << 3 | u64::from(wire.number()));
}

/// Appends a varint.
pub fn push_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Bytes of a varint: 1 to 10.
#[must_use]
pub fn varint_size(value: u64) -> usize {
    (63 - (value | 1).leading_zeros() as usize) / 7 + 1
}

/// A signed integer as `sint32` and `sint64` carry it.
#[must_use]
pub fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_varint_has_the_size_that_was_said() {
        for value in [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX / 2, u64::MAX] {
            let mut bytes = Vec::new();
            push_varint(&mut bytes, value);
            assert_eq!(bytes.len(), varint_size(value), "{value}");
        }
    }

    #[test]
    fn tags_and_lengths_are_those_of_the_specification() {
        assert_eq!(Message::new().varint(1, 150).into_bytes(), [0x08, 0x96, 0x01]);
        assert_eq!(Message::new().text(2, "testing").into_bytes(), b"\x12\x07testing");
        assert_eq!(tag(17, Wire::Varint), [0x88, 0x01]);
        assert_eq!(Message::new().fixed64(10, 1).into_bytes(), [0x51, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
    }
}
