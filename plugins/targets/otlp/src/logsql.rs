//! VictoriaLogs: streams, and counting.

use benchhost_plugin::{Client, Error, Query, Result, Semantic, Table, time};
use serde_json::Value;

/// The field that holds the table's name.
const SERVICE: &str = "service.name";

/// The fields whose values make a stream: the table and its tags.
pub(crate) fn stream_fields(table: &Table) -> String {
    let tags = table.columns.iter().filter(|column| column.semantic == Semantic::Tag);
    let names: Vec<&str> = std::iter::once(SERVICE).chain(tags.map(|tag| tag.name.as_str())).collect();
    names.join(",")
}

/// Records of a table with a time from `start_ns` to before `end_ns`.
pub(crate) fn count(client: &Client, name: &str, start_ns: i64, end_ns: i64) -> Result<u64> {
    let doing = "count rows";
    let (start, end) = (time::rfc3339(start_ns), time::rfc3339(end_ns));
    let query = format!("_time:[{start}, {end}) {}:={} | stats count() rows", quoted(SERVICE), quoted(name));
    let answer = client.call("GET", &Query::new("/select/logsql/query").with("query", &query))?.success(doing)?.text();
    // One JSON object a line, and numbers as text; nothing at all is no record.
    let Some(line) = answer.lines().find(|line| !line.trim().is_empty()) else { return Ok(0) };
    let row: Value = serde_json::from_str(line).unwrap_or_default();
    let rows = row["rows"].as_u64().or_else(|| row["rows"].as_str()?.parse().ok());
    rows.ok_or_else(|| Error::internal(format!("{doing}: the server's answer has no count: {line}")))
}

/// A word in double quotes.
fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
