//! The lines of one batch, row by row.
//!
//! Everything that does not change from row to row is found before the first one: names, fragments, slices of values. How
//! long a row can be is known as well, so that rows are written by index into memory that is long enough.

use std::ops::Range;

use arrow_array::StringArray;
use arrow_buffer::{BooleanBuffer, NullBuffer};

use crate::batch::{Batch, is_null};
use crate::column::Values;
use crate::error::Problem;
use crate::types::Semantic;

use super::digits::{put_i64, put_u64};
use super::escape::put_string;
use super::float::{are_short, put_f32, put_f64, put_short_f64};
use super::fragments::FragmentWriter;
use super::known::Columns;
use super::put::{NUMBER_BOUND, Padded, SLACK, put};
use super::time::Clock;

/// Doubles of a column that are looked at to see whether they have few decimals.
const SAMPLE: usize = 16;

/// Why the batch cannot be said.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) column: Option<usize>,
    /// Position in the batch.
    pub(super) row: Option<usize>,
    pub(super) problem: Problem,
}

/// How to write a row of one batch.
#[derive(Debug)]
pub(super) struct Line<'a> {
    measurement: &'a Padded,
    tags: Vec<TagColumn<'a>>,
    fields: Vec<FieldColumn<'a>>,
    texts: Vec<&'a StringArray>,
    timestamps: &'a [i64],
    timestamp_column: usize,
    /// The most bytes that a row takes, but for text that is written out.
    bound: usize,
}

#[derive(Debug)]
struct TagColumn<'a> {
    keys: &'a [u32],
    nulls: Option<&'a NullBuffer>,
    fragments: FragmentWriter<'a>,
}

#[derive(Debug)]
struct FieldColumn<'a> {
    name: &'a Padded,
    nulls: Option<&'a NullBuffer>,
    values: FieldValues<'a>,
}

#[derive(Debug)]
enum FieldValues<'a> {
    Float64(&'a [f64]),
    /// Doubles of which at least the first ones have at most two decimals.
    ShortFloat64(&'a [f64]),
    Float32(&'a [f32]),
    Int8(&'a [i8]),
    Int16(&'a [i16]),
    Int32(&'a [i32]),
    Int64(&'a [i64]),
    UInt8(&'a [u8]),
    UInt16(&'a [u16]),
    UInt32(&'a [u32]),
    UInt64(&'a [u64]),
    Boolean(&'a BooleanBuffer),
    Keys(&'a [u32], FragmentWriter<'a>),
    Strings(&'a StringArray),
}

impl<'a> Line<'a> {
    pub(super) fn new(batch: &'a Batch, columns: &'a Columns) -> Result<Self, Box<Failure>> {
        let (timestamp_column, _) = batch.table().timestamp();
        let mut line = Self {
            measurement: &columns.names.measurement,
            tags: Vec::new(),
            fields: Vec::new(),
            texts: Vec::new(),
            timestamps: batch.timestamps(),
            timestamp_column,
            // The space before the time, the time and the newline.
            bound: columns.names.measurement.len() + NUMBER_BOUND,
        };
        for (index, (stored, column)) in batch.columns().iter().zip(batch.table().columns()).enumerate() {
            let nulls = stored.nulls.as_ref();
            let name = &columns.names.columns[index];
            if let (Values::Keys(keys, _), Some(fragments)) = (&stored.values, &columns.fragments[index]) {
                if let Some((row, problem)) = fragments.first_refused(keys, |row| is_null(nulls, row)) {
                    return Err(failure(Some(index), row, problem.clone()));
                }
                line.bound += fragments.longest();
                let fragments = fragments.writer();
                if column.semantic == Semantic::Tag {
                    line.tags.push(TagColumn { keys, nulls, fragments });
                } else {
                    line.fields.push(FieldColumn { name, nulls, values: FieldValues::Keys(keys, fragments) });
                }
                continue;
            }
            let values = match &stored.values {
                Values::Float64(values) => {
                    finite(index, values, |value| *value)?;
                    if are_short(&values[..values.len().min(SAMPLE)]) {
                        FieldValues::ShortFloat64(values)
                    } else {
                        FieldValues::Float64(values)
                    }
                }
                Values::Float32(values) => {
                    finite(index, values, |value| f64::from(*value))?;
                    FieldValues::Float32(values)
                }
                Values::Int8(values) => FieldValues::Int8(values),
                Values::Int16(values) => FieldValues::Int16(values),
                Values::Int32(values) => FieldValues::Int32(values),
                Values::Int64(values) => FieldValues::Int64(values),
                Values::UInt8(values) => FieldValues::UInt8(values),
                Values::UInt16(values) => FieldValues::UInt16(values),
                Values::UInt32(values) => FieldValues::UInt32(values),
                Values::UInt64(values) => FieldValues::UInt64(values),
                Values::Boolean(values) => FieldValues::Boolean(values),
                Values::Strings(values) => {
                    line.texts.push(values);
                    FieldValues::Strings(values)
                }
                // The time is written at the end; the other types have been refused with the names.
                Values::Timestamp(..) | Values::Date32(_) | Values::Missing | Values::Keys(..) => continue,
            };
            line.bound += name.len() + NUMBER_BOUND;
            line.fields.push(FieldColumn { name, nulls, values });
        }
        Ok(line)
    }

    /// Bytes that are enough for these rows and for what copies write past them.
    pub(super) fn bound(&self, rows: Range<usize>) -> usize {
        let text = |array: &&StringArray| {
            let offsets = array.value_offsets();
            // Every byte may need a backslash.
            (offsets[rows.end] - offsets[rows.start]) as usize * 2
        };
        rows.len() * self.bound + self.texts.iter().map(text).sum::<usize>() + SLACK
    }

    /// Writes these rows at `at` and returns where they end.
    pub(super) fn put(
        &self,
        out: &mut [u8],
        mut at: usize,
        rows: Range<usize>,
        clock: &mut Clock,
    ) -> Result<usize, Box<Failure>> {
        for row in rows {
            at = self.measurement.put(out, at);
            for tag in &self.tags {
                if !is_null(tag.nulls, row) {
                    at = tag.fragments.put(out, at, tag.keys[row]);
                }
            }
            let fields = at;
            for field in &self.fields {
                if !is_null(field.nulls, row) {
                    at = field.put(out, at, row);
                }
            }
            if at == fields {
                return Err(failure(None, row, Problem::NoField));
            }
            // Each field begins with a comma; the first one with the space that ends the tags.
            out[fields] = b' ';
            out[at] = b' ';
            at = clock
                .put(out, at + 1, self.timestamps[row])
                .map_err(|problem| failure(Some(self.timestamp_column), row, problem))?;
            out[at] = b'\n';
            at += 1;
        }
        Ok(at)
    }
}

impl FieldColumn<'_> {
    #[inline(always)]
    fn put(&self, out: &mut [u8], at: usize, row: usize) -> usize {
        // Most fields are doubles; the other types are kept out of the loop that is made for them.
        if let FieldValues::Float64(values) = self.values {
            let at = self.name.put(out, at);
            return put_f64(out, at, values[row]);
        }
        if let FieldValues::ShortFloat64(values) = self.values {
            let at = self.name.put(out, at);
            return put_short_f64(out, at, values[row]);
        }
        self.put_other(out, at, row)
    }

    #[inline(never)]
    fn put_other(&self, out: &mut [u8], at: usize, row: usize) -> usize {
        if let FieldValues::Keys(keys, fragments) = self.values {
            return fragments.put(out, at, keys[row]);
        }
        let at = self.name.put(out, at);
        match self.values {
            FieldValues::Float64(values) | FieldValues::ShortFloat64(values) => put_f64(out, at, values[row]),
            FieldValues::Float32(values) => put_f32(out, at, values[row]),
            FieldValues::Int64(values) => put_signed(out, at, values[row]),
            FieldValues::Int32(values) => put_signed(out, at, values[row].into()),
            FieldValues::Int16(values) => put_signed(out, at, values[row].into()),
            FieldValues::Int8(values) => put_signed(out, at, values[row].into()),
            FieldValues::UInt64(values) => put_unsigned(out, at, values[row]),
            FieldValues::UInt32(values) => put_unsigned(out, at, values[row].into()),
            FieldValues::UInt16(values) => put_unsigned(out, at, values[row].into()),
            FieldValues::UInt8(values) => put_unsigned(out, at, values[row].into()),
            FieldValues::Boolean(values) => {
                if values.value(row) {
                    put(out, at, b"true");
                    at + 4
                } else {
                    put(out, at, b"false");
                    at + 5
                }
            }
            FieldValues::Strings(values) => put_string(out, at, values.value(row)),
            FieldValues::Keys(keys, fragments) => fragments.put(out, at, keys[row]),
        }
    }
}

#[inline(always)]
fn put_signed(out: &mut [u8], at: usize, value: i64) -> usize {
    let end = put_i64(out, at, value);
    out[end] = b'i';
    end + 1
}

#[inline(always)]
fn put_unsigned(out: &mut [u8], at: usize, value: u64) -> usize {
    let end = put_u64(out, at, value);
    out[end] = b'u';
    end + 1
}

/// Checks a whole column, so that the loop over the rows need not.
fn finite<T>(column: usize, values: &[T], double: impl Fn(&T) -> f64) -> Result<(), Box<Failure>> {
    // Without an early end the compiler checks several values at once.
    if values.iter().fold(true, |all, value| all & double(value).is_finite()) {
        return Ok(());
    }
    match values.iter().map(double).enumerate().find(|(_, value)| !value.is_finite()) {
        Some((row, value)) => Err(failure(Some(column), row, Problem::NotFinite { value })),
        None => Ok(()),
    }
}

#[cold]
fn failure(column: Option<usize>, row: usize, problem: Problem) -> Box<Failure> {
    Box::new(Failure { column, row: Some(row), problem })
}
