//! Reading the little Flux that there is.

use std::time::{SystemTime, UNIX_EPOCH};

use arrow::array::{Array, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, TimeUnit};

use crate::http::values::raw_time;
use crate::sql::token::{Cursor, Escape, Token, tokens};

/// What a query asks for.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) bucket: String,
    /// Nanoseconds; the stop is not in the range.
    pub(super) start: i128,
    pub(super) stop: i128,
    /// What columns must be, `_measurement` and `_field` among them.
    pub(super) filters: Vec<(String, String)>,
    pub(super) count: bool,
}

/// Reads a query.
///
/// # Errors
///
/// What is found, and what was expected in its place.
pub(super) fn read(text: &str) -> Result<Query, String> {
    let all = tokens(text, Escape::Backslash)?;
    let mut c = Cursor::new(&all);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i128);
    let mut query = Query { stop: now, ..Query::default() };
    c.expect_keywords(&["from"])?;
    c.expect('(')?;
    c.expect_keywords(&["bucket"])?;
    c.expect(':')?;
    query.bucket = c.name()?;
    c.expect(')')?;
    while !c.is_done() {
        c.expect('|')?;
        c.expect('>')?;
        let function = c.name()?;
        c.expect('(')?;
        match function.as_str() {
            "range" => range(&mut c, &mut query, now)?,
            "filter" => filter(&mut c, &mut query)?,
            "count" => query.count = true,
            "yield" => {
                while !matches!(c.peek(), None | Some(Token::Sign(')'))) {
                    c.next();
                }
            }
            other => return Err(format!("there is no {other}(): there is range, filter and count")),
        }
        c.expect(')')?;
    }
    Ok(query)
}

fn range(c: &mut Cursor<'_>, query: &mut Query, now: i128) -> Result<(), String> {
    loop {
        let name = c.name()?;
        c.expect(':')?;
        let time = time(c, now)?;
        match name.as_str() {
            "start" => query.start = time,
            "stop" => query.stop = time,
            other => return Err(format!("range has no {other}")),
        }
        if !c.sign(',') {
            return Ok(());
        }
    }
}

/// `0`, `-1h`, `2024-01-01T00:00:00Z`, `now()`.
fn time(c: &mut Cursor<'_>, now: i128) -> Result<i128, String> {
    if c.keywords(&["now"]) {
        c.expect('(')?;
        c.expect(')')?;
        return Ok(now);
    }
    let negative = c.sign('-');
    let mut text = c.name()?;
    if let Ok(seconds) = text.parse::<i128>()
        && !matches!(c.peek(), Some(Token::Sign('-')))
    {
        return Ok(if negative { -seconds } else { seconds } * 1_000_000_000);
    }
    if text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A date is many tokens: years, months, days and clock.
        while let Some(Token::Sign(sign @ ('-' | ':' | '.' | '+'))) = c.peek() {
            c.next();
            text = format!("{text}{sign}{}", c.name()?);
        }
        let parsed = cast(&StringArray::from(vec![text.clone()]), &DataType::Timestamp(TimeUnit::Nanosecond, None));
        let parsed = parsed.ok().filter(|array| array.is_valid(0)).and_then(|array| raw_time(&array, 0));
        return parsed.map(i128::from).ok_or_else(|| format!("`{text}` is no time"));
    }
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: i128 = text[..digits].parse().map_err(|_| format!("`{text}` is no time"))?;
    let unit: i128 = match &text[digits..] {
        "ns" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        "w" => 604_800_000_000_000,
        "y" => 31_536_000_000_000_000,
        other => return Err(format!("`{other}` is no unit of time")),
    };
    let span = number.checked_mul(unit).ok_or_else(|| format!("`{text}` is too long"))?;
    Ok(if negative { now - span } else { now + span })
}

/// `fn: (r) => r._measurement == "m" and r["host"] == "h"`.
fn filter(c: &mut Cursor<'_>, query: &mut Query) -> Result<(), String> {
    c.expect_keywords(&["fn"])?;
    c.expect(':')?;
    c.brackets()?;
    c.expect('=')?;
    c.expect('>')?;
    loop {
        c.name()?;
        let column = if c.sign('[') {
            let name = c.name()?;
            c.expect(']')?;
            name
        } else {
            c.expect('.')?;
            c.name()?
        };
        c.expect('=')?;
        c.expect('=')?;
        query.filters.push((column, c.name()?));
        if !c.keywords(&["and"]) {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clients_ask_is_read() {
        let text = r#"from(bucket: "b") |> range(start: 2024-01-01T00:00:00Z, stop: 1704067201) |> filter(fn: (r) => r._measurement == "m" and r["h"] == "x") |> count()"#;
        let query = read(text).unwrap();
        assert_eq!((query.start, query.stop), (1_704_067_200_000_000_000, 1_704_067_201_000_000_000));
        assert_eq!(query.filters, [("_measurement".into(), "m".into()), ("h".into(), "x".into())]);
        assert!(query.count && query.bucket == "b");
        let query = read("from(bucket:\"b\")|>range(start:-1h)").unwrap();
        assert_eq!(query.stop - query.start, 3_600_000_000_000);
    }

    #[test]
    fn what_cannot_be_done_is_named() {
        for (text, words) in [
            ("buckets()", "Expected: from"),
            ("from(bucket:\"b\") |> mean()", "there is no mean()"),
            ("from(bucket:\"b\") |> range(start: 5q)", "`q` is no unit of time"),
            ("from(bucket:\"b\") |> range(start: 99999999999999999999999999999999d)", "too long"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
