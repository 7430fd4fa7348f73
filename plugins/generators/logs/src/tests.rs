//! Tests of the log dataset.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeSet, HashSet};

use benchhost_plugin::{Batch, ErrorKind, Semantic, testing};

use super::*;

const START_MS: i64 = 1_704_067_200_000;

fn rows(settings: &[(&str, &str)], seed: u64, first: u64, rows: u32) -> Batch {
    let (mut logs, facts) = testing::open_generator::<Logs>(settings, seed).unwrap();
    testing::fill(&mut logs, &facts, 0, first, rows).unwrap()
}

/// Every cell of a batch as text, row by row.
fn cells(batch: &Batch) -> Vec<Vec<String>> {
    fn texts<T: ToString>(values: &[T]) -> Vec<String> {
        values.iter().map(ToString::to_string).collect()
    }
    let columns: Vec<Vec<String>> = (0..)
        .zip(&batch.table().columns)
        .map(|(at, column)| match column.data_type {
            DataType::Utf8 => batch.strings(at),
            DataType::Float64 => texts(&batch.float64s(at)),
            DataType::Boolean => texts(&batch.booleans(at)),
            DataType::Int64 => texts(&batch.int64s(at)),
            _ => texts(&batch.timestamps()),
        })
        .collect();
    (0..batch.rows() as usize).map(|row| columns.iter().map(|column| column[row].clone()).collect()).collect()
}

/// The distinct values of a text column.
fn distinct(batch: &Batch, column: u32) -> BTreeSet<String> {
    batch.strings(column).into_iter().collect()
}

fn set(values: &[&str]) -> BTreeSet<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

#[test]
fn the_table_is_as_published() {
    let (_, facts) = testing::open_generator::<Logs>(&[], 0).unwrap();
    assert_eq!((facts.tables.len(), facts.rows, facts.series, facts.seekable), (1, None, 3072, true));
    let table = &facts.tables[0];
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let expected = "service host region env pod log_level message trace_id span_id http_method http_path \
                    http_status_class user_agent client_ip caller latency_ms bytes_in bytes_out error_flag retry_flag \
                    log_ts ingest_ts";
    assert_eq!(names, expected.split_whitespace().collect::<Vec<_>>());
    assert_eq!(table.name, "bench_logs");
    assert_eq!(table.columns.iter().filter(|column| column.semantic == Semantic::Tag).count(), 4);
    assert_eq!(table.columns[20].data_type, DataType::TimestampMillisecond);
    assert!(table.columns.iter().all(|column| !column.nullable));
}

#[test]
fn values_are_those_of_the_published_lists() {
    let batch = rows(&[], 42, 0, 40_000);
    assert_eq!(distinct(&batch, 0), set(&["api", "auth", "billing", "search", "stream", "worker"]));
    assert_eq!(distinct(&batch, 1).len(), 32);
    assert_eq!(distinct(&batch, 2), set(&["us-east", "us-west", "eu-west", "ap-south"]));
    assert_eq!(distinct(&batch, 3), set(&["prod", "staging", "canary", "dev"]));
    assert_eq!(distinct(&batch, 4).len(), 64);
    assert_eq!(distinct(&batch, 5), set(&["INFO", "WARN", "ERROR", "DEBUG"]));
    assert_eq!(distinct(&batch, 9), set(&["GET", "POST", "PUT", "DELETE", "PATCH"]));
    assert_eq!(distinct(&batch, 11), set(&["2xx", "3xx", "4xx", "5xx"]));
    let series: HashSet<[String; 4]> =
        cells(&batch).into_iter().map(|row| std::array::from_fn(|tag| row[tag].clone())).collect();
    assert_eq!(series.len(), 3072);
    let inside = |column: u32, bound: i64| batch.int64s(column).iter().all(|value| (0..bound).contains(value));
    assert!(inside(16, 100_000) && inside(17, 200_000));
    assert!(batch.float64s(15).iter().all(|value| (0.0..200.0).contains(value)));
    // Ten standard deviations of 40,000 picks with p = 0.05 are 436.
    let retries = batch.booleans(19).iter().filter(|is| **is).count();
    assert!((1_564..=2_436).contains(&retries), "{retries}");
}

#[test]
fn columns_of_a_row_agree() {
    let batch = rows(&[], 7, 1_000_000, 500);
    for (number, row) in (1_000_000..).zip(cells(&batch)) {
        assert_eq!(row[6], format!("request {number} handled via {}", row[10]));
        assert!(row[14].starts_with(&format!("src/handler/{}.ts:", row[0])), "{}", row[14]);
        assert!(row[14].rsplit(':').next().unwrap().parse::<u32>().unwrap() < 500);
        assert_eq!(row[18], (row[5] == "ERROR").to_string());
        assert_eq!(row[20], row[21]);
        let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        assert!(row[7].len() == 32 && is_hex(&row[7]) && row[8].len() == 16 && is_hex(&row[8]));
        let ip: Vec<u8> = row[13].split('.').map(|part| part.parse().unwrap()).collect();
        assert!(ip.len() == 4 && ip[0] == 10, "{}", row[13]);
    }
}

#[test]
fn any_rows_can_be_had_in_any_order() {
    let (mut logs, facts) = testing::open_generator::<Logs>(&[], 42).unwrap();
    let all = cells(&testing::fill(&mut logs, &facts, 0, 0, 20_000).unwrap());
    for (first, count) in [(19_000, 1000), (0, 1), (5, 17_000), (16_380, 10)] {
        let some = cells(&testing::fill(&mut logs, &facts, 0, first, count).unwrap());
        assert!(some == all[first as usize..(first + u64::from(count)) as usize], "{count} rows from {first}");
    }
    assert!(cells(&rows(&[], 42, 0, 20_000)) == all);
    assert!(cells(&rows(&[], 43, 0, 100)) != all[..100]);
}

#[test]
fn times_are_unique_unless_the_wall_clock_is_asked_for() {
    assert_eq!(rows(&[], 0, 2, 3).timestamps(), [START_MS + 2, START_MS + 3, START_MS + 4]);
    let wall = rows(&[("timestamps", "wall"), ("rows_per_ms", "3")], 0, 2, 5).timestamps();
    assert_eq!(wall, [0, 1, 1, 1, 2].map(|after| START_MS + after));
    let batch = rows(&[("timestamps", "wall")], 0, 0, 30_000);
    let seen: HashSet<Vec<String>> = cells(&batch).into_iter().map(|row| [&row[..4], &row[20..21]].concat()).collect();
    assert!(seen.len() < 30_000, "no two rows of a series share a time");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for (name, value, words) in [
        ("table", "", "setting `table`: a table needs a name"),
        ("start", "now", "setting `start`: `now` is no time such as 2024-01-01T00:00:00Z"),
        ("rows_per_ms", "0", "setting `rows_per_ms`: a millisecond needs at least 1 row"),
    ] {
        let error = testing::open_generator::<Logs>(&[(name, value)], 0).err().unwrap();
        assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Invalid, words));
    }
    let (mut logs, facts) = testing::open_generator::<Logs>(&[], 0).unwrap();
    assert_eq!(testing::fill(&mut logs, &facts, 0, u64::MAX - 5, 3).unwrap_err().kind, ErrorKind::Invalid);
}
