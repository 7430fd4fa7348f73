//! Official clients, run as scripts of `clients/`, and what they say they wrote, to hold against what is stored.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use xtask::clients::Clients;

use crate::decoder::same_single;
use crate::rows::{Row, same};
use crate::stored::Stored;

/// The folder of the tests.
pub(crate) fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The official clients; none when this is a quick run (`BENCHHOST_QUICK=1`) and they are not there, which `cargo xtask test` tells.
///
/// # Errors
///
/// They are not there.
pub fn clients() -> Result<Option<Clients>> {
    match Clients::installed() {
        Ok(Some(clients)) => Ok(Some(clients)),
        Ok(None) | Err(_) if crate::quick() => Ok(None),
        Ok(None) => bail!("the official clients are not there: run `cargo xtask servers`"),
        Err(error) => Err(error),
    }
}

/// Runs a script of `clients/` by its name, which must end well; none when this is a quick run without clients.
///
/// # Errors
///
/// The clients are not there, or the script fails: the message has its stderr.
pub fn run_client(script: &str, arguments: &[&str]) -> Result<Option<Value>> {
    let Some(clients) = clients()? else { return Ok(None) };
    let path = folder().join("clients").join(script);
    let mut command = if script.ends_with(".py") { clients.python(&path) } else { clients.node(&path) };
    let printed = output(command.args(arguments))?;
    serde_json::from_str(&printed)
        .map(Some)
        .with_context(|| format!("{script} printed something that is not JSON: {printed}"))
}

fn output(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} ended with {}:\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// A table that a client wrote.
#[derive(Debug)]
pub struct Written {
    /// Its name.
    pub table: String,
    /// The name of its time column, where the client names one.
    pub time: String,
    kinds: BTreeMap<String, String>,
    rows: Vec<Row>,
}

impl Written {
    /// All tables that a script says it wrote; there must be some, and rows in each.
    ///
    /// # Errors
    ///
    /// It says something else.
    pub fn all(said: &Value) -> Result<Vec<Self>> {
        let tables = said["tables"].as_array().filter(|tables| !tables.is_empty()).context("no tables were written")?;
        tables.iter().map(|table| Self::one(table).with_context(|| table.to_string())).collect()
    }

    fn one(table: &Value) -> Result<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned).context("a text is missing");
        let kinds = table["columns"].as_object().context("no columns")?;
        let kinds = kinds.iter().map(|(name, kind)| Ok((name.clone(), text(kind)?))).collect::<Result<_>>()?;
        let rows = table["rows"].as_array().filter(|rows| !rows.is_empty()).context("no rows")?;
        let rows = rows.iter().map(|row| row.as_object().cloned().context("a row that is no object"));
        Ok(Self {
            table: text(&table["name"])?,
            time: text(&table["time"])?,
            kinds,
            rows: rows.collect::<Result<_>>()?,
        })
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Passes when exactly these rows are stored, with every value, found by the time in the column `time`.
    ///
    /// # Errors
    ///
    /// A row is missing, comes twice or is another one, or there is a column that was not written.
    pub fn expect_stored(&self, stored: &Stored, time: &str) -> Result<()> {
        self.compare(stored, time).with_context(|| format!("table {}", self.table))
    }

    fn compare(&self, stored: &Stored, time: &str) -> Result<()> {
        let mut by_time = BTreeMap::new();
        for (at, row) in stored.times(time)?.into_iter().zip(&stored.rows) {
            ensure!(by_time.insert(at, row).is_none(), "two rows are stored at {at}");
        }
        ensure!(by_time.len() == self.rows.len(), "{} of {} rows are stored", by_time.len(), self.rows.len());
        let more = stored.columns.iter().find(|(name, _)| name != time && !self.kinds.contains_key(name));
        ensure!(more.is_none(), "a column was not written: {more:?}");
        for row in &self.rows {
            let at: i128 = row["time"].as_str().context("a row without time")?.parse()?;
            let found = by_time.get(&at).with_context(|| format!("the row at {at} is missing"))?;
            for (column, kind) in &self.kinds {
                let found = found.get(column).unwrap_or(&Value::Null);
                let written = row.get(column).unwrap_or(&Value::Null);
                let same = is_stored(kind, written, found)?;
                ensure!(same, "the row at {at}: {column} is {found} where {written} was written as {kind}");
            }
        }
        Ok(())
    }
}

/// Whether a value is stored as it was written: numbers are written as text here, and bytes as hexadecimal digits.
fn is_stored(kind: &str, written: &Value, found: &Value) -> Result<bool> {
    let Some(text) = written.as_str().filter(|_| !matches!(kind, "tag" | "string")) else {
        return Ok(written == found);
    };
    if kind == "binary" {
        return Ok(found.as_str() == Some(text) || *found == bytes(text)?);
    }
    // Of integers, the text is the number; a float is the one that the text means.
    let number: Value = serde_json::from_str(text).with_context(|| format!("not a number: {text}"))?;
    Ok(match kind {
        "f32" => same_single(&number, found),
        "f64" => same(&float(&number), &float(found)),
        _ => same(&number, found),
    })
}

/// A number as a float, and anything else as it is.
fn float(value: &Value) -> Value {
    value.as_f64().map_or_else(|| value.clone(), Value::from)
}

/// Hexadecimal digits as a list of numbers, which is how GreptimeDB writes bytes in JSON.
fn bytes(digits: &str) -> Result<Value> {
    let pairs = (0..digits.len()).step_by(2).map(|at| digits.get(at..at + 2).context("half a byte"));
    pairs.map(|pair| Ok(u8::from_str_radix(pair?, 16)?)).collect::<Result<Vec<u8>>>().map(Value::from)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_compared_by_what_they_were_written_as() -> Result<()> {
        let same = [
            ("u64", json!("18446744073709551615"), json!(u64::MAX)),
            ("f64", json!("100000000000000000000"), json!(1e20)),
            ("f64", json!("2"), json!(2)),
            ("f32", json!("0.1"), json!(f64::from(0.1_f32))),
            ("binary", json!("00ff"), json!([0, 255])),
            ("binary", json!("00ff"), json!("00ff")),
            ("string", json!("12"), json!("12")),
            ("i64", Value::Null, Value::Null),
        ];
        for (kind, written, found) in same {
            assert!(is_stored(kind, &written, &found)?, "{kind} {written} {found}");
        }
        let other = [
            ("u64", json!("9007199254740993"), json!(9_007_199_254_740_992_u64)),
            ("f64", json!("0.1"), json!(f64::from(0.1_f32))),
            ("string", json!("12"), json!(12)),
            ("tag", json!(""), Value::Null),
            ("bool", json!(true), json!(false)),
            ("i64", Value::Null, json!(0)),
        ];
        for (kind, written, found) in other {
            assert!(!is_stored(kind, &written, &found)?, "{kind} {written} {found}");
        }
        Ok(())
    }
}
