//! The independent decoder of `decoder/`: a server that takes what the plugins send and tells every value of it.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use xtask::http::{self, form};

use crate::clients::{clients, folder};
use crate::rows::{Row, same};
use crate::serving::Serving;
use crate::stored::Stored;

/// A running decoder.
#[derive(Debug)]
pub struct Decoder(Serving);

impl Decoder {
    /// Starts one; none when this is a quick run and there is no Python to run it, which `cargo xtask test` tells.
    ///
    /// # Errors
    ///
    /// The clients' Python is not there, or it does not start.
    pub fn start() -> Result<Option<Self>> {
        let Some(clients) = clients()? else { return Ok(None) };
        let mut command = clients.python(&folder().join("decoder/decoder.py"));
        command.arg("--until-stdin-closes");
        Serving::start(command).map(Self).map(Some)
    }

    /// Its address for HTTP.
    #[must_use]
    pub fn http(&self) -> &str {
        &self.0.http
    }

    /// Its address for gRPC.
    #[must_use]
    pub fn grpc(&self) -> &str {
        &self.0.grpc
    }

    /// How things were sent: calls, compressions, users, and what went wrong.
    ///
    /// # Errors
    ///
    /// It does not answer.
    pub fn facts(&self) -> Result<Value> {
        let facts = self.ask("facts", &[])?;
        serde_json::from_str(&facts).with_context(|| facts.clone())
    }

    /// All rows of a table, in the order of their arrival.
    ///
    /// # Errors
    ///
    /// There is no such table; the message has what the decoder noted.
    pub fn rows(&self, database: &str, table: &str) -> Result<Stored> {
        let tables: Value = serde_json::from_str(&self.ask("tables", &[])?)?;
        let all = tables.as_array().context("no list of tables")?;
        let found = all.iter().find(|one| one["database"] == database && one["table"] == table);
        let found = found.with_context(|| format!("no table {table} in {tables}; facts: {:?}", self.facts()))?;
        let text = |value: &Value| value.as_str().map(str::to_owned).context("a column without name or type");
        let columns = found["columns"].as_array().context("a table without columns")?;
        let columns: Result<_> =
            columns.iter().map(|column| Ok((text(&column["name"])?, text(&column["type"])?))).collect();
        let lines = self.ask("rows", &[("db", database), ("table", table)])?;
        let rows: Result<_, _> = lines.lines().map(serde_json::from_str).collect();
        Ok(Stored { columns: columns?, rows: rows? })
    }

    fn ask(&self, what: &str, query: &[(&str, &str)]) -> Result<String> {
        let answer = http::get(format!("{}/decoded/{what}?{}", self.http(), form(query))).send()?;
        if !answer.is_success() {
            bail!("{what}: {} {}; its stderr:\n{}", answer.status, answer.text(), self.0.stderr());
        }
        Ok(answer.text())
    }
}

/// Passes when the rows of a table are exactly the generated ones, in any order: every value of every column. The column `key`,
/// of integers or text, tells one row from the other.
///
/// # Errors
///
/// A row is missing, comes twice or is another one, or a column is.
pub fn expect_decoded(generated: &[(u64, Row)], decoded: &Stored, key: &str) -> Result<()> {
    let mut by_key = BTreeMap::new();
    for row in &decoded.rows {
        ensure!(by_key.insert(key_of(row, key)?, row).is_none(), "a row comes twice: {row:?}");
    }
    ensure!(by_key.len() == generated.len(), "{} of {} rows came", by_key.len(), generated.len());
    for (number, expected) in generated {
        let found = by_key.get(&key_of(expected, key)?).with_context(|| format!("row {number} is missing"))?;
        for (column, value) in expected {
            let found = found.get(column).unwrap_or(&Value::Null);
            let same = if decoded.kind(column)? == "float32" { same_single(value, found) } else { same(value, found) };
            ensure!(same, "row {number}: {column} is {found} where {value} was generated");
        }
        let more = found.keys().find(|column| !expected.contains_key(*column));
        ensure!(more.is_none(), "row {number} has a column that was not generated: {more:?}");
    }
    Ok(())
}

/// What tells a row from the others.
fn key_of(row: &Row, key: &str) -> Result<String> {
    let value = row.get(key).filter(|value| value.is_i64() || value.is_string());
    value.map(Value::to_string).with_context(|| format!("no integer or text `{key}` in {row:?}"))
}

/// Whether two numbers are the same as single-precision floats: one is written with as many digits as that takes, the other with more.
pub(crate) fn same_single(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => (one as f32).to_bits() == (other as f32).to_bits(),
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table(rows: &[Value]) -> Stored {
        let columns =
            [("n", "int64"), ("f", "float32"), ("d", "float64")].map(|(name, kind)| (name.into(), kind.into()));
        Stored { columns: columns.into(), rows: rows.iter().filter_map(|row| row.as_object().cloned()).collect() }
    }

    #[test]
    fn what_is_missing_doubled_different_or_too_much_is_found() -> Result<()> {
        let generated: Vec<(u64, Row)> = [json!({"n": 0, "f": 0.1, "d": 0.1}), json!({"n": 1, "f": null, "d": null})]
            .iter()
            .filter_map(|row| row.as_object().cloned())
            .zip(0..)
            .map(|(row, number)| (number, row))
            .collect();
        let first = json!({"n": 0, "f": f64::from(0.1_f32), "d": 0.1});
        let second = json!({"n": 1, "f": null, "d": null});
        expect_decoded(&generated, &table(&[second.clone(), first.clone()]), "n")?;
        let wrong = [
            vec![first.clone()],
            vec![first.clone(), first.clone()],
            vec![first.clone(), json!({"n": 1, "f": null, "d": 0.0})],
            vec![json!({"n": 0, "f": 0.1, "d": f64::from(0.1_f32)}), second.clone()],
            vec![first.clone(), json!({"n": 1, "f": null, "d": null, "more": 1})],
            vec![first, second, json!({"n": 2, "f": null, "d": null})],
        ];
        for rows in wrong {
            assert!(expect_decoded(&generated, &table(&rows), "n").is_err(), "{rows:?}");
        }
        Ok(())
    }
}
