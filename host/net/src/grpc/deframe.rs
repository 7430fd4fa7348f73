//! From the pieces of a body to messages.

use bytes::{Buf, Bytes, BytesMut};

use super::compression::{MessageCompression, Unpack};
use crate::failure::Failure;

/// The longest message that an answer may hold, and how it may be packed.
#[derive(Debug)]
pub(crate) struct Deframer {
    buffer: BytesMut,
    limit: usize,
    encoding: Option<MessageCompression>,
}

impl Deframer {
    /// For messages of at most `limit` bytes, before and after unpacking; flagged ones are packed as `encoding` says.
    pub(crate) fn new(limit: usize, encoding: Option<MessageCompression>) -> Self {
        Self { buffer: BytesMut::new(), limit, encoding }
    }

    /// Takes the next piece.
    pub(crate) fn push(&mut self, piece: &[u8]) {
        self.buffer.extend_from_slice(piece);
    }

    /// The next whole message.
    ///
    /// # Errors
    ///
    /// `TooLarge` as soon as a length says so, and `NotGrpc`.
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        let Some((&[flag, a, b, c, d], _)) = self.buffer.split_first_chunk() else { return Ok(None) };
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        if flag > 1 {
            return Err(Failure::NotGrpc(format!("a message begins with {flag} instead of 0 or 1")));
        }
        if length > self.limit {
            return Err(Failure::TooLarge);
        }
        if self.buffer.len() < 5 + length {
            self.buffer.reserve(5 + length - self.buffer.len());
            return Ok(None);
        }
        self.buffer.advance(5);
        let message = self.buffer.split_to(length).freeze();
        if flag == 0 {
            return Ok(Some(message));
        }
        let how = self
            .encoding
            .ok_or_else(|| Failure::NotGrpc("a message is compressed in a way that was not offered".to_owned()))?;
        match how.unpack(&message, self.limit) {
            Ok(whole) => Ok(Some(whole.into())),
            Err(Unpack::TooLarge) => Err(Failure::TooLarge),
            Err(Unpack::Wrong(error)) => Err(Failure::NotGrpc(format!("a message is no {} data: {error}", how.name()))),
        }
    }

    /// Whether part of a message is left over.
    pub(crate) fn cut(&self) -> bool {
        !self.buffer.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_out_whole_however_the_body_was_cut() {
        let body = b"\0\0\0\0\x02ab\0\0\0\0\0\0\0\0\0\x01c\0\0";
        for size in 1..body.len() {
            let mut deframer = Deframer::new(2, None);
            let mut messages = Vec::new();
            for piece in body.chunks(size) {
                deframer.push(piece);
                while let Some(message) = deframer.next().unwrap() {
                    messages.push(message);
                }
            }
            assert_eq!(messages, [&b"ab"[..], b"", b"c"]);
            assert!(deframer.cut());
        }
    }

    #[test]
    fn a_message_that_is_too_long_or_wrong_is_refused_by_its_prefix() {
        let next = |body: &[u8], encoding| {
            let mut deframer = Deframer::new(2, encoding);
            deframer.push(body);
            deframer.next()
        };
        assert!(matches!(next(b"\0\0\0\0\x03", None), Err(Failure::TooLarge)));
        assert!(matches!(next(b"\0\xff\xff\xff\xff", None), Err(Failure::TooLarge)));
        assert!(matches!(next(b"HTTP/", None), Err(Failure::NotGrpc(_))));
        assert!(matches!(next(b"\x01\0\0\0\x01a", None), Err(Failure::NotGrpc(_))));
        assert!(matches!(next(b"\x01\0\0\0\x01a", Some(MessageCompression::Gzip)), Err(Failure::NotGrpc(_))));
    }
}
