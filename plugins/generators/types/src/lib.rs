//! A dataset for checking a target, not for measuring one: every type that a field can have, and the values, texts and names that go wrong
//! most easily on their way into a database. Every value is a pure function of seed, row and column. It knows no database: what a
//! server lacks is left out by settings.

mod settings;
mod values;

use std::ops::Range;

use benchhost_plugin::{
    BatchBuilder, Column, DataType, Dictionary, Error, Facts, Generator, Result, Semantic, Table, export_generator,
};
pub use settings::{Names, Settings, Unit};
use values::Source;

/// The fields that all servers take, then those that some lack. `sequence` is the row's number and never NULL: rows are found by it, and
/// servers that count values count it.
const NUMBERS: [(&str, DataType); 7] = [
    (SEQUENCE, DataType::Int64),
    ("int8", DataType::Int8),
    ("int16", DataType::Int16),
    ("int32", DataType::Int32),
    ("int64", DataType::Int64),
    ("float32", DataType::Float32),
    ("float64", DataType::Float64),
];
const UNSIGNED: [(&str, DataType); 4] = [
    ("uint8", DataType::Uint8),
    ("uint16", DataType::Uint16),
    ("uint32", DataType::Uint32),
    ("uint64", DataType::Uint64),
];
const TEXT: [(&str, DataType); 2] = [("boolean", DataType::Boolean), ("utf8", DataType::Utf8)];
const SEQUENCE: &str = "sequence";
/// Position of `sequence`, behind the tags.
const SEQUENCE_COLUMN: u32 = 3;
const SITES: [&str; 3] = ["site-0", "site-1", "site-2"];
const ZONES: [&str; 3] = ["zone-0", "zone-1", "zone-2"];
/// A field is NULL once in so many rows, in neighbouring columns at different rows. No divisor of it is one of the cycles in which
/// values return, or some would always be NULL.
const NULL_CYCLE: u64 = 11;
/// What awkward names end in.
const AWKWARD: &str = " a,b=c \"ü\"";
/// 2024-02-29T23:59:59.123456789Z: a digit for every precision, and a second before a month ends.
const START_NS: i64 = 1_709_251_199_123_456_789;
/// Rows that are made at a time: bounds the memory of the instance.
const CHUNK: u32 = 1 << 16;

/// An instance.
pub struct Types {
    table: Table,
    tags: [Tag; 3],
    settings: Settings,
    seed: u64,
}

/// A tag whose values go round. A cycle that is longer than the values ends with a row that has none.
struct Tag {
    values: Dictionary,
    count: u64,
    cycle: u64,
    /// Rows before the next value comes.
    run: u64,
}

export_generator!(Types);

impl Generator for Types {
    type Settings = Settings;
    const NAME: &'static str = "types";
    const SUMMARY: &'static str = "for checking a target, not for measuring one: all types, extreme and awkward values";

    fn open(settings: Settings, seed: u64) -> Result<(Self, Facts)> {
        if settings.table.is_empty() {
            return Err(Error::invalid("setting `table`: a table needs a name"));
        }
        let mut run = 1;
        let mut tag = |values: &[&str], missing: u64| {
            let count = values.len() as u64;
            let texts: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
            let tag = Tag { values: Dictionary::new(&texts), count, cycle: count + missing, run };
            run *= tag.cycle;
            tag
        };
        let labels = values::labels(settings.backslashes);
        let tags = [tag(&SITES, 0), tag(&labels, 0), tag(&ZONES, settings.nulls.into())];
        let table = table(&settings);
        let facts = Facts { tables: vec![table.clone()], rows: None, series: run, seekable: true };
        Ok((Self { table, tags, settings, seed }, facts))
    }

    fn fill(&mut self, table: u32, first_row: u64, rows: u32, into: &BatchBuilder) -> Result<()> {
        if table != 0 {
            return Err(Error::invalid(format!(
                "the dataset `types` has one table, so there is no table number {table}"
            )));
        }
        let mut done = 0;
        while done < rows {
            let chunk = CHUNK.min(rows - done);
            self.fill_chunk(first_row, done..done + chunk, into)?;
            done += chunk;
        }
        Ok(())
    }
}

impl Types {
    /// Appends the rows at some positions of a batch that begins with `first_row`.
    fn fill_chunk(&self, first_row: u64, positions: Range<u32>, into: &BatchBuilder) -> Result<()> {
        let row = |position: u32| first_row.saturating_add(position.into());
        // Nothing is appended unless all of it can be.
        self.time(row(positions.end))?;
        let rows: Vec<u64> = positions.clone().map(row).collect();
        for (column, described) in (0_u32..).zip(&self.table.columns) {
            match described.semantic {
                Semantic::Timestamp => {
                    into.append_timestamps(&rows.iter().map(|row| self.time(*row)).collect::<Result<Vec<_>>>()?);
                }
                Semantic::Tag => {
                    let tag = &self.tags[column as usize];
                    into.append_keys(column, &tag.values, &rows.iter().map(|row| tag.key(*row)).collect::<Vec<_>>());
                }
                Semantic::Field => self.append_field(column, described.data_type, &rows, into)?,
            }
            if described.nullable {
                let nulls = positions.clone().filter(|position| self.is_null(column, row(*position)));
                into.mark_nulls(column, &nulls.collect::<Vec<_>>());
            }
        }
        Ok(())
    }

    fn append_field(&self, column: u32, data_type: DataType, rows: &[u64], into: &BatchBuilder) -> Result<()> {
        use DataType::{Boolean, Float32, Float64, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Utf8};
        fn all<T>(rows: &[u64], value: impl Fn(u64) -> T) -> Vec<T> {
            rows.iter().map(|row| value(*row)).collect()
        }
        let source = Source::new(self.seed, column);
        let bits = match data_type {
            Int8 | Uint8 => 8,
            Int16 | Uint16 => 16,
            Int32 | Uint32 => 32,
            _ => 64,
        };
        match data_type {
            Int64 if column == SEQUENCE_COLUMN => into.append_int64s(column, &all(rows, |row| row as i64)),
            Int8 | Int16 | Int32 | Int64 => into.append_int64s(column, &all(rows, |row| source.signed(row, bits))),
            Uint8 | Uint16 | Uint32 | Uint64 => {
                into.append_uint64s(column, &all(rows, |row| source.unsigned(row, bits)));
            }
            Float32 => into.append_float64s(column, &all(rows, |row| source.float32(row).into())),
            Float64 => into.append_float64s(column, &all(rows, |row| source.float64(row))),
            Boolean => into.append_booleans(column, &all(rows, |row| source.boolean(row))),
            Utf8 => into.append_strings(column, &all(rows, |row| source.text(row, self.settings.newlines))),
            other => return Err(Error::internal(format!("no values are made for {other:?}"))),
        }
        Ok(())
    }

    fn is_null(&self, column: u32, row: u64) -> bool {
        match self.tags.get(column as usize) {
            Some(tag) => tag.is_missing(row),
            None => row.wrapping_add(u64::from(column) * 3).is_multiple_of(NULL_CYCLE),
        }
    }

    /// The time of a row, in the table's unit.
    fn time(&self, row: u64) -> Result<i64> {
        let first = START_NS / self.settings.unit.nanoseconds();
        let last = i64::MAX / self.settings.unit.nanoseconds();
        let time = i64::try_from(row).ok().and_then(|row| first.checked_add(row)).filter(|time| *time <= last);
        time.ok_or_else(|| Error::invalid(format!("row {row} lies past the end of time in nanoseconds")))
    }
}

impl Tag {
    fn is_missing(&self, row: u64) -> bool {
        row / self.run % self.cycle >= self.count
    }

    /// What stands where there is no value is not looked at.
    fn key(&self, row: u64) -> u32 {
        (row / self.run % self.cycle % self.count) as u32
    }
}

/// The table, by the name that the user gave it.
fn table(settings: &Settings) -> Table {
    let name = |name: &str| match settings.names {
        Names::Plain => name.to_owned(),
        Names::Awkward => format!("{name}{AWKWARD}"),
    };
    let perhaps = |column: Column| if settings.nulls { column.nullable() } else { column };
    let mut columns =
        vec![Column::tag(&name("site")), Column::tag(&name("label")), perhaps(Column::tag(&name("zone")))];
    let unsigned = UNSIGNED.iter().filter(|_| settings.unsigned);
    let text = TEXT.iter().filter(|_| settings.text);
    for (plain, data_type) in NUMBERS.iter().chain(unsigned).chain(text) {
        let field = Column::field(&name(plain), *data_type);
        columns.push(if *plain == SEQUENCE { field } else { perhaps(field) });
    }
    columns.push(Column::timestamp(&name("ts"), settings.unit.time_unit()));
    Table { name: settings.table.clone(), columns }
}

#[cfg(test)]
mod tests;
