#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;

use benchhost_plugin::testing::{fill, open_generator};
use benchhost_plugin::{Batch, ErrorKind, LineProtocol, TimeUnit};

use super::*;

fn open(settings: &[(&str, &str)]) -> (Types, Facts) {
    open_generator(settings, 42).unwrap()
}

fn rows(settings: &[(&str, &str)], first_row: u64, rows: u32) -> Batch {
    let (mut types, facts) = open(settings);
    fill(&mut types, &facts, 0, first_row, rows).unwrap()
}

/// The batch as text, one entry a row.
fn lines(settings: &[(&str, &str)], first_row: u64, count: u32) -> Vec<String> {
    let batch = rows(settings, first_row, count);
    let payload = LineProtocol::new(TimeUnit::Nanosecond).encode(&batch).unwrap();
    let text = payload.text();
    text.lines().map(str::to_owned).collect()
}

fn column(table: &Table, name: &str) -> u32 {
    table.columns.iter().position(|column| column.name == name).unwrap() as u32
}

#[test]
fn any_rows_may_be_asked_for_in_any_order() {
    let whole = lines(&[], 0, 300);
    let (mut types, facts) = open(&[]);
    assert!(facts.seekable);
    let mut last = None;
    for first in [200_u64, 0, 100] {
        let batch = fill(&mut types, &facts, 0, first, 100).unwrap();
        let payload = LineProtocol::new(TimeUnit::Nanosecond).encode(&batch).unwrap();
        let text = payload.text();
        let lines: Vec<&str> = text.lines().collect();
        let first = first as usize;
        assert_eq!(lines, whole[first..first + 100]);
        last = Some(lines.len());
    }
    assert_eq!(last, Some(100));
}

#[test]
fn rows_do_not_depend_on_where_a_chunk_ends() {
    let first = u64::from(CHUNK) - 5;
    assert_eq!(lines(&[], 0, CHUNK + 5).split_off(first as usize), lines(&[], first, 10));
}

#[test]
fn another_seed_gives_other_values_and_the_same_edges() {
    let values = |seed| {
        let (mut types, facts) = open_generator::<Types>(&[("nulls", "false")], seed).unwrap();
        let batch = fill(&mut types, &facts, 0, 0, 100).unwrap();
        batch.int64s(column(&facts.tables[0], "int64"))
    };
    let (one, other) = (values(1), values(2));
    assert_eq!((one[2], other[2]), (i64::MAX, i64::MAX));
    assert_ne!(one[3], other[3]);
}

/// The values of a column that are not NULL.
fn present<T>(batch: &Batch, name: &str, values: impl Fn(&Batch, u32) -> Vec<T>) -> Vec<T> {
    let column = column(&batch.table(), name);
    let nulls: BTreeSet<u32> = batch.nulls(column).into_iter().collect();
    let all = (0..).zip(values(batch, column));
    all.filter(|(row, _)| !nulls.contains(row)).map(|(_, value)| value).collect()
}

#[test]
fn every_type_reaches_its_ends_also_where_rows_lack_values() {
    let batch = rows(&[], 0, 1000);
    for (name, bits) in [("int8", 8), ("int16", 16), ("int32", 32), ("int64", 64)] {
        let values = present(&batch, name, Batch::int64s);
        let ends = (values.iter().min().copied(), values.iter().max().copied());
        assert_eq!(ends, (Some(i64::MIN >> (64 - bits)), Some(i64::MAX >> (64 - bits))), "{name}");
        assert!(values.contains(&0) && values.contains(&-1), "{name}");
    }
    for (name, bits) in [("uint8", 8), ("uint16", 16), ("uint32", 32), ("uint64", 64)] {
        let values = present(&batch, name, Batch::uint64s);
        assert_eq!(values.iter().max().copied(), Some(u64::MAX >> (64 - bits)), "{name}");
        assert!(values.contains(&0), "{name}");
    }
    let doubles = present(&batch, "float64", Batch::float64s);
    for edge in [f64::MAX, f64::MIN, 5e-324, 0.1] {
        assert!(doubles.contains(&edge), "{edge}");
    }
    assert!(doubles.iter().any(|value| *value == 0.0 && value.is_sign_negative()));
    assert!(doubles.iter().all(|value| value.is_finite()));
    let floats = present(&batch, "float32", Batch::float64s);
    assert!(floats.contains(&f32::MAX.into()) && floats.contains(&f64::from(1e-45_f32)));
    let booleans = present(&batch, "boolean", Batch::booleans);
    assert!(booleans.contains(&true) && booleans.contains(&false));
    let texts = present(&batch, "utf8", Batch::strings);
    assert!(["", "\\\"", "🦀 crab"].iter().all(|edge| texts.iter().any(|text| text == edge)));
    assert_eq!(batch.int64s(SEQUENCE_COLUMN), (0..1000).collect::<Vec<_>>());
}

#[test]
fn every_column_but_three_lacks_values_unless_that_is_not_wanted() {
    let batch = rows(&[], 0, 1000);
    let table = batch.table();
    let never: BTreeSet<&str> = ["site", "label", "sequence", "ts"].into();
    for (position, described) in (0..).zip(&table.columns) {
        let nulls = batch.nulls(position).len();
        assert_eq!(nulls == 0, never.contains(described.name.as_str()), "{} has {nulls}", described.name);
        assert_eq!(described.nullable, nulls > 0, "{}", described.name);
    }
    let (_, facts) = open(&[("nulls", "false")]);
    assert!(facts.tables[0].columns.iter().all(|column| !column.nullable));
}

#[test]
fn there_are_as_many_series_as_the_facts_say() {
    for settings in [&[][..], &[("nulls", "false")], &[("backslashes", "false")]] {
        let (_, facts) = open(settings);
        let all = lines(settings, 0, 2000);
        // The first space that no backslash goes before ends the series.
        let series: BTreeSet<&str> = all.iter().map(|line| line.split(" sequence=").next().unwrap()).collect();
        assert_eq!(series.len() as u64, facts.series, "{settings:?}");
    }
}

#[test]
fn what_a_server_lacks_can_be_left_out() {
    let names = |settings| {
        let (_, facts) = open(settings);
        facts.tables[0].columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>()
    };
    assert!(names(&[]).contains(&"uint64".into()));
    assert!(!names(&[("unsigned", "false")]).iter().any(|name| name.starts_with("uint")));
    let numbers = names(&[("text", "false")]);
    assert!(!numbers.contains(&"utf8".into()) && !numbers.contains(&"boolean".into()));
    assert!(names(&[("names", "awkward")]).contains(&"int8 a,b=c \"ü\"".into()));
    let tags = |settings| rows(settings, 0, 100).dictionary(1);
    assert!(tags(&[]).iter().any(|value| value.contains('\\')));
    assert!(!tags(&[("backslashes", "false")]).iter().any(|value| value.contains('\\')));
    let texts = |settings| {
        let batch = rows(settings, 0, 200);
        batch.strings(column(&batch.table(), "utf8"))
    };
    assert!(!texts(&[]).iter().any(|text| text.contains('\n')));
    assert!(texts(&[("newlines", "true")]).iter().any(|text| text.contains('\n')));
}

#[test]
fn rows_are_one_unit_apart_in_every_unit() {
    for (unit, first) in
        [("s", START_NS / 1_000_000_000), ("ms", START_NS / 1_000_000), ("us", START_NS / 1000), ("ns", START_NS)]
    {
        assert_eq!(rows(&[("unit", unit)], 7, 2).timestamps(), [first + 7, first + 8], "{unit}");
    }
}

#[test]
fn rows_past_the_end_of_time_are_refused() {
    let (mut types, facts) = open(&[("unit", "s")]);
    let error = fill(&mut types, &facts, 0, i64::MAX as u64, 1).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid);
    assert!(error.message.contains("past the end of time"), "{}", error.message);
    assert!(fill(&mut types, &facts, 0, u64::MAX, 1).is_err());
}
