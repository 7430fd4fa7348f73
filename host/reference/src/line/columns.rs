//! The columns of one request: a table for each measurement.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, UInt64Builder};
use arrow::datatypes::DataType;

use super::parse::{Line, Value};
use super::table::TableBuilder;
use crate::store::{Rows, Semantic, StoreError, TableSchema};

/// A value of another type than its column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The measurement.
    pub(crate) measurement: String,
    /// The column.
    pub(crate) column: String,
    /// What the column holds.
    pub(crate) expected: (DataType, Semantic),
    /// What came.
    pub(crate) given: (DataType, Semantic),
}

/// Why a line is not among the columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refused {
    /// A value of another type.
    Conflict(Conflict),
    /// A time that nanoseconds in 64 bits, or the table's column, cannot hold.
    Time,
    /// A column that is both a tag and a field, or has the name of the time.
    Name(String),
}

/// What is known of a table before its first line.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    /// The table, if it exists.
    pub(crate) schema: Option<Arc<TableSchema>>,
    /// Whether a value that does not fit the table is refused line by line, or the store refuses all.
    pub(crate) line_by_line: bool,
    /// The name of the time in a table that is made.
    pub(crate) time: &'static str,
}

/// The lines of one request as columns.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    tables: Vec<TableBuilder>,
    by_name: HashMap<String, usize>,
    last: usize,
}

impl Batch {
    /// Adds a line; `time` is in nanoseconds. `known` is asked once for every measurement.
    ///
    /// # Errors
    ///
    /// A line that does not fit, of which nothing is added.
    pub(crate) fn push(&mut self, line: &Line<'_>, time: i64, known: &dyn Fn(&str) -> Known) -> Result<(), Refused> {
        let place = match self.tables.get(self.last) {
            Some(table) if table.name == line.measurement => self.last,
            _ => match self.by_name.get(line.measurement.as_ref()) {
                Some(place) => *place,
                None => {
                    let name = line.measurement.as_ref().to_owned();
                    self.tables.push(TableBuilder::new(name.clone(), &known(&name)));
                    self.by_name.insert(name, self.tables.len() - 1);
                    self.tables.len() - 1
                }
            },
        };
        self.last = place;
        self.tables[place].push(line, time)
    }

    /// The rows of all measurements. Columns without a value are left out.
    ///
    /// # Errors
    ///
    /// An error of Arrow's, which there is no reason for.
    pub(crate) fn finish(self) -> Result<Vec<Rows>, StoreError> {
        self.tables.into_iter().filter(|table| table.rows() > 0).map(TableBuilder::finish).collect()
    }
}

/// Values of one column, NULL for the rows that have none.
#[derive(Debug)]
pub(super) enum Values {
    Texts(StringBuilder),
    Floats(Float64Builder),
    Integers(Int64Builder),
    Unsigneds(UInt64Builder),
    Booleans(BooleanBuilder),
    /// A column of a table whose type no line can have.
    Other(DataType),
}

/// Does the same to whichever builder there is.
macro_rules! each {
    ($values:expr, $builder:ident => $do:expr, $other:expr) => {
        match $values {
            Values::Texts($builder) => $do,
            Values::Floats($builder) => $do,
            Values::Integers($builder) => $do,
            Values::Unsigneds($builder) => $do,
            Values::Booleans($builder) => $do,
            Values::Other(_) => $other,
        }
    };
}

impl Values {
    /// Of this type.
    pub(super) fn of(data_type: &DataType) -> Self {
        match data_type {
            DataType::Utf8 => Self::Texts(StringBuilder::new()),
            DataType::Float64 => Self::Floats(Float64Builder::new()),
            DataType::Int64 => Self::Integers(Int64Builder::new()),
            DataType::UInt64 => Self::Unsigneds(UInt64Builder::new()),
            DataType::Boolean => Self::Booleans(BooleanBuilder::new()),
            other => Self::Other(other.clone()),
        }
    }

    /// Their type.
    pub(super) fn data_type(&self) -> DataType {
        match self {
            Self::Texts(_) => DataType::Utf8,
            Self::Floats(_) => DataType::Float64,
            Self::Integers(_) => DataType::Int64,
            Self::Unsigneds(_) => DataType::UInt64,
            Self::Booleans(_) => DataType::Boolean,
            Self::Other(other) => other.clone(),
        }
    }

    /// Whether a value is of their type.
    pub(super) fn takes(&self, value: &Value<'_>) -> bool {
        matches!(
            (self, value),
            (Self::Texts(_), Value::Text(_))
                | (Self::Floats(_), Value::Float(_))
                | (Self::Integers(_), Value::Integer(_))
                | (Self::Unsigneds(_), Value::Unsigned(_))
                | (Self::Booleans(_), Value::Boolean(_))
        )
    }

    /// Adds a value of their type after NULL for the rows before it that had none.
    pub(super) fn push(&mut self, row: usize, value: &Value<'_>) {
        self.pad(row);
        match (self, value) {
            (Self::Texts(builder), Value::Text(text)) => builder.append_value(text),
            (Self::Floats(builder), Value::Float(number)) => builder.append_value(*number),
            (Self::Integers(builder), Value::Integer(number)) => builder.append_value(*number),
            (Self::Unsigneds(builder), Value::Unsigned(number)) => builder.append_value(*number),
            (Self::Booleans(builder), Value::Boolean(truth)) => builder.append_value(*truth),
            _ => {}
        }
    }

    /// Adds a text, as [`push`](Self::push).
    pub(super) fn push_text(&mut self, row: usize, text: &str) {
        self.pad(row);
        if let Self::Texts(builder) = self {
            builder.append_value(text);
        }
    }

    fn pad(&mut self, rows: usize) {
        use arrow::array::ArrayBuilder;
        each!(self, builder => if builder.len() < rows { builder.append_nulls(rows - builder.len()) }, ());
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        use arrow::array::ArrayBuilder;
        each!(self, builder => builder.is_empty(), true)
    }

    /// The column, of so many rows.
    pub(super) fn finish(mut self, rows: usize) -> ArrayRef {
        self.pad(rows);
        each!(&mut self, builder => Arc::new(builder.finish()) as ArrayRef, arrow::array::new_null_array(&DataType::Null, rows))
    }
}

/// The type of a value.
pub(super) fn type_of(value: &Value<'_>) -> DataType {
    match value {
        Value::Float(_) => DataType::Float64,
        Value::Integer(_) => DataType::Int64,
        Value::Unsigned(_) => DataType::UInt64,
        Value::Boolean(_) => DataType::Boolean,
        Value::Text(_) => DataType::Utf8,
    }
}
