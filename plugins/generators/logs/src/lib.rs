//! The log dataset: 22 columns as a web service logs them, 3072 series, all values picked uniformly. Every value is a pure function of seed, row and
//! column, so that any instance can give any rows. It is the published log benchmark of GreptimeDB's clients, with seeded values
//! and, unless `timestamps=wall`, times that no two rows of a series share. Changing a value here makes results incomparable.

mod columns;
mod settings;
mod values;

use benchhost_plugin::{
    BatchBuilder, Column, DataType, Error, Facts, Generator, Result, Table, TimeUnit, export_generator,
};
use columns::Columns;
use settings::Times;
pub use settings::{Settings, Timestamps};
use values::Source;

/// Series: services, hosts, regions and environments.
const SERIES: u64 = 6 * 32 * 4 * 4;
/// Rows that are made at a time: bounds the memory of the instance.
const CHUNK: u32 = 1 << 14;

/// An instance.
pub struct Logs {
    source: Source,
    times: Times,
    columns: Columns,
}

export_generator!(Logs);

impl Generator for Logs {
    type Settings = Settings;
    const NAME: &'static str = "logs";
    const SUMMARY: &'static str = "logs of a web service: 22 columns, 4 of them tags, 3072 series";

    fn open(settings: Settings, seed: u64) -> Result<(Self, Facts)> {
        if settings.table.is_empty() {
            return Err(Error::invalid("setting `table`: a table needs a name"));
        }
        let times = Times::new(&settings)?;
        let facts = Facts { tables: vec![table(settings.table)], rows: None, series: SERIES, seekable: true };
        Ok((Self { source: Source::new(seed), times, columns: Columns::new() }, facts))
    }

    fn fill(&mut self, table: u32, first_row: u64, rows: u32, into: &BatchBuilder) -> Result<()> {
        if table != 0 {
            return Err(Error::invalid(format!(
                "the dataset `logs` has one table, so there is no table number {table}"
            )));
        }
        // Nothing is appended unless all of it can be.
        self.times.of_row(first_row.saturating_add(rows.into()))?;
        let mut done = 0;
        while done < rows {
            let chunk = CHUNK.min(rows - done);
            self.columns.clear();
            for row in first_row + u64::from(done)..first_row + u64::from(done + chunk) {
                self.columns.push(row, &self.source.row(row), self.times.of_row(row)?);
            }
            self.columns.append(into);
            done += chunk;
        }
        Ok(())
    }
}

/// The table, by the name that the user gave it.
fn table(name: String) -> Table {
    use DataType::{Boolean, Float64, Int64, Utf8};
    let mut columns = ["service", "host", "region", "env"].map(Column::tag).to_vec();
    let fields = [
        ("pod", Utf8),
        ("log_level", Utf8),
        ("message", Utf8),
        ("trace_id", Utf8),
        ("span_id", Utf8),
        ("http_method", Utf8),
        ("http_path", Utf8),
        ("http_status_class", Utf8),
        ("user_agent", Utf8),
        ("client_ip", Utf8),
        ("caller", Utf8),
        ("latency_ms", Float64),
        ("bytes_in", Int64),
        ("bytes_out", Int64),
        ("error_flag", Boolean),
        ("retry_flag", Boolean),
    ];
    columns.extend(fields.map(|(name, data_type)| Column::field(name, data_type)));
    columns.push(Column::timestamp("log_ts", TimeUnit::Millisecond));
    columns.push(Column::field("ingest_ts", Int64));
    Table { name, columns }
}

#[cfg(test)]
mod tests;
