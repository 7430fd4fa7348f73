//! What a column of few distinct values is made of.

use super::sink::{PIECE, Sink};

/// Ready bytes, one run of them for each distinct value. Each begins at a multiple of [`PIECE`].
#[derive(Debug, Default)]
pub(super) struct Fragments {
    bytes: Vec<u8>,
    places: Vec<(u32, u32)>,
}

/// Where a fragment stands, with what fills it up to whole pieces.
pub(super) type Padded<'a> = (&'a [u8], usize);

impl Fragments {
    /// The only one there is.
    pub(super) fn one(bytes: &[u8]) -> Self {
        let mut fragments = Self::default();
        fragments.push(|sink| sink.bytes(bytes), bytes.len());
        fragments
    }

    pub(super) fn push(&mut self, write: impl FnOnce(&mut Sink<'_>), size: usize) {
        let start = self.bytes.len();
        self.bytes.resize(start + size.next_multiple_of(PIECE), 0);
        write(&mut Sink::new(&mut self.bytes[start..], 0));
        self.places.push((start as u32, size as u32));
    }

    pub(super) fn size(&self, key: u32) -> usize {
        self.places.get(key as usize).map_or(0, |place| place.1 as usize)
    }

    pub(super) fn get(&self, key: u32) -> Padded<'_> {
        let (start, size) = self.places.get(key as usize).copied().unwrap_or_default();
        let (start, size) = (start as usize, size as usize);
        (&self.bytes[start..start + size.next_multiple_of(PIECE)], size)
    }
}
