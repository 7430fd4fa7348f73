#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use benchhost_core::{Ack, CallError, Crash, Effort, ErrorKind, OpError, Target, Targets};
use benchhost_data::{Batch, DataType, Payload, Table};

use super::samples::Samples;
use super::way::Way;
use super::{Blocked, sound};
use crate::book::Book;
use crate::finding::{Outcome, Report};
use crate::plan::CheckPlan;
use crate::rules::TARGET;

/// What a fake does wrong, or otherwise than the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Honest,
    /// Rows are stored as often as they are sent.
    Doubles,
    /// Acknowledged rows are forgotten.
    Forgets,
    /// A range has its end in it.
    Inclusive,
    /// The server cannot be asked.
    Silent,
    /// A table must not exist before.
    CreatesOnce,
    /// A table must exist before it is dropped.
    DropsOnce,
    /// Rows outlive their table.
    Keeps,
    /// It says that other rows were stored.
    Miscounts,
    /// An empty batch kills it.
    DiesOfNothing,
    /// Rows that are there already are refused.
    RefusesAgain,
    /// It cannot write text and JSON.
    Plain,
    /// The server refuses unsigned numbers.
    Unsigned,
    /// Rows with NULLs are left out.
    LosesNulls,
    /// A session writes to one table.
    OneTable,
    /// It cannot drop a table.
    NeverDrops,
    /// Its server is another one.
    Stranger,
}

/// Tables by name, and in each the times of its rows.
type Store = Arc<Mutex<HashMap<String, Vec<i64>>>>;

/// What payloads stand for: table and times, by the number in them.
type Encoded = Arc<Mutex<HashMap<u64, (String, Vec<i64>)>>>;

struct Fakes {
    does: Does,
    store: Store,
    encoded: Encoded,
}

struct Fake {
    does: Does,
    table: Option<String>,
    store: Store,
    encoded: Encoded,
}

fn error<V>(kind: ErrorKind, message: &str) -> Result<V, CallError> {
    Err(OpError::new(kind, message).into())
}

impl Targets for Fakes {
    type Session = Fake;

    async fn open(&self, _: u32) -> Result<Fake, CallError> {
        if self.does == Does::Stranger {
            return error(ErrorKind::Rejected, "404: who are you?");
        }
        Ok(Fake { does: self.does, table: None, store: Arc::clone(&self.store), encoded: Arc::clone(&self.encoded) })
    }
}

impl Target for Fake {
    async fn server(&mut self) -> Result<Vec<(String, String)>, CallError> {
        Ok(vec![("product".into(), "fake".into()), ("version".into(), "1".into())])
    }

    async fn create_table(&mut self, table: &Table) -> Result<(), CallError> {
        let text = |data_type| matches!(data_type, DataType::Utf8 | DataType::Json);
        let has_text =
            table.columns().iter().any(|c| text(c.data_type) && c.semantic == benchhost_data::Semantic::Field);
        if self.does == Does::Plain && has_text {
            return error(ErrorKind::Unsupported, "text fields");
        }
        let mut store = self.store.lock().unwrap();
        if self.does == Does::CreatesOnce && store.contains_key(table.name()) {
            return error(ErrorKind::Rejected, "it exists");
        }
        store.entry(table.name().to_owned()).or_default();
        Ok(())
    }

    async fn drop_table(&mut self, table: &Table) -> Result<(), CallError> {
        if self.does == Does::NeverDrops {
            return error(ErrorKind::Unsupported, "tables are for ever");
        }
        let mut store = self.store.lock().unwrap();
        if self.does == Does::Keeps {
            return Ok(());
        }
        if store.remove(table.name()).is_none() && self.does == Does::DropsOnce {
            return error(ErrorKind::Rejected, "there is none");
        }
        Ok(())
    }

    async fn count_rows(&mut self, table: &Table, start: i64, end: i64) -> Result<u64, CallError> {
        if self.does == Does::Silent {
            return error(ErrorKind::Unsupported, "nobody can be asked");
        }
        let store = self.store.lock().unwrap();
        let end = if self.does == Does::Inclusive { end + 1 } else { end };
        let times = store.get(table.name()).into_iter().flatten();
        Ok(times.filter(|time| (start..end).contains(time)).count() as u64)
    }

    async fn encode(&mut self, batch: &Arc<Batch>) -> Result<Payload, CallError> {
        if self.does == Does::DiesOfNothing && batch.rows() == 0 {
            let call = "ingest.encode".to_owned();
            return Err(
                Crash { plugin: "fake".into(), call, reason: "index 0 of 0".into(), stderr: String::new() }.into()
            );
        }
        let table = self.table.get_or_insert_with(|| batch.table().name().to_owned());
        if self.does == Does::OneTable && table != batch.table().name() {
            return error(ErrorKind::Unsupported, "another table");
        }
        let unit = batch.table().timestamp().1.nanoseconds();
        let mut times: Vec<i64> = batch.timestamps().iter().map(|time| time * unit).collect();
        if self.does == Does::LosesNulls && batch.table().columns().iter().any(|column| column.nullable) {
            times.truncate(times.len() / 2);
        }
        let unsigned = |data_type| matches!(data_type, DataType::UInt8 | DataType::UInt64);
        let refused = self.does == Does::Unsigned && batch.table().columns().iter().any(|c| unsigned(c.data_type));
        let mut encoded = self.encoded.lock().unwrap();
        let number = encoded.len() as u64;
        let name = if refused { String::new() } else { batch.table().name().to_owned() };
        encoded.insert(number, (name, times));
        Ok(Payload::new(number.to_le_bytes().to_vec(), batch.rows()))
    }

    async fn send(&mut self, payload: &Payload) -> Result<Ack, CallError> {
        let number = u64::from_le_bytes(payload.bytes()[..].try_into().unwrap());
        let (table, times) = self.encoded.lock().unwrap()[&number].clone();
        let mut store = self.store.lock().unwrap();
        let Some(stored) = store.get_mut(&table) else { return error(ErrorKind::Rejected, "400: bad value") };
        if self.does == Does::RefusesAgain && times.iter().any(|time| stored.contains(time)) {
            return error(ErrorKind::Rejected, "409: it is there");
        }
        let rows = (self.does == Does::Miscounts).then_some(1);
        if self.does == Does::Doubles {
            stored.extend(times);
        } else if self.does != Does::Forgets {
            let known: std::collections::HashSet<i64> = stored.iter().copied().collect();
            stored.extend(times.iter().filter(|time| !known.contains(time)));
        }
        Ok(Ack { pending: false, rows, server_time: None })
    }

    async fn finish(&mut self) -> Result<Option<u64>, CallError> {
        Ok(None)
    }

    fn take_effort(&mut self) -> Effort {
        Effort::default()
    }

    async fn close(&mut self) {}
}

fn check(does: Does) -> (Report, Option<Blocked>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let plan = CheckPlan { patience: Duration::from_millis(1_200), ..CheckPlan::new("fake") };
    let fakes = Fakes { does, store: Arc::default(), encoded: Arc::default() };
    let mut book = Book::default();
    let blocked = runtime.block_on(sound(&plan, &fakes, &Way::nowhere(), &Samples::new(), &mut book)).err();
    (book.report(Path::new("fake")), blocked)
}

/// The rules that did not pass.
fn broken(does: Does) -> Vec<(&'static str, Outcome)> {
    let (report, blocked) = check(does);
    assert!(blocked.is_none(), "{blocked:?}");
    assert_eq!(report.findings.len(), TARGET.len(), "{}", report.to_text());
    let broken = report.findings.iter().filter(|finding| finding.outcome != Outcome::Pass);
    broken
        .map(|finding| {
            assert!(finding.advice.as_ref().is_some_and(|advice| !advice.contains('\n')), "{finding:?}");
            (finding.rule, finding.outcome)
        })
        .collect()
}

fn says(does: Does, rule: &str) -> String {
    check(does).0.finding(rule).unwrap().says.clone()
}

#[test]
fn an_honest_target_passes_whether_its_server_keeps_a_row_once_or_twice() {
    assert!(broken(Does::Honest).is_empty());
    assert!(broken(Does::Doubles).is_empty());
    assert!(broken(Does::OneTable).is_empty());
    assert!(says(Does::Honest, "ingest.same-payload-twice").contains("keeps each row once"));
    assert!(says(Does::Doubles, "ingest.same-payload-twice").contains("stored twice"));
}

#[test]
fn rows_that_are_acknowledged_and_not_stored_are_found_out() {
    let found = broken(Does::Forgets);
    assert!(found.contains(&("session.count-rows", Outcome::Fail)), "{found:?}");
    assert!(found.contains(&("ingest.same-payload-twice", Outcome::Fail)), "{found:?}");
    assert!(found.contains(&("ingest.encode.types", Outcome::Fail)), "{found:?}");
}

#[test]
fn the_end_of_a_range_must_not_be_in_it() {
    assert!(broken(Does::Inclusive).contains(&("session.count-rows", Outcome::Fail)));
    assert!(says(Does::Inclusive, "session.count-rows").contains("9999 rows are counted from the second row's time"));
}

#[test]
fn what_cannot_be_counted_is_not_run_and_the_rest_is() {
    let found = broken(Does::Silent);
    let silent = ["session.count-rows", "ingest.same-payload-twice"].map(|rule| (rule, Outcome::NotRun));
    assert_eq!(found, silent);
}

#[test]
fn tables_may_be_there_before_and_may_be_gone_before() {
    assert_eq!(broken(Does::CreatesOnce), [("session.create-table", Outcome::Fail)]);
    assert_eq!(broken(Does::DropsOnce), [("session.drop-table", Outcome::Fail)]);
    assert_eq!(broken(Does::NeverDrops), [("session.drop-table", Outcome::Warn)]);
    assert_eq!(broken(Does::Keeps), [("session.drop-table", Outcome::Fail)]);
}

#[test]
fn a_wrong_number_of_stored_rows_is_found_out() {
    assert_eq!(broken(Does::Miscounts), [("ingest.send", Outcome::Fail)]);
}

#[test]
fn a_batch_that_kills_the_session_fails_its_rule_and_the_next_ones_go_on() {
    assert_eq!(broken(Does::DiesOfNothing), [("ingest.encode.no-rows", Outcome::Fail)]);
}

#[test]
fn a_server_that_refuses_rows_that_it_has_is_a_warning() {
    assert_eq!(broken(Does::RefusesAgain), [("ingest.same-payload-twice", Outcome::Warn)]);
}

#[test]
fn types_that_are_unsupported_are_told_and_those_refused_late_are_a_warning() {
    assert!(broken(Does::Plain).is_empty());
    assert!(says(Does::Plain, "ingest.encode.types").contains("20 stored; unsupported: utf8, json"));
    assert!(says(Does::Plain, "ingest.encode.text").contains("text fields are `unsupported`"));
    assert_eq!(broken(Does::Unsigned), [("ingest.encode.types", Outcome::Warn)]);
    assert!(says(Does::Unsigned, "ingest.encode.types").contains("written: uint8, uint64 (400: bad value)"));
}

#[test]
fn rows_that_get_lost_in_an_encoder_are_found_out() {
    assert_eq!(broken(Does::LosesNulls), [("ingest.encode.nulls", Outcome::Fail)]);
    assert!(says(Does::LosesNulls, "ingest.encode.nulls").contains("5 are counted"));
}

#[test]
fn with_another_server_nothing_passes() {
    let (report, blocked) = check(Does::Stranger);
    assert!(report.findings.is_empty());
    assert!(blocked.unwrap().says.contains("404: who are you?"));
}
