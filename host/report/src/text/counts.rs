//! What became of rows and operations, in the whole run.

use super::page::{Page, Tone};
use super::table::{Table, plain};
use crate::document::Document;
use crate::units::count;

pub(super) fn write(page: &mut Page, document: &Document) {
    let rows = document.counts.rows;
    let operations = document.counts.operations;
    page.blank();
    let mut table = Table::new("Rows", &["sent", "acknowledged", "unknown", "stored"]);
    let explained = rows.acknowledged..=rows.acknowledged.saturating_add(rows.unknown);
    let stored = match rows.stored {
        Some(stored) if explained.contains(&stored) => plain(count(stored)),
        Some(stored) => (count(stored), Tone::Bad),
        None => ("not asked".to_owned(), Tone::Quiet),
    };
    table.row(
        "write",
        vec![plain(count(rows.sent)), plain(count(rows.acknowledged)), alarming(rows.unknown, Tone::Doubtful), stored],
    );
    table.write(page);

    page.blank();
    let mut names = vec!["ok", "failed", "timed out", "retried"];
    let mut cells = vec![
        plain(count(operations.ok)),
        alarming(operations.failed, Tone::Bad),
        alarming(operations.timed_out, Tone::Bad),
        alarming(operations.retried, Tone::Doubtful),
    ];
    if operations.crashed > 0 {
        names.push("crashed");
        cells.push(alarming(operations.crashed, Tone::Bad));
    }
    if operations.handed_over > 0 {
        names.push("handed over");
        cells.push(plain(count(operations.handed_over)));
    }
    let mut table = Table::new("Operations", &names);
    table.row("write", cells);
    table.write(page);
    if operations.handed_over > 0 {
        page.note(
            "Streams are acknowledged at their end: the times below say how long the connection took a batch, not when the server had it.",
        );
    }
}

fn alarming(value: u64, tone: Tone) -> (String, Tone) {
    (count(value), if value > 0 { tone } else { Tone::Plain })
}
