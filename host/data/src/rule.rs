//! What a generator can do wrong when it fills a batch, in words that it can act on.

use std::fmt;

use crate::types::DataType;

/// Columns that do not make a batch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuilderError {
    /// The table has no such column.
    #[error("{call}: table `{table}` has no column {column}: it has {columns}, counted from 0")]
    NoSuchColumn {
        /// The call.
        call: &'static str,
        /// The table.
        table: String,
        /// The position asked for.
        column: usize,
        /// How many columns there are.
        columns: usize,
    },
    /// What was written to a column breaks a rule.
    #[error("{call}: column `{column}` of table `{table}`: {rule}")]
    Broken {
        /// The call.
        call: &'static str,
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// The rule.
        rule: Rule,
    },
    /// Arrow refused the columns.
    #[error("finish: the columns of table `{table}` do not make a batch: {reason}")]
    Refused {
        /// The table.
        table: String,
        /// Arrow's words.
        reason: String,
    },
}

/// A rule that what was written to a column breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// The call does not write this type.
    WrongType {
        /// The column's type.
        data_type: DataType,
        /// The call that does; empty if none does.
        expected: &'static str,
    },
    /// More values than rows.
    TooManyRows {
        /// Values appended, this call included.
        got: usize,
        /// Rows of the batch.
        rows: u32,
    },
    /// Fewer values than rows.
    TooFewRows {
        /// Values appended.
        got: usize,
        /// Rows of the batch.
        rows: u32,
    },
    /// A value that the column's type cannot hold.
    OutOfRange {
        /// The row in the batch.
        row: usize,
        /// The value.
        value: i128,
        /// The column's type.
        data_type: DataType,
    },
    /// A key that names no value of the dictionary.
    KeyOutOfRange {
        /// The row in the batch.
        row: usize,
        /// The key.
        key: u32,
        /// Values in the dictionary.
        values: usize,
    },
    /// Two dictionaries for one column.
    TwoDictionaries,
    /// Keys and strings for one column.
    KeysAndStrings,
    /// NULL where the column has none.
    NotNullable,
    /// A NULL past the end.
    NullRow {
        /// The row asked for.
        row: u32,
        /// Rows of the batch.
        rows: u32,
    },
    /// More text than an Arrow column holds.
    TooMuchText {
        /// Bytes appended.
        bytes: usize,
    },
    /// Arrow, or the dictionary made of a tag's strings, refused the values.
    Refused {
        /// Why.
        reason: String,
    },
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongType { data_type, expected: "" } => {
                write!(f, "no call appends {data_type} values: leave the column NULL")
            }
            Self::WrongType { data_type, expected } => write!(f, "the column is {data_type}: call {expected}"),
            Self::TooManyRows { got, rows } => {
                write!(f, "{got} values were appended, but the batch has {rows} rows")
            }
            Self::TooFewRows { got, rows } => {
                write!(f, "{got} of {rows} rows were appended: append exactly as many values as the batch has rows")
            }
            Self::OutOfRange { row, value, data_type } => {
                write!(f, "row {row} of the batch: {value} does not fit {data_type}")
            }
            Self::KeyOutOfRange { row, key, values } => {
                write!(f, "row {row} of the batch: key {key} names no value of a dictionary of {values}")
            }
            Self::TwoDictionaries => f.write_str("keys of two dictionaries were appended: use one for a batch"),
            Self::KeysAndStrings => f.write_str("keys and strings were appended: use one kind for a batch"),
            Self::NotNullable => f.write_str("the column is not nullable: say so in the table or write a value"),
            Self::NullRow { row, rows } => write!(f, "row {row} cannot be NULL: the batch has {rows} rows, from 0"),
            Self::TooMuchText { bytes } => {
                write!(f, "{bytes} bytes of text are more than the 2 GiB of one column: make batches smaller")
            }
            Self::Refused { reason } => write!(f, "the values were refused: {reason}"),
        }
    }
}
