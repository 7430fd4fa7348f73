//! One value of one row, for formats that are written value by value.

use crate::column::{Stored, Values};

/// A value as text formats see it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell<'a> {
    Null,
    Boolean(bool),
    Signed(i64),
    Unsigned(u64),
    Float32(f32),
    Float64(f64),
    Text(&'a str),
}

impl<'a> Cell<'a> {
    /// The value of `column` in a row of its batch.
    pub(super) fn of(column: &'a Stored, row: usize) -> Self {
        if column.is_null(row) {
            return Self::Null;
        }
        match &column.values {
            Values::Boolean(values) => Self::Boolean(values.value(row)),
            Values::Int8(values) => Self::Signed(values[row].into()),
            Values::Int16(values) => Self::Signed(values[row].into()),
            Values::Int32(values) | Values::Date32(values) => Self::Signed(values[row].into()),
            Values::Int64(values) | Values::Timestamp(values, _) => Self::Signed(values[row]),
            Values::UInt8(values) => Self::Unsigned(values[row].into()),
            Values::UInt16(values) => Self::Unsigned(values[row].into()),
            Values::UInt32(values) => Self::Unsigned(values[row].into()),
            Values::UInt64(values) => Self::Unsigned(values[row]),
            Values::Float32(values) => Self::Float32(values[row]),
            Values::Float64(values) => Self::Float64(values[row]),
            Values::Keys(keys, dictionary) => dictionary.get(keys[row]).map_or(Self::Null, Self::Text),
            Values::Strings(values) => Self::Text(values.value(row)),
            Values::Missing => Self::Null,
        }
    }
}
