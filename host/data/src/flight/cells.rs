//! The values of a dictionary as they are copied one behind the other, row by row: what a text column costs its time for.
//!
//! Short values stand in cells of one size, which are copied whole: a copy of constant length is one or two instructions, and
//! the next value overwrites what was copied too much. Behind the last value stands an empty one, which is what NULL becomes.

use arrow_array::{Array as _, StringArray};

/// Cells for values that are one instruction to copy, and for somewhat longer ones. The last byte holds the length.
const NARROW: usize = 16;
const WIDE: usize = 32;

/// More values than this are not worth the memory of cells: they do not fit the processor's caches anyway.
const MOST_CELLS: usize = 1 << 20;

/// The values of one dictionary.
pub(crate) enum Cells {
    /// Values of at most 15 bytes.
    Narrow(Vec<[u8; NARROW]>),
    /// Values of at most 31 bytes.
    Wide(Vec<[u8; WIDE]>),
    /// Longer values, as they stand in the dictionary.
    Spans(StringArray),
}

impl Cells {
    pub(crate) fn of(values: &StringArray) -> Self {
        let longest = values.value_offsets().windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0);
        if longest as usize >= WIDE || values.len() > MOST_CELLS {
            Self::Spans(values.clone())
        } else if longest as usize >= NARROW {
            Self::Wide(padded(values))
        } else {
            Self::Narrow(padded(values))
        }
    }

    /// The most bytes that [`Cells::gather`] writes for `keys`.
    pub(super) fn bound(&self, keys: &[u32]) -> u64 {
        match self {
            Self::Narrow(_) => (keys.len() as u64 + 1) * NARROW as u64,
            Self::Wide(_) => (keys.len() as u64 + 1) * WIDE as u64,
            Self::Spans(values) => keys.iter().map(|key| span(values, *key).len() as u64).sum(),
        }
    }

    /// Writes the values that `keys` name to `text`, of at least [`Cells::bound`] bytes, and the offsets between them to
    /// `offsets`, of four bytes for each key and four more. The key behind the last value is an empty value. Returns the
    /// length of the text.
    pub(super) fn gather(&self, keys: &[u32], offsets: &mut [u8], text: &mut [u8]) -> usize {
        let (zero, ends) = offsets.split_at_mut(4);
        zero.fill(0);
        match self {
            Self::Narrow(cells) => gather(cells, keys, ends, text),
            Self::Wide(cells) => gather(cells, keys, ends, text),
            Self::Spans(values) => {
                let mut at = 0;
                for (key, end) in keys.iter().zip(ends.chunks_exact_mut(4)) {
                    let value = span(values, *key);
                    text[at..at + value.len()].copy_from_slice(value);
                    at += value.len();
                    end.copy_from_slice(&(at as u32).to_le_bytes());
                }
                at
            }
        }
    }
}

fn gather<const N: usize>(cells: &[[u8; N]], keys: &[u32], ends: &mut [u8], text: &mut [u8]) -> usize {
    let mut at = 0;
    for (key, end) in keys.iter().zip(ends.chunks_exact_mut(4)) {
        let cell = &cells[*key as usize];
        text[at..at + N].copy_from_slice(cell);
        at += usize::from(cell[N - 1]);
        end.copy_from_slice(&(at as u32).to_le_bytes());
    }
    at
}

fn padded<const N: usize>(values: &StringArray) -> Vec<[u8; N]> {
    let mut cells = vec![[0; N]; values.len() + 1];
    for (index, cell) in cells.iter_mut().enumerate() {
        let value = span(values, index as u32);
        cell[..value.len()].copy_from_slice(value);
        cell[N - 1] = value.len() as u8;
    }
    cells
}

fn span(values: &StringArray, key: u32) -> &[u8] {
    let index = key as usize;
    if index < values.len() { values.value(index).as_bytes() } else { &[] }
}
