//! One column while it is being written: parts in, one checked buffer out.
//!
//! Ranges are checked at the end, when it is known which rows are NULL: what was appended there does not count.

use std::collections::HashMap;

use arrow_array::StringArray;
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};

use crate::batch::is_null;
use crate::column::{Stored, Values};
use crate::dictionary::Dictionary;
use crate::rule::Rule;
use crate::table::Column;
use crate::types::{DataType, Semantic};

/// Values as they were handed in.
#[derive(Debug)]
pub(crate) enum Written {
    Boolean(Vec<bool>),
    Int64(Vec<i64>),
    UInt64(Vec<u64>),
    Float64(Vec<f64>),
    Strings(Vec<String>),
    Keys(Dictionary, Vec<u32>),
}

impl Written {
    fn len(&self) -> usize {
        match self {
            Self::Boolean(values) => values.len(),
            Self::Int64(values) => values.len(),
            Self::UInt64(values) => values.len(),
            Self::Float64(values) => values.len(),
            Self::Strings(values) => values.len(),
            Self::Keys(_, keys) => keys.len(),
        }
    }
}

/// What has been written of a column so far.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    written: Option<Written>,
    nulls: Vec<u32>,
}

impl Pending {
    pub(crate) fn append(&mut self, part: Written, rows: u32) -> Result<(), Rule> {
        let total = self.written.as_ref().map_or(0, Written::len) + part.len();
        if total > rows as usize {
            return Err(Rule::TooManyRows { got: total, rows });
        }
        match (&mut self.written, part) {
            (None, part) => self.written = Some(part),
            (Some(Written::Boolean(values)), Written::Boolean(part)) => values.extend(part),
            (Some(Written::Int64(values)), Written::Int64(part)) => values.extend(part),
            (Some(Written::UInt64(values)), Written::UInt64(part)) => values.extend(part),
            (Some(Written::Float64(values)), Written::Float64(part)) => values.extend(part),
            (Some(Written::Strings(values)), Written::Strings(part)) => values.extend(part),
            (Some(Written::Keys(dictionary, keys)), Written::Keys(other, part)) => {
                if dictionary.id() != other.id() {
                    return Err(Rule::TwoDictionaries);
                }
                keys.extend(part);
            }
            (Some(_), _) => return Err(Rule::KeysAndStrings),
        }
        Ok(())
    }

    pub(crate) fn mark_nulls(&mut self, rows: Vec<u32>) {
        if self.nulls.is_empty() {
            self.nulls = rows;
        } else {
            self.nulls.extend(rows);
        }
    }

    pub(crate) fn finish(self, column: &Column, rows: u32) -> Result<Stored, Rule> {
        let length = rows as usize;
        let written = match self.written {
            None if column.nullable || rows == 0 => {
                return Ok(Stored {
                    values: empty(column, length),
                    nulls: (rows > 0).then(|| NullBuffer::new_null(length)),
                });
            }
            None => return Err(Rule::TooFewRows { got: 0, rows }),
            Some(written) => written,
        };
        if written.len() != length {
            return Err(Rule::TooFewRows { got: written.len(), rows });
        }
        let nulls = validity(&self.nulls, length);
        let values = match written {
            Written::Boolean(mut values) => {
                clear(&mut values, &self.nulls);
                Values::Boolean(BooleanBuffer::from(values))
            }
            Written::Float64(mut values) => {
                clear(&mut values, &self.nulls);
                match column.data_type {
                    DataType::Float32 => {
                        Values::Float32(values.iter().map(|value| *value as f32).collect::<Vec<_>>().into())
                    }
                    _ => Values::Float64(values.into()),
                }
            }
            Written::Int64(mut values) => {
                clear(&mut values, &self.nulls);
                match column.data_type {
                    DataType::Int8 => Values::Int8(narrow(&values, column.data_type)?),
                    DataType::Int16 => Values::Int16(narrow(&values, column.data_type)?),
                    DataType::Int32 => Values::Int32(narrow(&values, column.data_type)?),
                    DataType::Date32 => Values::Date32(narrow(&values, column.data_type)?),
                    DataType::Timestamp(unit) => Values::Timestamp(values.into(), unit),
                    _ => Values::Int64(values.into()),
                }
            }
            Written::UInt64(mut values) => {
                clear(&mut values, &self.nulls);
                match column.data_type {
                    DataType::UInt8 => Values::UInt8(narrow(&values, column.data_type)?),
                    DataType::UInt16 => Values::UInt16(narrow(&values, column.data_type)?),
                    DataType::UInt32 => Values::UInt32(narrow(&values, column.data_type)?),
                    _ => Values::UInt64(values.into()),
                }
            }
            Written::Strings(mut values) => {
                clear(&mut values, &self.nulls);
                if column.semantic == Semantic::Tag { distinct(&values)? } else { strings(&values)? }
            }
            Written::Keys(dictionary, mut keys) => {
                clear(&mut keys, &self.nulls);
                let values = dictionary.len();
                let outside = |(row, key): (usize, &u32)| *key as usize >= values && !is_null(nulls.as_ref(), row);
                if let Some(row) = keys.iter().enumerate().position(outside) {
                    return Err(Rule::KeyOutOfRange { row, key: keys[row], values });
                }
                Values::Keys(keys.into(), dictionary)
            }
        };
        Ok(Stored { values, nulls })
    }
}

/// A column of which nothing was written.
fn empty(column: &Column, rows: usize) -> Values {
    match column.data_type {
        DataType::Boolean => Values::Boolean(BooleanBuffer::new_unset(rows)),
        DataType::Int8 => Values::Int8(zeros(rows)),
        DataType::Int16 => Values::Int16(zeros(rows)),
        DataType::Int32 => Values::Int32(zeros(rows)),
        DataType::Int64 => Values::Int64(zeros(rows)),
        DataType::UInt8 => Values::UInt8(zeros(rows)),
        DataType::UInt16 => Values::UInt16(zeros(rows)),
        DataType::UInt32 => Values::UInt32(zeros(rows)),
        DataType::UInt64 => Values::UInt64(zeros(rows)),
        DataType::Float32 => Values::Float32(zeros(rows)),
        DataType::Float64 => Values::Float64(zeros(rows)),
        DataType::Date32 => Values::Date32(zeros(rows)),
        DataType::Timestamp(unit) => Values::Timestamp(zeros(rows), unit),
        DataType::Utf8 if column.semantic == Semantic::Tag => Values::Keys(zeros(rows), Dictionary::no_values()),
        DataType::Utf8 | DataType::Json => Values::Strings(StringArray::new_repeated("", rows)),
        DataType::Decimal128 | DataType::Binary => Values::Missing,
    }
}

fn zeros<T: ArrowNativeType>(rows: usize) -> ScalarBuffer<T> {
    vec![T::default(); rows].into()
}

fn validity(null_rows: &[u32], rows: usize) -> Option<NullBuffer> {
    if null_rows.is_empty() {
        return None;
    }
    let mut valid = vec![true; rows];
    for row in null_rows {
        valid[*row as usize] = false;
    }
    Some(NullBuffer::from(valid))
}

/// What was appended at NULL rows becomes the type's zero, so that no reader sees it and equal batches are equal.
fn clear<T: Default>(values: &mut [T], null_rows: &[u32]) {
    for row in null_rows {
        values[*row as usize] = T::default();
    }
}

fn narrow<W, T>(values: &[W], data_type: DataType) -> Result<ScalarBuffer<T>, Rule>
where
    W: Copy + Into<i128>,
    T: ArrowNativeType + TryFrom<W>,
{
    let mut narrowed = Vec::with_capacity(values.len());
    for (row, value) in values.iter().enumerate() {
        let fitting = T::try_from(*value).map_err(|_| Rule::OutOfRange { row, value: (*value).into(), data_type })?;
        narrowed.push(fitting);
    }
    Ok(narrowed.into())
}

fn strings(values: &[String]) -> Result<Values, Rule> {
    let length = values.iter().map(String::len).sum();
    if i32::try_from(length).is_err() {
        return Err(Rule::TooMuchText { bytes: length });
    }
    let mut text = Vec::with_capacity(length);
    for value in values {
        text.extend_from_slice(value.as_bytes());
    }
    let offsets = OffsetBuffer::from_lengths(values.iter().map(String::len));
    let array = StringArray::try_new(offsets, Buffer::from_vec(text), None);
    Ok(Values::Strings(array.map_err(|error| Rule::Refused { reason: error.to_string() })?))
}

/// A dictionary of the distinct values, in the order in which they first occur.
fn distinct(values: &[String]) -> Result<Values, Rule> {
    let mut known: HashMap<&str, u32> = HashMap::new();
    let mut order = Vec::new();
    let mut keys = Vec::with_capacity(values.len());
    for value in values {
        let key = *known.entry(value).or_insert_with(|| {
            order.push(value);
            order.len() as u32 - 1
        });
        keys.push(key);
    }
    let dictionary = Dictionary::unshared(order).map_err(|error| Rule::Refused { reason: error.to_string() })?;
    Ok(Values::Keys(keys.into(), dictionary))
}
