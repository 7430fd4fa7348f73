//! A generator that lies in the way that its setting `does` says; without one it is honest.

// Plugins export nothing where they are not WebAssembly, and the rest would be unused there.
#![cfg(target_arch = "wasm32")]

use std::time::{SystemTime, UNIX_EPOCH};

use benchhost_plugin::{
    BatchBuilder, Column, DataType, Dictionary, Facts, Generator, Result, Semantic, Table, export_generator,
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
struct Settings {
    /// The lie.
    #[serde(default)]
    does: String,
}

struct Liar {
    does: String,
    seed: u64,
    hosts: Dictionary,
}

fn column(name: &str, semantic: Semantic, data_type: DataType, nullable: bool) -> Column {
    Column { name: name.into(), semantic, data_type, nullable }
}

fn nanoseconds_now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::from(now.subsec_nanos())
}

impl Generator for Liar {
    type Settings = Settings;
    const NAME: &'static str = "liar";
    const SUMMARY: &'static str = "writes other rows than it was asked for";

    fn open(settings: Settings, seed: u64) -> Result<(Self, Facts)> {
        let does = settings.does;
        let mut tables = vec![Table {
            name: "t".into(),
            columns: vec![
                column("host", Semantic::Tag, DataType::Utf8, false),
                column("value", Semantic::Field, DataType::Float64, true),
                column("ts", Semantic::Timestamp, DataType::TimestampMillisecond, false),
            ],
        }];
        if does == "no-table" {
            tables.clear();
        }
        if does == "bad-table" {
            tables[0].columns.pop();
        }
        let series = if does == "two-faced" { nanoseconds_now() } else { 2 };
        let facts = Facts { tables, rows: None, series, seekable: true };
        let hosts = Dictionary::new(&["a".to_owned(), "b".to_owned()]);
        Ok((Self { does, seed, hosts }, facts))
    }

    fn fill(&mut self, _table: u32, first_row: u64, rows: u32, into: &BatchBuilder) -> Result<()> {
        let says = |lie: &str| self.does == lie;
        let positions = first_row..first_row + u64::from(rows);
        let timestamps: Vec<i64> = positions.clone().map(|row| row as i64 * 1000).collect();
        into.append_timestamps(&timestamps);
        let keys: Vec<u32> = positions.clone().map(|row| (row % 2) as u32 + if says("key") { 1 } else { 0 }).collect();
        into.append_keys(0, &self.hosts, &keys);
        let mut values: Vec<f64> = positions.map(|row| (row ^ self.seed) as f64).collect();
        if says("short") {
            values.pop();
        }
        if says("long") {
            values.push(0.0);
        }
        match self.does.as_str() {
            "type" => into.append_booleans(1, &vec![true; values.len()]),
            "column" => into.append_float64s(7, &values),
            "null-tag" => into.mark_nulls(0, &[0]),
            "panic" => panic!("no rows today"),
            _ => into.append_float64s(1, &values),
        }
        if says("null") {
            into.mark_nulls(1, &[0]);
        }
        Ok(())
    }
}

export_generator!(Liar);
