//! A generator that attacks its host, in the one way that its marker names. What each way must lead to is said by the tests named
//! `hostile_…` and by `docs/sandbox.md`.

// Plugins export nothing where they are not WebAssembly, and the rest would be unused there.
#![cfg(target_arch = "wasm32")]

#[path = "../../hostile/src/marker.rs"]
mod marker;

use bindings::benchhost::plugin::data::{BatchBuilder, Dictionary};
use bindings::benchhost::plugin::types::{Column, DataType, Error, Semantic, Setting, Table};
use bindings::exports::benchhost::plugin::{about, dataset};
use marker::{behaviour, enter};

mod bindings {
    wit_bindgen::generate!({ path: "../../../wit", world: "generator", generate_all });
}

struct Hostile;

fn column(name: &str, semantic: Semantic, data_type: DataType) -> Column {
    Column { name: name.to_owned(), semantic, data_type, nullable: semantic == Semantic::Field }
}

fn table(name: &str) -> Table {
    let columns = vec![
        column("host", Semantic::Tag, DataType::Utf8),
        column("value", Semantic::Field, DataType::Float64),
        column("ts", Semantic::Timestamp, DataType::TimestampMillisecond),
    ];
    Table { name: name.to_owned(), columns }
}

impl about::Guest for Hostile {
    fn describe() -> about::Description {
        about::Description {
            name: "hostile-dataset".to_owned(),
            version: "0.1.0".to_owned(),
            summary: "attacks its host".to_owned(),
            settings_schema: r#"{"type":"object","properties":{}}"#.to_owned(),
        }
    }
}

impl dataset::Guest for Hostile {
    fn open(_settings: Vec<Setting>, _seed: u64) -> Result<dataset::Facts, Error> {
        enter("dataset.open");
        let mut tables = vec![table("t")];
        match behaviour() {
            "no tables" => tables.clear(),
            "a million tables" => {
                let few = |n: u32| Table { name: n.to_string(), columns: vec![] };
                tables = (0..1_000_000).map(few).collect();
            }
            "many tables" => tables = (0..5_000).map(|n| table(&n.to_string())).collect(),
            "columns of one name" => tables[0].columns[1].name = "host".to_owned(),
            "no time" => drop(tables[0].columns.pop()),
            "two times" => {
                tables[0].columns.push(column("again", Semantic::Timestamp, DataType::TimestampMillisecond));
            }
            "no table name" => tables[0].name.clear(),
            "table of an escape" => tables[0].name = "\u{1b}[2J".to_owned(),
            _ => {}
        }
        Ok(dataset::Facts { tables, rows: Some(u64::MAX), series: u64::MAX, seekable: true })
    }

    fn fill(_table: u32, _first_row: u64, rows: u32, into: &BatchBuilder) -> Result<(), Error> {
        enter("dataset.fill");
        let count = rows as usize;
        let hosts = Dictionary::new(&["a".to_owned(), "b".to_owned()]);
        let mut keys = vec![0; count];
        let mut values = vec![0.5; count];
        match behaviour() {
            "rows too many" => values.push(1.0),
            "rows too few" => drop(values.pop()),
            "key out of dictionary" => keys[0] = 2,
            "column twice" => into.append_float64s(1, &values),
            "column missing" => return Ok(()),
            "column of none" => into.append_float64s(u32::MAX, &values),
            "column of another type" => into.append_int64s(1, &vec![1; count]),
            "nulls out of rows" => into.mark_nulls(1, &[u32::MAX]),
            "nulls where none may be" => into.mark_nulls(0, &[0]),
            "times at the ends" => {
                into.append_keys(0, &hosts, &keys);
                into.append_float64s(1, &values);
                let times: Vec<i64> = (0..count).map(|n| if n % 2 == 0 { i64::MIN } else { i64::MAX }).collect();
                into.append_timestamps(&times);
                return Ok(());
            }
            "values not finite" => values.iter_mut().for_each(|value| *value = f64::NAN),
            "dictionary huge" => {
                let all: Vec<String> = (0..2_000_000_u32).map(|n| n.to_string()).collect();
                std::mem::forget(Dictionary::new(&all));
            }
            "dictionary of one value twice" => drop(Dictionary::new(&["a".to_owned(), "a".to_owned()])),
            "dictionaries kept" => {
                for round in 0_u32.. {
                    let all: Vec<String> = (0..1_000).map(|n| format!("{round} {n}")).collect();
                    std::mem::forget(Dictionary::new(&all));
                }
            }
            _ => {}
        }
        into.append_keys(0, &hosts, &keys);
        into.append_float64s(1, &values);
        into.append_timestamps(&(0..i64::from(rows)).collect::<Vec<_>>());
        Ok(())
    }
}

bindings::export!(Hostile with_types_in bindings);
