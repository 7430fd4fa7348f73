//! The head of a request.

use std::time::Instant;

use super::Answer;
use super::query;

/// A request whose body was read.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// In capitals.
    pub(crate) method: String,
    /// Without the query.
    pub(crate) path: String,
    /// The query, without escapes.
    pub(crate) query: Vec<(String, String)>,
    /// What the body was encoded by, other than `identity`.
    pub(crate) encoding: Option<String>,
    /// Whether the client wants the connection to end.
    pub(crate) close: bool,
    /// Whether the client waits for leave to send its body.
    pub(super) expects: bool,
    /// Bytes of the body.
    pub(super) length: usize,
    /// Bytes of the head.
    pub(super) head: usize,
    /// When its last byte was read.
    pub(crate) read_at: Instant,
}

impl Request {
    /// The first query parameter of that name.
    pub(crate) fn param(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// Where the head ends, behind its empty line.
pub(super) fn end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

/// Reads a head with its empty line.
pub(super) fn parse(head: &[u8]) -> Result<Request, Answer> {
    let bad = |words: &str| Answer::error(400, format!("this is no HTTP/1.1 request: {words}"));
    let text = std::str::from_utf8(head).map_err(|_| bad("its head is not UTF-8"))?;
    let mut lines = text.trim_end_matches("\r\n").split("\r\n");
    let first = lines.next().unwrap_or_default();
    let [method, target, version] = first.split(' ').collect::<Vec<_>>()[..] else {
        return Err(bad("its first line is not `METHOD /path HTTP/1.1`"));
    };
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        return Err(bad("its version is neither HTTP/1.1 nor HTTP/1.0"));
    }
    if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Err(bad("its method is not in capital letters"));
    }
    if !target.starts_with('/') {
        return Err(bad("its target does not begin with `/`"));
    }
    let (path, parameters) = target.split_once('?').unwrap_or((target, ""));
    let query = query::parse(parameters).ok_or_else(|| bad("its query has a `%` that begins no escape of UTF-8"))?;
    let mut request = Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query,
        encoding: None,
        close: version == "HTTP/1.0",
        expects: false,
        length: 0,
        head: head.len(),
        read_at: Instant::now(),
    };
    let mut length = None;
    for line in lines {
        let (name, value) = line.split_once(':').ok_or_else(|| bad("a header field has no colon"))?;
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => {
                let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
                let value = digits.then(|| value.parse::<usize>().unwrap_or(usize::MAX));
                let value = value.ok_or_else(|| bad("its Content-Length is no number"))?;
                // Two lengths are how one request is smuggled in another.
                if length.replace(value).is_some_and(|other| other != value) {
                    return Err(bad("it has two lengths"));
                }
            }
            "transfer-encoding" => {
                return Err(Answer::error(411, "a body without a length is not taken: send Content-Length"));
            }
            "content-encoding" if !value.eq_ignore_ascii_case("identity") => request.encoding = Some(value.to_owned()),
            "connection" if value.eq_ignore_ascii_case("close") => request.close = true,
            "connection" if value.eq_ignore_ascii_case("keep-alive") => request.close = false,
            "expect" if value.eq_ignore_ascii_case("100-continue") => request.expects = true,
            _ => {}
        }
    }
    request.length = length.unwrap_or(0);
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(head: &[u8]) -> u16 {
        parse(head).unwrap_err().status
    }

    #[test]
    fn names_of_fields_have_any_case_and_a_proxy_may_keep_an_old_connection() {
        let head = b"GET /a HTTP/1.0\r\nCONNECTION: Keep-Alive\r\ncontent-ENCODING: gzip\r\n\r\n";
        let request = parse(head).unwrap();
        assert_eq!((request.close, request.encoding.as_deref(), request.length), (false, Some("gzip"), 0));
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for head in [
            "",
            "\r\n\r\n",
            "GET /\r\n\r\n",
            "GET / HTTP/2\r\n\r\n",
            "get / HTTP/1.1\r\n\r\n",
            "GET ping HTTP/1.1\r\n\r\n",
            "GET / x HTTP/1.1\r\n\r\n",
            "GET /?a=%zz HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nnonsense\r\n\r\n",
            "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "GET / HTTP/1.1\r\nContent-Length:\r\n\r\n",
            "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        ] {
            assert_eq!(status(head.as_bytes()), 400, "{head:?}");
        }
        assert_eq!(status(b"GET /\xff HTTP/1.1\r\n\r\n"), 400);
        assert_eq!(status(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), 411);
    }

    #[test]
    fn a_length_that_fits_no_machine_is_too_long_and_not_zero() {
        let head = b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n";
        assert_eq!(parse(head).unwrap().length, usize::MAX);
    }
}
