//! Writing by index into a slice that is known to be long enough.
//!
//! Copies have a constant size, so that each is a load and a store or two instead of a call; what they write past the end of
//! the text is overwritten by what comes next. [`SLACK`] says by how much the slice must be longer than the text.

/// How far past the end of the text a copy may write.
pub(super) const SLACK: usize = 64;

/// The longest text of a number with its suffix, and what copies may write past it.
pub(super) const NUMBER_BOUND: usize = 48;

/// Bytes that are copied at once.
const HEAD: usize = 16;

/// A short text that is copied many times.
#[derive(Debug, Clone, Default)]
pub(super) struct Padded {
    /// The first bytes, in a place of their own: most texts need no more.
    head: [u8; HEAD],
    len: usize,
    rest: Box<[u8]>,
}

impl Padded {
    pub(super) fn new(text: &[u8]) -> Self {
        let (first, rest) = text.split_at(text.len().min(HEAD));
        let mut head = [0; HEAD];
        head[..first.len()].copy_from_slice(first);
        Self { head, len: text.len(), rest: rest.into() }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(super) fn put(&self, out: &mut [u8], at: usize) -> usize {
        put(out, at, &self.head);
        if self.len > HEAD {
            out[at + HEAD..at + self.len].copy_from_slice(&self.rest);
        }
        at + self.len
    }
}

#[inline(always)]
pub(super) fn put<const N: usize>(out: &mut [u8], at: usize, bytes: &[u8; N]) {
    out[at..at + N].copy_from_slice(bytes);
}
