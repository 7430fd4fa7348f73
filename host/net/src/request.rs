//! Requests: what a caller asked for, checked and turned into what hyper writes.
//!
//! A worker sends the same method, path and headers over and over, with another body each time. So a request is checked once, and its
//! checked form is what is sent.

use std::fmt;
use std::sync::OnceLock;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_LENGTH, HOST, HeaderName, HeaderValue, USER_AGENT};
use hyper::{HeaderMap, Method, Request, Uri};

use crate::endpoint::Endpoint;
use crate::error::NetError;
use crate::response::HttpResponse;

/// Sent as `User-Agent` unless a caller sets another.
pub(crate) const AGENT: &str = concat!("benchhost/", env!("CARGO_PKG_VERSION"));

/// Fields that frame the message or name the server. They are this side's to write: a caller's version would end in a message
/// that server and client cut differently.
const OURS: [&str; 11] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Longest path with query, in bytes: what a URI of the HTTP library can hold.
const MAX_PATH: usize = 65_534;

/// Makes the requests of one client.
pub(crate) struct Template {
    base_path: String,
    defaults: HeaderMap,
}

/// A checked request without its body, made by [`HttpClient::prepare`](crate::HttpClient::prepare) for the client that prepared it.
pub struct PreparedRequest {
    /// The first answer of status 2xx, for replays.
    answered: OnceLock<HttpResponse>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
}

impl Template {
    /// Requests to `endpoint`, with `Host` and `User-Agent`.
    ///
    /// # Errors
    ///
    /// `Malformed` when the endpoint's host cannot stand in a header.
    pub(crate) fn new(endpoint: &Endpoint) -> Result<Self, NetError> {
        let mut defaults = HeaderMap::new();
        let host = HeaderValue::try_from(endpoint.authority())
            .map_err(|_| malformed("host".to_owned(), "cannot stand in a header"))?;
        defaults.insert(HOST, host);
        defaults.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        Ok(Self { base_path: endpoint.base_path().to_owned(), defaults })
    }

    /// Sends `name: value` with every request from now on, in place of an earlier value.
    ///
    /// # Errors
    ///
    /// `Malformed`, naming the field and never its value.
    pub(crate) fn set_header(&mut self, name: &str, value: &str) -> Result<(), NetError> {
        let (field, value) = check_header(name, value)?;
        self.defaults.try_insert(field, value).map_err(|_| too_many())?;
        Ok(())
    }

    /// Checks a request.
    ///
    /// # Errors
    ///
    /// `Malformed`, naming the part.
    pub(crate) fn prepare(
        &self,
        method: &str,
        path_and_query: &str,
        headers: &[(String, String)],
    ) -> Result<PreparedRequest, NetError> {
        let mut all = self.defaults.clone();
        let fields = headers.iter().map(|(name, value)| check_header(name, value)).collect::<Result<Vec<_>, _>>()?;
        for (name, _) in &fields {
            all.remove(name);
        }
        for (name, value) in fields {
            all.try_append(name, value).map_err(|_| too_many())?;
        }
        let method = check_method(method)?;
        if matches!(method, Method::POST | Method::PUT | Method::PATCH) {
            // Servers expect a body from these, so the absence of one is said too.
            all.try_insert(CONTENT_LENGTH, HeaderValue::from_static("0")).map_err(|_| too_many())?;
        }
        Ok(PreparedRequest {
            answered: OnceLock::new(),
            method,
            uri: check_path(&self.base_path, path_and_query)?,
            headers: all,
        })
    }
}

impl PreparedRequest {
    /// Keeps the first answer that says that all is well; true when it was this one.
    pub(crate) fn keep(&self, response: &HttpResponse) -> bool {
        self.answered.get().is_none()
            && (200..300).contains(&response.status)
            && self.answered.set(response.clone()).is_ok()
    }

    /// What tells requests of one kind from those of another, whoever prepared them.
    pub(crate) fn kind(&self) -> (Method, Uri) {
        (self.method.clone(), self.uri.clone())
    }

    /// That answer.
    pub(crate) fn kept(&self) -> Option<HttpResponse> {
        self.answered.get().cloned()
    }

    /// The request with this body, whose length it says.
    pub(crate) fn request(&self, body: Option<Bytes>) -> Request<Full<Bytes>> {
        let mut headers = self.headers.clone();
        if let Some(body) = &body {
            let length = HeaderValue::from(body.len());
            // Usually the field is there already, so that the copy needs no room for one more.
            match headers.get_mut(CONTENT_LENGTH) {
                Some(value) => *value = length,
                None => _ = headers.insert(CONTENT_LENGTH, length),
            }
        }
        let mut request = Request::new(Full::new(body.unwrap_or_default()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = headers;
        request
    }
}

impl fmt::Debug for PreparedRequest {
    /// Headers and query may hold credentials, so they are not shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedRequest").field("method", &self.method).finish_non_exhaustive()
    }
}

fn check_method(method: &str) -> Result<Method, NetError> {
    let named = || format!("method `{}`", method.escape_default().take(40).collect::<String>());
    match Method::from_bytes(method.as_bytes()) {
        Ok(Method::CONNECT) => {
            Err(malformed(named(), "opens a tunnel, which is not offered: use GET, POST or another"))
        }
        Ok(method) => Ok(method),
        Err(_) => Err(malformed(named(), "is not an HTTP method: use GET, POST or another, in capitals")),
    }
}

/// Checks a path with its query and puts it behind the endpoint's own.
///
/// # Errors
///
/// `Malformed`, without the query.
pub(crate) fn check_path(base_path: &str, path_and_query: &str) -> Result<Uri, NetError> {
    // The query may hold a token, so it is never shown.
    let path = path_and_query.split(['?', '#']).next().unwrap_or_default();
    let named = || format!("path `{}`", path.escape_default().take(200).collect::<String>());
    if !path_and_query.is_empty() && !path_and_query.starts_with('/') {
        return Err(malformed(named(), "does not start with `/`"));
    }
    if path_and_query.contains('#') {
        return Err(malformed(named(), "has a fragment (`#`), which is never sent: write %23 for the character"));
    }
    if !path_and_query.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(malformed(
            named(),
            "or its query has a space or another character that is not visible ASCII: percent-encode it",
        ));
    }
    if base_path.len() + path_and_query.len() > MAX_PATH {
        return Err(malformed(named(), "is too long with its query, at most 65534 bytes: send the text in the body"));
    }
    let whole = if base_path.is_empty() && path_and_query.is_empty() {
        "/".to_owned()
    } else {
        format!("{base_path}{path_and_query}")
    };
    whole
        .parse()
        .map_err(|_| malformed(named(), "or its query has a character that a URL cannot hold: percent-encode it"))
}

/// Checks a header.
///
/// # Errors
///
/// `Malformed`, without the value; also for what the host writes itself.
pub(crate) fn check_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), NetError> {
    let named = || format!("header `{}`", name.escape_default().take(80).collect::<String>());
    let field = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| malformed(named(), "has a name with characters that a header name cannot hold"))?;
    if OURS.contains(&field.as_str()) {
        return Err(malformed(named(), "cannot be set: the host writes it itself"));
    }
    // The library lets more through: bytes beyond ASCII, which servers read in different ways.
    let plain = value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    match HeaderValue::from_str(value) {
        Ok(value) if plain => Ok((field, value)),
        _ => Err(malformed(named(), "has a value with characters other than visible ASCII and spaces")),
    }
}

/// More headers than the library holds.
pub(crate) fn too_many() -> NetError {
    malformed("request".to_owned(), "has too many headers")
}

/// The error for a part of a request.
pub(crate) fn malformed(what: String, problem: &'static str) -> NetError {
    NetError::Malformed { what, problem }
}
