//! QuestDB by SQL over HTTP, through the tests' own client.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use xtask::http::{self, form};
use xtask::servers::Running;

use crate::rows::Row;

/// Runs a statement and gives its rows, by column.
///
/// # Errors
///
/// The server refuses it.
pub fn query(server: &Running, statement: &str) -> Result<Vec<Row>> {
    let mut request = http::get(format!("{}/exec?{}", server.endpoint(), form(&[("query", statement)])));
    if let (Some(user), Some(password)) = (&server.access().user, &server.access().password) {
        request = request.basic(user, password);
    }
    let answer = request.send()?;
    let document: Value = serde_json::from_slice(&answer.body).with_context(|| answer.text())?;
    if let Some(error) = document["error"].as_str() {
        bail!("{statement}: {error}");
    }
    let columns = document["columns"].as_array().map_or(&[][..], Vec::as_slice);
    let rows = document["dataset"].as_array().map_or(&[][..], Vec::as_slice);
    rows.iter()
        .map(|values| {
            let named = columns.iter().zip(values.as_array().context("a row that is no list")?);
            Ok(named.map(|(column, value)| (column["name"].as_str().unwrap_or("").to_owned(), value.clone())).collect())
        })
        .collect()
}

/// The number of rows of a table; 0 where there is none.
///
/// # Errors
///
/// The server refuses to count.
pub fn count(server: &Running, table: &str) -> Result<u64> {
    match query(server, &format!("SELECT count() AS n FROM \"{table}\"")) {
        Ok(rows) => rows.first().and_then(|row| row["n"].as_u64()).context("an answer without a count"),
        Err(error) if error.to_string().contains("table does not exist") => Ok(0),
        Err(error) => Err(error),
    }
}
