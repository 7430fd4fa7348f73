//! The CPU dataset: 1000 series a host, four tags, five floats, one row a millisecond. Every value is a pure function
//! of seed, row and column, so that any instance can give any rows. It is well known from ingestion benchmarks of
//! time-series databases; changing a value here makes results incomparable.

mod columns;

use benchhost_plugin::{
    BatchBuilder, Column, DataType, Dictionary, Error, Facts, Generator, Result, Table, TimeUnit, export_generator,
    time,
};
use columns::{Cycle, Uniform};
use schemars::JsonSchema;
use serde::Deserialize;

/// The tags after the host, with their values.
const REGIONS: [&str; 5] = ["us-east-1", "us-west-2", "eu-west-1", "ap-southeast-1", "ap-northeast-1"];
const DATACENTERS: u32 = 10;
const SERVICES: u32 = 20;
/// Series of one host.
const SERIES: u32 = REGIONS.len() as u32 * DATACENTERS * SERVICES;
/// The fields, with the bound that their values stay below.
const FIELDS: [(&str, f64); 5] =
    [("cpu", 100.0), ("memory", 100.0), ("disk_util", 100.0), ("net_in", 1e9), ("net_out", 1e9)];
/// So that all series together stay below 2^24.
const HOSTS: u32 = 16_777;
/// Rows that are made at a time: bounds the memory of the instance.
const CHUNK: u32 = 1 << 20;

/// What a user can set.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Settings {
    /// Name of the table.
    #[serde(default = "default_table")]
    pub table: String,
    /// Number of hosts; each has 1000 series.
    #[serde(default = "default_hosts")]
    #[schemars(range(min = 1, max = HOSTS))]
    pub hosts: u32,
    /// Time of the first row, RFC 3339 in UTC, in whole milliseconds.
    #[serde(default = "default_start")]
    pub start: String,
    /// Milliseconds from one row to the next.
    #[serde(default = "default_step_ms")]
    #[schemars(range(min = 1, max = 86_400_000))]
    pub step_ms: u32,
}

fn default_table() -> String {
    "cpu".into()
}

fn default_hosts() -> u32 {
    100
}

fn default_start() -> String {
    "2024-01-01T00:00:00Z".into()
}

fn default_step_ms() -> u32 {
    1
}

/// An instance.
pub struct Cpu {
    tags: [(Dictionary, Cycle); 4],
    fields: [Uniform; 5],
    start_ms: i64,
    step_ms: i64,
    keys: Vec<u32>,
    values: Vec<f64>,
    times: Vec<i64>,
}

export_generator!(Cpu);

impl Generator for Cpu {
    type Settings = Settings;
    const NAME: &'static str = "cpu";
    const SUMMARY: &'static str = "host metrics: 4 tags, 5 floats, 1000 series a host";

    fn open(settings: Settings, seed: u64) -> Result<(Self, Facts)> {
        let Settings { table, hosts, start, step_ms } = settings;
        if table.is_empty() {
            return Err(Error::invalid("setting `table`: a table needs a name"));
        }
        if !(1..=HOSTS).contains(&hosts) {
            return Err(Error::invalid(format!("setting `hosts`: {hosts} is not from 1 to {HOSTS}")));
        }
        if step_ms == 0 {
            return Err(Error::invalid(
                "setting `step_ms`: rows need a step of at least 1 ms, or they would replace each other",
            ));
        }
        let start_ms = time::whole_ms("start", &start)?;
        let dictionary = |values: Vec<String>| Dictionary::new(&values);
        let tags = [
            (dictionary((0..hosts).map(|n| format!("host-{n}")).collect()), Cycle::new(hosts, SERIES)),
            (dictionary(REGIONS.map(String::from).to_vec()), Cycle::new(REGIONS.len() as u32, DATACENTERS * SERVICES)),
            (dictionary((0..DATACENTERS).map(|n| format!("dc-{n}")).collect()), Cycle::new(DATACENTERS, SERVICES)),
            (dictionary((0..SERVICES).map(|n| format!("svc-{n:02}")).collect()), Cycle::new(SERVICES, 1)),
        ];
        let fields =
            std::array::from_fn(|column| Uniform::new(seed, column as u64, FIELDS.len() as u64, FIELDS[column].1));
        let facts = Facts {
            tables: vec![self::table(table)],
            rows: None,
            series: u64::from(hosts) * u64::from(SERIES),
            seekable: true,
        };
        let step_ms = step_ms.into();
        Ok((Self { tags, fields, start_ms, step_ms, keys: vec![], values: vec![], times: vec![] }, facts))
    }

    fn fill(&mut self, table: u32, first_row: u64, rows: u32, into: &BatchBuilder) -> Result<()> {
        if table != 0 {
            return Err(Error::invalid(format!(
                "the dataset `cpu` has one table, so there is no table number {table}"
            )));
        }
        let mut done = 0;
        while done < rows {
            let chunk = CHUNK.min(rows - done);
            self.fill_chunk(first_row + u64::from(done), chunk, into)?;
            done += chunk;
        }
        Ok(())
    }
}

impl Cpu {
    /// Appends `rows` rows to every column.
    fn fill_chunk(&mut self, first_row: u64, rows: u32, into: &BatchBuilder) -> Result<()> {
        let start_ms = self.time_ms(first_row)?;
        self.time_ms(first_row.saturating_add(rows.into()))?;
        let mut column = 0;
        for (dictionary, cycle) in &self.tags {
            cycle.keys(first_row, rows, &mut self.keys);
            into.append_keys(column, dictionary, &self.keys);
            column += 1;
        }
        for field in &self.fields {
            field.values(first_row, rows, &mut self.values);
            into.append_float64s(column, &self.values);
            column += 1;
        }
        columns::times(start_ms, self.step_ms, rows, &mut self.times);
        into.append_timestamps(&self.times);
        Ok(())
    }

    /// The time of a row.
    fn time_ms(&self, row: u64) -> Result<i64> {
        let time_ms = i64::try_from(row).ok().and_then(|row| row.checked_mul(self.step_ms)?.checked_add(self.start_ms));
        time_ms.ok_or_else(|| Error::invalid(format!("row {row} lies past the end of time in milliseconds")))
    }
}

/// The table, by the name that the user gave it.
fn table(name: String) -> Table {
    let mut columns = ["host", "region", "datacenter", "service"].map(Column::tag).to_vec();
    columns.extend(FIELDS.map(|(name, _)| Column::field(name, DataType::Float64)));
    columns.push(Column::timestamp("ts", TimeUnit::Millisecond));
    Table { name, columns }
}

#[cfg(test)]
mod tests;
