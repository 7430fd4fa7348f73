//! What a user can set.

use benchhost_plugin::{Error, Result, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the times of rows follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Timestamps {
    /// One row a millisecond, so that no two rows of a series share a time.
    #[default]
    Unique,
    /// As a clock on the wall gives them in the published benchmark: `rows_per_ms` rows share a millisecond. Rows of one series can share one too, and a
    /// table that keeps one row for a series and a time stores fewer rows than it was sent.
    Wall,
}

/// What a user can set.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Settings {
    /// Name of the table.
    #[serde(default = "default_table")]
    pub table: String,
    /// How the times of rows follow each other.
    #[serde(default)]
    pub timestamps: Timestamps,
    /// Rows that share a millisecond with timestamps=wall. The published encoder makes about 30.
    #[serde(default = "default_rows_per_ms")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub rows_per_ms: u32,
    /// Time of the first row, RFC 3339 in UTC, in whole milliseconds.
    #[serde(default = "default_start")]
    pub start: String,
}

fn default_table() -> String {
    "bench_logs".into()
}

fn default_rows_per_ms() -> u32 {
    30
}

fn default_start() -> String {
    "2024-01-01T00:00:00Z".into()
}

/// The times of rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    start_ms: i64,
    rows_per_ms: i64,
}

impl Times {
    pub(crate) fn new(settings: &Settings) -> Result<Self> {
        let Settings { timestamps, rows_per_ms, start, .. } = settings;
        if *rows_per_ms == 0 {
            return Err(Error::invalid("setting `rows_per_ms`: a millisecond needs at least 1 row"));
        }
        let rows_per_ms = if *timestamps == Timestamps::Wall { i64::from(*rows_per_ms) } else { 1 };
        Ok(Self { start_ms: time::whole_ms("start", start)?, rows_per_ms })
    }

    /// The time of a row, in milliseconds.
    pub(crate) fn of_row(self, row: u64) -> Result<i64> {
        let after = i64::try_from(row).ok().map(|row| row / self.rows_per_ms);
        let time = after.and_then(|after| after.checked_add(self.start_ms));
        time.ok_or_else(|| Error::invalid(format!("row {row} lies past the end of time in milliseconds")))
    }
}
