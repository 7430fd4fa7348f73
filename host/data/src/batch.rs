//! Rows of one table, in columns, read-only, shared by all workers.
//!
//! A batch is an Arrow record batch that also knows its table, its place in the dataset and its dictionaries. Only a
//! [`BatchBuilder`](crate::BatchBuilder) makes one. It is never changed and never encodes itself.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, Field, Schema};

use crate::column::{Stored, Values};
use crate::dictionary::Dictionary;
use crate::table::Table;
use crate::types::DataType;

/// Rows of one table.
///
/// The getters answer for one column, by its position in the table: an error means that the caller asked for a column
/// that the table does not have, or for another type than the column's.
#[derive(Debug, Clone)]
pub struct Batch {
    table: Arc<Table>,
    first_row: u64,
    rows: u32,
    columns: Vec<Stored>,
    timestamps: ScalarBuffer<i64>,
    records: RecordBatch,
}

impl Batch {
    /// Puts the columns together; each must have `rows` rows and the type that the table says.
    pub(crate) fn from_columns(
        table: Arc<Table>,
        first_row: u64,
        rows: u32,
        columns: Vec<Stored>,
    ) -> Result<Self, ArrowError> {
        let mut arrays = Vec::with_capacity(columns.len());
        let mut fields = Vec::with_capacity(columns.len());
        for (column, stored) in table.columns().iter().zip(&columns) {
            let array = stored.to_array(column.data_type, rows as usize)?;
            fields.push(Field::new(&column.name, array.data_type().clone(), column.nullable));
            arrays.push(array);
        }
        let records = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)?;
        let timestamps = match &columns[table.timestamp().0].values {
            Values::Timestamp(values, _) => values.clone(),
            _ => ScalarBuffer::from(Vec::new()),
        };
        Ok(Self { table, first_row, rows, columns, timestamps, records })
    }

    /// The table that the rows belong to.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// Number of rows.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Position of the first row in the dataset, from 0.
    pub fn first_row(&self) -> u64 {
        self.first_row
    }

    /// The timestamp column, in the unit of its type.
    pub fn timestamps(&self) -> &[i64] {
        &self.timestamps
    }

    /// The rows as Arrow knows them. Text that was appended as keys is a dictionary array.
    pub fn record_batch(&self) -> &RecordBatch {
        &self.records
    }

    /// Values of a `float32` or `float64` column; 0 where NULL.
    pub fn float64s(&self, column: usize) -> Result<Cow<'_, [f64]>, BatchError> {
        match &self.stored(column, "float64s")?.values {
            Values::Float64(values) => Ok(Cow::Borrowed(values)),
            Values::Float32(values) => Ok(widened(values)),
            _ => Err(self.wrong_type(column, "float64s")),
        }
    }

    /// Values of a signed integer column, and days or time units of a date or timestamp column; 0 where NULL.
    pub fn int64s(&self, column: usize) -> Result<Cow<'_, [i64]>, BatchError> {
        match &self.stored(column, "int64s")?.values {
            Values::Int64(values) | Values::Timestamp(values, _) => Ok(Cow::Borrowed(values)),
            Values::Int32(values) | Values::Date32(values) => Ok(widened(values)),
            Values::Int16(values) => Ok(widened(values)),
            Values::Int8(values) => Ok(widened(values)),
            _ => Err(self.wrong_type(column, "int64s")),
        }
    }

    /// Values of an unsigned integer column; 0 where NULL.
    pub fn uint64s(&self, column: usize) -> Result<Cow<'_, [u64]>, BatchError> {
        match &self.stored(column, "uint64s")?.values {
            Values::UInt64(values) => Ok(Cow::Borrowed(values)),
            Values::UInt32(values) => Ok(widened(values)),
            Values::UInt16(values) => Ok(widened(values)),
            Values::UInt8(values) => Ok(widened(values)),
            _ => Err(self.wrong_type(column, "uint64s")),
        }
    }

    /// Values of a boolean column; false where NULL.
    pub fn booleans(&self, column: usize) -> Result<Vec<bool>, BatchError> {
        match &self.stored(column, "booleans")?.values {
            Values::Boolean(values) => Ok(values.iter().collect()),
            _ => Err(self.wrong_type(column, "booleans")),
        }
    }

    /// The distinct values of a tag column, and of any text column that was appended as keys.
    pub fn dictionary(&self, column: usize) -> Result<Dictionary, BatchError> {
        match &self.stored(column, "dictionary")?.values {
            Values::Keys(_, dictionary) => Ok(dictionary.clone()),
            Values::Strings(_) => Err(self.no_dictionary(column, "dictionary")),
            _ => Err(self.wrong_type(column, "dictionary")),
        }
    }

    /// For each row the index into [`Batch::dictionary`]; 0 where NULL.
    pub fn keys(&self, column: usize) -> Result<Cow<'_, [u32]>, BatchError> {
        match &self.stored(column, "keys")?.values {
            Values::Keys(keys, _) => Ok(Cow::Borrowed(keys)),
            Values::Strings(_) => Err(self.no_dictionary(column, "keys")),
            _ => Err(self.wrong_type(column, "keys")),
        }
    }

    /// Values of a text column, written out; empty where NULL.
    pub fn strings(&self, column: usize) -> Result<Vec<String>, BatchError> {
        let stored = self.stored(column, "strings")?;
        match &stored.values {
            Values::Strings(values) => Ok((0..self.rows as usize).map(|row| values.value(row).to_owned()).collect()),
            Values::Keys(keys, dictionary) => Ok(keys
                .iter()
                .enumerate()
                .map(|(row, key)| match dictionary.get(*key) {
                    Some(value) if !stored.is_null(row) => value.to_owned(),
                    _ => String::new(),
                })
                .collect()),
            _ => Err(self.wrong_type(column, "strings")),
        }
    }

    /// Rows of a column that are NULL, as ascending positions in this batch.
    pub fn nulls(&self, column: usize) -> Result<Vec<u32>, BatchError> {
        let stored = self.stored(column, "nulls")?;
        Ok((0..self.rows).filter(|row| stored.is_null(*row as usize)).collect())
    }

    /// Bytes that the batch's own columns take; dictionaries that other batches share are not counted.
    pub fn memory_bytes(&self) -> usize {
        self.columns.iter().map(Stored::memory_bytes).sum()
    }

    /// Earliest and latest timestamp in nanoseconds since the Unix epoch, both inclusive. `None` for a batch without rows
    /// and for times that do not fit 64 bits.
    pub fn time_range_ns(&self) -> Option<(i64, i64)> {
        let earliest = self.timestamps.iter().copied().min()?;
        let latest = self.timestamps.iter().copied().max()?;
        let unit = self.table.timestamp().1.nanoseconds();
        Some((earliest.checked_mul(unit)?, latest.checked_mul(unit)?))
    }

    pub(crate) fn columns(&self) -> &[Stored] {
        &self.columns
    }

    fn stored(&self, column: usize, call: &'static str) -> Result<&Stored, BatchError> {
        self.columns.get(column).ok_or_else(|| BatchError::NoSuchColumn {
            call,
            table: self.table.name().to_owned(),
            column,
            columns: self.columns.len(),
        })
    }

    fn wrong_type(&self, column: usize, call: &'static str) -> BatchError {
        let (name, data_type) = (self.table.columns()[column].name.clone(), self.table.columns()[column].data_type);
        BatchError::WrongType { call, table: self.table.name().to_owned(), column: name, data_type }
    }

    fn no_dictionary(&self, column: usize, call: &'static str) -> BatchError {
        let name = self.table.columns()[column].name.clone();
        BatchError::NoDictionary { call, table: self.table.name().to_owned(), column: name }
    }
}

fn widened<T: Copy, W: From<T> + Clone>(values: &[T]) -> Cow<'static, [W]> {
    Cow::Owned(values.iter().map(|value| W::from(*value)).collect())
}

/// The rows of `nulls` that are NULL, for those who skip them.
pub(crate) fn is_null(nulls: Option<&NullBuffer>, row: usize) -> bool {
    nulls.is_some_and(|nulls| nulls.is_null(row))
}

/// A getter that was called for a column that cannot answer it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The table has no such column.
    #[error("{call}: table `{table}` has no column {column}: it has {columns}, counted from 0")]
    NoSuchColumn {
        /// The getter.
        call: &'static str,
        /// The table.
        table: String,
        /// The position asked for.
        column: usize,
        /// How many columns there are.
        columns: usize,
    },
    /// The column is of another type.
    #[error("{call}: column `{column}` of table `{table}` is {data_type}: {}", getter(*data_type))]
    WrongType {
        /// The getter.
        call: &'static str,
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// The column's type.
        data_type: DataType,
    },
    /// The column is text that was not appended as keys.
    #[error("{call}: column `{column}` of table `{table}` was appended as strings and has no dictionary: call strings")]
    NoDictionary {
        /// The getter.
        call: &'static str,
        /// The table.
        table: String,
        /// The column.
        column: String,
    },
}

fn getter(data_type: DataType) -> &'static str {
    match data_type {
        DataType::Boolean => "call booleans",
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::Date32
        | DataType::Timestamp(_) => "call int64s",
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => "call uint64s",
        DataType::Float32 | DataType::Float64 => "call float64s",
        DataType::Utf8 | DataType::Json => "call strings, or dictionary and keys",
        DataType::Decimal128 | DataType::Binary => "no getter reads this type",
    }
}
