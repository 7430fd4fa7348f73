//! Many messages of one shape, a row each, written straight from columns.
//!
//! A row message holds one field for each column. What does not change from row to row (tags, lengths, names) is put together once, and
//! for a column of few distinct values so is everything. All lengths are known before the first byte is written, so nothing is moved
//! and nothing is allocated for a row.

mod fragments;
mod sink;

use fragments::Fragments;
use sink::{PIECE, Sink};

use super::varint_size;
use crate::{Error, Result};

/// What a protobuf message may have at most.
const MESSAGE_BYTES: usize = i32::MAX as usize;

/// What stands around a value: length-delimited layers, from the outermost inwards, and the bytes right before the value.
///
/// Each layer is its constant bytes, then the length of all that is inside it. A layer's bytes end with the tag of the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The bytes before each length, from the outermost layer inwards.
    pub layers: Vec<Vec<u8>>,
    /// The bytes before the value: at least its tag.
    pub leaf: Vec<u8>,
}

impl Frame {
    /// Bytes of the whole around a value of `value` bytes.
    fn size(&self, value: usize) -> usize {
        let inside = self.leaf.len() + value;
        self.layers.iter().rev().fold(inside, |inside, layer| layer.len() + varint_size(inside as u64) + inside)
    }

    /// All bytes that go before a value of `value` bytes.
    fn head(&self, value: usize) -> Vec<u8> {
        let mut out = vec![0; self.size(value) - value];
        Sink::new(&mut out, 0).frame(self, value);
        out
    }
}

/// The values of one column, as every row's message holds them.
#[derive(Debug)]
pub struct Cells {
    values: Values,
    /// Which rows are NULL; none: no row.
    nulls: Option<Vec<bool>>,
    /// What stands for NULL.
    null: Vec<u8>,
}

#[derive(Debug)]
enum Values {
    Keyed { keys: Vec<u32>, fragments: Fragments },
    Fixed64 { head: Fragments, values: Vec<u64> },
    Fixed32 { head: Fragments, values: Vec<u32> },
    Varint { frame: Frame, values: Vec<u64> },
    Text { frame: Frame, values: Vec<String> },
}

impl Cells {
    fn new(values: Values) -> Self {
        Self { values, nulls: None, null: Vec::new() }
    }

    /// Texts of few distinct values: row by row an index into `dictionary`. One that is out of it writes nothing.
    #[must_use]
    pub fn keyed_texts(frame: &Frame, dictionary: &[String], keys: Vec<u32>) -> Self {
        let mut fragments = Fragments::default();
        for text in dictionary {
            fragments.push(|sink| sink.text(frame, text), text_size(frame, text));
        }
        Self::new(Values::Keyed { keys, fragments })
    }

    /// Whole fields that were put together before: row by row an index into `ready`. One that is out of it writes nothing.
    #[must_use]
    pub fn ready(ready: &[Vec<u8>], keys: Vec<u32>) -> Self {
        let mut fragments = Fragments::default();
        for bytes in ready {
            fragments.push(|sink| sink.bytes(bytes), bytes.len());
        }
        Self::new(Values::Keyed { keys, fragments })
    }

    /// Booleans.
    #[must_use]
    pub fn booleans(frame: &Frame, values: &[bool]) -> Self {
        let mut fragments = Fragments::default();
        for value in [0, 1] {
            fragments.push(|sink| sink.number(frame, value), frame.size(1));
        }
        Self::new(Values::Keyed { keys: values.iter().map(|value| u32::from(*value)).collect(), fragments })
    }

    /// Values of eight bytes: doubles as bits, `fixed64`.
    #[must_use]
    pub fn fixed64(frame: &Frame, values: Vec<u64>) -> Self {
        Self::new(Values::Fixed64 { head: Fragments::one(&frame.head(8)), values })
    }

    /// Values of four bytes: floats as bits, `fixed32`.
    #[must_use]
    pub fn fixed32(frame: &Frame, values: Vec<u32>) -> Self {
        Self::new(Values::Fixed32 { head: Fragments::one(&frame.head(4)), values })
    }

    /// Integers, signed ones as two's complement of 64 bits.
    #[must_use]
    pub fn varints(frame: Frame, values: Vec<u64>) -> Self {
        Self::new(Values::Varint { frame, values })
    }

    /// Texts that seldom repeat.
    #[must_use]
    pub fn texts(frame: Frame, values: Vec<String>) -> Self {
        Self::new(Values::Text { frame, values })
    }

    /// The same, with `null` in the place of the values of these rows, which are positions below `rows`.
    #[must_use]
    pub fn with_nulls(self, nulls: &[u32], rows: usize, null: &[u8]) -> Self {
        if nulls.is_empty() {
            return self;
        }
        let mut are = vec![false; rows];
        for row in nulls {
            if let Some(is) = are.get_mut(*row as usize) {
                *is = true;
            }
        }
        Self { nulls: Some(are), null: null.to_vec(), ..self }
    }

    /// Adds the bytes of each row to `sizes`.
    fn add_sizes(&self, sizes: &mut [usize]) {
        match &self.values {
            Values::Keyed { keys, fragments } => self.add(sizes, keys, |key| fragments.size(*key)),
            Values::Fixed64 { head, values } => self.add(sizes, values, |_| head.size(0) + 8),
            Values::Fixed32 { head, values } => self.add(sizes, values, |_| head.size(0) + 4),
            Values::Varint { frame, values } => self.add(sizes, values, |value| frame.size(varint_size(*value))),
            Values::Text { frame, values } => self.add(sizes, values, |value| text_size(frame, value)),
        }
    }

    fn add<T>(&self, sizes: &mut [usize], values: &[T], size: impl Fn(&T) -> usize) {
        match &self.nulls {
            None => sizes.iter_mut().zip(values).for_each(|(sum, value)| *sum += size(value)),
            Some(nulls) => {
                for ((sum, value), is_null) in sizes.iter_mut().zip(values).zip(nulls) {
                    *sum += if *is_null { self.null.len() } else { size(value) };
                }
            }
        }
    }

    /// Writes the value of `row`.
    fn write(&self, row: usize, sink: &mut Sink<'_>) {
        if self.nulls.as_ref().is_some_and(|nulls| nulls[row]) {
            return sink.bytes(&self.null);
        }
        match &self.values {
            Values::Keyed { keys, fragments } => sink.pieces(fragments.get(keys[row])),
            Values::Fixed64 { head, values } => {
                sink.pieces(head.get(0));
                sink.array(values[row].to_le_bytes());
            }
            Values::Fixed32 { head, values } => {
                sink.pieces(head.get(0));
                sink.array(values[row].to_le_bytes());
            }
            Values::Varint { frame, values } => sink.number(frame, values[row]),
            Values::Text { frame, values } => sink.text(frame, &values[row]),
        }
    }

    fn rows(&self) -> usize {
        match &self.values {
            Values::Keyed { keys, .. } => keys.len(),
            Values::Fixed64 { values, .. } | Values::Varint { values, .. } => values.len(),
            Values::Fixed32 { values, .. } => values.len(),
            Values::Text { values, .. } => values.len(),
        }
    }
}

fn text_size(frame: &Frame, text: &str) -> usize {
    frame.size(varint_size(text.len() as u64) + text.len())
}

/// Rows that are measured and not yet written.
#[derive(Debug)]
pub struct Rows<'a> {
    tag: &'a [u8],
    cells: &'a [Cells],
    sizes: Vec<usize>,
    total: u64,
}

impl<'a> Rows<'a> {
    /// The first `rows` rows of these columns, or fewer if a column is shorter; `tag` goes before each row's message.
    #[must_use]
    pub fn new(tag: &'a [u8], cells: &'a [Cells], rows: usize) -> Self {
        let rows = cells.iter().map(Cells::rows).fold(rows, usize::min);
        let mut sizes = vec![0; rows];
        for column in cells {
            column.add_sizes(&mut sizes);
        }
        let total = sizes.iter().map(|size| (tag.len() + varint_size(*size as u64) + size) as u64).sum();
        Self { tag, cells, sizes, total }
    }

    /// Bytes of all rows.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.total
    }

    /// `head` and all rows.
    ///
    /// # Errors
    ///
    /// `invalid` when that is more than 2 GiB, which no protobuf message may be.
    pub fn behind(&self, head: &[u8]) -> Result<Vec<u8>> {
        let total = usize::try_from(self.total).ok().filter(|total| *total <= MESSAGE_BYTES);
        let total = total.ok_or_else(|| {
            let bytes = self.total;
            Error::invalid(format!(
                "a message of {bytes} bytes is more than protobuf can say: set a smaller --batch-rows"
            ))
        })?;
        let mut all = vec![0; head.len() + total + PIECE];
        let out = all.as_mut_slice();
        out[..head.len()].copy_from_slice(head);
        let start = head.len();
        let mut sink = Sink::new(out, start);
        for (row, size) in self.sizes.iter().enumerate() {
            sink.short(self.tag);
            sink.varint(*size as u64);
            for column in self.cells {
                column.write(row, &mut sink);
            }
        }
        all.truncate(start + total);
        Ok(all)
    }
}

#[cfg(test)]
mod tests;
