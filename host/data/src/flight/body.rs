//! The body of a record batch while it is written: one buffer of a column behind the other, each at a multiple of 8.

use arrow_ipc::Buffer;

use crate::batch::Batch;
use crate::error::EncodeError;

use super::codec::Codec;

/// What buffers are padded to, as the IPC format asks.
const ALIGNMENT: usize = 8;

/// The most bytes of a message, as protobuf has it.
const LARGEST: usize = i32::MAX as usize;

/// A body in memory that begins with room for what stands in front of it.
pub(super) struct Body<'a> {
    batch: &'a Batch,
    memory: Vec<u8>,
    start: usize,
    end: usize,
    raw: usize,
    buffers: Vec<Buffer>,
}

impl<'a> Body<'a> {
    /// An empty body at `start` in `memory`. `buffers` is memory to use again.
    pub(super) fn new(batch: &'a Batch, memory: Vec<u8>, start: usize, mut buffers: Vec<Buffer>) -> Self {
        buffers.clear();
        Self { batch, memory, start, end: start, raw: 0, buffers }
    }

    /// Makes room for `len` more bytes and their padding, or says that the message is too large.
    pub(super) fn reserve(&mut self, len: usize) -> Result<(), EncodeError> {
        let needed = self.end.saturating_add(len).saturating_add(ALIGNMENT);
        if needed > LARGEST {
            return Err(self.too_large());
        }
        if self.memory.len() < needed {
            self.memory.resize(needed.max(self.memory.len() * 2), 0);
        }
        Ok(())
    }

    /// The next buffer, compressed by `codec`.
    pub(super) fn place(&mut self, codec: &mut Codec, plain: &[u8]) -> Result<(), EncodeError> {
        let bound = codec.bound(plain.len());
        self.reserve(bound)?;
        let len = codec.encode(plain, &mut self.memory[self.end..self.end + bound])?;
        self.note(len, plain.len());
        Ok(())
    }

    /// The next buffer, which the codec has already been over; it was `raw` bytes before.
    pub(super) fn place_encoded(&mut self, encoded: &[u8], raw: usize) -> Result<(), EncodeError> {
        self.reserve(encoded.len())?;
        self.memory[self.end..self.end + encoded.len()].copy_from_slice(encoded);
        self.note(encoded.len(), raw);
        Ok(())
    }

    fn note(&mut self, len: usize, raw: usize) {
        self.buffers.push(Buffer::new((self.end - self.start) as i64, len as i64));
        let padded = len.next_multiple_of(ALIGNMENT);
        self.memory[self.end + len..self.end + padded].fill(0);
        self.end += padded;
        self.raw += raw.next_multiple_of(ALIGNMENT);
    }

    /// The error for a batch that does not fit a message.
    pub(super) fn too_large(&self) -> EncodeError {
        EncodeError::TooLarge { table: self.batch.table().name().to_owned(), rows: self.batch.rows() }
    }

    /// Rows of the batch.
    pub(super) fn rows(&self) -> usize {
        self.batch.rows() as usize
    }

    /// Where the buffers are.
    pub(super) fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// Length in bytes.
    pub(super) fn len(&self) -> usize {
        self.end - self.start
    }

    /// Length in bytes, had nothing been compressed.
    pub(super) fn raw_len(&self) -> usize {
        self.raw
    }

    /// The memory, where the body ends in it, and the memory of [`Body::buffers`].
    pub(super) fn into_parts(self) -> (Vec<u8>, usize, Vec<Buffer>) {
        (self.memory, self.end, self.buffers)
    }
}
