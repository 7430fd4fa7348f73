//! Throughput, times, counts: the tables.

use benchhost_stats::SAMPLES_BEYOND;

use super::page::{Page, Tone};
use super::table::{ABSENT, Table, plain};
use crate::document::{Document, Figures};
use crate::units::{bytes, count, counted, nanoseconds, quantity, share};

/// Spans in the order that an operation goes through them.
const SPANS: [&str; 3] = ["encode", "wait", "plugin"];

/// The rest of the service time is named when it is more than this share of it.
const WORTH_NAMING: f64 = 0.005;

pub(super) fn write(page: &mut Page, document: &Document) {
    throughput(page, document);
    times(page, document);
    counts(page, document);
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

/// One row an operation with its spans beneath, then the operations that did not succeed.
fn times(page: &mut Page, document: &Document) {
    if document.latency.is_empty() {
        return;
    }
    page.blank();
    let mut table = Table::new("Service time", &["mean", "p50", "p90", "p95", "p99", "p99.9", "max", "share"]);
    let mut shown = Vec::new();
    let mut other = false;
    for (operation, service) in document.latency.get("service").into_iter().flatten() {
        table.row(operation, cells(service, None));
        shown.push(service);
        let mut rest = 1.0;
        for (span, figures) in SPANS.iter().filter_map(|span| Some((span, document.spans.get(*span)?.get(operation)?)))
        {
            let part = part_of(figures, service);
            rest -= part.unwrap_or(0.0);
            table.row(format!("  {span}"), cells(figures, part));
        }
        if rest > WORTH_NAMING {
            other = true;
            let mut row = vec![plain(String::new()); 7];
            row.push(plain(share(rest)));
            table.row("  other", row);
        }
    }
    for (clock, label) in [("service_failed", "failed"), ("service_timed_out", "timed out")] {
        for figures in document.latency.get(clock).into_iter().flat_map(|operations| operations.values()) {
            table.row(label, cells(figures, None));
            shown.push(figures);
        }
    }
    table.write(page);
    if other {
        page.note("other: the host itself, and pauses before an operation is tried again");
    }
    notes(page, &shown);
}

fn cells(figures: &Figures, part: Option<f64>) -> Vec<(String, Tone)> {
    let time =
        |ns: Option<u64>| ns.map_or_else(|| (ABSENT.to_owned(), Tone::Quiet), |ns| plain(nanoseconds(ns as f64)));
    vec![
        figures.mean_ns.map_or_else(|| (ABSENT.to_owned(), Tone::Quiet), |ns| plain(nanoseconds(ns))),
        time(figures.p50_ns),
        time(figures.p90_ns),
        time(figures.p95_ns),
        time(figures.p99_ns),
        time(figures.p999_ns),
        time(figures.max_ns),
        plain(part.map(share).unwrap_or_default()),
    ]
}

/// The share of the service time that a span took, by their means: both are of the same operations.
fn part_of(span: &Figures, service: &Figures) -> Option<f64> {
    let whole = service.mean_ns.filter(|ns| *ns > 0.0)?;
    Some(span.mean_ns? / whole)
}

fn notes(page: &mut Page, shown: &[&Figures]) {
    if shown.iter().any(|figures| figures.p999_ns.is_none()) {
        page.note(&format!("{ABSENT}: fewer than {SAMPLES_BEYOND} samples lie beyond it"));
    }
    let saturated: u64 = shown.iter().map(|figures| figures.saturated).sum();
    if saturated > 0 {
        page.note(&format!(
            "over an hour, which percentiles count as an hour: {}",
            counted(saturated, "operation", "operations")
        ));
    }
}

fn counts(page: &mut Page, document: &Document) {
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
    let mut table = Table::new("Operations", &names);
    table.row("write", cells);
    table.write(page);
}

fn alarming(value: u64, tone: Tone) -> (String, Tone) {
    (count(value), if value > 0 { tone } else { Tone::Plain })
}
