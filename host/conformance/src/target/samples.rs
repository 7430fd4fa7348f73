//! Tables and rows that a target is tried with.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use benchhost_data::{Batch, BatchBuilder, Column, DataType, Interner, Semantic, Table, TimeUnit};

/// Words that an encoder must escape or must not: quotes, separators, other scripts.
pub(super) const WORDS: [&str; 8] = [
    "plain",
    "größe λ",
    "数据库",
    "🚀 to the moon",
    "it's \"quoted\"",
    "a,b=c d;e",
    "back\\slash, %41 & <tag>",
    "null",
];

const MILLISECOND: i64 = 1_000_000;

/// Rows of a table of their own.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub(super) table: Arc<Table>,
    pub(super) batch: Arc<Batch>,
}

impl Sample {
    /// The rows' time range in nanoseconds, its end exclusive; a second for no rows.
    pub(super) fn range(&self) -> (i64, i64) {
        match self.batch.time_range_ns() {
            Some((first, last)) => (first, last.saturating_add(1)),
            None => (0, 1_000_000_000),
        }
    }
}

/// Makes samples whose tables nobody else has.
#[derive(Debug)]
pub(crate) struct Samples {
    prefix: String,
    /// Time of the first row, in milliseconds since 1970.
    start: i64,
    interner: Interner,
}

impl Samples {
    /// Rows of the last hour: some servers refuse older ones, and others newer ones.
    pub(crate) fn new() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds = i64::try_from(since.as_secs()).unwrap_or_default();
        let prefix = format!("benchhost_check_{:x}_{:x}", since.as_nanos(), std::process::id());
        Self { prefix, start: (seconds - 3_600) * 1_000, interner: Interner::new() }
    }

    /// Rows of a tag, a float, an integer and a time in milliseconds, one each.
    pub(super) fn plain(&self, name: &str, rows: u32) -> Result<Sample, String> {
        let columns = vec![tag("host"), field("value", DataType::Float64), field("count", DataType::Int64)];
        self.made(name, columns, TimeUnit::Millisecond, rows, |builder| {
            let hosts = self.interner.intern((0..10).map(|host| format!("host_{host}"))).map_err(text)?;
            builder.append_keys(0, &hosts, (0..rows).map(|row| row % 10).collect()).map_err(text)?;
            builder.append_float64s(1, (0..rows).map(|row| f64::from(row) * 0.25).collect()).map_err(text)?;
            builder.append_int64s(2, (0..i64::from(rows)).collect()).map_err(text)
        })
    }

    /// Rows in which every second value of two fields is NULL.
    pub(super) fn nulls(&self) -> Result<Sample, String> {
        const ROWS: u32 = 10;
        let nullable = |name, data_type| Column { nullable: true, ..field(name, data_type) };
        let columns = vec![
            tag("host"),
            field("count", DataType::Int64),
            nullable("value", DataType::Float64),
            nullable("other", DataType::Int64),
        ];
        self.made("nulls", columns, TimeUnit::Millisecond, ROWS, |builder| {
            builder.append_strings(0, vec!["a".to_owned(); ROWS as usize]).map_err(text)?;
            builder.append_int64s(1, (0..i64::from(ROWS)).collect()).map_err(text)?;
            builder.append_float64s(2, vec![1.5; ROWS as usize]).map_err(text)?;
            builder.mark_nulls(2, (0..ROWS).step_by(2).collect()).map_err(text)?;
            builder.append_int64s(3, vec![7; ROWS as usize]).map_err(text)?;
            builder.mark_nulls(3, (1..ROWS).step_by(2).collect()).map_err(text)
        })
    }

    /// Rows with [`WORDS`] as tags, and as a field where `fields`.
    pub(super) fn words(&self, fields: bool) -> Result<Sample, String> {
        let words: Vec<String> = WORDS.iter().map(|word| (*word).to_owned()).collect();
        let rows = WORDS.len() as u32;
        let mut columns = vec![tag("host"), tag("größe"), field("count", DataType::Int64)];
        columns.extend(fields.then(|| field("text", DataType::Utf8)));
        let name = if fields { "text" } else { "tags" };
        self.made(name, columns, TimeUnit::Millisecond, rows, |builder| {
            builder.append_strings(0, words.clone()).map_err(text)?;
            builder.append_strings(1, words.iter().rev().cloned().collect()).map_err(text)?;
            builder.append_int64s(2, (0..i64::from(rows)).collect()).map_err(text)?;
            if fields { builder.append_strings(3, words).map_err(text) } else { Ok(()) }
        })
    }

    /// Three rows with a field of this type besides a plain one.
    pub(super) fn of_type(&self, data_type: DataType) -> Result<Sample, String> {
        let columns = vec![tag("host"), field("count", DataType::Int64), field("value", data_type)];
        self.made(&data_type.as_str().replace('-', "_"), columns, TimeUnit::Millisecond, 3, |builder| {
            three(builder)?;
            let written = match data_type {
                DataType::Boolean => builder.append_booleans(2, vec![true, false, true]),
                DataType::Float32 | DataType::Float64 => builder.append_float64s(2, vec![0.5, -1.25, 1e9]),
                DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => {
                    builder.append_uint64s(2, vec![0, 1, 255])
                }
                DataType::Utf8 => builder.append_strings(2, vec!["a".into(), String::new(), "c \"d\"".into()]),
                DataType::Json => builder.append_strings(2, vec!["{\"a\":1}".into(), "[]".into(), "null".into()]),
                DataType::Timestamp(unit) => {
                    let start = self.start * MILLISECOND / unit.nanoseconds();
                    builder.append_int64s(2, vec![0, start, start + 1])
                }
                _ => builder.append_int64s(2, vec![-1, 0, 100]),
            };
            written.map_err(text)
        })
    }

    /// Three rows whose time is in this unit.
    pub(super) fn of_unit(&self, unit: TimeUnit) -> Result<Sample, String> {
        let columns = vec![tag("host"), field("count", DataType::Int64)];
        self.made(&format!("time_{unit}"), columns, unit, 3, three)
    }

    /// A batch of these columns and a time, which comes last. Rows are at least a millisecond apart, whatever the unit.
    fn made(
        &self,
        name: &str,
        mut columns: Vec<Column>,
        unit: TimeUnit,
        rows: u32,
        fill: impl FnOnce(&mut BatchBuilder) -> Result<(), String>,
    ) -> Result<Sample, String> {
        let data_type = DataType::Timestamp(unit);
        columns.push(Column { name: "ts".into(), semantic: Semantic::Timestamp, data_type, nullable: false });
        let table = Arc::new(Table::new(format!("{}_{name}", self.prefix), columns).map_err(text)?);
        let mut builder = BatchBuilder::new(Arc::clone(&table), 0, rows);
        let apart = MILLISECOND.max(unit.nanoseconds());
        let times = (0..i64::from(rows)).map(|row| (self.start * MILLISECOND + row * apart) / unit.nanoseconds());
        builder.append_timestamps(times.collect()).map_err(text)?;
        fill(&mut builder)?;
        Ok(Sample { table, batch: Arc::new(builder.finish().map_err(text)?) })
    }
}

/// Every type of field that the host can make.
pub(super) const TYPES: [DataType; 18] = [
    DataType::Boolean,
    DataType::Int8,
    DataType::Int16,
    DataType::Int32,
    DataType::Int64,
    DataType::UInt8,
    DataType::UInt16,
    DataType::UInt32,
    DataType::UInt64,
    DataType::Float32,
    DataType::Float64,
    DataType::Utf8,
    DataType::Json,
    DataType::Date32,
    DataType::Timestamp(TimeUnit::Second),
    DataType::Timestamp(TimeUnit::Millisecond),
    DataType::Timestamp(TimeUnit::Microsecond),
    DataType::Timestamp(TimeUnit::Nanosecond),
];

/// Every unit of a row's time.
pub(super) const UNITS: [TimeUnit; 4] =
    [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];

/// The first two columns of a table of three rows.
fn three(builder: &mut BatchBuilder) -> Result<(), String> {
    builder.append_strings(0, vec!["a".into(), "b".into(), "a".into()]).map_err(text)?;
    builder.append_int64s(1, vec![1, 2, 3]).map_err(text)
}

fn tag(name: &str) -> Column {
    Column { name: name.into(), semantic: Semantic::Tag, data_type: DataType::Utf8, nullable: false }
}

fn field(name: &str, data_type: DataType) -> Column {
    Column { name: name.into(), semantic: Semantic::Field, data_type, nullable: false }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_can_be_made_and_its_rows_differ_in_time() {
        let samples = Samples::new();
        let mut all = vec![samples.plain("p", 100), samples.nulls(), samples.words(true), samples.words(false)];
        all.extend(TYPES.map(|data_type| samples.of_type(data_type)));
        all.extend(UNITS.map(|unit| samples.of_unit(unit)));
        let mut names = std::collections::HashSet::new();
        for sample in all {
            let sample = sample.unwrap();
            let times = sample.batch.timestamps();
            assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", sample.table);
            assert!(names.insert(sample.table.name().to_owned()), "{:?}", sample.table);
        }
        assert_eq!(samples.plain("none", 0).unwrap().batch.rows(), 0);
    }

    #[test]
    fn a_range_ends_right_behind_the_last_row() {
        let sample = Samples::new().plain("p", 10).unwrap();
        let (start, end) = sample.range();
        assert_eq!(end - start, 9 * MILLISECOND + 1);
    }
}
