#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use benchhost_core::{CallError, ErrorKind, Facts, Generator, Generators, OpError};
use benchhost_data::{Batch, BatchBuilder, Column, DataType, Semantic, Table, TimeUnit};

use super::run;
use crate::Leaks;
use crate::book::Book;
use crate::finding::{Outcome, Report};

/// What a fake does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    /// Values count the calls of the instance.
    Counts,
    /// Values count the instances.
    Instances,
    /// The seed plays no part.
    Seedless,
    /// Rows past the first million are an error.
    Ends,
    /// No rows are an error.
    NeverNone,
}

struct Set {
    flaw: Flaw,
    seed: i64,
    rows: Option<u64>,
    seekable: bool,
    opened: AtomicI64,
}

struct One {
    flaw: Flaw,
    seed: i64,
    facts: Facts,
    instance: i64,
    calls: i64,
    next: u64,
}

fn set(flaw: Flaw, seed: i64, rows: Option<u64>, seekable: bool) -> Set {
    Set { flaw, seed, rows, seekable, opened: AtomicI64::new(0) }
}

impl Generators for Set {
    type Session = One;

    async fn open(&self) -> Result<One, CallError> {
        let column =
            |name: &str, semantic, data_type| Column { name: name.into(), semantic, data_type, nullable: false };
        let columns = vec![
            column("value", Semantic::Field, DataType::Int64),
            column("ts", Semantic::Timestamp, DataType::Timestamp(TimeUnit::Millisecond)),
        ];
        let tables = vec![Arc::new(Table::new("t", columns).unwrap())];
        let facts = Facts { tables, rows: self.rows, series: 1, seekable: self.seekable };
        let instance = self.opened.fetch_add(1, Ordering::SeqCst);
        Ok(One { flaw: self.flaw, seed: self.seed, facts, instance, calls: 0, next: 0 })
    }
}

impl Generator for One {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    async fn fill(&mut self, table: usize, first: u64, rows: u32) -> Result<Batch, CallError> {
        let invalid = |message: &str| Err(OpError::new(ErrorKind::Invalid, message).into());
        if !self.facts.seekable && rows > 0 && first != self.next {
            return invalid("rows come in their order");
        }
        if (self.flaw == Flaw::Ends && first > 1_000_000) || (self.flaw == Flaw::NeverNone && rows == 0) {
            return invalid("not these rows");
        }
        self.next = first + u64::from(rows);
        self.calls += 1;
        let more = match self.flaw {
            Flaw::Counts => self.calls,
            Flaw::Instances => self.instance,
            Flaw::Seedless => -self.seed,
            _ => 0,
        };
        let positions = || (0..i64::from(rows)).map(|row| row + first as i64);
        let mut builder = BatchBuilder::new(Arc::clone(&self.facts.tables[table]), first, rows);
        builder.append_int64s(0, positions().map(|row| row * 3 + self.seed + more).collect()).unwrap();
        builder.append_timestamps(positions().collect()).unwrap();
        Ok(builder.finish().unwrap())
    }
}

fn check(flaw: Flaw, rows: Option<u64>, seekable: bool) -> Report {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut book = Book::default();
    let (same, other) = (set(flaw, 1, rows, seekable), set(flaw, 2, rows, seekable));
    runtime.block_on(run(Duration::from_secs(20), &Leaks::default(), &same, &other, &mut book));
    book.report(Path::new("fake"))
}

/// The rules that did not pass.
fn broken(report: &Report) -> Vec<(&'static str, Outcome)> {
    report.findings.iter().filter(|f| f.outcome != Outcome::Pass).map(|f| (f.rule, f.outcome)).collect()
}

#[test]
fn honest_generators_pass_endless_or_not_and_whether_they_seek_or_not() {
    for (rows, seekable) in [(None, true), (None, false), (Some(5_000_000), true), (Some(7), true), (Some(500), false)]
    {
        let report = check(Flaw::None, rows, seekable);
        assert!(report.passed() && broken(&report).is_empty(), "{}", report.to_text());
        assert_eq!(report.findings.len(), 6);
    }
}

#[test]
fn rows_that_depend_on_calls_or_on_the_instance_are_found_out() {
    for flaw in [Flaw::Counts, Flaw::Instances] {
        let report = check(flaw, None, true);
        assert!(broken(&report).contains(&("dataset.deterministic", Outcome::Fail)), "{}", report.to_text());
        assert!(!report.passed());
    }
    assert!(
        check(Flaw::Counts, None, true)
            .to_text()
            .contains("the same instance, asked again, backwards, makes other rows")
    );
    assert!(check(Flaw::Instances, None, false).to_text().contains("another instance makes other rows"));
}

#[test]
fn a_seed_without_effect_is_a_warning() {
    let report = check(Flaw::Seedless, None, true);
    assert_eq!(broken(&report), [("dataset.seed", Outcome::Warn)]);
    assert!(report.passed());
}

#[test]
fn the_last_rows_and_no_rows_must_be_had() {
    let ends = check(Flaw::Ends, Some(5_000_000), true);
    assert_eq!(broken(&ends), [("dataset.bounds", Outcome::Fail)]);
    assert!(
        ends.to_text().contains("the last 10 rows of table 0, to row 5000000: invalid: not these rows"),
        "{}",
        ends.to_text()
    );
    let never = check(Flaw::NeverNone, None, true);
    assert!(broken(&never).contains(&("dataset.bounds", Outcome::Fail)), "{}", never.to_text());
}
