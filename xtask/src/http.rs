//! A blocking HTTP/1.1 client over `std::net`, for tests and readiness probes on loopback.
//!
//! One connection per request, closed afterwards; bodies by length, chunked, or until the end of the connection. No TLS, no
//! redirects, no compression: whoever needs those tests the product, not the helper.

use std::fmt::Write as _;
use std::io::{self, BufReader, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

mod response;
mod text;

pub use response::Response;
pub use text::{base64, form, percent_encode};

/// How long [`Request::send`] waits to connect, and again for each read or write, unless [`Request::timeout`] says otherwise.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// A request that is ready to be sent; build it with [`get`] or [`post`].
#[derive(Clone, Debug)]
pub struct Request {
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    timeout: Duration,
}

/// A GET request for `url`, which must start with `http://`.
pub fn get(url: impl Into<String>) -> Request {
    Request::new("GET", url, Vec::new())
}

/// A POST request to `url` with `body`.
pub fn post(url: impl Into<String>, body: impl Into<Vec<u8>>) -> Request {
    Request::new("POST", url, body.into())
}

impl Request {
    /// A request with any method.
    pub fn new(method: impl Into<String>, url: impl Into<String>, body: Vec<u8>) -> Self {
        Self { method: method.into(), url: url.into(), headers: Vec::new(), body, timeout: DEFAULT_TIMEOUT }
    }

    /// Adds a header; the same name twice is sent twice.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Adds `Authorization: Basic …`.
    #[must_use]
    pub fn basic(self, user: &str, password: &str) -> Self {
        let credentials = base64(format!("{user}:{password}").as_bytes());
        self.header("Authorization", format!("Basic {credentials}"))
    }

    /// Adds `Authorization: Token …`, as InfluxDB wants it.
    #[must_use]
    pub fn token(self, token: &str) -> Self {
        self.header("Authorization", format!("Token {token}"))
    }

    /// Sets how long to wait to connect, and again for each read or write.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sends the request and reads the whole answer, whatever its status.
    ///
    /// # Errors
    /// The URL cannot be parsed or resolved, the connection is refused or breaks, a time-out passes, or the answer is not HTTP.
    pub fn send(&self) -> Result<Response> {
        let answer = self.exchange().map_err(|error| match timed_out(&error) {
            true => error.context(format!("no answer within {} s", self.timeout.as_secs_f64())),
            false => error,
        });
        answer.with_context(|| format!("{} {}", self.method, self.url))
    }

    fn exchange(&self) -> Result<Response> {
        let (authority, target) = split(&self.url)?;
        let stream = self.connect(authority)?;
        let mut writer = &stream;
        writer.write_all(self.head(authority, target).as_bytes()).context("cannot send the request")?;
        writer.write_all(&self.body).context("cannot send the request body")?;
        response::read(&mut BufReader::new(&stream), self.method == "HEAD")
    }

    fn connect(&self, authority: &str) -> Result<TcpStream> {
        let with_port = if authority.contains(':') { authority.to_owned() } else { format!("{authority}:80") };
        let address = with_port
            .to_socket_addrs()
            .with_context(|| format!("cannot resolve `{with_port}`"))?
            .next()
            .with_context(|| format!("`{with_port}` has no address"))?;
        let stream = TcpStream::connect_timeout(&address, self.timeout)
            .with_context(|| format!("cannot connect to {address}"))?;
        stream.set_read_timeout(Some(self.timeout))?;
        stream.set_write_timeout(Some(self.timeout))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    fn head(&self, authority: &str, target: &str) -> String {
        let mut head = format!("{} {target} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n", self.method);
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        if !self.body.is_empty() || self.method == "POST" {
            let _ = write!(head, "Content-Length: {}\r\n", self.body.len());
        }
        head.push_str("\r\n");
        head
    }
}

/// Whether a time-out is behind an error: the system calls one on an open connection "temporarily unavailable".
fn timed_out(error: &anyhow::Error) -> bool {
    let kinds = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    kinds.into_iter().any(|kind| matches!(kind, io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut))
}

/// Splits a URL into `host:port` and the path with its query.
fn split(url: &str) -> Result<(&str, &str)> {
    let Some(rest) = url.strip_prefix("http://") else {
        bail!("this client speaks plain HTTP only: `{url}` must start with http://")
    };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, target) = rest.split_at(end);
    if authority.is_empty() {
        bail!("`{url}` names no host");
    }
    match target {
        "" => Ok((authority, "/")),
        target if target.starts_with('/') => Ok((authority, target)),
        _ => bail!("`{url}` has a query but no path: write http://{authority}/{target}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::io::{BufRead as _, Read as _};
    use std::net::TcpListener;
    use std::thread::{self, JoinHandle};

    use super::*;

    /// Answers one request with `answer` and gives back what it received: the head's lines and the body.
    fn serve_once(answer: &'static str) -> (String, JoinHandle<(Vec<String>, String)>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let thread = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(&stream);
            let mut head = Vec::new();
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if line.trim_end().is_empty() {
                    break;
                }
                head.push(line.trim_end().to_owned());
            }
            let length = head.iter().find_map(|line| line.strip_prefix("Content-Length: "));
            let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
            reader.read_exact(&mut body).unwrap();
            (&stream).write_all(answer.as_bytes()).unwrap();
            (head, String::from_utf8(body).unwrap())
        });
        (url, thread)
    }

    #[test]
    fn a_post_carries_its_headers_and_body_and_reads_a_body_by_length() {
        let (url, server) =
            serve_once("HTTP/1.1 201 Created\r\nX-Version: 1.8.3\r\nContent-Length: 5\r\n\r\nhello, more");
        let answer = post(format!("{url}/write?db=b"), "cpu u=1").basic("u", "p").send().unwrap();
        let (head, body) = server.join().unwrap();
        assert_eq!((answer.status, answer.text().as_str()), (201, "hello"));
        assert_eq!(answer.header("x-version"), Some("1.8.3"));
        assert_eq!(head[0], "POST /write?db=b HTTP/1.1");
        assert!(head.contains(&"Authorization: Basic dTpw".to_owned()), "{head:?}");
        assert_eq!(body, "cpu u=1");
    }

    #[test]
    fn a_chunked_body_is_put_together() {
        let (url, server) = serve_once(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6;x=y\r\nhello \r\n5\r\nworld\r\n0\r\nTrailer: t\r\n\r\n",
        );
        assert_eq!(get(url).send().unwrap().text(), "hello world");
        assert_eq!(server.join().unwrap().0[0], "GET / HTTP/1.1");
    }

    #[test]
    fn a_body_without_a_length_ends_with_the_connection_and_204_has_none() {
        let (url, server) = serve_once("HTTP/1.0 200 OK\r\n\r\nall of it");
        assert_eq!(get(url).send().unwrap().text(), "all of it");
        server.join().unwrap();
        let (url, server) = serve_once("HTTP/1.1 204 No Content\r\n\r\nnot a body");
        let answer = get(url).send().unwrap();
        assert_eq!((answer.status, answer.body.len()), (204, 0));
        server.join().unwrap();
    }

    #[test]
    fn an_answer_that_stops_early_is_an_error() {
        let (url, server) = serve_once("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort");
        let error = format!("{:#}", get(url).send().unwrap_err());
        assert!(error.contains("the body ended early"), "{error}");
        server.join().unwrap();
    }

    #[test]
    fn a_server_that_stays_silent_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let error = get(url).timeout(Duration::from_millis(20)).send().unwrap_err();
        assert!(format!("{error:#}").contains(": no answer within 0.02 s"), "{error:#}");
    }

    #[test]
    fn a_refused_connection_names_the_address() {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let error = format!("{:#}", get(format!("http://{address}/ping")).send().unwrap_err());
        assert!(error.contains(&format!("cannot connect to {address}")), "{error}");
    }

    #[test]
    fn urls_without_http_or_host_are_refused() {
        for url in ["https://127.0.0.1/", "127.0.0.1:8086", "http:///x", "http://h?q=1"] {
            assert!(split(url).is_err(), "{url}");
        }
        assert_eq!(split("http://h:1/a?b").unwrap(), ("h:1", "/a?b"));
        assert_eq!(split("http://h").unwrap(), ("h", "/"));
    }
}
