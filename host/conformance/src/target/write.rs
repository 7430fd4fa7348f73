//! A large batch, written twice, counted and dropped.

use std::time::{Duration, Instant};

use benchhost_core::{ErrorKind, Targets};
use benchhost_data::Payload;

use super::bench::Bench;
use super::samples::Sample;
use crate::book::Book;
use crate::worker::Trouble;

/// Rows that did not become more in this time are taken to be replaced by their equals.
const SETTLED: Duration = Duration::from_secs(1);

/// What depends on something that was written.
const AFTER: &[&str] = &["session.count-rows", "ingest.same-payload-twice"];

/// Leaves no table behind.
pub(super) async fn check<T: Targets>(bench: &mut Bench<'_, T>, main: &Sample, book: &mut Book) {
    if let Some(payload) = sent(bench, main, book).await {
        if counted(bench, main, book).await {
            twice(bench, main, &payload, book).await;
        }
    } else {
        book.rest(&["ingest.send"], "nothing could be encoded", "mend `ingest.encode`, and check again");
        book.rest(AFTER, "no rows were written", "mend `ingest.send`, and check again");
    }
    dropped(bench, main, book).await;
}

/// The payload, if it was sent.
async fn sent<T: Targets>(bench: &mut Bench<'_, T>, main: &Sample, book: &mut Book) -> Option<Payload> {
    let rows = u64::from(main.batch.rows());
    let payload = match bench.encode(main).await {
        Ok(payload) => payload,
        Err(trouble) => {
            book.fail("ingest.encode.many-rows", trouble.to_string(), trouble.advice());
            return None;
        }
    };
    book.pass("ingest.encode.many-rows", format!("{rows} rows in {} bytes", payload.size()));
    match bench.worker.send(&payload).await {
        Ok(None) => book.pass("ingest.send", format!("{rows} rows are acknowledged")),
        Ok(Some(stored)) if stored == rows => {
            book.pass("ingest.send", format!("{rows} rows are acknowledged, and the server names the number"));
        }
        Ok(Some(stored)) => {
            let says = format!("it acknowledges {rows} rows and says that {stored} of them are stored");
            let advice = "answer an error of the kind `partial` when rows were refused, and no number where the server does not say it";
            book.fail("ingest.send", says, advice);
        }
        Err(trouble) => {
            book.fail("ingest.send", trouble.to_string(), trouble.advice());
            return None;
        }
    }
    Some(payload)
}

/// Whether rows can be counted at all.
async fn counted<T: Targets>(bench: &mut Bench<'_, T>, main: &Sample, book: &mut Book) -> bool {
    const RULE: &str = "session.count-rows";
    let rows = u64::from(main.batch.rows());
    let whole = match bench.control.count_until(&main.table, main.range(), rows, bench.patience).await {
        Ok(whole) => whole,
        Err(trouble) if trouble.is(ErrorKind::Unsupported) => {
            let advice = "count them if the server can be asked in any way: a run that cannot count verifies nothing";
            book.rest(AFTER, &trouble.to_string(), advice);
            return false;
        }
        Err(trouble) => {
            book.fail(RULE, trouble.to_string(), trouble.advice());
            book.rest(AFTER, "rows cannot be counted", "mend `session.count-rows`, and check again");
            return false;
        }
    };
    if whole != rows {
        let says = format!("{whole} rows are counted after {:?}, and {rows} were acknowledged", bench.patience);
        let advice = "look at what is written and what is counted: `benchhost plugin run --trace` shows both";
        book.fail(RULE, says, advice);
        return true;
    }
    // From the second row's time, to the last one's.
    let (_, end) = main.range();
    let apart = 1_000_000;
    let (second, last) = (end - 1 - i64::try_from(rows.saturating_sub(2)).unwrap_or_default() * apart, end - 1);
    match bench.control.count(&main.table, (second, last)).await {
        Ok(inner) if inner == rows - 2 => {
            book.pass(RULE, format!("{rows} of {rows}, and a range has its start in it and its end not"));
        }
        Ok(inner) => {
            let says = format!(
                "{inner} rows are counted from the second row's time to the last one's, which are {}",
                rows - 2
            );
            book.fail(RULE, says, "count the rows with start-ns <= time < end-ns, in nanoseconds");
        }
        Err(trouble) => book.fail(RULE, trouble.to_string(), trouble.advice()),
    }
    true
}

/// Sends the same payload again, as a run does after an answer was lost.
async fn twice<T: Targets>(bench: &mut Bench<'_, T>, main: &Sample, payload: &Payload, book: &mut Book) {
    const RULE: &str = "ingest.same-payload-twice";
    let rows = u64::from(main.batch.rows());
    match bench.worker.send(payload).await {
        Ok(_) => {}
        Err(trouble @ Trouble::Error(_)) => {
            let advice = "say so in the plugin's summary or settings: a run that tries again after a lost answer counts an error";
            return book.warn(RULE, format!("rows that are there already: {trouble}"), advice);
        }
        Err(trouble) => return book.fail(RULE, trouble.to_string(), trouble.advice()),
    }
    let began = Instant::now();
    loop {
        let counted = match bench.control.count(&main.table, main.range()).await {
            Ok(counted) => counted,
            Err(trouble) => return book.fail(RULE, trouble.to_string(), trouble.advice()),
        };
        let waited = began.elapsed();
        if counted == 2 * rows {
            return book.pass(RULE, "rows are stored twice: a retry after a lost answer doubles them");
        }
        if counted == rows && waited >= SETTLED {
            return book.pass(RULE, "the server keeps each row once: a retry after a lost answer does no harm");
        }
        if waited >= bench.patience {
            let says = format!("{counted} rows are counted after {rows} were sent twice");
            return book.fail(RULE, says, "look at what the payload holds: it must be the same at every send");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn dropped<T: Targets>(bench: &mut Bench<'_, T>, main: &Sample, book: &mut Book) {
    const RULE: &str = "session.drop-table";
    match bench.control.drop_table(&main.table).await {
        Ok(()) => {}
        Err(trouble) if trouble.is(ErrorKind::Unsupported) => {
            let advice = "drop it if the server can in any way: until then the tables of this check stay behind";
            return book.warn(RULE, trouble.to_string(), advice);
        }
        Err(trouble) => return book.fail(RULE, trouble.to_string(), trouble.advice()),
    }
    if let Err(trouble) = bench.control.drop_table(&main.table).await {
        let says = format!("a table that is not there: {trouble}");
        return book.fail(RULE, says, "take it as done: it is no error that there is no table");
    }
    match bench.control.count_until(&main.table, main.range(), 0, bench.patience).await {
        Ok(0) => book.pass(RULE, "also when there is none; no row is left"),
        Ok(left) => {
            let says = format!("{left} rows are counted {:?} after the table was dropped", bench.patience);
            book.fail(RULE, says, "remove the rows with the table: a second run would count them as its own");
        }
        Err(trouble) if trouble.is(ErrorKind::Unsupported) => book.pass(RULE, "also when there is none"),
        Err(trouble) => {
            let says = format!("counting a table that is not there: {trouble}");
            book.fail(RULE, says, "answer 0 where there is no such table");
        }
    }
}
