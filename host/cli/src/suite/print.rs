//! The page of a suite: a line for every run, and below it whatever must not be overlooked.

use std::collections::BTreeSet;
use std::fmt::Write;

use benchhost_report::units::{count, nanoseconds, quantity, three_digits};

use super::record::{EntryRecord, Record, Verdicts};
use super::repetition::{Outcome, Repetition};
use super::{Planned, folder_name};
use crate::console::printable;

/// The names of the columns.
const HEAD: [&str; 7] = ["run", "rows/s", "(min … max)", "p50", "p99", "client CPU-s/M rows", "verdicts"];
/// The columns that begin at the left edge of theirs; the others end at the right one.
const LEFT: [usize; 2] = [0, 6];
/// What was not measured, or not often enough.
const ABSENT: &str = "–";

/// The table, with a newline at its end.
pub(crate) fn table(record: &Record) -> String {
    let mut text = format!("{}  {} of each run, in turns\n", record.name, repetitions(record.runs));
    if let Some(about) = &record.about {
        let _ = writeln!(text, "{}", printable(about));
    }
    text.push('\n');
    let rows: Vec<[String; 7]> =
        std::iter::once(HEAD.map(str::to_owned)).chain(record.entries.iter().map(cells)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 7] = std::array::from_fn(width);
    for row in &rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            let _ = if LEFT.contains(&column) {
                write!(line, "{cell:<width$}  ")
            } else {
                write!(line, "{cell:>width$}  ")
            };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push('\n');
    let _ = writeln!(text, "Medians of the repetitions that are not invalid{}.", clocks(record));
    against(&mut text, record);
    text
}

fn repetitions(runs: u32) -> String {
    if runs == 1 { "1 repetition".into() } else { format!("{} repetitions", count(runs.into())) }
}

fn cells(entry: &EntryRecord) -> [String; 7] {
    let absent = || ABSENT.to_owned();
    let shown = |figure: Option<f64>, form: fn(f64) -> String| figure.map_or_else(absent, form);
    let verdicts = verdicts(entry.verdicts);
    let Some(median) = &entry.median else {
        return [entry.name.clone(), absent(), absent(), absent(), absent(), absent(), verdicts];
    };
    let span = match (median.min_rows_per_s, median.max_rows_per_s) {
        (Some(min), Some(max)) => format!("({} … {})", quantity(min), quantity(max)),
        _ => absent(),
    };
    [
        entry.name.clone(),
        shown(median.rows_per_s, quantity),
        span,
        shown(median.p50_ns, nanoseconds),
        shown(median.p99_ns, nanoseconds),
        shown(median.client_cpu_seconds_per_million_rows, three_digits),
        verdicts,
    ]
}

/// `2 valid, 1 INVALID`: what keeps a figure from being quoted is in capitals.
fn verdicts(verdicts: Verdicts) -> String {
    let Verdicts { valid, suspect, invalid, no_result } = verdicts;
    let words = [(valid, "valid"), (suspect, "suspect"), (invalid, "INVALID"), (no_result, "WITHOUT RESULT")];
    let parts: Vec<String> =
        words.iter().filter(|(number, _)| *number > 0).map(|(number, word)| format!("{number} {word}")).collect();
    if parts.is_empty() { "did not run".into() } else { parts.join(", ") }
}

/// Which clocks the percentiles are of.
fn clocks(record: &Record) -> String {
    let all = record.entries.iter().flat_map(|entry| &entry.repetitions);
    let clocks: BTreeSet<&str> = all.filter_map(|repetition| repetition.clock).collect();
    match clocks.into_iter().collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        [clock] => format!("; p50 and p99 are of {clock} time"),
        _ => "; p50 and p99 are of response time where a run has a rate, of service time elsewhere".into(),
    }
}

/// Every repetition that is not valid, with its reasons.
fn against(text: &mut String, record: &Record) {
    let mut gap = "\n";
    for entry in &record.entries {
        for repetition in &entry.repetitions {
            let word = match repetition.outcome {
                Outcome::Valid => continue,
                Outcome::Suspect => "SUSPECT",
                Outcome::Invalid => "INVALID",
                Outcome::NoResult => "NO RESULT",
            };
            let _ = writeln!(text, "{gap}{word:<9}  {} {}", entry.name, reason(repetition));
            gap = "";
        }
    }
}

fn reason(repetition: &Repetition) -> String {
    let number = repetition.number;
    if repetition.outcome == Outcome::NoResult {
        return match repetition.exit_code {
            Some(code) => format!("{number}: it ended with exit code {code}; its own words stand above"),
            None => format!("{number}: a signal ended it"),
        };
    }
    let reasons: Vec<String> = repetition.reasons.iter().map(|reason| printable(&reason.text)).collect();
    format!("{number}: {}", reasons.join("; "))
}

/// One line about a repetition that has ended.
pub(crate) fn turn_line(run: &str, repetition: &Repetition) -> String {
    let word = match repetition.outcome {
        Outcome::Valid => "valid",
        Outcome::Suspect => "suspect",
        Outcome::Invalid => "INVALID",
        Outcome::NoResult => return format!("{}: no result", folder_name(run, repetition.number)),
    };
    let rate = repetition.rows_per_s.map(|rate| format!(", {} rows/s", quantity(rate))).unwrap_or_default();
    format!("{}: {word}{rate}", folder_name(run, repetition.number))
}

/// What a suite would run, with a newline at its end.
pub(crate) fn plan_text(planned: &Planned<'_>) -> String {
    let mut text = format!("{}  {} of each run, in turns\n", planned.name, repetitions(planned.runs));
    if let Some(about) = planned.about {
        let _ = writeln!(text, "{}", printable(about));
    }
    for entry in &planned.entries {
        let _ = write!(text, "\n{}", entry.name);
        if let Some(about) = entry.about {
            let _ = write!(text, "  {}", printable(about));
        }
        text.push('\n');
        for line in entry.config.to_string().lines().filter(|line| !line.trim().is_empty()) {
            let _ = writeln!(text, "  {line}");
        }
        if !entry.flags.is_empty() {
            let _ = writeln!(text, "  with {}", entry.flags.join(" "));
        }
    }
    let _ = writeln!(text, "\norder  {}", planned.order.join(" "));
    text
}

#[cfg(test)]
mod tests;
