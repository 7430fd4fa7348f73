//! What a generator makes: the same rows again, whoever asks and in which order.

use std::time::Duration;

use benchhost_core::{Facts, Generator, Generators};
use benchhost_data::Fingerprint;

use crate::book::Book;
use crate::rules::{DATASET, LEAK};
use crate::worker::{Trouble, within};
use crate::{Leaks, Subject};

/// Rows of a table that are compared, in two parts.
const ROWS: u32 = 2_000;
/// Calls after which handles are looked at.
const CALLS: u64 = 300;

/// Tries every rule of a generator.
pub(crate) async fn check(subject: &Subject<'_>, book: &mut Book) {
    let settings = match subject.plugin.schema().resolve(&subject.plan.settings) {
        Ok(settings) => settings,
        Err(error) => {
            return rest(book, &error.to_string(), "give the plugin's settings with -P name=value");
        }
    };
    let sets = |seed| subject.host.generators(subject.plugin, &settings, seed).map_err(|error| error.to_string());
    let seed = subject.plan.seed;
    match (sets(seed), sets(seed.wrapping_add(1))) {
        (Ok(same), Ok(other)) => run(subject.plan.call_limit, subject.leaks, &same, &other, book).await,
        (Err(reason), _) | (_, Err(reason)) => rest(book, &reason, "report it with the plugin's settings"),
    }
}

fn rest(book: &mut Book, says: &str, advice: &str) {
    book.rest(DATASET, says, advice);
    book.rest(LEAK, says, advice);
}

async fn run<G: Generators>(limit: Duration, leaks: &Leaks, same: &G, other: &G, book: &mut Book) {
    let mut first = match within(limit, same.open()).await {
        Ok(session) => Instance { session, limit },
        Err(trouble) => {
            book.fail("dataset.open", trouble.to_string(), trouble.advice());
            return rest(book, "no instance can be opened", "mend `dataset.open`, and check again");
        }
    };
    let facts = first.session.facts().clone();
    book.pass("dataset.open", told(&facts));
    let whole = match first.fingerprint(&facts, Order::Forward).await {
        Ok(whole) => whole,
        Err(trouble) => {
            book.fail("dataset.fill", trouble.to_string(), trouble.advice());
            return rest(book, "rows cannot be made", "mend `dataset.fill`, and check again");
        }
    };
    book.pass("dataset.fill", format!("{} rows of each table, fingerprint {whole}", compared(&facts)));
    deterministic(&mut first, same, whole, book).await;
    match Instance::open(other, limit).await {
        Ok(mut instance) => match instance.fingerprint(&facts, Order::Forward).await {
            Ok(others) if others == whole => {
                let advice = "let the values depend on the seed, or say in a setting's description that they do not";
                book.warn("dataset.seed", "another seed makes the same rows", advice);
            }
            Ok(_) => book.pass("dataset.seed", "another seed makes other rows"),
            Err(trouble) => book.fail("dataset.seed", trouble.to_string(), trouble.advice()),
        },
        Err(trouble) => book.fail("dataset.seed", trouble.to_string(), trouble.advice()),
    }
    bounds(same, &facts, limit, book).await;
    leak(limit, leaks, same, &facts, book).await;
}

/// The same rows of the same instance again, and of another one in another order.
async fn deterministic<G: Generators>(first: &mut Instance<G::Session>, same: &G, whole: Fingerprint, book: &mut Book) {
    const RULE: &str = "dataset.deterministic";
    let facts = first.session.facts().clone();
    let advice = "let every value be a function of settings, seed and row alone: no clock, no state, no order of calls";
    let mut tries = Vec::new();
    if facts.seekable {
        tries.push(("the same instance, asked again, backwards,", first.fingerprint(&facts, Order::Backward).await));
    }
    let order = if facts.seekable { Order::Backward } else { Order::Forward };
    let second = match Instance::open(same, first.limit).await {
        Ok(mut second) => second.fingerprint(&facts, order).await,
        Err(trouble) => Err(trouble),
    };
    tries.push(("another instance", second));
    for (who, made) in tries {
        match made {
            Ok(made) if made != whole => {
                return book.fail(RULE, format!("{who} makes other rows: {made}, not {whole}"), advice);
            }
            Ok(_) => {}
            Err(trouble) => return book.fail(RULE, format!("{who}: {trouble}"), trouble.advice()),
        }
    }
    let how = if facts.seekable { "in any order, by any instance" } else { "by any instance, in their order" };
    book.pass(RULE, format!("the same rows {how}"));
}

async fn bounds<G: Generators>(same: &G, facts: &Facts, limit: Duration, book: &mut Book) {
    const RULE: &str = "dataset.bounds";
    let mut instance = match Instance::open(same, limit).await {
        Ok(instance) => instance,
        Err(trouble) => return book.fail(RULE, trouble.to_string(), trouble.advice()),
    };
    let mut says = "no rows".to_owned();
    for table in 0..facts.tables.len() {
        if let Err(trouble) = instance.fill(table, 0, 0).await {
            return book.fail(RULE, format!("0 rows of table {table}: {trouble}"), trouble.advice());
        }
    }
    match facts.rows {
        Some(rows) if facts.seekable => {
            let last = u32::try_from(rows.min(10)).unwrap_or_default();
            for table in 0..facts.tables.len() {
                if let Err(trouble) = instance.fill(table, rows - u64::from(last), last).await {
                    let says = format!("the last {last} rows of table {table}, to row {rows}: {trouble}");
                    return book.fail(RULE, says, trouble.advice());
                }
            }
            says.push_str(&format!(", and the last {last} of {rows}"));
        }
        Some(rows) => says.push_str(&format!("; the last of {rows} are not reached: it cannot seek")),
        None => says.push_str("; there is no last one"),
    }
    book.pass(RULE, says);
}

async fn leak<G: Generators>(limit: Duration, leaks: &Leaks, same: &G, facts: &Facts, book: &mut Book) {
    const RULE: &str = "handles.leak";
    let tried: Result<(), Trouble> = async {
        let mut instance = Instance::open(same, limit).await?;
        for row in 0..CALLS.min(facts.rows.unwrap_or(CALLS)) {
            instance.fill(0, row, 1).await?;
        }
        Ok(())
    }
    .await;
    match (leaks.heard(), tried) {
        (Some(says), _) => book.fail(RULE, says, "make dictionaries once and keep them, and drop what is not kept"),
        (None, Ok(())) => book.pass(RULE, format!("none in {CALLS} calls of `fill`")),
        (None, Err(trouble)) => {
            let says = format!("it could not be called often enough: {trouble}");
            book.not_run(RULE, says, "mend what failed above, and check again");
        }
    }
}

/// The order in which the two parts are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Forward,
    Backward,
}

struct Instance<S> {
    session: S,
    limit: Duration,
}

impl<S: Generator> Instance<S> {
    async fn open<G: Generators<Session = S>>(set: &G, limit: Duration) -> Result<Self, Trouble> {
        Ok(Self { session: within(limit, set.open()).await?, limit })
    }

    async fn fill(&mut self, table: usize, first: u64, rows: u32) -> Result<Fingerprint, Trouble> {
        let batch = within(self.limit, self.session.fill(table, first, rows)).await?;
        let mut print = Fingerprint::new();
        print.add(&batch);
        Ok(print)
    }

    /// Of the first rows of all tables, in two parts of unequal size.
    async fn fingerprint(&mut self, facts: &Facts, order: Order) -> Result<Fingerprint, Trouble> {
        let rows = compared(facts);
        let half = rows / 3;
        let mut parts = [(0, half), (u64::from(half), rows - half)];
        if order == Order::Backward {
            parts.reverse();
        }
        let mut print = Fingerprint::new();
        for table in 0..facts.tables.len() {
            for (first, rows) in parts {
                print.merge(&self.fill(table, first, rows).await?);
            }
        }
        Ok(print)
    }
}

/// How many rows of each table are compared.
fn compared(facts: &Facts) -> u32 {
    facts.rows.map_or(ROWS, |rows| u32::try_from(rows).unwrap_or(ROWS).min(ROWS))
}

fn told(facts: &Facts) -> String {
    let tables: Vec<&str> = facts.tables.iter().map(|table| table.name()).collect();
    let rows = facts.rows.map_or_else(|| "endless".to_owned(), |rows| format!("{rows} rows"));
    let seekable = if facts.seekable { "seekable" } else { "not seekable" };
    format!("tables {}; {rows}, {} series, {seekable}", tables.join(", "), facts.series)
}

#[cfg(test)]
mod tests;
