//! Selectors and the counting query.

use benchhost_plugin::{Column, Table};

/// A query that counts, and the instant to ask it for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Count {
    /// MetricsQL.
    pub(crate) query: String,
    /// Seconds since the Unix epoch, with three digits of fraction.
    pub(crate) time: String,
}

/// Samples of `selector` from `start_ns` to before `end_ns`; none where no millisecond lies between.
///
/// A window of `d` that ends at `t` holds the samples after `t - d` up to `t`. Times are whole milliseconds, so with
/// `t` on the last one that is to count, `d` is their number.
pub(crate) fn count(selector: &str, start_ns: i64, end_ns: i64) -> Option<Count> {
    // The server has no times before the epoch.
    let (start_ms, end_ms) = (up_to_ms(start_ns).max(0), up_to_ms(end_ns));
    let window_ms = end_ms - start_ms;
    if window_ms <= 0 {
        return None;
    }
    let last_ms = end_ms - 1;
    let time = format!("{}.{:03}", last_ms / 1000, last_ms % 1000);
    Some(Count { query: format!("sum(count_over_time({selector}[{window_ms}ms]))"), time })
}

/// The first millisecond that is not before `ns`.
fn up_to_ms(ns: i64) -> i64 {
    ns.div_euclid(1_000_000) + i64::from(ns.rem_euclid(1_000_000) != 0)
}

/// The metric of a field.
pub(crate) fn one_metric(table: &Table, field: &Column, database: Option<&str>) -> String {
    selector(&format!("={}", quoted(&metric(table, field))), database)
}

/// The metrics of all fields, and no other table's that happens to begin with the same words.
pub(crate) fn all_metrics(table: &Table, database: Option<&str>) -> String {
    let names: Vec<String> = table.fields().map(|field| literal(&metric(table, field))).collect();
    selector(&format!("=~{}", quoted(&names.join("|"))), database)
}

/// The name of a field's metric.
fn metric(table: &Table, field: &Column) -> String {
    format!("{}_{}", table.name, field.name)
}

/// A selector by name, and by database if there is one.
fn selector(name: &str, database: Option<&str>) -> String {
    let database = database.map_or(String::new(), |database| format!(",db={}", quoted(database)));
    format!("{{__name__{name}{database}}}")
}

/// A string in double quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// A regular expression for exactly `text`.
fn literal(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
