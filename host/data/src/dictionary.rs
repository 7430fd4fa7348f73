//! The distinct values of a text column, made once and shared by every batch.
//!
//! Encoders remember what they made of a dictionary by its id, so equal lists must become one dictionary: that is the
//! [`Interner`]'s task. A dictionary never changes.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use arrow_array::{Array, ArrayRef, StringArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};

use crate::flight::Cells;
use crate::lp::Shared;

/// The most values that one dictionary may hold.
pub const MAX_DICTIONARY_VALUES: usize = 16_777_216;

/// Distinct values, in the order in which keys name them. A clone is a reference to the same values.
#[derive(Clone)]
pub struct Dictionary(Arc<Inner>);

struct Inner {
    id: u64,
    shared: bool,
    values: StringArray,
    array: ArrayRef,
    hashes: OnceLock<Box<[u64]>>,
    fragments: Shared,
    cells: OnceLock<Cells>,
}

impl Dictionary {
    /// A dictionary that no interner knows, for the values of one batch alone.
    pub(crate) fn unshared<S: AsRef<str>>(values: impl IntoIterator<Item = S>) -> Result<Self, DictionaryError> {
        Ok(Self::from_array(collect(values)?, false))
    }

    /// The dictionary of a column that is NULL throughout.
    pub(crate) fn no_values() -> Self {
        Self::from_array(StringArray::new_null(0), false)
    }

    fn from_array(values: StringArray, shared: bool) -> Self {
        // Ids are never given twice in a process, so that an encoder that outlives an interner is not misled.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let array: ArrayRef = Arc::new(values.clone());
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let (hashes, fragments, cells) = (OnceLock::new(), Shared::default(), OnceLock::new());
        Self(Arc::new(Inner { id, shared, values, array, hashes, fragments, cells }))
    }

    /// The values, in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        (0..self.len()).map(|index| self.0.values.value(index))
    }

    /// The value that `key` names.
    pub fn get(&self, key: u32) -> Option<&str> {
        let index = key as usize;
        (index < self.len()).then(|| self.0.values.value(index))
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.0.values.len()
    }

    /// Whether there is no value at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tells this dictionary from every other one in the process. Dictionaries of one interner have the same id exactly
    /// if they hold the same list.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// Bytes that the values take.
    pub fn memory_bytes(&self) -> usize {
        self.0.values.get_buffer_memory_size()
    }

    /// Whether an interner gave it out, so that other batches may use it too.
    pub(crate) fn is_shared(&self) -> bool {
        self.0.shared
    }

    pub(crate) fn array(&self) -> &ArrayRef {
        &self.0.array
    }

    /// What encoders have made of the values.
    pub(crate) fn fragments(&self) -> &Shared {
        &self.0.fragments
    }

    /// The text of the values, laid out for copying; made the first time that it is asked for.
    pub(crate) fn cells(&self) -> &Cells {
        self.0.cells.get_or_init(|| Cells::of(&self.0.values))
    }

    /// A hash of each value, computed the first time that it is asked for.
    pub(crate) fn hashes(&self, hash: fn(&str) -> u64) -> &[u64] {
        self.0.hashes.get_or_init(|| self.values().map(hash).collect())
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dictionary").field("id", &self.id()).field("len", &self.len()).finish()
    }
}

/// Gives equal lists the same [`Dictionary`]. Shared by all workers of a run.
///
/// It holds no dictionary alive: one that nobody uses any more is forgotten.
#[derive(Default)]
pub struct Interner {
    hasher: RandomState,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    by_hash: HashMap<u64, Vec<Weak<Inner>>>,
    /// Dead entries are swept when the map has grown to this many lists.
    sweep_at: usize,
}

impl Interner {
    /// An interner that knows no list yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The dictionary of exactly this list, new or known.
    pub fn intern<S: AsRef<str>>(&self, values: impl IntoIterator<Item = S>) -> Result<Dictionary, DictionaryError> {
        let array = collect(values)?;
        // Text and offsets together say the list: ["ab", "c"] and ["a", "bc"] differ in the offsets.
        let hash = self.hasher.hash_one((array.value_data(), array.value_offsets()));
        // A panic elsewhere cannot leave the map half-changed, so a poisoned lock is as good as any.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let same_hash = known.by_hash.entry(hash).or_default();
        same_hash.retain(|dictionary| dictionary.strong_count() > 0);
        for candidate in same_hash.iter().filter_map(Weak::upgrade) {
            if candidate.values == array {
                return Ok(Dictionary(candidate));
            }
        }
        let dictionary = Dictionary::from_array(array, true);
        same_hash.push(Arc::downgrade(&dictionary.0));
        known.sweep();
        Ok(dictionary)
    }
}

impl Known {
    fn sweep(&mut self) {
        if self.by_hash.len() < self.sweep_at.max(64) {
            return;
        }
        self.by_hash.retain(|_, dictionaries| {
            dictionaries.retain(|dictionary| dictionary.strong_count() > 0);
            !dictionaries.is_empty()
        });
        self.sweep_at = self.by_hash.len() * 2;
    }
}

impl fmt::Debug for Interner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interner").finish_non_exhaustive()
    }
}

fn collect<S: AsRef<str>>(values: impl IntoIterator<Item = S>) -> Result<StringArray, DictionaryError> {
    let values = values.into_iter();
    let mut offsets = Vec::with_capacity(values.size_hint().0.min(MAX_DICTIONARY_VALUES) + 1);
    let mut text = String::new();
    offsets.push(0_i32);
    for value in values {
        if offsets.len() > MAX_DICTIONARY_VALUES {
            return Err(DictionaryError::TooManyValues);
        }
        text.push_str(value.as_ref());
        offsets.push(i32::try_from(text.len()).map_err(|_| DictionaryError::TooMuchText)?);
    }
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    StringArray::try_new(offsets, Buffer::from_vec(text.into_bytes()), None)
        .map_err(|error| DictionaryError::Refused { reason: error.to_string() })
}

/// A list that cannot be a dictionary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DictionaryError {
    /// There are more values than keys can usefully name.
    #[error(
        "a dictionary holds at most {MAX_DICTIONARY_VALUES} values: append text of that many values with append-strings"
    )]
    TooManyValues,
    /// The values together are longer than an Arrow text column can be.
    #[error("the values of a dictionary together are at most 2 GiB of text: use shorter or fewer values")]
    TooMuchText,
    /// Arrow refused the values.
    #[error("the values of a dictionary were refused: {reason}")]
    Refused {
        /// Arrow's words.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn equal_lists_become_one_dictionary() {
        let interner = Interner::new();
        let first = interner.intern(["a", "b"]).unwrap();
        let second = interner.intern(vec!["a".to_owned(), "b".to_owned()]).unwrap();
        assert_eq!(first.id(), second.id());
        assert!(Arc::ptr_eq(&first.0, &second.0));
    }

    #[test]
    fn lists_that_differ_in_order_or_cuts_are_different_dictionaries() {
        let interner = Interner::new();
        let lists = [vec!["a", "b"], vec!["b", "a"], vec!["ab"], vec!["ab", ""], vec!["", "ab"], vec![]];
        let ids: std::collections::HashSet<u64> =
            lists.iter().map(|list| interner.intern(list).unwrap()).map(|dictionary| dictionary.id()).collect();
        assert_eq!(ids.len(), lists.len());
    }

    #[test]
    fn values_come_back_in_order() {
        let dictionary = Interner::new().intern(["x", "", "ü"]).unwrap();
        assert_eq!(dictionary.values().collect::<Vec<_>>(), ["x", "", "ü"]);
        assert_eq!(dictionary.len(), 3);
        assert_eq!(dictionary.get(2), Some("ü"));
        assert_eq!(dictionary.get(3), None);
    }

    #[test]
    fn an_interner_forgets_dictionaries_that_nobody_uses() {
        let interner = Interner::new();
        for index in 0..1000 {
            interner.intern([index.to_string()]).unwrap();
        }
        assert!(interner.known.lock().unwrap().by_hash.len() < 200);
    }

    #[test]
    fn two_interners_never_give_the_same_id() {
        let first = Interner::new().intern(["a"]).unwrap();
        let second = Interner::new().intern(["a"]).unwrap();
        assert_ne!(first.id(), second.id());
    }

    #[test]
    fn too_many_values_are_refused() {
        let list = std::iter::repeat_n("", MAX_DICTIONARY_VALUES + 1);
        assert_eq!(Interner::new().intern(list).unwrap_err(), DictionaryError::TooManyValues);
    }
}
