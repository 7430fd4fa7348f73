//! One row for each key: found when somebody reads, so that writes cost nothing for it.
//!
//! The index knows the last row of every key, marks the ones before as dead, and, where fields are merged, links a row that has NULL
//! in a field to the row that it replaced. It takes in only what was written since it was last used.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::buffer::BooleanBuffer;
use arrow::compute::{filter, interleave};

use super::conform::Chunk;
use super::error::StoreError;
use super::key::keys;
use super::schema::{Merge, Semantic, TableSchema};

/// Where a row is: the chunk and the row in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    chunk: u32,
    row: u32,
}

/// A key is a hash already.
#[derive(Debug, Default)]
struct Taken(u64);

impl Hasher for Taken {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }
}

/// The last row of every key of a table.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    last: HashMap<u128, Place, BuildHasherDefault<Taken>>,
    /// For each chunk the rows that another one has replaced; none: no row.
    dead: Vec<Option<Vec<bool>>>,
    /// From a row with NULL fields to the one that it replaced.
    replaced: HashMap<Place, Place>,
    /// Chunks with rows in `replaced`.
    merged: BTreeSet<u32>,
}

impl Distinct {
    /// Keys in what it has taken in.
    pub(super) fn rows(&self) -> u64 {
        self.last.len() as u64
    }

    /// Takes in the chunks that are new.
    ///
    /// # Errors
    ///
    /// A tag of a type that has no order.
    pub(super) fn take_in(&mut self, chunks: &[Chunk], schema: &TableSchema) -> Result<(), StoreError> {
        for (number, chunk) in chunks.iter().enumerate().skip(self.dead.len()) {
            let keys = keys(chunk, schema)?;
            let partial = if schema.options.merge == Merge::LastNonNull { partial_rows(chunk, schema) } else { None };
            self.dead.push(None);
            for (row, key) in keys.into_iter().enumerate() {
                let place = Place { chunk: number as u32, row: row as u32 };
                let Some(before) = self.last.insert(key, place) else { continue };
                let length = chunks[before.chunk as usize].rows;
                if let Some(dead) = self.dead.get_mut(before.chunk as usize) {
                    dead.get_or_insert_with(|| vec![false; length])[before.row as usize] = true;
                }
                if partial.as_ref().is_some_and(|partial| partial.value(row)) {
                    self.replaced.insert(place, before);
                    self.merged.insert(place.chunk);
                }
            }
        }
        Ok(())
    }

    /// The columns of a chunk without the rows that were replaced, and with the fields that were merged.
    ///
    /// # Errors
    ///
    /// An error of Arrow's, which there is no reason for.
    pub(super) fn read(&self, number: usize, chunks: &[Chunk], schema: &TableSchema) -> Result<Chunk, StoreError> {
        let chunk = &chunks[number];
        let mut columns: Vec<ArrayRef> = (0..schema.columns.len()).map(|at| chunk.column(at, schema)).collect();
        if self.merged.contains(&(number as u32)) {
            for (position, column) in columns.iter_mut().enumerate() {
                if schema.columns[position].semantic == Semantic::Field && column.null_count() > 0 {
                    *column = self.merge(number, position, column, chunks, schema)?;
                }
            }
        }
        let Some(Some(dead)) = self.dead.get(number) else { return Ok(Chunk { columns, rows: chunk.rows }) };
        let alive = BooleanArray::new(dead.iter().map(|dead| !dead).collect::<BooleanBuffer>(), None);
        let rows = alive.true_count();
        let columns = columns.iter().map(|column| filter(column, &alive)).collect::<Result<_, _>>()?;
        Ok(Chunk { columns, rows })
    }

    /// A field whose NULLs are filled with the last value that was there before.
    fn merge(
        &self,
        number: usize,
        position: usize,
        own: &ArrayRef,
        chunks: &[Chunk],
        schema: &TableSchema,
    ) -> Result<ArrayRef, StoreError> {
        let mut sources = vec![Arc::clone(own)];
        let mut source_of: HashMap<u32, usize> = HashMap::from([(number as u32, 0)]);
        let mut picks = Vec::with_capacity(own.len());
        for row in 0..own.len() {
            let mut pick = (0, row);
            let mut place = Place { chunk: number as u32, row: row as u32 };
            while sources[pick.0].is_null(pick.1)
                && let Some(before) = self.replaced.get(&place)
            {
                place = *before;
                let source = *source_of.entry(place.chunk).or_insert_with(|| {
                    sources.push(chunks[place.chunk as usize].column(position, schema));
                    sources.len() - 1
                });
                pick = (source, place.row as usize);
            }
            picks.push(pick);
        }
        let sources: Vec<&dyn Array> = sources.iter().map(AsRef::as_ref).collect();
        Ok(interleave(&sources, &picks)?)
    }
}

/// The rows that have NULL in a field; none if there is no such row.
fn partial_rows(chunk: &Chunk, schema: &TableSchema) -> Option<BooleanBuffer> {
    let mut partial: Option<BooleanBuffer> = None;
    for (position, column) in schema.columns.iter().enumerate() {
        if column.semantic != Semantic::Field {
            continue;
        }
        let nulls = match chunk.columns.get(position).map(|array| array.logical_nulls()) {
            // The column is younger than the chunk.
            None => return Some(BooleanBuffer::new_set(chunk.rows)),
            Some(None) => continue,
            Some(Some(nulls)) if nulls.null_count() == 0 => continue,
            Some(Some(nulls)) => !nulls.inner(),
        };
        partial = Some(match partial {
            None => nulls,
            Some(others) => &others | &nulls,
        });
    }
    partial
}
