//! Rows as `benchhost generate` says they are, to hold against what a server gives back.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Number, Value};

/// Column to value.
pub type Row = Map<String, Value>;

/// Some rows of a dataset, by their numbers, read from `benchhost generate --as jsonl -o -`.
///
/// # Errors
///
/// The program fails, or prints anything but one object a row.
pub fn generated(
    dataset: &str,
    settings: &[(&str, &str)],
    rows: u64,
    keep: impl Fn(u64) -> bool,
) -> Result<Vec<(u64, Row)>> {
    let mut command = Command::new(crate::program::path()?);
    command.args(["generate", "--dataset", dataset, "--as", "jsonl", "-o", "-", "--rows", &rows.to_string()]);
    for (name, value) in settings {
        command.arg("-P").arg(format!("{name}={value}"));
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("cannot run the program")?;
    let output = child.stdout.take().context("no stdout")?;
    let mut kept = Vec::new();
    let mut number = 0;
    for line in BufReader::new(output).lines() {
        if keep(number) {
            let line = line?;
            kept.push((number, serde_json::from_str(&line).with_context(|| format!("row {number}: {line}"))?));
        }
        number += 1;
    }
    // It says a few lines at most, which fit in the pipe.
    let ended = child.wait_with_output()?;
    if !ended.status.success() || number != rows {
        let words = String::from_utf8_lossy(&ended.stderr);
        bail!("generate printed {number} of {rows} rows and ended with {}:\n{words}", ended.status);
    }
    Ok(kept)
}

/// Every `step`th row and the last one of `rows`.
pub fn sample(rows: u64, step: u64) -> impl Fn(u64) -> bool {
    move |row| row.is_multiple_of(step) || row + 1 == rows
}

/// Passes when a row has every value that it should have. The column `except` is not looked at: servers name and write times
/// in their own ways.
///
/// # Errors
///
/// A value is another one; the message tells all that are.
pub fn expect_row(number: u64, expected: &Row, actual: &Row, except: &str) -> Result<()> {
    let mut wrong = String::new();
    for (column, value) in expected.iter().filter(|(column, _)| *column != except) {
        let found = actual.get(column).unwrap_or(&Value::Null);
        if !same(value, found) {
            let _ = writeln!(wrong, "  {column}: {found} where {value} was written");
        }
    }
    if wrong.is_empty() { Ok(()) } else { bail!("row {number} is not stored as it was written:\n{wrong}") }
}

/// Whether two values are the same: numbers by their exact value and the sign of zero, however they are written; nothing and null are one.
#[must_use]
pub fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => same_number(one, other),
        _ => one == other,
    }
}

fn same_number(one: &Number, other: &Number) -> bool {
    let integer = |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one.as_f64().map(f64::to_bits) == other.as_f64().map(f64::to_bits),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_compared_by_value_and_not_by_text() {
        assert!(same(&json!(1), &json!(1.0)));
        assert!(same(&json!(u64::MAX), &json!(18_446_744_073_709_551_615_u64)));
        assert!(!same(&json!(0.0), &json!(-0.0)));
        assert!(!same(&json!(9_007_199_254_740_993_i64), &json!(9_007_199_254_740_992_i64)));
        assert!(!same(&json!(0.1), &json!(0.100_000_000_000_000_02)));
    }

    #[test]
    fn kinds_are_kept_apart() {
        assert!(!same(&json!("1"), &json!(1)));
        assert!(!same(&json!(null), &json!("")));
        assert!(same(&Value::Null, &json!(null)));
    }
}
