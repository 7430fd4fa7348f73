//! A dataset that does as a test says.

use std::sync::Arc;
use std::time::Duration;

use benchhost_data::{Batch, BatchBuilder, Column, DataType, Semantic, Table, TimeUnit};

use super::FakeClock;
use crate::clock::Clock;
use crate::error::{CallError, ErrorKind, OpError};
use crate::generator::{Facts, Generator, Generators};

/// Rows of one field, one millisecond apart, the same in every table. `fails_at`: the row from which on it cannot give any. `takes`: how
/// long a batch takes on a clock.
pub(crate) struct FakeRows {
    pub(crate) table: Arc<Table>,
    pub(crate) tables: usize,
    pub(crate) rows: Option<u64>,
    pub(crate) fails_at: Option<u64>,
    pub(crate) takes: Option<(FakeClock, Duration)>,
}

impl Default for FakeRows {
    fn default() -> Self {
        let column =
            |name: &str, semantic, data_type| Column { name: name.into(), semantic, data_type, nullable: false };
        let columns = vec![
            column("value", Semantic::Field, DataType::Float64),
            column("ts", Semantic::Timestamp, DataType::Timestamp(TimeUnit::Millisecond)),
        ];
        let table = Arc::new(Table::new("fake", columns).unwrap());
        Self { table, tables: 1, rows: None, fails_at: None, takes: None }
    }
}

pub(crate) struct FakeGenerator {
    facts: Facts,
    fails_at: Option<u64>,
    takes: Option<(FakeClock, Duration)>,
}

impl Generators for FakeRows {
    type Session = FakeGenerator;

    async fn open(&self) -> Result<FakeGenerator, CallError> {
        let tables = vec![self.table.clone(); self.tables];
        let facts = Facts { tables, rows: self.rows, series: 1, seekable: true };
        Ok(FakeGenerator { facts, fails_at: self.fails_at, takes: self.takes.clone() })
    }
}

impl Generator for FakeGenerator {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    async fn fill(&mut self, table: usize, first_row: u64, rows: u32) -> Result<Batch, CallError> {
        let range = first_row..first_row + u64::from(rows);
        // The last row is asked for before the run; only batches shall fail.
        if rows > 1 && self.fails_at.is_some_and(|row| range.contains(&row)) {
            return Err(OpError::new(ErrorKind::Internal, format!("no row {first_row}")).into());
        }
        if let Some((clock, time)) = self.takes.as_ref().filter(|_| rows > 1) {
            clock.sleep(*time).await;
        }
        let mut builder = BatchBuilder::new(self.facts.tables[table].clone(), first_row, rows);
        builder.append_float64s(0, range.clone().map(|row| row as f64).collect()).unwrap();
        builder.append_timestamps(range.map(|row| 1_700_000_000_000 + row as i64).collect()).unwrap();
        Ok(builder.finish().unwrap())
    }
}
