//! GreptimeDB's hints: what a client asks of a table that its write makes. They come as headers, or as metadata, which is the same.

use axum::http::HeaderMap;
use thiserror::Error;

use crate::store::{Merge, TableOptions};

/// All hints in one: `key=value,key=value`. It goes before [`EACH`].
const ALL: &str = "x-greptime-hints";
/// What the name of a header for one hint begins with.
const EACH: &str = "x-greptime-hint-";

/// What a client asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hints {
    /// Whether a missing table is made.
    pub(crate) create: bool,
    /// How it is made.
    pub(crate) options: TableOptions,
}

/// A hint that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum HintError {
    /// A value that the hint cannot have.
    #[error("Invalid value of the hint {name}: {value}, expected {expected}")]
    Value {
        /// The hint.
        name: &'static str,
        /// What was sent.
        value: String,
        /// What could have been.
        expected: &'static str,
    },
    /// Tables that keep all rows merge none.
    #[error("Invalid hints: merge_mode `{0}` is not allowed when append_mode is true")]
    AppendAndMerge(String),
}

impl Hints {
    /// Reads the hints of a request. Unknown ones are passed over.
    ///
    /// # Errors
    ///
    /// A value that a hint cannot have, or two hints that exclude each other.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Result<Self, HintError> {
        let mut hints = Self { create: true, options: TableOptions::default() };
        let mut append = false;
        let mut merge = None;
        for (name, value) in pairs(headers) {
            match name.as_str() {
                "auto_create_table" => hints.create = switch("auto_create_table", &value)?,
                "append_mode" => append = switch("append_mode", &value)?,
                "skip_wal" => hints.options.skip_wal = switch("skip_wal", &value)?,
                "merge_mode" => merge = Some(value),
                "ttl" => hints.options.ttl = Some(ttl(&value)?),
                _ => {}
            }
        }
        hints.options.merge = match (append, merge.as_deref()) {
            (true, None) => Merge::Append,
            (true, Some(mode)) => return Err(HintError::AppendAndMerge(mode.to_owned())),
            (false, None | Some("last_row")) => Merge::LastRow,
            (false, Some("last_non_null")) => Merge::LastNonNull,
            (false, Some(other)) => {
                let (value, expected) = (other.to_owned(), "last_row or last_non_null");
                return Err(HintError::Value { name: "merge_mode", value, expected });
            }
        };
        Ok(hints)
    }
}

fn pairs(headers: &HeaderMap) -> Vec<(String, String)> {
    if let Some(all) = headers.get(ALL).and_then(|value| value.to_str().ok()) {
        let pair = |pair: &str| pair.split_once('=').map(|(k, v)| (k.trim().to_owned(), v.trim().to_owned()));
        return all.split(',').filter_map(pair).collect();
    }
    let each = headers.iter().filter_map(|(name, value)| {
        let name = name.as_str().strip_prefix(EACH)?;
        Some((name.to_owned(), value.to_str().ok()?.trim().to_owned()))
    });
    each.collect()
}

fn switch(name: &'static str, value: &str) -> Result<bool, HintError> {
    value.parse().map_err(|_| HintError::Value { name, value: value.to_owned(), expected: "true or false" })
}

/// A time to live as the server writes it back: `7d` is `7days`.
fn ttl(value: &str) -> Result<String, HintError> {
    if matches!(value, "forever" | "instant") {
        return Ok(value.to_owned());
    }
    match humantime::parse_duration(value) {
        Ok(duration) => Ok(humantime::format_duration(duration).to_string()),
        Err(_) => {
            let expected = "a time such as 7d or 1h 30m, forever or instant";
            Err(HintError::Value { name: "ttl", value: value.to_owned(), expected })
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn hints(headers: &[(&'static str, &'static str)]) -> Result<Hints, HintError> {
        let header = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        Hints::from_headers(&headers.iter().map(header).collect())
    }

    #[test]
    fn a_table_is_made_and_keeps_the_last_row_unless_hints_say_otherwise() {
        assert_eq!(hints(&[]), Ok(Hints { create: true, options: TableOptions::default() }));
        let all =
            hints(&[("x-greptime-hints", "ttl=7d, append_mode=true,skip_wal=true,auto_create_table=false,new=1")]);
        let options = TableOptions { merge: Merge::Append, ttl: Some("7days".into()), comment: None, skip_wal: true };
        assert_eq!(all, Ok(Hints { create: false, options }));
        let each = hints(&[("x-greptime-hint-merge_mode", "last_non_null"), ("x-greptime-hint-ttl", "forever")]);
        let options =
            TableOptions { merge: Merge::LastNonNull, ttl: Some("forever".into()), ..TableOptions::default() };
        assert_eq!(each, Ok(Hints { create: true, options }));
    }

    #[test]
    fn what_cannot_be_followed_is_refused() {
        for wrong in
            ["append_mode=banana", "merge_mode=newest", "ttl=soon", "append_mode=true,merge_mode=last_non_null"]
        {
            assert!(hints(&[("x-greptime-hints", wrong)]).is_err(), "{wrong}");
        }
    }
}
