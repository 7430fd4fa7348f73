//! What InfluxDB means when it does not take a batch whole.

use std::collections::BTreeSet;

use benchhost_plugin::{Error, Response, text};
use serde_json::Value;

/// Bytes of the server's words in a message.
const WORDS: usize = 500;

/// The error of a write of `rows` rows.
pub(crate) fn write_error(response: &Response, rows: u32, database: &str) -> Error {
    let status = response.status();
    let body = response.text();
    if let Some(partial) = partial(&body, rows) {
        return partial.with_code(status.to_string());
    }
    let error = with_detail(response.error("write"), &body);
    match status {
        404 if error.message.contains("organization") => error.advise("set `org`"),
        404 => error
            .advise(&format!("create the database or bucket `{database}`, or let the run create it with its tables")),
        413 => error.advise("write smaller batches"),
        _ => refused(error),
    }
}

/// What to do when the server did not let the user in.
pub(crate) fn refused(error: Error) -> Error {
    error.advise_if_refused("check `token`, or `user` and `password`")
}

/// The same with what InfluxDB 3 says of the one line for which it refused a batch.
fn with_detail(error: Error, body: &str) -> Error {
    let answer: Value = serde_json::from_str(body).unwrap_or_default();
    match answer["data"]["error_message"].as_str() {
        Some(detail) => error.advise(&text::shorten(detail, WORDS)),
        None => error,
    }
}

/// The error of a write of which some rows are stored, if that is what the server says.
fn partial(body: &str, rows: u32) -> Option<Error> {
    let answer: Value = serde_json::from_str(body).ok()?;
    let words = ["error", "message"].iter().find_map(|key| answer[*key].as_str())?;
    if !words.contains("partial write") {
        return None;
    }
    let refused = match answer["data"].as_array() {
        Some(lines) => refused_of_list(lines),
        None => refused_of_words(words),
    };
    let accepted = refused.map(|refused| u64::from(rows).saturating_sub(refused));
    let first = answer["data"][0]["error_message"].as_str().map_or(String::new(), |first| format!(": {first}"));
    Some(Error::partial(text::shorten(&format!("write: {words}{first}"), WORDS), accepted))
}

/// Lines in the list that InfluxDB 3 gives.
fn refused_of_list(lines: &[Value]) -> Option<u64> {
    let distinct: BTreeSet<u64> = lines.iter().filter_map(|line| line["line_number"].as_u64()).collect();
    (!distinct.is_empty()).then_some(distinct.len() as u64)
}

/// Rows that the sentence of InfluxDB 1 and 2 counts. Lines that could not be parsed were never points: they are named,
/// and not in `dropped`.
fn refused_of_words(words: &str) -> Option<u64> {
    let (_, dropped) = words.rsplit_once("dropped=")?;
    let digits = dropped.find(|c: char| !c.is_ascii_digit()).unwrap_or(dropped.len());
    let dropped: u64 = dropped[..digits].parse().ok()?;
    let refused = dropped + words.matches("unable to parse '").count() as u64;
    (refused > 0).then_some(refused)
}
