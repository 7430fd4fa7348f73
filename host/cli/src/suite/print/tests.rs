#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::time::SystemTime;

use benchhost_core::Status;
use benchhost_report::document::Reason;

use super::super::{Entry, Overrides, Suite};
use super::*;

fn suite() -> Suite {
    let entry = |name: &str| {
        let config = "plugin = \"null\"\nrows = 10\n[param]\nhosts = \"7\"\n".parse().unwrap();
        Entry { name: name.into(), about: None, config }
    };
    Suite { name: "demo".into(), about: Some("why".into()), runs: 2, entries: vec![entry("unary"), entry("bulk")] }
}

fn repetition(run: &str, number: u32, rate: f64) -> Repetition {
    Repetition {
        outcome: Outcome::Valid,
        rows_per_s: Some(rate),
        clock: Some("service"),
        p50_ns: Some(1_500_000),
        p99_ns: Some(20_000_000),
        client_cpu_seconds_per_million_rows: Some(0.25),
        ..Repetition::without_result(run, number, Some(0))
    }
}

#[test]
fn a_line_shows_medians_and_spans_and_what_is_invalid_stands_below() {
    let mut record = Record::new(&suite(), Path::new("demo.toml"), SystemTime::UNIX_EPOCH);
    record.add(0, repetition("unary", 1, 30_000.0));
    record.add(0, repetition("unary", 2, 20_000.0));
    let reason = Reason {
        code: "rows-missing".into(),
        text: "5 rows are\u{1b}[2J missing".into(),
        advice: String::new(),
        weight: Status::Invalid,
    };
    record.add(1, Repetition { outcome: Outcome::Invalid, reasons: vec![reason], ..repetition("bulk", 1, 9e6) });
    record.add(1, Repetition::without_result("bulk", 2, Some(4)));
    assert_eq!(
        table(&record),
        "demo  2 repetitions of each run, in turns\n\
         why\n\
         \n\
         run    rows/s      (min … max)      p50      p99  client CPU-s/M rows  verdicts\n\
         unary   25.0k  (20.0k … 30.0k)  1.50 ms  20.0 ms                0.250  2 valid\n\
         bulk        –                –        –        –                    –  1 INVALID, 1 WITHOUT RESULT\n\
         \n\
         Medians of the repetitions that are not invalid; p50 and p99 are of service time.\n\
         \n\
         INVALID    bulk 1: 5 rows are\\u{1b}[2J missing\n\
         NO RESULT  bulk 2: it ended with exit code 4; its own words stand above\n"
    );
    assert_eq!(turn_line("unary", &record.entries[0].repetitions[0]), "unary-1: valid, 30.0k rows/s");
    assert_eq!(turn_line("bulk", &record.entries[1].repetitions[1]), "bulk-2: no result");
}

#[test]
fn a_run_that_never_began_says_so() {
    let record = Record::new(&suite(), Path::new("demo.toml"), SystemTime::UNIX_EPOCH);
    assert!(table(&record).contains("\nbulk        –            –    –    –                    –  did not run\n"));
    assert!(table(&record).ends_with("\nMedians of the repetitions that are not invalid.\n"));
}

#[test]
fn a_plan_shows_settings_flags_and_order() {
    let suite = suite();
    let overrides = Overrides::default().flag("--endpoint", Some("http://h:1".into()));
    assert_eq!(
        plan_text(&Planned::new(&suite, &overrides)),
        "demo  2 repetitions of each run, in turns\n\
         why\n\
         \n\
         unary\n  plugin = \"null\"\n  rows = 10\n  [param]\n  hosts = \"7\"\n  with --endpoint http://h:1\n\
         \n\
         bulk\n  plugin = \"null\"\n  rows = 10\n  [param]\n  hosts = \"7\"\n  with --endpoint http://h:1\n\
         \n\
         order  unary-1 bulk-1 unary-2 bulk-2\n"
    );
}
