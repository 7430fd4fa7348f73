//! The lines of a body, good and bad.

use std::time::{SystemTime, UNIX_EPOCH};

use super::TIME;
use crate::line::{Batch, Conflict, Known, Line, Lines, Refused, Unit};
use crate::store::{Rows, Store, StoreError};

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Problem {
    /// It is no line.
    Syntax(&'static str),
    /// A value of another type than its column.
    Conflict(Conflict),
    /// Its time is beyond what nanoseconds can count.
    Time,
    /// A column has the name of the time.
    Name(String),
}

/// A line that is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bad {
    /// The number of the line, from 1; blank lines and comments are not counted.
    pub(super) number: usize,
    /// The line.
    pub(super) text: String,
    /// What is wrong.
    pub(super) problem: Problem,
}

/// A body that was read.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// The good lines.
    pub(super) rows: Vec<Rows>,
    /// How many there are.
    pub(super) good: usize,
    /// The others.
    pub(super) bad: Vec<Bad>,
}

/// How times are given: in a unit, or in one that their magnitude tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    Fixed(Unit),
    Auto,
}

impl Precision {
    /// A time in nanoseconds.
    fn nanoseconds(self, time: i64) -> Option<i64> {
        let unit = match self {
            Self::Fixed(unit) => unit,
            Self::Auto => match time.unsigned_abs() {
                0..5_000_000_000 => Unit::SECOND,
                5_000_000_000..5_000_000_000_000 => Unit::MILLISECOND,
                5_000_000_000_000..5_000_000_000_000_000 => Unit::MICROSECOND,
                _ => Unit::NANOSECOND,
            },
        };
        time.checked_mul(unit.nanoseconds)
    }
}

/// Reads a body. Lines that do not fit the tables of the database are bad ones.
///
/// # Errors
///
/// An error of Arrow's, which there is no reason for.
pub(super) fn read(
    store: &Store,
    database: &str,
    body: &[u8],
    precision: Precision,
    carriage_returns: bool,
) -> Result<Read, StoreError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64);
    let known = |name: &str| Known { schema: store.schema(database, name).ok(), line_by_line: true, time: TIME };
    let (mut lines, mut line, mut batch) = (Lines::new(body, carriage_returns), Line::default(), Batch::default());
    let (mut found, mut number) = (Read::default(), 0);
    while let Some((text, read)) = lines.read(&mut line) {
        number += 1;
        let pushed = read.map_err(Problem::Syntax).and_then(|()| {
            let time = line.time.map_or(Some(now), |time| precision.nanoseconds(time)).ok_or(Problem::Time)?;
            batch.push(&line, time, &known).map_err(|refused| match refused {
                Refused::Conflict(conflict) => Problem::Conflict(conflict),
                Refused::Time => Problem::Time,
                Refused::Name(name) => Problem::Name(name),
            })
        });
        match pushed {
            Ok(()) => found.good += 1,
            Err(problem) => found.bad.push(Bad { number, text: String::from_utf8_lossy(text).into_owned(), problem }),
        }
    }
    found.rows = batch.finish()?;
    Ok(found)
}
