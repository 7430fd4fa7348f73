//! InfluxQL over `/query`: how InfluxDB 1 is managed, and how InfluxDB 1 and 2 are counted.

use benchhost_plugin::{Client, Column, Error, Query, Result};
use serde_json::Value;

use crate::answer::refused;
use crate::settings::Settings;
use crate::with_database;

/// The bounds of time in InfluxQL, in nanoseconds.
const TIMES: (i64, i64) = (i64::MIN + 2, i64::MAX - 1);

/// Makes the database; that it exists is no error to the server either.
pub(crate) fn create_database(client: &Client, settings: &Settings) -> Result<()> {
    let (database, _) = settings.database_and_policy();
    let statement = format!("CREATE DATABASE {}", identifier(database));
    run(client, "POST", &Query::new("/query").with("q", &statement), "create the database").map(drop)
}

/// Removes the measurement.
pub(crate) fn drop_measurement(client: &Client, settings: &Settings, name: &str) -> Result<()> {
    let statement = format!("DROP MEASUREMENT {}", identifier(name));
    let query = with_database(Query::new("/query"), settings).with("q", &statement);
    match run(client, "POST", &query, "drop the measurement") {
        Err(error) if is_absence(&error) => Ok(()),
        other => other.map(drop),
    }
}

/// Rows with a time from `start_ns` to before `end_ns`: the values of one field, or of the fullest.
pub(crate) fn count(
    client: &Client,
    settings: &Settings,
    name: &str,
    fields: &[&Column],
    start_ns: i64,
    end_ns: i64,
) -> Result<u64> {
    let (start, end) = (start_ns.max(TIMES.0), end_ns.min(TIMES.1));
    if start >= end {
        return Ok(0);
    }
    let counts: Vec<String> = fields.iter().map(|field| format!("COUNT({})", identifier(&field.name))).collect();
    let (counts, name) = (counts.join(", "), identifier(name));
    let statement = format!("SELECT {counts} FROM {name} WHERE time >= {start} AND time < {end}");
    let query = with_database(Query::new("/query"), settings).with("epoch", "ns").with("q", &statement);
    let answer = match run(client, "GET", &query, "count rows") {
        Err(error) if is_absence(&error) => return Ok(0),
        other => other?,
    };
    // No series: no such measurement, or no value in the range.
    let Some(row) = answer["results"][0]["series"][0]["values"][0].as_array() else { return Ok(0) };
    // The first column is the time.
    Ok(row.iter().skip(1).filter_map(Value::as_u64).max().unwrap_or(0))
}

/// Sends a statement. An error may come with any status, also 200.
fn run(client: &Client, method: &str, query: &Query, doing: &str) -> Result<Value> {
    let response = client.call(method, query)?.success(doing).map_err(refused)?;
    let answer = response.json(doing)?;
    let error = answer["error"].as_str().or_else(|| answer["results"][0]["error"].as_str());
    match error {
        Some(words) => Err(Error::rejected(format!("{doing}: {words}"))),
        None => Ok(answer),
    }
}

/// Whether the server only said that there is no such database, bucket or measurement.
fn is_absence(error: &Error) -> bool {
    let words = &error.message;
    ["database not found", "measurement not found", "no dbrp mapping found", "could not find bucket"]
        .iter()
        .any(|absence| words.contains(absence))
        || words.contains("bucket") && words.contains("not found")
}

/// A name in double quotes.
pub(crate) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
