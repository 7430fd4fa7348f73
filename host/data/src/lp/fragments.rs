//! A dictionary's values as they stand in a line, escaped once.
//!
//! Fragments depend on the dictionary, the column's name and the position only. The dictionary remembers them weakly, so
//! that the encoders of all workers share one copy.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::dictionary::Dictionary;
use crate::error::Problem;

use super::escape::{Position, push_string, push_text};
use super::put::put;

/// Bytes of a cell: a fragment and, in the last byte, its length.
const CELL: usize = 32;

/// Which kind of column the values belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Tag,
    /// A tag for a server that reads two backslashes as one.
    DoubledTag,
    String,
}

/// `,name=value` for each value of a dictionary; nothing for a value that is left out.
#[derive(Debug)]
pub(crate) struct Fragments {
    kind: Kind,
    /// `,name=`, escaped.
    name: Box<[u8]>,
    layout: Layout,
    /// The most bytes that one value takes with its name.
    longest: usize,
    /// Values that cannot be said, by key.
    refused: Vec<(u32, Problem)>,
}

#[derive(Debug)]
enum Layout {
    /// Each fragment in a place of constant size, which is copied whole.
    Cells(Vec<[u8; CELL]>),
    /// The values one behind the other, without the name.
    Spans { bytes: Vec<u8>, spans: Vec<Span> },
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    start: usize,
    len: usize,
}

/// Fragments that encoders have made of one dictionary.
#[derive(Debug, Default)]
pub(crate) struct Shared(Mutex<Vec<Weak<Fragments>>>);

impl Fragments {
    /// The fragments of `dictionary` behind `name`, which is `,name=` in escaped form; made now if nobody has them.
    pub(super) fn of(dictionary: &Dictionary, name: &[u8], kind: Kind) -> Arc<Self> {
        let mut shared = dictionary.fragments().0.lock().unwrap_or_else(PoisonError::into_inner);
        shared.retain(|fragments| fragments.strong_count() > 0);
        let same = |fragments: &Arc<Self>| fragments.kind == kind && *fragments.name == *name;
        if let Some(known) = shared.iter().filter_map(Weak::upgrade).find(same) {
            return known;
        }
        let made = Arc::new(Self::build(dictionary, name, kind));
        shared.push(Arc::downgrade(&made));
        made
    }

    fn build(dictionary: &Dictionary, name: &[u8], kind: Kind) -> Self {
        let mut bytes = Vec::with_capacity(dictionary.memory_bytes());
        let mut spans = Vec::with_capacity(dictionary.len());
        let mut refused = Vec::new();
        let mut longest = 0;
        for (key, value) in dictionary.values().enumerate() {
            let start = bytes.len();
            match kind {
                // Servers refuse an empty tag; it means the same as none.
                Kind::Tag | Kind::DoubledTag if value.is_empty() => {}
                Kind::Tag | Kind::DoubledTag => {
                    let position = if kind == Kind::Tag { Position::TagValue } else { Position::DoubledTagValue };
                    if let Err(problem) = push_text(&mut bytes, value, position) {
                        bytes.truncate(start);
                        refused.push((key as u32, problem));
                    }
                }
                Kind::String => push_string(&mut bytes, value),
            }
            let len = bytes.len() - start;
            longest = longest.max(len);
            spans.push(Span { start, len });
        }
        let longest = name.len() + longest;
        let layout = if longest < CELL { cells(name, &bytes, &spans) } else { Layout::Spans { bytes, spans } };
        Self { kind, name: name.into(), layout, longest, refused }
    }

    /// The most bytes that one value takes with its name.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Bytes that the fragments take.
    pub(super) fn memory_bytes(&self) -> usize {
        match &self.layout {
            Layout::Cells(cells) => cells.capacity() * CELL,
            Layout::Spans { bytes, spans } => bytes.capacity() + spans.capacity() * size_of::<Span>(),
        }
    }

    /// The first row, with the reason, whose value cannot be said. `is_null` rows have no value.
    pub(super) fn first_refused(&self, keys: &[u32], is_null: impl Fn(usize) -> bool) -> Option<(usize, &Problem)> {
        if self.refused.is_empty() {
            return None;
        }
        keys.iter().enumerate().filter(|(row, _)| !is_null(*row)).find_map(|(row, key)| {
            let index = self.refused.binary_search_by_key(key, |(key, _)| *key).ok()?;
            Some((row, &self.refused[index].1))
        })
    }

    /// How to write the values, for a loop over rows.
    pub(super) fn writer(&self) -> FragmentWriter<'_> {
        match &self.layout {
            Layout::Cells(cells) => FragmentWriter::Cells(cells),
            Layout::Spans { bytes, spans } => FragmentWriter::Spans { name: &self.name, bytes, spans },
        }
    }
}

/// The fragments of one dictionary, ready to be copied.
#[derive(Debug, Clone, Copy)]
pub(super) enum FragmentWriter<'a> {
    Cells(&'a [[u8; CELL]]),
    Spans { name: &'a [u8], bytes: &'a [u8], spans: &'a [Span] },
}

impl FragmentWriter<'_> {
    /// Writes `,name=value` and returns where it ends.
    #[inline(always)]
    pub(super) fn put(&self, out: &mut [u8], at: usize, key: u32) -> usize {
        if let Self::Cells(cells) = self {
            let cell = &cells[key as usize];
            put(out, at, cell);
            at + usize::from(cell[CELL - 1])
        } else {
            self.put_long(out, at, key)
        }
    }

    #[inline(never)]
    fn put_long(&self, out: &mut [u8], at: usize, key: u32) -> usize {
        let Self::Spans { name, bytes, spans } = self else {
            return at;
        };
        let Span { start, len } = spans[key as usize];
        if len == 0 {
            return at;
        }
        let value = at + name.len();
        out[at..value].copy_from_slice(name);
        out[value..value + len].copy_from_slice(&bytes[start..start + len]);
        value + len
    }
}

fn cells(name: &[u8], bytes: &[u8], spans: &[Span]) -> Layout {
    let cell = |span: &Span| {
        let mut cell = [0; CELL];
        if span.len > 0 {
            let len = name.len() + span.len;
            cell[..name.len()].copy_from_slice(name);
            cell[name.len()..len].copy_from_slice(&bytes[span.start..span.start + span.len]);
            cell[CELL - 1] = len as u8;
        }
        cell
    };
    Layout::Cells(spans.iter().map(cell).collect())
}
