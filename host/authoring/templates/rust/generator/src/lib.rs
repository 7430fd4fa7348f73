//! A dataset of benchhost: readings of some hosts, one a second each, without an end.
//!
//! The host calls the functions below, which are the exports of the world `generator` in `wit/`. Every value is a function of the seed
//! and the row's position alone, so any instance may make any rows in any order, and they are the same every time.

mod rows;

wit_bindgen::generate!({ path: "wit", world: "generator" });

use std::cell::RefCell;

use benchhost::plugin::data::{BatchBuilder, Dictionary};
use benchhost::plugin::types::{Column, DataType, Error, ErrorKind, Semantic, Setting, Table};
use exports::benchhost::plugin::about::{Description, Guest as About};
use exports::benchhost::plugin::dataset::{Facts, Guest as Dataset};
use rows::Readings;

/// What a user can set with `-P name=value`, as a JSON Schema. The host checks it and fills in the defaults.
const SETTINGS: &str = r#"{
  "type": "object",
  "properties": {
    "hosts": {"type": "integer", "description": "How many hosts report.", "default": 10, "minimum": 1, "maximum": 1000000}
  }
}"#;

// A column is named by its position in the table.
const HOST: u32 = 0;
const VALUE: u32 = 1;
const COUNT: u32 = 2;

struct Plugin;

export!(Plugin);

/// What one instance keeps.
struct Open {
    readings: Readings,
    /// The hosts' names. Made once: a batch holds numbers that point into it.
    names: Dictionary,
}

thread_local! {
    static OPEN: RefCell<Option<Open>> = const { RefCell::new(None) };
}

impl About for Plugin {
    fn describe() -> Description {
        Description {
            name: "@NAME@".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            summary: "Readings of hosts, one a second each".to_owned(),
            settings_schema: SETTINGS.to_owned(),
        }
    }
}

impl Dataset for Plugin {
    fn open(settings: Vec<Setting>, seed: u64) -> Result<Facts, Error> {
        let hosts = settings
            .iter()
            .find(|setting| setting.name == "hosts")
            .and_then(|setting| setting.value.parse().ok())
            .filter(|hosts| *hosts > 0)
            .ok_or_else(|| {
                error(
                    ErrorKind::Invalid,
                    "`hosts` is missing, or less than 1".to_owned(),
                )
            })?;
        let names: Vec<String> = (0..hosts).map(|host| format!("host_{host}")).collect();
        OPEN.set(Some(Open {
            readings: Readings { seed, hosts },
            names: Dictionary::new(&names),
        }));
        Ok(Facts {
            tables: vec![table()],
            rows: None,
            series: u64::from(hosts),
            seekable: true,
        })
    }

    fn fill(_table: u32, first_row: u64, rows: u32, into: &BatchBuilder) -> Result<(), Error> {
        OPEN.with_borrow(|open| {
            let Some(Open { readings, names }) = open else {
                return Err(error(
                    ErrorKind::Internal,
                    "the dataset is not open".to_owned(),
                ));
            };
            let Some(end) = first_row
                .checked_add(u64::from(rows))
                .filter(|end| readings.time(*end).is_some())
            else {
                return Err(error(
                    ErrorKind::Invalid,
                    format!("row {first_row} lies past the end of time"),
                ));
            };
            let positions = || first_row..end;
            let keys: Vec<u32> = positions().map(|row| readings.host(row)).collect();
            let times: Vec<i64> = positions().filter_map(|row| readings.time(row)).collect();
            let values: Vec<f64> = positions().map(|row| readings.value(row)).collect();
            let counts: Vec<Option<i64>> = positions().map(|row| readings.count(row)).collect();
            // A column is appended whole, with any value where there is none, and the rows that have none are named.
            let shown: Vec<i64> = counts.iter().map(|count| count.unwrap_or(0)).collect();
            let nulls: Vec<u32> = (0..rows)
                .zip(&counts)
                .filter(|(_, count)| count.is_none())
                .map(|(row, _)| row)
                .collect();

            into.append_timestamps(&times);
            into.append_keys(HOST, names, &keys);
            into.append_float64s(VALUE, &values);
            into.append_int64s(COUNT, &shown);
            into.mark_nulls(COUNT, &nulls);
            Ok(())
        })
    }
}

/// The one table. The order of its columns is what the positions above stand for.
fn table() -> Table {
    let column = |name: &str, semantic, data_type, nullable| Column {
        name: name.to_owned(),
        semantic,
        data_type,
        nullable,
    };
    Table {
        name: "@NAME@".to_owned(),
        columns: vec![
            column("host", Semantic::Tag, DataType::Utf8, false),
            column("value", Semantic::Field, DataType::Float64, false),
            column("count", Semantic::Field, DataType::Int64, true),
            column(
                "ts",
                Semantic::Timestamp,
                DataType::TimestampMillisecond,
                false,
            ),
        ],
    }
}

/// An error as a value; for none of these is trying again of any use.
fn error(kind: ErrorKind, message: String) -> Error {
    Error {
        kind,
        code: None,
        message,
        retryable: false,
        retry_after_ms: None,
        rows_accepted: None,
    }
}
