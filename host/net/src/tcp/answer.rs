//! What a server answered last, for replays.

use bytes::{Bytes, BytesMut};

/// A longer answer than this is not kept, in bytes.
const LONGEST: usize = 1 << 20;

/// Everything that was read since something was last asked. A conversation in which something is asked and then read can so be held again
/// without the server.
#[derive(Default)]
pub(super) struct Answer {
    bytes: BytesMut,
    /// How much of it was replayed since something was asked.
    replayed: usize,
    too_long: bool,
}

impl Answer {
    /// A new question: the answer to the one before is forgotten, or in a replay given once more.
    pub(super) fn ask(&mut self, replays: bool) {
        self.replayed = 0;
        if !replays {
            self.bytes.clear();
            self.too_long = false;
        }
    }

    pub(super) fn keep(&mut self, bytes: &[u8]) {
        self.too_long |= self.bytes.len() + bytes.len() > LONGEST;
        if !self.too_long {
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// The next bytes of the answer, as many as `pick` takes of the rest; none when there is no rest, or nothing in it fits.
    pub(super) fn replay(&mut self, pick: impl FnOnce(&[u8]) -> Option<usize>) -> Option<Bytes> {
        let rest = self.bytes.get(self.replayed..).filter(|rest| !rest.is_empty() && !self.too_long)?;
        let count = pick(rest)?;
        let picked = Bytes::copy_from_slice(rest.get(..count)?);
        self.replayed += count;
        Some(picked)
    }
}
