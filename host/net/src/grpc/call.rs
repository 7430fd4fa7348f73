//! What all calls of a channel have in common: the server, and the metadata.

use std::time::{Duration, Instant};

use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue, TE, USER_AGENT};
use hyper::{HeaderMap, Method, Request, Uri};

use super::body::Outgoing;
use super::compression::MessageCompression;
use crate::endpoint::{Endpoint, Scheme};
use crate::error::NetError;
use crate::exchange::Exchange;
use crate::request::{AGENT, check_header, check_path, malformed, too_many};

/// Makes the calls of one channel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Template {
    /// Scheme and authority.
    origin: String,
    base_path: String,
    headers: HeaderMap,
    compression: Option<MessageCompression>,
}

impl Template {
    /// Calls to `endpoint`.
    pub(crate) fn new(endpoint: &Endpoint) -> Self {
        let scheme = match endpoint.scheme() {
            Scheme::Http | Scheme::Tcp => "http",
            Scheme::Https | Scheme::Tls => "https",
        };
        let mut headers = HeaderMap::new();
        headers.insert(TE, HeaderValue::from_static("trailers"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
        headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        headers.insert("grpc-accept-encoding", HeaderValue::from_static(MessageCompression::ACCEPTED));
        let origin = format!("{scheme}://{}", endpoint.authority());
        Self { origin, base_path: endpoint.base_path().to_owned(), headers, compression: None }
    }

    /// Sends `name: value` with every call from now on, in place of an earlier value.
    ///
    /// # Errors
    ///
    /// `Malformed`, naming the field and never its value.
    pub(crate) fn set_metadata(&mut self, name: &str, value: &str) -> Result<(), NetError> {
        let (field, value) = check_header(name, value)?;
        if field == CONTENT_TYPE || field.as_str().starts_with("grpc-") {
            return Err(malformed(format!("metadata `{field}`"), "cannot be set: the host writes it itself"));
        }
        self.headers.try_insert(field, value).map_err(|_| too_many())?;
        Ok(())
    }

    /// Packs messages from now on.
    pub(crate) fn compress(&mut self, compression: MessageCompression) {
        self.compression = Some(compression);
        self.headers.insert("grpc-encoding", HeaderValue::from_static(compression.name()));
    }

    /// How messages are packed.
    pub(crate) fn compression(&self) -> Option<MessageCompression> {
        self.compression
    }

    /// Where `/package.Service/Method` is.
    ///
    /// # Errors
    ///
    /// `Malformed` when it is not of that form.
    pub(crate) fn uri(&self, path: &str) -> Result<Uri, NetError> {
        // Its query could hold a secret and is never shown; a method has none.
        let method = path.strip_prefix('/').filter(|rest| !rest.contains(['?', '#']));
        if method
            .and_then(|rest| rest.split_once('/'))
            .is_none_or(|(service, name)| service.is_empty() || name.is_empty())
        {
            let shown: String = path.split(['?', '#']).next().unwrap_or_default().escape_default().take(200).collect();
            return Err(malformed(format!("path `{shown}`"), "is no gRPC method: write /package.Service/Method"));
        }
        let path = check_path(&self.base_path, path)?;
        format!("{}{path}", self.origin)
            .parse()
            .map_err(|_| malformed(format!("path `{path}`"), "cannot stand behind the host of this endpoint"))
    }

    /// A call, with the time that the server may take if there is one.
    pub(crate) fn call(&self, uri: Uri, limit: Option<Duration>, body: Outgoing) -> Request<Outgoing> {
        let mut headers = self.headers.clone();
        if let Some(limit) = limit.and_then(|limit| HeaderValue::try_from(grpc_timeout(limit)).ok()) {
            headers.insert(HeaderName::from_static("grpc-timeout"), limit);
        }
        let mut request = Request::new(body);
        *request.method_mut() = Method::POST;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        request
    }
}

/// A time as `grpc-timeout` has it: at most eight digits and a unit. It is rounded up, so that the server does not give up before the
/// client does.
fn grpc_timeout(limit: Duration) -> String {
    let nanos = limit.as_nanos();
    for (unit, size) in [("u", 1_000), ("m", 1_000_000), ("S", 1_000_000_000), ("M", 60_000_000_000)] {
        let count = nanos.div_ceil(size);
        if count < 100_000_000 {
            return format!("{count}{unit}");
        }
    }
    "99999999H".to_owned()
}

/// One try of one call. However it ends, by an answer, an error, a time-out or by being dropped while it waits, dropping it settles the
/// books.
#[derive(Debug)]
pub(crate) struct Attempt<'a> {
    exchange: &'a mut Exchange,
    start: Option<Instant>,
    answered: bool,
}

impl<'a> Attempt<'a> {
    /// Nothing has been handed over yet.
    pub(crate) fn new(exchange: &'a mut Exchange) -> Self {
        Self { exchange, start: None, answered: false }
    }

    /// A message is handed over now.
    pub(crate) fn handed_over(&mut self) {
        self.start.get_or_insert_with(Instant::now);
    }

    /// Whether one was.
    pub(crate) fn sent(&self) -> bool {
        self.start.is_some()
    }

    /// Nothing was sent after all.
    pub(crate) fn take_back(&mut self) {
        self.start = None;
    }

    /// The answer is complete.
    pub(crate) fn answered(&mut self) {
        self.answered = true;
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if let Some(start) = self.start {
            self.exchange.wait += start.elapsed();
            self.exchange.unanswered |= !self.answered;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(endpoint: &str) -> Template {
        Template::new(&endpoint.parse().unwrap())
    }

    #[test]
    fn a_method_goes_behind_the_endpoints_own_path() {
        let uri = |endpoint, path| template(endpoint).uri(path).map(|uri| uri.to_string());
        assert_eq!(uri("http://host:4001", "/a.B/C").unwrap(), "http://host:4001/a.B/C");
        assert_eq!(uri("https://host/base/", "/a.B/C").unwrap(), "https://host/base/a.B/C");
        for path in ["", "/", "a.B/C", "/a.B", "/a.B/", "//C", "/a.B/C?token=x", "/a.B/C#x", "/a B/C"] {
            let error = uri("http://host", path).unwrap_err();
            assert!(matches!(error, NetError::Malformed { .. }), "{path}: {error}");
            assert!(!error.to_string().contains("token"), "{error}");
        }
    }

    #[test]
    fn metadata_of_the_protocol_is_not_the_callers_to_write() {
        let mut template = template("http://host");
        template.set_metadata("X-Auth", "secret").unwrap();
        for name in ["te", "content-type", "grpc-timeout", "grpc-encoding", "host", "bad name"] {
            let error = template.set_metadata(name, "secret").unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
        let call = template.call(Uri::from_static("http://host/a/b"), None, Outgoing::One(None, Default::default()));
        assert_eq!(call.headers()["x-auth"], "secret");
        assert_eq!(call.headers().len(), 5);
    }

    #[test]
    fn times_have_at_most_eight_digits_and_are_rounded_up() {
        for (limit, text) in [
            (Duration::from_millis(250), "250000u"),
            (Duration::from_secs(30), "30000000u"),
            (Duration::from_nanos(1), "1u"),
            (Duration::from_secs(100), "100000m"),
            (Duration::from_secs(100_000), "100000S"),
            (Duration::from_secs(100_000_001), "1666667M"),
            (Duration::MAX, "99999999H"),
        ] {
            assert_eq!(grpc_timeout(limit), text);
        }
    }
}
