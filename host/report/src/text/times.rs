//! Where the time of operations went.

use benchhost_stats::SAMPLES_BEYOND;

use super::page::{Page, Tone};
use super::table::{ABSENT, Table, plain};
use crate::document::{Document, Figures};
use crate::units::{counted, nanoseconds, share};

/// Spans in the order that an operation goes through them.
const SPANS: [&str; 3] = ["encode", "wait", "plugin"];

/// The rest of the service time is named when it is more than this share of it.
const WORTH_NAMING: f64 = 0.005;

/// Columns before the share.
const FIGURES: usize = 7;

/// One row an operation with what it is made of beneath, then the operations that did not succeed.
pub(super) fn write(page: &mut Page, document: &Document) {
    if document.latency.is_empty() {
        return;
    }
    page.blank();
    let scheduled = document.latency.contains_key("response");
    let title = if scheduled { "Response time" } else { "Service time" };
    let mut times = Times {
        table: Table::new(title, &["mean", "p50", "p90", "p95", "p99", "p99.9", "max", "share"]),
        shown: Vec::new(),
        other: false,
    };
    for (operation, service) in document.latency.get("service").into_iter().flatten() {
        match document.latency.get("response").and_then(|operations| operations.get(operation)) {
            Some(response) => times.scheduled(document, operation, response, service),
            None => {
                times.row(operation, service, None);
                times.spans(document, operation, service, service, "  ");
            }
        }
    }
    for (clock, label) in [("failed", "failed"), ("timed_out", "timed out")] {
        for figures in document.latency.get(clock).into_iter().flat_map(|operations| operations.values()) {
            times.row(label, figures, None);
        }
    }
    times.table.write(page);
    if scheduled {
        page.note("lag: from when an operation was due to when it was sent; service: from there to its answer");
    }
    if times.other {
        page.note("other: the host itself, and pauses before an operation is tried again");
    }
    notes(page, &times.shown);
}

struct Times<'a> {
    table: Table,
    /// Figures whose percentiles are in the table.
    shown: Vec<&'a Figures>,
    other: bool,
}

impl<'a> Times<'a> {
    fn row(&mut self, label: &str, figures: &'a Figures, part: Option<f64>) {
        self.table.row(label, cells(figures, part));
        self.shown.push(figures);
    }

    /// Response time is lag and service time.
    fn scheduled(&mut self, document: &'a Document, operation: &str, response: &'a Figures, service: &'a Figures) {
        self.row(operation, response, None);
        let part = part_of(service, response);
        if let Some(lag) = document.latency.get("lag").and_then(|operations| operations.get(operation)) {
            self.row("  lag", lag, part.map(|part| (1.0 - part).max(0.0)));
        }
        self.row("  service", service, part);
        self.spans(document, operation, service, response, "    ");
    }

    /// The spans of the service time, as shares of `whole`.
    fn spans(
        &mut self,
        document: &Document,
        operation: &str,
        service: &Figures,
        whole: &Figures,
        indent: &'static str,
    ) {
        let mut rest = part_of(service, whole).unwrap_or(0.0);
        for span in SPANS {
            let Some(figures) = document.spans.get(span).and_then(|operations| operations.get(operation)) else {
                continue;
            };
            let part = part_of(figures, whole);
            rest -= part.unwrap_or(0.0);
            self.table.row(format!("{indent}{span}"), cells(figures, part));
        }
        if rest > WORTH_NAMING {
            self.other = true;
            let mut row = vec![plain(String::new()); FIGURES];
            row.push(plain(share(rest)));
            self.table.row(format!("{indent}other"), row);
        }
    }
}

fn cells(figures: &Figures, part: Option<f64>) -> Vec<(String, Tone)> {
    vec![
        figures.mean_ns.map_or_else(absent, |ns| plain(nanoseconds(ns))),
        time(figures.p50_ns),
        time(figures.p90_ns),
        time(figures.p95_ns),
        time(figures.p99_ns),
        time(figures.p999_ns),
        time(figures.max_ns),
        plain(part.map(share).unwrap_or_default()),
    ]
}

/// A duration, if it was measured.
pub(super) fn time(ns: Option<u64>) -> (String, Tone) {
    ns.map_or_else(absent, |ns| plain(nanoseconds(ns as f64)))
}

fn absent() -> (String, Tone) {
    (ABSENT.to_owned(), Tone::Quiet)
}

/// The share of a time that a part of it took, by their means: both are of the same operations.
fn part_of(part: &Figures, whole: &Figures) -> Option<f64> {
    let whole = whole.mean_ns.filter(|ns| *ns > 0.0)?;
    Some(part.mean_ns? / whole)
}

/// What is to be known of the percentiles in a table.
pub(super) fn notes(page: &mut Page, shown: &[&Figures]) {
    if shown.iter().any(|figures| figures.p999_ns.is_none()) {
        page.note(&format!("{ABSENT}: fewer than {SAMPLES_BEYOND} samples lie beyond it"));
    }
    saturated(page, shown);
}

/// Says how many samples count for less than they took.
pub(super) fn saturated(page: &mut Page, shown: &[&Figures]) {
    let saturated: u64 = shown.iter().map(|figures| figures.saturated).sum();
    if saturated > 0 {
        page.note(&format!(
            "over an hour, which percentiles count as an hour: {}",
            counted(saturated, "operation", "operations")
        ));
    }
}
