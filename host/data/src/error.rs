//! Why a batch could not be encoded.

use std::fmt;

use crate::types::{DataType, TimeUnit};

/// A batch that an encoder refused. Messages name table, column and row where there is one; rows are positions in the
/// dataset.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The format has no equivalent of a column's type.
    #[error(
        "table `{table}`, column `{column}`: {format} has no {data_type}: leave the column out or choose another type"
    )]
    Unsupported {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// The column's type.
        data_type: DataType,
        /// The format.
        format: &'static str,
    },
    /// The data cannot be said in the format.
    #[error("{place}: {problem}")]
    Invalid {
        /// Where.
        place: Place,
        /// What.
        problem: Problem,
    },
    /// More than one message can hold.
    #[error("table `{table}`: {rows} rows take more than the 2 GiB that one message can hold: make batches smaller")]
    TooLarge {
        /// The table.
        table: String,
        /// Rows of the batch.
        rows: u32,
    },
    /// A compression level that the codec does not have.
    #[error("{codec} has no level {level}: choose {lowest} to {highest}")]
    Level {
        /// The codec.
        codec: &'static str,
        /// The level asked for.
        level: u8,
        /// The lowest level.
        lowest: u8,
        /// The highest level.
        highest: u8,
    },
    /// The codec failed.
    #[error("{codec} failed: {reason}")]
    Codec {
        /// The codec.
        codec: &'static str,
        /// Its words.
        reason: String,
    },
}

/// A place in the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The table.
    pub table: String,
    /// The column, if it is about one.
    pub column: Option<String>,
    /// Position of the row in the dataset, from 0, if it is about one.
    pub row: Option<u64>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "table `{}`", self.table.escape_debug())?;
        if let Some(column) = &self.column {
            write!(f, ", column `{}`", column.escape_debug())?;
        }
        if let Some(row) = self.row {
            write!(f, ", row {row}")?;
        }
        Ok(())
    }
}

/// What is wrong with a name or a value.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A newline where it would end the line.
    #[error("{what} holds a newline, which line protocol cannot say there: remove it")]
    Newline {
        /// What holds it.
        what: &'static str,
    },
    /// A backslash that would escape the separator behind it.
    #[error("{what} ends in a backslash, which would escape what follows it in line protocol: remove it")]
    TrailingBackslash {
        /// What ends in it.
        what: &'static str,
    },
    /// A table name whose first character a server does not take as part of the name.
    #[error(
        "the table name begins with {first:?}, which makes servers skip the line or the character: rename the table"
    )]
    FirstCharacter {
        /// The character.
        first: char,
    },
    /// NaN or infinity.
    #[error("{value} is no number that line protocol can say: write a finite value or NULL")]
    NotFinite {
        /// The value.
        value: f64,
    },
    /// A row without any field.
    #[error("every field is NULL, and line protocol has no row without a field: leave the row out")]
    NoField,
    /// A time that falls between two ticks of the precision.
    #[error("time {value} ({unit}s) is no whole number of {precision}s: choose a finer precision")]
    PrecisionLoss {
        /// The time, in `unit`.
        value: i64,
        /// The column's unit.
        unit: TimeUnit,
        /// The encoder's precision.
        precision: TimeUnit,
    },
    /// A time too far from the epoch for 64 bits of the precision.
    #[error("time {value} ({unit}s) does not fit 64 bits of {precision}s: choose a coarser precision")]
    TimeOverflow {
        /// The time, in `unit`.
        value: i64,
        /// The column's unit.
        unit: TimeUnit,
        /// The encoder's precision.
        precision: TimeUnit,
    },
}
