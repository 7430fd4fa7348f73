//! An answer, read to its end.

use bytes::Bytes;
use hyper::HeaderMap;

/// A complete answer. Any status is one.
#[derive(Debug, Clone)]
pub struct HttpResponse {
    /// The status code.
    pub status: u16,
    /// The whole body as it came over the wire, not decompressed.
    pub body: Bytes,
    headers: HeaderMap,
}

impl HttpResponse {
    /// An answer of these parts.
    pub(crate) fn new(status: u16, headers: HeaderMap, body: Bytes) -> Self {
        Self { status, body, headers }
    }

    /// The first header field of that name, in any case; `None` too when its value is not visible ASCII.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// All header fields whose values are visible ASCII, names in lower case.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
    }
}
