//! The report for people: the document as one page of text, verdict first. It fits 100 columns and reads as well without colour. In a
//! closed loop it says "service time", because every worker waits for its answer before it sends again; with a schedule it leads with
//! the response time.

mod counts;
mod figures;
mod ladder;
mod page;
mod plan;
mod provenance;
mod search;
mod server;
mod table;
mod times;
mod trouble;

use benchhost_core::Status;

use crate::document::{ByOperation, Document, Figures, KeptWord, ObjectiveEntry, WRITE};
use crate::units::{count, counted, nanoseconds, quantity};
use page::{Page, Tone, list};

/// Lines are never longer, however wide the terminal: long lines are hard to read.
const MOST_COLUMNS: u16 = 100;
/// The widest table needs this many.
const LEAST_COLUMNS: u16 = 80;

/// How the report is to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// Whether the terminal shows colour.
    pub color: bool,
    /// Columns of the terminal; none when the report goes to a file. Between 80 and 100 are used.
    pub width: Option<u16>,
}

/// The report, with a newline at its end.
#[must_use]
pub fn text(document: &Document, style: Style) -> String {
    let width = style.width.unwrap_or(MOST_COLUMNS).clamp(LEAST_COLUMNS, MOST_COLUMNS);
    let mut page = Page::new(width.into(), style.color);
    verdict(&mut page, document);
    plan::write(&mut page, document);
    figures::write(&mut page, document);
    server::write(&mut page, document);
    trouble::write(&mut page, document);
    provenance::write(&mut page, document);
    page.finish()
}

/// The word, the answer in one line, and what stands against it.
fn verdict(page: &mut Page, document: &Document) {
    let (word, tone) = match document.verdict.status {
        Status::Valid => ("VALID", Tone::Good),
        Status::Suspect => ("SUSPECT", Tone::Doubtful),
        Status::Invalid => ("INVALID", Tone::Bad),
    };
    page.lead(word, tone, &answer(document));
    for reason in &document.verdict.reasons {
        let (label, tone) = match reason.weight {
            Status::Valid => ("note", Tone::Plain),
            Status::Suspect => ("doubtful", Tone::Doubtful),
            Status::Invalid => ("wrong", Tone::Bad),
        };
        page.field_in(label, &reason.text, tone);
        page.advice(&reason.advice);
    }
    // Where no rate was found, the reason says what was missed.
    let nothing = document.search.as_ref().is_some_and(|search| search.rate_per_s.is_none());
    for entry in document.objectives.iter().filter(|_| !nothing) {
        objective(page, entry);
    }
}

/// What was wanted, and whether it is so.
fn objective(page: &mut Page, entry: &ObjectiveEntry) {
    let ObjectiveEntry { text, kept, found } = entry;
    match (kept, found) {
        (KeptWord::Yes, _) => page.field_in("kept", text, Tone::Good),
        (KeptWord::No, Some(found)) => page.field_in("missed", &format!("{text}: it was {found}"), Tone::Bad),
        (KeptWord::No, None) => page.field_in("missed", text, Tone::Bad),
        (KeptWord::TooFew, _) => {
            page.field_in("unknown", &format!("{text}: too few operations to say"), Tone::Doubtful);
        }
    }
}

/// The clock that the report leads with, and its figures.
fn leading(latency: &ByOperation) -> Option<(&'static str, &Figures)> {
    ["response", "service"].into_iter().find_map(|clock| Some((clock, latency.get(clock)?.get(WRITE)?)))
}

/// The 99th percentile of the leading clock.
fn p99(document: &Document) -> Option<String> {
    let (clock, figures) = leading(&document.latency)?;
    Some(format!("p99 {clock} time {}", nanoseconds(figures.p99_ns? as f64)))
}

/// The whole result in one line. Figures that must not be quoted are not put where they would be.
fn answer(document: &Document) -> String {
    let rows = document.counts.rows;
    if rows.acknowledged == 0 {
        return "nothing was acknowledged".to_owned();
    }
    let mut parts = Vec::new();
    match (&document.search, document.throughput) {
        (Some(search), _) if search.rate_per_s.is_none() => parts.push("no rate was confirmed".to_owned()),
        _ if document.verdict.status == Status::Invalid => {}
        (Some(search), _) => parts.extend(search::answer(document, search)),
        (None, Some(throughput)) => {
            parts.push(format!("{} rows/s", quantity(throughput.rows_per_s)));
            if let Some(step) = document.headline().filter(|_| document.steps.len() > 1) {
                parts.push(format!("with {}", counted(step.workers.into(), "worker", "workers")));
            }
            // How long a stream took a batch is not what anybody takes a p99 for.
            if document.counts.operations.handed_over == 0 {
                parts.extend(p99(document));
            }
        }
        (None, None) => {}
    }
    let acknowledged = counted(rows.acknowledged, "row", "rows");
    parts.push(match rows.stored {
        Some(stored) if stored == rows.acknowledged => format!("{acknowledged} acknowledged and stored"),
        Some(stored) => format!("{acknowledged} acknowledged, {} stored", count(stored)),
        None => format!("{acknowledged} acknowledged"),
    });
    list(parts)
}
