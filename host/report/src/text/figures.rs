//! What was measured: a table of one step's rates and times, or a line for each step.

use super::page::{Page, Tone};
use super::table::{Table, plain};
use super::{counts, ladder, search, times};
use crate::document::{Document, ScheduleFigures};
use crate::units::{bytes, count, quantity, share};

pub(super) fn write(page: &mut Page, document: &Document) {
    if let Some(found) = &document.search {
        search::write(page, document, found);
        times::write(page, document);
    } else if document.steps.len() > 1 {
        ladder::write(page, document);
    } else {
        throughput(page, document);
        if let Some(schedule) = document.headline().and_then(|step| step.schedule) {
            offered(page, &schedule);
        }
        times::write(page, document);
    }
    counts::write(page, document);
}

fn throughput(page: &mut Page, document: &Document) {
    let Some(rates) = document.throughput else { return };
    page.blank();
    let mut table = Table::new("Throughput", &["rows/s", "values/s", "operations/s", "raw bytes/s", "wire bytes/s"]);
    table.row(
        "write",
        vec![
            (quantity(rates.rows_per_s), Tone::Title),
            plain(quantity(rates.values_per_s)),
            plain(quantity(rates.operations_per_s)),
            plain(bytes(rates.raw_bytes_per_s)),
            plain(bytes(rates.wire_bytes_per_s)),
        ],
    );
    table.write(page);
}

/// What was wanted of the client, and what it did.
fn offered(page: &mut Page, schedule: &ScheduleFigures) {
    page.blank();
    let names = ["offered/s", "started/s", "held", "max queue", "not started"];
    let mut table = Table::new("Schedule", &names);
    let held = if schedule.offered_per_s > 0.0 { schedule.achieved_per_s / schedule.offered_per_s } else { 1.0 };
    let unsent = (count(schedule.unsent), if schedule.unsent > 0 { Tone::Bad } else { Tone::Plain });
    table.row(
        "operations",
        vec![
            plain(quantity(schedule.offered_per_s)),
            plain(quantity(schedule.achieved_per_s)),
            plain(share(held)),
            plain(count(schedule.max_queue)),
            unsent,
        ],
    );
    table.write(page);
}
