//! InfluxDB 1 and 2 by InfluxQL, through the tests' own client.

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use xtask::http::{self, Request, form};
use xtask::servers::Running;

use crate::rows::{Row, expect_row, generated, sample};

/// 2024-01-01T00:00:00Z, where the dataset `cpu` begins.
pub const CPU_START_MS: u64 = 1_704_067_200_000;
/// 2024-02-29T23:59:59.123456789Z, where the dataset `types` begins.
pub const TYPES_START_NS: u64 = 1_709_251_199_123_456_789;

/// A database, and how to get in.
#[derive(Debug, Clone)]
pub struct Influx<'a> {
    server: &'a Running,
    database: String,
}

impl<'a> Influx<'a> {
    /// A database of a server.
    #[must_use]
    pub fn new(server: &'a Running, database: &str) -> Self {
        Self { server, database: database.to_owned() }
    }

    /// Runs a statement and gives the rows of all its series, by column.
    ///
    /// # Errors
    ///
    /// The server refuses it.
    pub fn query(&self, statement: &str) -> Result<Vec<Row>> {
        let pairs = [("db", self.database.as_str()), ("epoch", "ns"), ("q", statement)];
        let request = http::post(format!("{}/query", self.server.endpoint()), form(&pairs));
        let answer = self.authorized(request.header("Content-Type", "application/x-www-form-urlencoded")).send()?;
        let document: Value = serde_json::from_slice(&answer.body).with_context(|| answer.text())?;
        let result = &document["results"][0];
        if let Some(error) = document["error"].as_str().or_else(|| result["error"].as_str()) {
            bail!("{statement}: {error}");
        }
        let mut rows = Vec::new();
        for series in result["series"].as_array().map_or(&[][..], Vec::as_slice) {
            let columns = series["columns"].as_array().context("a series without columns")?;
            for values in series["values"].as_array().map_or(&[][..], Vec::as_slice) {
                let named = columns.iter().zip(values.as_array().context("a row that is no list")?);
                rows.push(named.map(|(name, value)| (name.as_str().unwrap_or("").to_owned(), value.clone())).collect());
            }
        }
        Ok(rows)
    }

    /// The number of values of a field.
    ///
    /// # Errors
    ///
    /// The server refuses to count.
    pub fn count(&self, table: &str, field: &str) -> Result<u64> {
        let rows = self.query(&format!("SELECT COUNT({}) AS n FROM {}", identifier(field), identifier(table)))?;
        rows.first().map_or(Ok(0), |row| row["n"].as_u64().context("a count that is no number"))
    }

    /// Writes lines as they are, and gives the status of the answer and its text.
    ///
    /// # Errors
    ///
    /// There is no answer.
    pub fn write(&self, lines: impl Into<Vec<u8>>) -> Result<(u16, String)> {
        let query = form(&[("db", self.database.as_str())]);
        let request = http::post(format!("{}/write?{query}", self.server.endpoint()), lines);
        let answer = self.authorized(request).send()?;
        Ok((answer.status, answer.text()))
    }

    /// Passes when all rows of the dataset `cpu` are there, and a sample of them as they were generated.
    ///
    /// # Errors
    ///
    /// A row is missing or another one.
    pub fn expect_cpu(&self, settings: &[(&str, &str)], rows: u64) -> Result<()> {
        let stored = self.count("cpu", "net_out")?;
        ensure!(stored == rows, "{stored} of {rows} rows are there");
        for (number, row) in generated("cpu", settings, rows, sample(rows, rows / 10))? {
            let tag = |name: &str| format!("{name} = {}", literal(row[name].as_str().unwrap_or("")));
            let tags = ["host", "region", "datacenter", "service"].map(tag).join(" AND ");
            let time = (CPU_START_MS + number) * 1_000_000;
            let found = self.query(&format!("SELECT * FROM cpu WHERE {tags} AND time = {time}"))?;
            ensure!(found.len() == 1, "row {number} is there {} times", found.len());
            expect_row(number, &row, &found[0], "ts")?;
        }
        Ok(())
    }

    /// Passes when all rows of the dataset `types` with awkward names are there as they were generated, in nanoseconds.
    ///
    /// # Errors
    ///
    /// A row is missing or another one.
    pub fn expect_types(&self, table: &str, settings: &[(&str, &str)], rows: u64) -> Result<()> {
        let [sequence, time] = ["sequence", "ts"].map(|name| format!("{name} a,b=c \"ü\""));
        let stored = self.query(&format!("SELECT * FROM {}", identifier(table)))?;
        ensure!(stored.len() as u64 == rows, "{} of {rows} rows are there", stored.len());
        for (number, row) in generated("types", settings, rows, |_| true)? {
            let found = stored.iter().find(|row| row[&sequence].as_u64() == Some(number));
            let found = found.with_context(|| format!("row {number} is missing"))?;
            expect_row(number, &row, found, &time)?;
            ensure!(found["time"].as_u64() == Some(TYPES_START_NS + number), "row {number} is at {}", found["time"]);
        }
        Ok(())
    }

    fn authorized(&self, request: Request) -> Request {
        let access = self.server.access();
        match (&access.token, &access.user, &access.password) {
            (Some(token), _, _) => request.token(token),
            (None, Some(user), Some(password)) => request.basic(user, password),
            _ => request,
        }
    }
}

/// A name in double quotes.
#[must_use]
pub fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A text in single quotes.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
