//! As much of HTTP/1.1 as a client of a database needs: requests with a length, one after the other on a connection.

mod head;
mod query;

use std::io::{self, Read, Write};
use std::time::Instant;

pub(crate) use head::Request;

/// The longest head.
const MAX_HEAD: usize = 16 << 10;
/// The longest body: InfluxDB's own default.
pub(crate) const MAX_BODY: usize = 25_000_000;
/// What a connection keeps of its buffer between requests.
const KEPT: usize = 1 << 20;
/// Read at once.
const PIECE: usize = 64 << 10;

/// Why there is no request.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// The client is gone.
    Gone,
    /// The client sent something that cannot be answered as it wishes. Where the next request would begin is not known.
    Refused(Answer),
}

impl From<io::Error> for ReadError {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// JSON; empty for none.
    pub(crate) body: String,
}

impl Answer {
    /// An answer with a body of JSON.
    pub(crate) fn json(status: u16, value: &impl serde::Serialize) -> Self {
        // Only maps with keys that are no strings cannot be written, and there are none.
        Self { status, body: serde_json::to_string(value).unwrap_or_default() }
    }

    /// 204.
    pub(crate) fn no_content() -> Self {
        Self { status: 204, body: String::new() }
    }

    /// An error, in the words of InfluxDB 1: a JSON object with `error`.
    pub(crate) fn error(status: u16, words: impl Into<String>) -> Self {
        Self::json(status, &serde_json::json!({ "error": words.into() }))
    }

    /// The bytes of the answer.
    pub(crate) fn bytes(&self, close: bool) -> Vec<u8> {
        let (status, reason) = (self.status, reason(self.status));
        let mut text = format!(
            "HTTP/1.1 {status} {reason}\r\nX-Influxdb-Version: {}\r\nX-Influxdb-Build: OSS\r\n",
            crate::calibration::influx::VERSION
        );
        if close {
            text.push_str("Connection: close\r\n");
        }
        if status != 204 {
            text.push_str("Content-Type: application/json\r\nContent-Length: ");
            text.push_str(&self.body.len().to_string());
            text.push_str("\r\n");
        }
        text.push_str("\r\n");
        text.push_str(&self.body);
        text.into_bytes()
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        411 => "Length Required",
        413 => "Request Entity Too Large",
        415 => "Unsupported Media Type",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        507 => "Insufficient Storage",
        _ => "Error",
    }
}

/// The requests of a connection.
pub(crate) struct Requests<S> {
    stream: S,
    buffer: Vec<u8>,
    /// Bytes of `buffer` that were received.
    filled: usize,
}

impl<S: Read + Write> Requests<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, buffer: Vec::new(), filled: 0 }
    }

    /// Reads the next request to its end. Its body is in [`Requests::body`] until [`Requests::done`].
    pub(crate) fn next(&mut self) -> Result<Request, ReadError> {
        let end = loop {
            if let Some(end) = head::end(&self.buffer[..self.filled]) {
                break end;
            }
            if self.filled > MAX_HEAD {
                return Err(ReadError::Refused(Answer::error(431, format!("the head is over {MAX_HEAD} bytes"))));
            }
            self.receive(PIECE)?;
        };
        let mut request = head::parse(&self.buffer[..end]).map_err(ReadError::Refused)?;
        if request.length > MAX_BODY {
            let words = format!("the body has {} bytes, and at most {MAX_BODY} are taken", request.length);
            return Err(ReadError::Refused(Answer::error(413, words)));
        }
        let all = end + request.length;
        if request.expects && self.filled < all {
            self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        while self.filled < all {
            self.receive(all - self.filled)?;
        }
        request.read_at = Instant::now();
        request.head = end;
        Ok(request)
    }

    /// The body of the request that was read last.
    pub(crate) fn body(&self, request: &Request) -> &[u8] {
        &self.buffer[request.head..request.head + request.length]
    }

    /// Where requests come from.
    pub(crate) fn stream(&mut self) -> &mut S {
        &mut self.stream
    }

    /// Sends the answer.
    pub(crate) fn answer(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// Forgets the request that was read last; what came after it stays.
    pub(crate) fn done(&mut self, request: &Request) {
        let all = request.head + request.length;
        self.buffer.copy_within(all..self.filled, 0);
        self.filled -= all;
        if self.buffer.len() > KEPT.max(self.filled) {
            self.buffer.truncate(KEPT.max(self.filled));
            self.buffer.shrink_to_fit();
        }
    }

    /// Receives up to `most` bytes, at least one.
    fn receive(&mut self, most: usize) -> Result<(), ReadError> {
        let room = self.filled + most;
        if self.buffer.len() < room {
            self.buffer.resize(room, 0);
        }
        loop {
            match self.stream.read(&mut self.buffer[self.filled..room]) {
                Ok(0) => return Err(ReadError::Gone),
                Ok(received) => {
                    self.filled += received;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// A stream that gives its bytes a few at a time and keeps what is written.
    struct Slow(Cursor<Vec<u8>>, Vec<u8>);

    impl Read for Slow {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let few = into.len().min(7);
            self.0.read(&mut into[..few])
        }
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn requests(text: &str) -> Requests<Slow> {
        Requests::new(Slow(Cursor::new(text.as_bytes().to_vec()), Vec::new()))
    }

    fn refusal(text: &str) -> u16 {
        match requests(text).next() {
            Err(ReadError::Refused(answer)) => answer.status,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn requests_follow_each_other_whatever_the_pieces() {
        let mut requests = requests(
            "POST /write?db=a HTTP/1.1\r\nContent-Length: 5\r\n\r\nhelloGET /ping HTTP/1.1\r\nConnection: close\r\n\r\n",
        );
        let first = requests.next().unwrap();
        assert_eq!((first.method.as_str(), first.path.as_str(), first.param("db")), ("POST", "/write", Some("a")));
        assert_eq!((requests.body(&first), first.close), (b"hello".as_slice(), false));
        requests.done(&first);
        let second = requests.next().unwrap();
        assert_eq!((second.method.as_str(), second.path.as_str(), second.close), ("GET", "/ping", true));
        requests.done(&second);
        assert!(matches!(requests.next(), Err(ReadError::Gone)));
    }

    #[test]
    fn a_client_that_waits_for_leave_to_send_its_body_gets_it() {
        let mut requests =
            requests("POST / HTTP/1.1\r\nContent-Length: 16\r\nExpect: 100-continue\r\n\r\n0123456789abcdef");
        let request = requests.next().unwrap();
        assert_eq!(requests.body(&request), b"0123456789abcdef");
        assert_eq!(requests.stream.1, b"HTTP/1.1 100 Continue\r\n\r\n");
    }

    #[test]
    fn heads_and_bodies_beyond_the_bounds_are_refused() {
        assert_eq!(refusal(&format!("GET /{} HTTP/1.1\r\n", "a".repeat(MAX_HEAD + PIECE))), 431);
        assert_eq!(refusal("POST / HTTP/1.1\r\nContent-Length: 25000001\r\n\r\n"), 413);
    }

    #[test]
    fn a_request_that_ends_early_is_a_client_that_is_gone() {
        assert!(matches!(requests("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nx").next(), Err(ReadError::Gone)));
    }

    #[test]
    fn a_large_body_is_not_kept_in_memory() {
        let body = "x".repeat(KEPT * 2);
        let mut requests = Requests::new(Cursor::new(
            format!("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes(),
        ));
        let request = requests.next().unwrap();
        assert_eq!(requests.body(&request).len(), body.len());
        requests.done(&request);
        assert!(requests.buffer.capacity() < KEPT * 2);
    }

    #[test]
    fn answers_have_a_length_unless_they_have_no_body() {
        let text = |answer: Answer| String::from_utf8(answer.bytes(false)).unwrap();
        assert!(text(Answer::error(400, "no")).ends_with("Content-Length: 14\r\n\r\n{\"error\":\"no\"}"));
        let empty = text(Answer::no_content());
        assert!(empty.starts_with("HTTP/1.1 204 No Content\r\n") && !empty.contains("Content-Length"));
        assert!(String::from_utf8(Answer::no_content().bytes(true)).unwrap().contains("Connection: close\r\n"));
    }
}
