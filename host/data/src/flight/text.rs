//! Text columns that a batch holds as keys, written out.
//!
//! What was made of a column's keys is remembered until the next batch: in datasets that step through their series the keys
//! of most columns are the same again, and then neither text nor its compression has to be made again.

use std::mem;

use arrow_buffer::NullBuffer;

use crate::dictionary::Dictionary;
use crate::error::EncodeError;

use super::body::Body;
use super::codec::Codec;

/// A column that takes more bytes than this is not remembered.
const LARGEST: usize = 4 << 20;

/// The last keys of one column, and what became of them.
#[derive(Default)]
pub(super) struct Memo {
    /// The dictionary's id, which is never 0.
    dictionary: u64,
    keys: Vec<u32>,
    offsets: Encoded,
    text: Encoded,
}

/// A buffer as it stands in a body. The memory may be longer.
#[derive(Default)]
struct Encoded {
    memory: Vec<u8>,
    len: usize,
    raw: usize,
}

/// Memory that all columns of an encoder use one after the other.
#[derive(Default)]
pub(super) struct Scratch {
    keys: Vec<u32>,
    offsets: Vec<u8>,
    text: Vec<u8>,
}

impl Memo {
    /// Writes offsets and text of the values that `keys` name; NULL becomes an empty value.
    pub(super) fn place(
        &mut self,
        keys: &[u32],
        dictionary: &Dictionary,
        nulls: Option<&NullBuffer>,
        body: &mut Body<'_>,
        codec: &mut Codec,
        scratch: &mut Scratch,
    ) -> Result<(), EncodeError> {
        let mut empty_for_null = mem::take(&mut scratch.keys);
        let keys = match nulls {
            None => keys,
            Some(nulls) => {
                let empty = dictionary.len() as u32;
                empty_for_null.clear();
                empty_for_null.extend(keys.iter().zip(nulls).map(|(key, valid)| if valid { *key } else { empty }));
                &empty_for_null
            }
        };
        if self.dictionary != dictionary.id() || self.keys != keys {
            self.make(keys, dictionary, body, codec, scratch)?;
        }
        scratch.keys = empty_for_null;
        body.place_encoded(&self.offsets.memory[..self.offsets.len], self.offsets.raw)?;
        body.place_encoded(&self.text.memory[..self.text.len], self.text.raw)?;
        if self.offsets.memory.len() + self.text.memory.len() > LARGEST {
            *self = Self::default();
        }
        Ok(())
    }

    fn make(
        &mut self,
        keys: &[u32],
        dictionary: &Dictionary,
        body: &Body<'_>,
        codec: &mut Codec,
        scratch: &mut Scratch,
    ) -> Result<(), EncodeError> {
        // Nothing is remembered if an error comes in between.
        self.dictionary = 0;
        let cells = dictionary.cells();
        let bound = usize::try_from(cells.bound(keys)).unwrap_or(usize::MAX);
        if bound > i32::MAX as usize {
            return Err(body.too_large());
        }
        let offsets_len = (keys.len() + 1) * size_of::<i32>();
        grow(&mut scratch.offsets, offsets_len);
        grow(&mut scratch.text, bound);
        let text_len = cells.gather(keys, &mut scratch.offsets[..offsets_len], &mut scratch.text);
        self.offsets.take(&mut scratch.offsets, offsets_len, codec)?;
        self.text.take(&mut scratch.text, text_len, codec)?;
        self.keys.clear();
        self.keys.extend_from_slice(keys);
        self.dictionary = dictionary.id();
        Ok(())
    }
}

impl Encoded {
    /// The first `len` bytes of `plain`, compressed. Without compression the two exchange their memory.
    fn take(&mut self, plain: &mut Vec<u8>, len: usize, codec: &mut Codec) -> Result<(), EncodeError> {
        self.raw = len;
        if matches!(codec, Codec::None) {
            mem::swap(&mut self.memory, plain);
            self.len = len;
        } else {
            grow(&mut self.memory, codec.bound(len));
            self.len = codec.encode(&plain[..len], &mut self.memory)?;
        }
        Ok(())
    }
}

impl Scratch {
    /// Gives memory back that only a very large column needs.
    pub(super) fn shrink(&mut self) {
        if self.offsets.len() + self.text.len() > LARGEST {
            *self = Self::default();
        }
    }
}

/// At least `len` bytes, which are not cleared.
fn grow(memory: &mut Vec<u8>, len: usize) {
    if memory.len() < len {
        memory.resize(len, 0);
    }
}
