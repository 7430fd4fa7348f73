//! What a search found: the rate, and the curve of times over rates that its probes are points of.

use super::page::{Page, Tone};
use super::table::{ABSENT, Table, plain};
use super::{leading, p99, times};
use crate::document::{BoundWord, Document, Figures, ProbeFigures, SearchFigures, StepFigures, WRITE};
use crate::units::{counted, quantity};

/// The answer: the rate in rows and in operations, and the times at it. Empty when no rate was confirmed.
pub(super) fn answer(document: &Document, search: &SearchFigures) -> Vec<String> {
    let (Some(rate), Some(rows)) = (search.rate_per_s, search.rows_per_s) else { return Vec::new() };
    let least = if search.bound == BoundWord::Client { "at least " } else { "" };
    let mut parts =
        vec![format!("sustains {least}{} rows/s", quantity(rows)), format!("{} operations/s", quantity(rate))];
    parts.extend(p99(document));
    parts
}

/// One line a rate, from the lowest to the highest.
pub(super) fn write(page: &mut Page, document: &Document, search: &SearchFigures) {
    page.blank();
    let names = ["achieved/s", "p50", "p99", "lag p99", "verdict"];
    let mut table = Table::new("Offered/s", &names);
    let mut probes: Vec<&ProbeFigures> = search.probes.iter().collect();
    probes.sort_by(|a, b| a.offered_per_s.total_cmp(&b.offered_per_s));
    let mut shown = Vec::new();
    let nothing = Figures::default();
    for probe in &probes {
        let step = document.steps.get(probe.step);
        let times = step.and_then(|step| leading(&step.latency)).map_or(&nothing, |(_, figures)| figures);
        shown.push(times);
        let lag = step.and_then(lag).and_then(|lag| lag.p99_ns);
        table.row(quantity(probe.offered_per_s), cells(probe, times, lag));
    }
    table.write(page);
    let windows = counted(search.confirmations.into(), "window", "windows");
    page.note(&match search.rate_per_s {
        Some(rate) => {
            format!("{} held in {windows} in a row; the times below are of the slowest of them", quantity(rate))
        }
        None => format!("no rate held in {windows} in a row"),
    });
    if let Some(failed) = probes.iter().find(|probe| !probe.passed) {
        page.note(&format!(
            "lowest that failed: {} operations/s, because {}",
            quantity(failed.offered_per_s),
            failed.why.join("; ")
        ));
    }
    page.note(&format!("p50 and p99: response time; {ABSENT}: too few operations to say"));
    times::saturated(page, &shown);
}

fn lag(step: &StepFigures) -> Option<&Figures> {
    step.latency.get("lag")?.get(WRITE)
}

fn cells(probe: &ProbeFigures, times: &Figures, lag: Option<u64>) -> Vec<(String, Tone)> {
    vec![
        plain(quantity(probe.achieved_per_s)),
        times::time(times.p50_ns),
        times::time(times.p99_ns),
        times::time(lag),
        if probe.passed { ("held".to_owned(), Tone::Good) } else { ("failed".to_owned(), Tone::Bad) },
    ]
}
