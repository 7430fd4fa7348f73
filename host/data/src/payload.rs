//! Encoded bytes that stand for rows: a request body, usually.
//!
//! A payload is read-only and shared; it does not know its format.

use bytes::Bytes;

/// Bytes with the number of rows that they hold. A clone is a reference to the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    bytes: Bytes,
    rows: u32,
    raw_size: u64,
}

impl Payload {
    /// Bytes that are not compressed and hold `rows` rows; 0 rows for a body that is no batch.
    pub fn new(bytes: impl Into<Bytes>, rows: u32) -> Self {
        let bytes = bytes.into();
        let raw_size = bytes.len() as u64;
        Self { bytes, rows, raw_size }
    }

    /// The same bytes, which were `raw_size` bytes before they were compressed.
    #[must_use]
    pub fn with_raw_size(mut self, raw_size: u64) -> Self {
        self.raw_size = raw_size;
        self
    }

    /// The bytes as they go on the wire.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Size in bytes, as on the wire.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Size in bytes before compression.
    pub fn raw_size(&self) -> u64 {
        self.raw_size
    }

    /// Rows encoded in it.
    pub fn rows(&self) -> u32 {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_size_is_the_size_until_it_is_said_otherwise() {
        let payload = Payload::new(vec![1, 2, 3], 7);
        assert_eq!((payload.size(), payload.raw_size(), payload.rows()), (3, 3, 7));
        let payload = payload.with_raw_size(100);
        assert_eq!((payload.size(), payload.raw_size(), payload.rows()), (3, 100, 7));
    }
}
