//! Rows that plugins get wrong: one, none, NULLs, text that must be escaped, and every type.

use benchhost_core::{ErrorKind, Targets};

use super::bench::{Bench, Step};
use super::samples::{Sample, Samples, TYPES, UNITS, WORDS};
use crate::book::Book;
use crate::worker::Trouble;

pub(super) async fn check<T: Targets>(
    bench: &mut Bench<'_, T>,
    samples: &Samples,
    book: &mut Book,
) -> Result<(), String> {
    let sample = samples.plain("one", 1)?;
    let stored = bench.store(&sample).await;
    judge("ingest.encode.one-row", &sample, stored, "", book);
    none(bench, &samples.plain("none", 0)?, book).await;
    let sample = samples.nulls()?;
    match bench.store(&sample).await {
        Err(step) if step.is_unsupported() => book.pass("ingest.encode.nulls", refused(&step)),
        stored => judge("ingest.encode.nulls", &sample, stored, "with NULLs", book),
    }
    text(bench, samples, book).await?;
    types(bench, samples, book).await
}

fn refused(step: &Step) -> String {
    format!("it says that it cannot: {}", step.says())
}

fn judge(rule: &'static str, sample: &Sample, stored: Result<Option<u64>, Step>, with: &str, book: &mut Book) {
    let rows = u64::from(sample.batch.rows());
    let what = format!("{rows} row{} {with}", if rows == 1 { "" } else { "s" });
    let what = what.trim_end();
    match stored {
        Ok(Some(counted)) if counted == rows => book.pass(rule, format!("{what}, and so many are counted")),
        Ok(None) => book.pass(rule, format!("{what}, acknowledged")),
        Ok(Some(counted)) => {
            let advice = "look at the payload: rows are lost, or made one, by how it is written";
            book.fail(rule, format!("{what}, and {counted} are counted"), advice);
        }
        Err(step) => book.fail(rule, step.says(), step.trouble.advice()),
    }
}

/// An empty batch. No run sends one, so an error is only noted.
async fn none<T: Targets>(bench: &mut Bench<'_, T>, sample: &Sample, book: &mut Book) {
    const RULE: &str = "ingest.encode.no-rows";
    match bench.store(sample).await {
        Ok(None | Some(0)) => book.pass(RULE, "an empty payload, which is acknowledged"),
        Ok(Some(counted)) => book.fail(RULE, format!("{counted} rows are counted"), "write nothing for an empty batch"),
        Err(step @ Step { trouble: Trouble::Error(_), .. }) => {
            let advice = "give an empty payload of 0 rows, and acknowledge it without sending it";
            book.warn(RULE, step.says(), advice);
        }
        Err(step) => book.fail(RULE, step.says(), step.trouble.advice()),
    }
}

async fn text<T: Targets>(bench: &mut Bench<'_, T>, samples: &Samples, book: &mut Book) -> Result<(), String> {
    const RULE: &str = "ingest.encode.text";
    let with = format!("with quotes, separators and other scripts in tags and fields, such as {}", WORDS[5]);
    let sample = samples.words(true)?;
    match bench.store(&sample).await {
        Err(step) if step.is_unsupported() => {
            let tags = samples.words(false)?;
            let stored = bench.store(&tags).await;
            judge(
                RULE,
                &tags,
                stored,
                "with quotes, separators and other scripts in tags; text fields are `unsupported`",
                book,
            );
        }
        stored => judge(RULE, &sample, stored, &with, book),
    }
    Ok(())
}

/// What became of the types.
#[derive(Default)]
struct Types {
    stored: Vec<String>,
    unsupported: Vec<String>,
    /// The server, or the plugin at the last moment, said no; and the words of the first.
    refused: Vec<String>,
    because: String,
    broken: Option<(String, &'static str)>,
}

async fn types<T: Targets>(bench: &mut Bench<'_, T>, samples: &Samples, book: &mut Book) -> Result<(), String> {
    const RULE: &str = "ingest.encode.types";
    let mut tried = Vec::new();
    for data_type in TYPES {
        tried.push((data_type.to_string(), samples.of_type(data_type)?));
    }
    for unit in UNITS {
        tried.push((format!("times in {unit}s"), samples.of_unit(unit)?));
    }
    let mut types = Types::default();
    for (name, sample) in tried {
        let stored = bench.store(&sample).await;
        types.add(name, u64::from(sample.batch.rows()), stored);
        if types.broken.is_some() {
            break;
        }
    }
    let Types { stored, unsupported, refused, because, broken } = types;
    let mut says = format!("{} stored", stored.len());
    if !unsupported.is_empty() {
        says.push_str(&format!("; unsupported: {}", unsupported.join(", ")));
    }
    match broken {
        Some((says, advice)) => book.fail(RULE, says, advice),
        None if stored.is_empty() => book.fail(RULE, says, "write at least integers and floats"),
        None if !refused.is_empty() => {
            let advice = "answer `unsupported` for such a column in `create-table`, before a run has begun";
            book.warn(
                RULE,
                format!("{says}; refused only when they are written: {} ({because})", refused.join(", ")),
                advice,
            );
        }
        None => book.pass(RULE, says),
    }
    Ok(())
}

impl Types {
    fn add(&mut self, name: String, rows: u64, stored: Result<Option<u64>, Step>) {
        match stored {
            Ok(Some(counted)) if counted != rows => {
                let says = format!("{name}: {counted} of {rows} rows are counted");
                self.broken = Some((says, "look at how values of the type are written"));
            }
            Ok(_) => self.stored.push(name),
            Err(step) if step.is_unsupported() => self.unsupported.push(name),
            Err(step) => match &step.trouble {
                Trouble::Error(error)
                    if matches!(
                        error.kind,
                        ErrorKind::Rejected | ErrorKind::Partial | ErrorKind::Invalid | ErrorKind::Unsupported
                    ) =>
                {
                    if self.refused.is_empty() {
                        self.because.clone_from(&error.message);
                    }
                    self.refused.push(name);
                }
                trouble => self.broken = Some((format!("{name}: {}", step.says()), trouble.advice())),
            },
        }
    }
}
