//! Answers.

use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use axum::response::Response;
use serde_json::Value;

/// Marks an answer that never leaves: the connection is cut instead.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut;

/// An answer without a body.
pub(crate) fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// An answer of some type.
pub(crate) fn bytes(status: StatusCode, content_type: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// Plain text.
pub(crate) fn text(status: StatusCode, body: impl Into<Body>) -> Response {
    bytes(status, "text/plain; charset=utf-8", body)
}

/// JSON.
pub(crate) fn json(status: StatusCode, body: &Value) -> Response {
    bytes(status, "application/json", body.to_string())
}

/// The connection is cut.
pub(crate) fn cut() -> Response {
    let mut response = empty(StatusCode::INTERNAL_SERVER_ERROR);
    response.extensions_mut().insert(Cut);
    response
}

/// The same with a header; characters that no header can have are replaced.
pub(crate) fn with_header(mut response: Response, name: &'static str, value: &str) -> Response {
    let plain: String = value.chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' }).collect();
    if let Ok(value) = HeaderValue::from_str(&plain) {
        response.headers_mut().insert(HeaderName::from_static(name), value);
    }
    response
}
