//! Fills the columns of one batch, in any order and in any number of parts.
//!
//! What a generator writes is checked here and nowhere else: the rest of the program trusts a [`Batch`]. A column that is
//! appended in one part keeps the very memory that it came in.

use std::sync::Arc;

use crate::batch::Batch;
use crate::dictionary::Dictionary;
use crate::pending::{Pending, Written};
use crate::rule::{BuilderError, Rule};
use crate::table::Table;
use crate::types::{DataType, Semantic};

/// Columns that are being written.
///
/// Every column must end up with exactly the rows asked for, except that a nullable column of which nothing was appended is
/// NULL throughout. Errors name the column and the rule.
#[derive(Debug)]
pub struct BatchBuilder {
    table: Arc<Table>,
    first_row: u64,
    rows: u32,
    columns: Vec<Pending>,
}

impl BatchBuilder {
    /// A builder for `rows` rows that start at position `first_row` of the dataset.
    pub fn new(table: Arc<Table>, first_row: u64, rows: u32) -> Self {
        let columns = table.columns().iter().map(|_| Pending::default()).collect();
        Self { table, first_row, rows, columns }
    }

    /// The table that is written.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// How many rows each column must get.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Appends to the timestamp column, in the unit of its type.
    pub fn append_timestamps(&mut self, values: Vec<i64>) -> Result<(), BuilderError> {
        let column = self.table.timestamp().0;
        self.append(column, "append-timestamps", Written::Int64(values))
    }

    /// Appends to a `float32` or `float64` column. A `float32` column keeps the nearest value that it can.
    pub fn append_float64s(&mut self, column: usize, values: Vec<f64>) -> Result<(), BuilderError> {
        self.append(column, "append-float64s", Written::Float64(values))
    }

    /// Appends to a signed integer column, or days or time units to a date or timestamp field.
    pub fn append_int64s(&mut self, column: usize, values: Vec<i64>) -> Result<(), BuilderError> {
        self.append(column, "append-int64s", Written::Int64(values))
    }

    /// Appends to an unsigned integer column.
    pub fn append_uint64s(&mut self, column: usize, values: Vec<u64>) -> Result<(), BuilderError> {
        self.append(column, "append-uint64s", Written::UInt64(values))
    }

    /// Appends to a boolean column.
    pub fn append_booleans(&mut self, column: usize, values: Vec<bool>) -> Result<(), BuilderError> {
        self.append(column, "append-booleans", Written::Boolean(values))
    }

    /// Appends text that has few repetitions. A tag gets a dictionary of its own from it.
    pub fn append_strings(&mut self, column: usize, values: Vec<String>) -> Result<(), BuilderError> {
        self.append(column, "append-strings", Written::Strings(values))
    }

    /// Appends text as indices into a dictionary: one dictionary for a column and a batch.
    pub fn append_keys(&mut self, column: usize, values: &Dictionary, keys: Vec<u32>) -> Result<(), BuilderError> {
        self.append(column, "append-keys", Written::Keys(values.clone(), keys))
    }

    /// Says which rows of a nullable column are NULL, as positions in this batch. What is appended there is ignored.
    pub fn mark_nulls(&mut self, column: usize, rows: Vec<u32>) -> Result<(), BuilderError> {
        const CALL: &str = "mark-nulls";
        let Some(pending) = self.columns.get_mut(column) else {
            return Err(self.no_such_column(column, CALL));
        };
        if !self.table.columns()[column].nullable {
            return Err(self.broken(column, CALL, Rule::NotNullable));
        }
        if let Some(row) = rows.iter().copied().find(|row| *row >= self.rows) {
            return Err(self.broken(column, CALL, Rule::NullRow { row, rows: self.rows }));
        }
        pending.mark_nulls(rows);
        Ok(())
    }

    /// Checks that every column is complete and in range, and makes the batch.
    pub fn finish(self) -> Result<Batch, BuilderError> {
        let Self { table, first_row, rows, columns } = self;
        let mut stored = Vec::with_capacity(columns.len());
        for (column, pending) in table.columns().iter().zip(columns) {
            let finished = pending.finish(column, rows).map_err(|rule| BuilderError::Broken {
                call: "finish",
                table: table.name().to_owned(),
                column: column.name.clone(),
                rule,
            })?;
            stored.push(finished);
        }
        let name = table.name().to_owned();
        Batch::from_columns(table, first_row, rows, stored)
            .map_err(|error| BuilderError::Refused { table: name, reason: error.to_string() })
    }

    fn append(&mut self, column: usize, call: &'static str, values: Written) -> Result<(), BuilderError> {
        let Some(definition) = self.table.columns().get(column) else {
            return Err(self.no_such_column(column, call));
        };
        let is_time = definition.semantic == Semantic::Timestamp;
        let expected = if is_time { "append-timestamps" } else { append_call(definition.data_type) };
        let text_by_keys = call == "append-keys" && expected == "append-strings";
        if call != expected && !text_by_keys {
            let data_type = definition.data_type;
            return Err(self.broken(column, call, Rule::WrongType { data_type, expected }));
        }
        let rows = self.rows;
        self.columns[column].append(values, rows).map_err(|rule| self.broken(column, call, rule))
    }

    fn no_such_column(&self, column: usize, call: &'static str) -> BuilderError {
        let (table, columns) = (self.table.name().to_owned(), self.table.columns().len());
        BuilderError::NoSuchColumn { call, table, column, columns }
    }

    fn broken(&self, column: usize, call: &'static str, rule: Rule) -> BuilderError {
        let column = self.table.columns()[column].name.clone();
        BuilderError::Broken { call, table: self.table.name().to_owned(), column, rule }
    }
}

/// The call that writes a field of this type; empty where there is none.
fn append_call(data_type: DataType) -> &'static str {
    match data_type {
        DataType::Boolean => "append-booleans",
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::Date32
        | DataType::Timestamp(_) => "append-int64s",
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => "append-uint64s",
        DataType::Float32 | DataType::Float64 => "append-float64s",
        DataType::Utf8 | DataType::Json => "append-strings",
        DataType::Decimal128 | DataType::Binary => "",
    }
}
