//! Writing into memory that was measured before.

use super::Frame;
use super::fragments::Padded;
use crate::proto::varint_size;

/// Short fragments are copied in whole pieces of this many bytes, which is several times faster in wasm than a copy of a length that only
/// the data knows. What is copied too much is overwritten by what follows.
pub(super) const PIECE: usize = 16;

/// Writes at a place that moves on. There is room, because all has been measured.
pub(super) struct Sink<'a> {
    out: &'a mut [u8],
    at: usize,
}

impl<'a> Sink<'a> {
    pub(super) fn new(out: &'a mut [u8], at: usize) -> Self {
        Self { out, at }
    }

    pub(super) fn array<const N: usize>(&mut self, bytes: [u8; N]) {
        self.out[self.at..self.at + N].copy_from_slice(&bytes);
        self.at += N;
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.out[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    /// A few bytes, for which calling the copy costs more than the copy.
    pub(super) fn short(&mut self, bytes: &[u8]) {
        if bytes.len() > PIECE {
            return self.bytes(bytes);
        }
        for (to, from) in self.out[self.at..self.at + bytes.len()].iter_mut().zip(bytes) {
            *to = *from;
        }
        self.at += bytes.len();
    }

    /// `size` bytes that are filled up to whole pieces. What is copied too much is overwritten by what follows, or cut off at the end.
    pub(super) fn pieces(&mut self, (padded, size): Padded<'_>) {
        if size > 8 * PIECE {
            return self.bytes(&padded[..size]);
        }
        let mut at = self.at;
        for piece in padded.as_chunks::<PIECE>().0 {
            self.out[at..at + PIECE].copy_from_slice(piece);
            at += PIECE;
        }
        self.at += size;
    }

    pub(super) fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.array([value as u8 | 0x80]);
            value >>= 7;
        }
        self.array([value as u8]);
    }

    pub(super) fn frame(&mut self, frame: &Frame, value: usize) {
        for (depth, layer) in frame.layers.iter().enumerate() {
            let inside = frame.leaf.len() + value;
            let inner = &frame.layers[depth + 1..];
            let inside = inner.iter().rev().fold(inside, |in_, layer| layer.len() + varint_size(in_ as u64) + in_);
            self.short(layer);
            self.varint(inside as u64);
        }
        self.short(&frame.leaf);
    }

    pub(super) fn number(&mut self, frame: &Frame, value: u64) {
        self.frame(frame, varint_size(value));
        self.varint(value);
    }

    pub(super) fn text(&mut self, frame: &Frame, text: &str) {
        let size = text.len();
        self.frame(frame, varint_size(size as u64) + size);
        self.varint(size as u64);
        self.bytes(text.as_bytes());
    }
}
