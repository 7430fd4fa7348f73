#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::time::SystemTime;

use serde_json::{Value, json};

use super::super::Entry;
use super::*;

fn suite() -> Suite {
    let entry = |name: &str| Entry { name: name.into(), about: None, config: toml::Table::new() };
    Suite { name: "demo".into(), about: Some("why".into()), runs: 2, entries: vec![entry("a"), entry("b")] }
}

fn record() -> Record {
    Record::new(&suite(), Path::new("demo.toml"), SystemTime::UNIX_EPOCH)
}

fn repetition(outcome: Outcome, code: i32, rate: f64) -> Repetition {
    Repetition { outcome, rows_per_s: Some(rate), ..Repetition::without_result("a", 1, Some(code)) }
}

#[test]
fn a_suite_that_begins_says_so_and_measured_nothing() {
    let document: Value = serde_json::to_value(record()).unwrap();
    let entry = |name| json!({ "name": name, "verdicts": { "valid": 0, "suspect": 0, "invalid": 0, "no_result": 0 }, "repetitions": [] });
    assert_eq!(
        document,
        json!({
            "schema_version": "1",
            "benchhost_version": env!("CARGO_PKG_VERSION"),
            "name": "demo",
            "about": "why",
            "file": "demo.toml",
            "started_at": "1970-01-01T00:00:00.000Z",
            "ended": "running",
            "runs": 2,
            "entries": [entry("a"), entry("b")],
        })
    );
}

#[test]
fn repetitions_are_counted_by_outcome_and_kept_in_order() {
    let mut record = record();
    record.add(0, repetition(Outcome::Valid, 0, 10.0));
    record.add(0, repetition(Outcome::Invalid, 5, 99.0));
    record.add(1, Repetition::without_result("b", 1, Some(4)));
    record.add(7, repetition(Outcome::Valid, 0, 1.0));
    let document: Value = serde_json::to_value(&record).unwrap();
    let first = &document["entries"][0];
    assert_eq!(first["verdicts"], json!({ "valid": 1, "suspect": 0, "invalid": 1, "no_result": 0 }));
    assert_eq!(first["median"], json!({ "of": 1, "rows_per_s": 10.0, "min_rows_per_s": 10.0, "max_rows_per_s": 10.0 }));
    assert_eq!(first["repetitions"][1]["outcome"], "invalid");
    assert_eq!(first["repetitions"][1]["rows_per_s"], 99.0);
    let second = &document["entries"][1];
    assert_eq!(
        second["repetitions"],
        json!([{ "number": 1, "folder": "b-1", "exit_code": 4, "outcome": "no_result" }])
    );
    assert!(second.get("median").is_none());
}

#[test]
fn the_worst_repetition_decides_and_an_interruption_goes_before_it() {
    let mut record = record();
    assert_eq!(record.status(), ExitStatus::Success);
    record.add(0, repetition(Outcome::Valid, 6, 1.0));
    assert_eq!(record.status(), ExitStatus::Objective);
    record.add(1, repetition(Outcome::NoResult, 4, 1.0));
    record.add(0, repetition(Outcome::Valid, 0, 1.0));
    assert_eq!(record.status(), ExitStatus::Unreachable);
    record.ended = Ended::Interrupted;
    assert_eq!(record.status(), ExitStatus::Interrupted);
}
