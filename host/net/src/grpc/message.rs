//! One message as it goes over the wire: a few bytes of ours before the caller's own buffer, which is not copied.

use std::io::IoSlice;

use bytes::{Buf, Bytes};

use super::compression::MessageCompression;
use crate::error::NetError;

/// Bytes of the prefix that every message has: a flag and a length.
const PREFIX: usize = 5;

/// Room for the prefix and for what a put adds: tag, length and `{"request_id":…}` with the longest number.
const HEAD: usize = 48;

/// A message with its prefix.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    head: [u8; HEAD],
    /// Where in `head` the next byte is, and where it ends.
    from: u8,
    to: u8,
    payload: Bytes,
}

impl Message {
    /// `extra` and then `payload` as one message, packed if so wanted. `extra` has at most 43 bytes.
    ///
    /// # Errors
    ///
    /// `Malformed` when it is too long for a message, or cannot be packed.
    pub(crate) fn new(extra: &[u8], payload: Bytes, compression: Option<MessageCompression>) -> Result<Self, NetError> {
        let wrong = |problem| NetError::Malformed { what: "message".to_owned(), problem };
        let (extra, payload, flag) = match compression {
            None => (extra, payload, 0),
            Some(how) => {
                let packed = how.pack([extra, &payload]).map_err(|_| wrong("cannot be compressed"))?;
                (&[][..], Bytes::from(packed), 1)
            }
        };
        let length = u32::try_from(extra.len() + payload.len())
            .map_err(|_| wrong("is longer than 4 GiB: send smaller batches"))?;
        let to = PREFIX + extra.len();
        let mut head = [0; HEAD];
        head[0] = flag;
        head[1..PREFIX].copy_from_slice(&length.to_be_bytes());
        head.get_mut(PREFIX..to).ok_or_else(|| wrong("has too long a head"))?.copy_from_slice(extra);
        Ok(Self { head, from: 0, to: to as u8, payload })
    }

    fn left(&self) -> &[u8] {
        &self.head[usize::from(self.from)..usize::from(self.to)]
    }
}

impl Buf for Message {
    fn remaining(&self) -> usize {
        self.left().len() + self.payload.len()
    }

    fn chunk(&self) -> &[u8] {
        if self.from < self.to { self.left() } else { &self.payload }
    }

    fn advance(&mut self, count: usize) {
        let head = count.min(self.left().len());
        self.from += head as u8;
        self.payload.advance(count - head);
    }

    /// Both at once, so that they leave in one system call.
    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        let mut filled = 0;
        for (slice, piece) in slices.iter_mut().zip([self.left(), &self.payload].into_iter().filter(|p| !p.is_empty()))
        {
            *slice = IoSlice::new(piece);
            filled += 1;
        }
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_counts_both_parts_and_the_payload_stays_where_it_is() {
        let payload = Bytes::from_static(b"payload");
        let mut message = Message::new(b"ex", payload.clone(), None).unwrap();
        let mut slices = [IoSlice::new(&[]); 4];
        assert_eq!(message.chunks_vectored(&mut slices), 2);
        assert_eq!(slices[1].as_ptr(), payload.as_ptr());
        assert_eq!(message.remaining(), 14);
        message.advance(6);
        assert_eq!(message.chunk(), b"x");
        message.advance(3);
        assert_eq!((message.chunk(), message.remaining()), (b"yload".as_slice(), 5));
        let mut whole = Message::new(b"ex", payload, None).unwrap();
        assert_eq!(&whole.copy_to_bytes(14)[..], b"\0\0\0\0\x09expayload");
    }

    #[test]
    fn an_empty_message_is_its_prefix() {
        let mut message = Message::new(b"", Bytes::new(), None).unwrap();
        assert_eq!(&message.copy_to_bytes(5)[..], &[0; 5]);
        assert!(!message.has_remaining());
    }

    #[test]
    fn a_packed_message_says_so() {
        let mut message = Message::new(b"a", Bytes::from_static(b"b"), Some(MessageCompression::Zstd)).unwrap();
        assert_eq!(message.chunk()[0], 1);
        message.advance(5);
        assert_eq!(MessageCompression::Zstd.unpack(message.chunk(), 10).unwrap(), b"ab");
    }
}
