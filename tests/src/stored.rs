//! Rows as a server gives them back, with the types that it says they have.

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use xtask::http::{self, Response, form};

use crate::rows::Row;

/// Columns, each with its type in the server's words, and rows by column.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// Name and type.
    pub columns: Vec<(String, String)>,
    /// The rows, in the server's order.
    pub rows: Vec<Row>,
}

impl Stored {
    /// The name of the only column of times.
    ///
    /// # Errors
    ///
    /// There is none, or more than one.
    pub fn time_column(&self) -> Result<&str> {
        let mut times = self.columns.iter().filter(|(_, kind)| kind.to_lowercase().starts_with("timestamp"));
        match (times.next(), times.next()) {
            (Some((name, _)), None) => Ok(name),
            _ => bail!("not one column of times in {:?}", self.columns),
        }
    }

    /// The type of a column, in the server's words.
    ///
    /// # Errors
    ///
    /// There is no such column.
    pub fn kind(&self, column: &str) -> Result<&str> {
        let found = self.columns.iter().find(|(name, _)| name == column);
        found.map(|(_, kind)| kind.as_str()).with_context(|| format!("no column {column} in {:?}", self.columns))
    }

    /// Nanoseconds of one unit of a column of times.
    ///
    /// # Errors
    ///
    /// There is no such column, or its type is no time.
    pub fn nanoseconds(&self, column: &str) -> Result<i128> {
        let kind = self.kind(column)?.to_lowercase();
        // In this order, since the longer words end in the shortest.
        let units =
            [("nano", 1), ("(ns)", 1), ("micro", 1000), ("(us)", 1000), ("milli", 1_000_000), ("(ms)", 1_000_000)];
        let seconds = [("second", 1_000_000_000), ("(s)", 1_000_000_000)];
        let unit = units.iter().chain(&seconds).find(|(word, _)| kind.contains("time") && kind.contains(word));
        unit.map(|(_, unit)| *unit).with_context(|| format!("column {column} is {kind} and no time"))
    }

    /// The time of each row in nanoseconds.
    ///
    /// # Errors
    ///
    /// There is no such column, or a value of it is no integer.
    pub fn times(&self, column: &str) -> Result<Vec<i128>> {
        let unit = self.nanoseconds(column)?;
        let time = |row: &Row| {
            let time = row.get(column).and_then(Value::as_i64);
            Ok(i128::from(time.with_context(|| format!("no time in {row:?}"))?) * unit)
        };
        self.rows.iter().map(time).collect()
    }
}

/// Runs a statement by GreptimeDB's `/v1/sql`; a statement without rows gives none.
///
/// # Errors
///
/// The server refuses it.
pub fn sql(endpoint: &str, database: &str, statement: &str) -> Result<Stored> {
    let url = format!("{endpoint}/v1/sql?{}", form(&[("db", database)]));
    let request = http::post(url, form(&[("sql", statement)]));
    let answer = request.header("Content-Type", "application/x-www-form-urlencoded").send()?;
    records(&answer).with_context(|| format!("{statement}: {} {}", answer.status, answer.text()))
}

fn records(answer: &Response) -> Result<Stored> {
    ensure!(answer.is_success(), "the server refuses it");
    let document: Value = serde_json::from_slice(&answer.body)?;
    let records = &document["output"][0]["records"];
    let Some(schemas) = records["schema"]["column_schemas"].as_array() else {
        return Ok(Stored { columns: vec![], rows: vec![] });
    };
    let text = |value: &Value| value.as_str().map(str::to_owned).context("a column without name or type");
    let columns: Vec<(String, String)> = schemas
        .iter()
        .map(|schema| Ok((text(&schema["name"])?, text(&schema["data_type"])?)))
        .collect::<Result<_>>()?;
    let mut rows = Vec::new();
    for values in records["rows"].as_array().context("no rows")? {
        let values = values.as_array().context("a row that is no list")?;
        if values.len() != columns.len() {
            bail!("{} values for {} columns", values.len(), columns.len());
        }
        let named = columns.iter().zip(values);
        rows.push(named.map(|((name, _), value)| (name.clone(), value.clone())).collect());
    }
    Ok(Stored { columns, rows })
}

/// A name in double quotes.
#[must_use]
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_are_brought_to_nanoseconds_in_the_words_of_either_server() -> Result<()> {
        let kinds = [("TimestampNanosecond", 1), ("timestamp(ms)", 1_000_000), ("timestamp(s)", 1_000_000_000)];
        for (kind, unit) in kinds {
            let row = [("ts".to_owned(), json!(-2))].into_iter().collect();
            let stored = Stored { columns: vec![("ts".into(), kind.into())], rows: vec![row] };
            assert_eq!(stored.times("ts")?, [-2 * unit], "{kind}");
        }
        let stored = Stored { columns: vec![("ts".into(), "Int64".into())], rows: vec![] };
        assert!(stored.times("ts").is_err() && stored.times("time").is_err());
        Ok(())
    }
}
