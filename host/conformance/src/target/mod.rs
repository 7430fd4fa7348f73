//! What a target does, call by call, as a run would ask it to.

mod bench;
mod cases;
mod faults;
mod leak;
mod samples;
mod throttled;
mod way;
mod write;

use std::fmt::Display;

use benchhost_core::{ErrorKind, Target, Targets};

use crate::Subject;
use crate::book::Book;
use crate::plan::CheckPlan;
use crate::rules::{FAULT, LEAK, TARGET};
use crate::worker::{Trouble, Worker};
use bench::Bench;
use samples::{Sample, Samples};
use way::Way;

/// Rows of a large batch.
const MANY: u32 = 10_000;

/// Why nothing more can be tried, and what to do.
#[derive(Debug)]
struct Blocked {
    says: String,
    advice: String,
}

impl Blocked {
    fn new(says: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { says: says.into(), advice: advice.into() }
    }

    /// The host could not make something for itself.
    fn host(reason: impl Display) -> Self {
        Self::new(format!("the check itself failed: {reason}"), "report it with the plugin's settings")
    }
}

/// Tries every rule of a target that can be tried.
pub(crate) async fn check(subject: &Subject<'_>, book: &mut Book) {
    if let Err(Blocked { says, advice }) = run(subject, book).await {
        for rules in [TARGET, FAULT, LEAK] {
            book.rest(rules, &says, &advice);
        }
    }
}

async fn run(subject: &Subject<'_>, book: &mut Book) -> Result<(), Blocked> {
    let way = Way::find(subject)?;
    let targets = way.targets(subject)?;
    let samples = Samples::new();
    sound(subject.plan, &targets, &way, &samples, book).await?;
    leak::check(subject.plan, subject.leaks, &targets, &samples, book).await.map_err(Blocked::host)?;
    faults::check(subject, &way, &samples, book).await.map_err(Blocked::host)?;
    throttled::check(subject, &way, &samples, book).await.map_err(Blocked::host)
}

/// Everything that needs no fault.
async fn sound<T: Targets>(
    plan: &CheckPlan,
    targets: &T,
    way: &Way,
    samples: &Samples,
    book: &mut Book,
) -> Result<(), Blocked> {
    let mut bench = Bench::new(targets, plan);
    let main = samples.plain("main", MANY).map_err(Blocked::host)?;
    meet(&mut bench, way, &main, book).await?;
    write::check(&mut bench, &main, book).await;
    cases::check(&mut bench, samples, book).await.map_err(Blocked::host)?;
    bench.judge_payload_rows(book);
    bench.close(book).await;
    Ok(())
}

/// The first calls: whether this is a server that the plugin can do anything with.
async fn meet<T: Targets>(bench: &mut Bench<'_, T>, way: &Way, main: &Sample, book: &mut Book) -> Result<(), Blocked> {
    for (number, opened) in
        [("control", bench.control.call(async |_| Ok(())).await), ("worker", bench.worker.call(async |_| Ok(())).await)]
    {
        if let Err(trouble) = opened {
            way.stranger("session.open", &trouble)?;
            book.fail("session.open", format!("{number} session: {trouble}"), trouble.advice());
            return Err(Blocked::new("no session can be opened", "mend `session.open`, and check again"));
        }
    }
    book.pass("session.open", "a control session and a worker's");
    server(&mut bench.control, way, book).await?;
    if let Err(trouble) = bench.control.create(&main.table).await {
        way.stranger("session.create-table", &trouble)?;
        book.fail("session.create-table", trouble.to_string(), trouble.advice());
        return Err(Blocked::new("no table can be made", "mend `session.create-table`, and check again"));
    }
    match bench.control.create(&main.table).await {
        Ok(()) => book.pass("session.create-table", "also when the table is there already"),
        Err(trouble) => {
            let says = format!("a table that is there already: {trouble}");
            book.fail("session.create-table", says, "take it as it is: it is no error that the table exists");
        }
    }
    Ok(())
}

async fn server<T: Targets>(control: &mut Worker<'_, T>, way: &Way, book: &mut Book) -> Result<(), Blocked> {
    match control.call(async |session| session.server().await).await {
        Ok(facts) => {
            let told: Vec<String> = facts.iter().map(|(name, value)| format!("{name} {value}")).collect();
            let lacks: Vec<&str> = ["product", "version"]
                .into_iter()
                .filter(|wanted| facts.iter().all(|(name, _)| name != wanted))
                .collect();
            if lacks.is_empty() {
                book.pass("session.server", told.join(", "));
            } else {
                let says = format!("it does not tell the server's {}", lacks.join(" and "));
                book.warn("session.server", says, "name them so: reports of different databases are compared by these");
            }
        }
        Err(trouble) => {
            way.stranger("session.server", &trouble)?;
            book.fail("session.server", trouble.to_string(), trouble.advice());
        }
    }
    Ok(())
}

/// Whether an error says that the server is not there, is another one, or does not let the plugin in.
fn is_strange(trouble: &Trouble) -> bool {
    use ErrorKind::{Internal, Rejected, Throttled, TimedOut, Unavailable};
    [Unavailable, TimedOut, Throttled, Rejected, Internal].into_iter().any(|kind| trouble.is(kind))
}

#[cfg(test)]
mod tests;
