//! The line protocol of InfluxDB, which many time-series databases read.
//!
//! One line a row: the table's name, tags, fields and time, in the table's order. Integers carry an `i`, unsigned ones a
//! `u`; floats are written in the shortest form that reads back equal; text and JSON fields are quoted; NULL and empty tags
//! are left out. What the protocol cannot say without loss is an error, never a guess.

mod digits;
mod escape;
mod float;
mod fragments;
mod known;
mod put;
mod row;
mod time;

use std::fmt;
use std::sync::Arc;

use crate::batch::Batch;
use crate::error::{EncodeError, Place};
use crate::payload::Payload;
use crate::pool::Pool;
use crate::types::TimeUnit;

use known::Known;
use row::{Failure, Line};
use time::Clock;

pub(crate) use fragments::Shared;

/// Rows between two looks at whether the buffer is long enough.
const ROWS_A_STEP: usize = 64;

/// Writes batches as line protocol. It remembers escaped names and tags between batches, so one is made and kept.
pub struct LineProtocol {
    precision: TimeUnit,
    known: Known,
    pool: Arc<Pool>,
}

impl LineProtocol {
    /// An encoder that writes times in `precision`.
    pub fn new(precision: TimeUnit) -> Self {
        Self { precision, known: Known::default(), pool: Arc::default() }
    }

    /// From now on writes a backslash in a tag value twice, for servers that read two as one. InfluxDB 1 and 2 do not: for them one
    /// stays one, and a tag value cannot end with it.
    pub fn double_backslashes(&mut self) {
        self.known.double_backslashes();
    }

    /// The unit of the times that it writes.
    pub fn precision(&self) -> TimeUnit {
        self.precision
    }

    /// The batch as lines, each with a newline at the end.
    ///
    /// [`EncodeError::Unsupported`] for a column type that the protocol lacks; [`EncodeError::Invalid`] for a row without any
    /// field, a float that is no number, a name or tag that cannot be said, and a time that does not fit the precision.
    pub fn encode(&mut self, batch: &Batch) -> Result<Payload, EncodeError> {
        let columns = self.known.columns(batch)?;
        let line = Line::new(batch, &columns).map_err(|failure| invalid(batch, *failure))?;
        let mut clock = Clock::new(batch.table().timestamp().1, self.precision);
        let rows = batch.rows() as usize;

        let mut buffer = self.pool.take(line.bound(0..rows.min(ROWS_A_STEP)).max(self.known.guess(batch)));
        let mut end = 0;
        for first in (0..rows).step_by(ROWS_A_STEP) {
            let step = first..rows.min(first + ROWS_A_STEP);
            let needed = end + line.bound(step.clone());
            if buffer.len() < needed {
                buffer.resize(needed.max(buffer.len() * 2), 0);
            }
            match line.put(&mut buffer, end, step, &mut clock) {
                Ok(position) => end = position,
                Err(failure) => return Err(invalid(batch, *failure)),
            }
        }
        self.known.remember_size(end, rows);
        Ok(Payload::new(self.pool.freeze(buffer, end), batch.rows()))
    }
}

impl fmt::Debug for LineProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineProtocol").field("precision", &self.precision).finish_non_exhaustive()
    }
}

fn invalid(batch: &Batch, failure: Failure) -> EncodeError {
    let table = batch.table();
    let column = failure.column.map(|column| table.columns()[column].name.clone());
    let row = failure.row.map(|row| batch.first_row() + row as u64);
    EncodeError::Invalid { place: Place { table: table.name().to_owned(), column, row }, problem: failure.problem }
}
