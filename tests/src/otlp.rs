//! Log records as VictoriaLogs and the collector's receiver tell them, through the tests' own client.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Map, Value};
use xtask::http::{self, form};
use xtask::servers::Running;

use crate::decoder::same_single;
use crate::rows::{Row, same};
use crate::wait_for;

/// The longest that a record may take to be seen. VictoriaLogs shows rows after about a second.
const SEEN_WITHIN: Duration = Duration::from_secs(30);
/// What VictoriaLogs adds, or keeps apart from the attributes.
const NOT_ATTRIBUTES: [&str; 8] =
    ["_msg", "_stream", "_stream_id", "_time", "scope.name", "scope.version", "severity_number", "severity_text"];

/// A log record.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Nanoseconds since the Unix epoch.
    pub time: i128,
    /// The body.
    pub body: Value,
    /// The number of the severity.
    pub severity: Value,
    /// Attributes by name. Those of the resource are among them, since VictoriaLogs does not keep them apart.
    pub attributes: Row,
}

/// All records that the collector's receiver has printed, which must be so many.
///
/// # Errors
///
/// There are more or fewer, or one that is not understood.
pub fn collected(server: &Running, count: usize) -> Result<Vec<Record>> {
    let mut records = Vec::new();
    let seen = wait_for(&format!("{count} log records"), SEEN_WITHIN, || {
        records = printed(&fs::read_to_string(server.log())?)?;
        Ok(records.len() >= count)
    });
    seen.with_context(|| format!("{} came", records.len()))?;
    ensure!(records.len() == count, "{} log records came where {count} were sent", records.len());
    Ok(records)
}

/// The metrics that the collector's receiver has printed, in OTLP's own JSON.
///
/// # Errors
///
/// Its log cannot be read.
pub fn collected_metrics(server: &Running) -> Result<Vec<Value>> {
    let printed = fs::read_to_string(server.log())?;
    let requests = printed.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let metrics = requests.flat_map(|request| below(&request, &["resourceMetrics", "scopeMetrics", "metrics"]));
    Ok(metrics.map(|(metric, _)| metric).collect())
}

fn printed(log: &str) -> Result<Vec<Record>> {
    // The last line may be half there yet.
    let whole = log.rfind('\n').map_or("", |end| &log[..end]);
    let mut records = Vec::new();
    for line in whole.lines().filter(|line| line.starts_with("{\"resourceLogs\"")) {
        let request: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
        for (record, resource) in below(&request, &["resourceLogs", "scopeLogs", "logRecords"]) {
            let time = record["timeUnixNano"].as_str().unwrap_or("0").parse()?;
            let mut all = attributes(&resource["attributes"])?;
            all.extend(attributes(&record["attributes"])?);
            let severity = record["severityNumber"].clone();
            records.push(Record { time, body: any(&record["body"])?, severity, attributes: all });
        }
    }
    Ok(records)
}

/// Everything at the end of a path of lists, with the resource that it belongs to.
fn below(request: &Value, path: &[&str; 3]) -> Vec<(Value, Value)> {
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let mut found = Vec::new();
    for resource in list(request, path[0]) {
        for scope in list(&resource, path[1]) {
            found.extend(list(&scope, path[2]).into_iter().map(|one| (one, resource["resource"].clone())));
        }
    }
    found
}

/// Attributes in OTLP's JSON, by name.
///
/// # Errors
///
/// One has no name, or comes twice.
pub fn attributes(list: &Value) -> Result<Row> {
    let mut named = Map::new();
    for pair in list.as_array().map_or(&[][..], Vec::as_slice) {
        let key = pair["key"].as_str().context("an attribute without a name")?;
        ensure!(named.insert(key.to_owned(), any(&pair["value"])?).is_none(), "the attribute {key} comes twice");
    }
    Ok(named)
}

/// A value in OTLP's JSON, which says its type by its name and writes integers as text.
fn any(value: &Value) -> Result<Value> {
    let Some((kind, value)) = value.as_object().and_then(|object| object.iter().next()) else {
        return Ok(Value::Null);
    };
    Ok(match (kind.as_str(), value) {
        ("intValue", Value::String(digits)) => Value::from(digits.parse::<i64>()?),
        ("stringValue" | "boolValue" | "doubleValue", value) => value.clone(),
        _ => bail!("no value that this test knows: {kind} {value}"),
    })
}

/// All records that VictoriaLogs holds, which must be so many. Every value is text.
///
/// # Errors
///
/// There are more or fewer, or it refuses to tell.
pub fn stored(server: &Running, count: usize) -> Result<Vec<Record>> {
    let mut lines = String::new();
    let seen = wait_for(&format!("{count} log records"), SEEN_WITHIN, || {
        lines = select(server, "*")?;
        Ok(lines.lines().count() >= count)
    });
    seen.with_context(|| format!("{} are stored", lines.lines().count()))?;
    let records: Vec<Record> = lines.lines().map(stored_record).collect::<Result<_>>()?;
    ensure!(records.len() == count, "{} log records are stored where {count} were sent", records.len());
    Ok(records)
}

fn select(server: &Running, query: &str) -> Result<String> {
    let request =
        http::post(format!("{}/select/logsql/query", server.endpoint()), form(&[("query", query), ("limit", "0")]));
    let answer = request.header("Content-Type", "application/x-www-form-urlencoded").send()?;
    ensure!(answer.is_success(), "{} {}", answer.status, answer.text());
    Ok(answer.text())
}

fn stored_record(line: &str) -> Result<Record> {
    let mut row: Row = serde_json::from_str(line).with_context(|| line.to_owned())?;
    let time = nanoseconds(row["_time"].as_str().context("no time")?)?;
    let [body, severity] = ["_msg", "severity_number"].map(|name| row.remove(name).unwrap_or(Value::Null));
    row.retain(|name, _| !NOT_ATTRIBUTES.contains(&name.as_str()));
    Ok(Record { time, body, severity, attributes: row })
}

/// Nanoseconds since the Unix epoch of a time such as `2024-02-29T23:59:59.12345689Z`.
fn nanoseconds(time: &str) -> Result<i128> {
    let numbers: Vec<i128> =
        time.trim_end_matches('Z').split(['-', 'T', ':', '.']).take(6).map(str::parse).collect::<Result<_, _>>()?;
    let [year, month, day, hour, minute, second] = numbers[..] else { bail!("not a time: {time}") };
    // Years begin in March, so that a leap day is the last day of one.
    let year = if month <= 2 { year - 1 } else { year };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * ((month + 9) % 12) + 2) / 5 + day - 719_469;
    let fraction = time.trim_end_matches('Z').split_once('.').map_or("", |(_, fraction)| fraction);
    let fraction: i128 = format!("{fraction:0<9}").parse()?;
    Ok((((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000_000 + fraction)
}

/// Passes when a record has these attributes and no other. Text that stands for a number or a truth value is taken for it.
///
/// # Errors
///
/// One is missing, another or too much.
pub fn expect_attributes(found: &Row, expected: &Row) -> Result<()> {
    for (name, value) in expected {
        // Nothing is sent for a NULL, and to VictoriaLogs an empty text is nothing.
        let other = found.get(name).unwrap_or(&Value::Null);
        ensure!(same_attribute(name, value, other), "the attribute {name} is {other} where {value} was sent");
    }
    let more = found.keys().find(|name| !expected.contains_key(*name));
    ensure!(more.is_none(), "there is an attribute that was not sent: {more:?}");
    Ok(())
}

fn same_attribute(name: &str, sent: &Value, found: &Value) -> bool {
    let read: Value = match (sent, found) {
        (Value::String(text), Value::Null) => return text.is_empty(),
        (Value::Number(_) | Value::Bool(_), Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        _ => found.clone(),
    };
    // OTLP has doubles only: a single is sent as one.
    if name.contains("float32") { same_single(sent, &read) } else { same(sent, &read) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_are_read_to_the_nanosecond_on_leap_days_too() -> Result<()> {
        assert_eq!(nanoseconds("1970-01-01T00:00:00Z")?, 0);
        assert_eq!(nanoseconds("2024-02-29T23:59:59.123456789Z")?, 1_709_251_199_123_456_789);
        assert_eq!(nanoseconds("2024-03-01T00:00:00.5Z")?, 1_709_251_200_500_000_000);
        assert!(nanoseconds("yesterday").is_err());
        Ok(())
    }

    #[test]
    fn attributes_are_held_against_what_was_sent() -> Result<()> {
        let row = |value: Value| value.as_object().cloned().unwrap_or_default();
        let sent = row(json!({"a": 1, "b": "1", "c": null, "d": "", "e": true, "float32": 0.1}));
        expect_attributes(&row(json!({"a": "1", "b": "1", "e": "true", "float32": "0.10000000149011612"})), &sent)?;
        for wrong in [
            json!({"a": "1", "b": 1, "e": "true", "float32": 0.1}),
            json!({"a": "2", "b": "1", "e": "true", "float32": 0.1}),
            json!({"a": "1", "b": "1", "e": "true", "float32": 0.1, "more": 1}),
            json!({"a": "1", "b": "1", "float32": 0.1}),
        ] {
            assert!(expect_attributes(&row(wrong.clone()), &sent).is_err(), "{wrong}");
        }
        Ok(())
    }
}
