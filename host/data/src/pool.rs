//! The memory that payloads are written to, used again as soon as a payload is dropped.
//!
//! A body of some hundred kilobytes is more than an allocator keeps at hand: it would be mapped, faulted in page by page and
//! unmapped for every batch, which costs as much as encoding does. Buffers keep their length, so they are not cleared
//! again either.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

/// Buffers that one encoder keeps: the payload being sent, and the next one.
const KEPT: usize = 2;

/// A buffer larger than this is given back to the allocator.
const LARGEST: usize = 16 << 20;

/// Free buffers of one encoder.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    free: Mutex<Vec<Vec<u8>>>,
}

impl Pool {
    /// A buffer of any content and at least `len` bytes.
    pub(crate) fn take(&self, len: usize) -> Vec<u8> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match free {
            Some(buffer) if buffer.len() >= len => buffer,
            // Fresh zeroed memory costs nothing until it is written to.
            _ => vec![0; len],
        }
    }

    /// The first `len` bytes of `buffer`, which comes back when nobody uses them any more.
    pub(crate) fn freeze(self: &Arc<Self>, buffer: Vec<u8>, len: usize) -> Bytes {
        Bytes::from_owner(Lent { buffer, len, pool: Arc::clone(self) })
    }

    fn give_back(&self, buffer: Vec<u8>) {
        if buffer.len() > LARGEST {
            return;
        }
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < KEPT {
            free.push(buffer);
        }
    }
}

struct Lent {
    buffer: Vec<u8>,
    len: usize,
    pool: Arc<Pool>,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.buffer[..self.len]
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.pool.give_back(std::mem::take(&mut self.buffer));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_buffer_comes_back_when_the_last_reference_is_dropped() {
        let pool = Arc::new(Pool::default());
        let mut buffer = pool.take(100);
        buffer[..3].copy_from_slice(b"abc");
        let place = buffer.as_ptr();
        let bytes = pool.freeze(buffer, 3);
        let second = bytes.clone();
        assert_eq!(&bytes[..], b"abc");
        drop(bytes);
        assert!(pool.free.lock().unwrap().is_empty());
        drop(second);
        let again = pool.take(50);
        assert_eq!(again.as_ptr(), place);
    }

    #[test]
    fn a_bounded_number_of_buffers_is_kept() {
        let pool = Arc::new(Pool::default());
        let lent: Vec<_> = (0..10).map(|_| pool.freeze(pool.take(10), 1)).collect();
        drop(lent);
        assert_eq!(pool.free.lock().unwrap().len(), KEPT);
    }
}
