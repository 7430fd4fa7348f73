//! Several steps: a line for each.

use super::page::{Page, Tone};
use super::table::{ABSENT, Table, plain};
use super::{leading, times};
use crate::document::{Document, Figures, StepFigures};
use crate::units::{count, counted, quantity, share};

pub(super) fn write(page: &mut Page, document: &Document) {
    page.blank();
    let names = ["rows/s", "op/s", "p50", "p99", "p99.9", "max", "errors", "CPU"];
    let mut table = Table::new("Workers", &names);
    let nothing = Figures::default();
    let mut shown = Vec::new();
    for (index, step) in document.steps.iter().enumerate() {
        let (_, figures) = leading(&step.latency).unwrap_or(("service", &nothing));
        shown.push(figures);
        table.row(count(step.workers.into()), cells(document, step, figures, document.headline_step == Some(index)));
    }
    table.write(page);
    if let Some(step) = document.headline() {
        page.note(&format!("fastest: {}", counted(step.workers.into(), "worker", "workers")));
    }
    let processors = document.host.logical_cpus.unwrap_or(1);
    page.note(&format!(
        "p50 to max: service time; CPU: what the client used of {}",
        counted(processors.into(), "CPU", "CPUs")
    ));
    times::notes(page, &shown);
}

fn cells(document: &Document, step: &StepFigures, figures: &Figures, fastest: bool) -> Vec<(String, Tone)> {
    let rate = |per_s: Option<f64>| per_s.map_or_else(|| ABSENT.to_owned(), quantity);
    let operations = step.counts.operations;
    let errors = operations.failed + operations.timed_out;
    let processors = f64::from(document.host.logical_cpus.unwrap_or(1));
    let cpu = step.client.cpu_seconds.filter(|_| step.seconds > 0.0).map(|cpu| cpu / step.seconds / processors);
    vec![
        (
            rate(step.throughput.map(|throughput| throughput.rows_per_s)),
            if fastest { Tone::Title } else { Tone::Plain },
        ),
        plain(rate(step.throughput.map(|throughput| throughput.operations_per_s))),
        times::time(figures.p50_ns),
        times::time(figures.p99_ns),
        times::time(figures.p999_ns),
        times::time(figures.max_ns),
        (count(errors), if errors > 0 { Tone::Bad } else { Tone::Plain }),
        cpu.map_or_else(|| (ABSENT.to_owned(), Tone::Quiet), |cpu| plain(share(cpu))),
    ]
}
