//! What targets over HTTP share: queries, credentials, and the reading of answers into errors.

use serde_json::Value;

use crate::text::{base64, percent_encode, shorten};
use crate::{Client, Error, ErrorKind, Header, Payload, Response, Result, Secret};

/// Bytes that one `payload.read` asks for: what the host gives at most.
const READ_BYTES: u32 = 16 << 20;
/// Bytes of a server's words that go into an error message.
const WORDS: usize = 500;

/// A path and query in the making.
///
/// ```
/// # use benchhost_plugin::Query;
/// assert_eq!(Query::new("/write").with("db", "a b").with("precision", "ms").to_string(), "/write?db=a%20b&precision=ms");
/// ```
#[derive(Debug, Clone)]
pub struct Query(String);

impl Query {
    /// A path, which must be escaped already.
    #[must_use]
    pub fn new(path: &str) -> Self {
        Self(path.to_owned())
    }

    /// The same with one more parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.push(if self.0.contains('?') { '&' } else { '?' });
        self.0.push_str(&percent_encode(name));
        self.0.push('=');
        self.0.push_str(&percent_encode(value));
        self
    }

    /// The same with one more parameter, if there is a value.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }
}

impl Query {
    /// The path with its parameters, as it goes over the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Query {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Query> for String {
    fn from(query: Query) -> Self {
        query.0
    }
}

impl Header {
    /// A header field.
    #[must_use]
    pub fn new(name: &str, value: &str) -> Self {
        Self { name: name.to_owned(), value: value.to_owned() }
    }
}

impl Client {
    /// Sends the user and password, if there is a user, with every request from now on.
    ///
    /// # Errors
    ///
    /// `invalid` for a password without a user.
    pub fn authorize(&self, user: Option<&str>, password: Option<&Secret>) -> Result<()> {
        let password = match (user, password) {
            (None, None) => return Ok(()),
            (None, Some(_)) => return Err(Error::invalid("`password` is set without `user`")),
            (Some(_), password) => password.map_or("", Secret::expose),
        };
        let credentials = format!("{}:{password}", user.unwrap_or_default());
        self.set_header("authorization", &format!("Basic {}", base64(credentials.as_bytes())))
    }

    /// Sends a request without a body.
    ///
    /// # Errors
    ///
    /// Those of the connection: any answer of the server is `Ok`.
    pub fn call(&self, method: &str, query: &Query) -> Result<Response> {
        self.send(method, &query.0, &[], None)
    }

    /// Sends a JSON document.
    ///
    /// # Errors
    ///
    /// Those of the connection: any answer of the server is `Ok`.
    pub fn post_json(&self, query: &Query, document: &Value) -> Result<Response> {
        let body = Payload::from_bytes(document.to_string().as_bytes(), 0);
        self.send("POST", &query.0, &[Header::new("content-type", "application/json")], Some(&body))
    }
}

impl Payload {
    /// All of it, copied into the plugin.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut all = Vec::new();
        while (all.len() as u64) < self.size() {
            let more = self.read(all.len() as u64, READ_BYTES);
            if more.is_empty() {
                break;
            }
            all.extend(more);
        }
        all
    }

    /// All of it as text; what is not UTF-8 is replaced.
    #[must_use]
    pub fn text(&self) -> String {
        match String::from_utf8(self.bytes()) {
            Ok(text) => text,
            Err(other) => String::from_utf8_lossy(other.as_bytes()).into_owned(),
        }
    }
}

impl Response {
    /// Whether the status is 200 to 299.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status())
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        self.body().text()
    }

    /// The body as JSON.
    ///
    /// # Errors
    ///
    /// `internal` when it is none; `doing` says what the request was for ("count rows").
    pub fn json(&self, doing: &str) -> Result<Value> {
        let text = self.text();
        serde_json::from_str(&text).map_err(|error| {
            let words = shorten(text.trim(), WORDS);
            Error::internal(format!("{doing}: the server's answer is not JSON ({error}): {words}"))
        })
    }

    /// Itself, if the status is 200 to 299.
    ///
    /// # Errors
    ///
    /// [`Response::error`] otherwise.
    pub fn success(self, doing: &str) -> Result<Self> {
        if self.is_success() { Ok(self) } else { Err(self.error(doing)) }
    }

    /// What an answer that is no success means, with the server's own words; `doing` says what the request was for
    /// ("write").
    ///
    /// 429 and 503 are `throttled`, 502 and 504 `unavailable`, 408 `timed-out`; these and 500 are retryable. Anything
    /// else is `rejected` for good. The status is the code. `retry-after` counts when it is in seconds.
    #[must_use]
    pub fn error(&self, doing: &str) -> Error {
        let status = self.status();
        let (kind, retryable) = match status {
            429 | 503 => (ErrorKind::Throttled, true),
            502 | 504 => (ErrorKind::Unavailable, true),
            408 => (ErrorKind::TimedOut, true),
            500 => (ErrorKind::Rejected, true),
            200..300 => (ErrorKind::Internal, false),
            _ => (ErrorKind::Rejected, false),
        };
        let mut message = format!("{doing}: HTTP {status}");
        let reason = reason(status);
        if !reason.is_empty() {
            message = format!("{message} {reason}");
        }
        let words = server_words(&self.text());
        if !words.is_empty() {
            message = format!("{message}: {words}");
        }
        let retry_after_ms = self.header("retry-after").as_deref().and_then(retry_after_ms);
        Error { retryable, retry_after_ms, ..Error::new(kind, message).with_code(status.to_string()) }
    }
}

/// Milliseconds of a `retry-after` in seconds, with or without a fraction; none for a date.
fn retry_after_ms(value: &str) -> Option<u64> {
    let ms = (value.trim().parse::<f64>().ok()? * 1000.0).round();
    (0.0..=1e12).contains(&ms).then_some(ms as u64)
}

/// The sentence in an error body: of a JSON object its `message` or `error`, else the text itself.
fn server_words(body: &str) -> String {
    let body = body.trim();
    let words = match serde_json::from_str::<Value>(body) {
        Ok(Value::Object(object)) => ["message", "error"]
            .iter()
            .find_map(|key| object.get(*key)?.as_str().filter(|words| !words.is_empty()).map(str::to_owned)),
        _ => None,
    };
    let words = words.unwrap_or_else(|| body.to_owned());
    shorten(&words.split_whitespace().collect::<Vec<_>>().join(" "), WORDS)
}

/// The usual words for a status; empty for a rare one.
fn reason(status: u16) -> &'static str {
    match status {
        300..400 => "(a redirect, which is not followed: give the endpoint that it points to)",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_in_seconds_only() {
        assert_eq!(retry_after_ms("3"), Some(3000));
        assert_eq!(retry_after_ms(" 0.25 "), Some(250));
        assert_eq!(retry_after_ms("Wed, 21 Oct 2026 07:28:00 GMT"), None);
        assert_eq!(retry_after_ms("-1"), None);
        assert_eq!(retry_after_ms("NaN"), None);
    }

    #[test]
    fn the_servers_sentence_is_found() {
        assert_eq!(server_words(r#"{"code":"invalid","message":"bad line"}"#), "bad line");
        assert_eq!(server_words(r#"{"error":"database not found: \"x\""}"#), "database not found: \"x\"");
        assert_eq!(server_words(r#"{"data":[1]}"#), r#"{"data":[1]}"#);
        assert_eq!(server_words("  plain\n text "), "plain text");
        assert_eq!(server_words(&"x".repeat(600)).chars().count(), WORDS + 1);
    }
}
