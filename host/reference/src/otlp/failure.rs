//! What goes wrong over HTTP, in the words of the path that was asked.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::json;

use crate::admit::Denied;
use crate::auth::AuthError;
use crate::rpc;
use crate::store::ErrorKind;

/// Whose ways a path has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The specification's: failures are a `google.rpc.Status`.
    Standard,
    /// GreptimeDB's: failures are JSON.
    Greptime,
}

/// Why a request is refused.
#[derive(Debug)]
pub(super) enum Failure {
    /// With an answer of its own, whatever the path.
    Ready(Box<Response>),
    /// In the words of the path.
    Said {
        /// The status.
        status: StatusCode,
        /// What is wrong.
        words: String,
        /// GreptimeDB's code, where it is told.
        code: Option<u32>,
        /// How long the client is to wait.
        retry: Option<Duration>,
    },
}

impl Failure {
    /// A refusal.
    pub(super) fn new(status: StatusCode, words: impl Into<String>) -> Self {
        Self::Said { status, words: words.into(), code: None, retry: None }
    }

    /// A refusal that is an answer already.
    pub(super) fn ready(answer: Response) -> Self {
        Self::Ready(Box::new(answer))
    }

    /// A caller who is not let in.
    pub(super) fn unauthenticated(error: AuthError) -> Self {
        let (status, code) = (StatusCode::UNAUTHORIZED, Some(error.code));
        Self::Said { status, words: error.message, code, retry: None }
    }

    /// A write that is not acknowledged.
    pub(super) fn denied(denied: Denied) -> Self {
        match denied {
            Denied::Refused(error) => {
                let status = match error.kind {
                    ErrorKind::Full => StatusCode::INSUFFICIENT_STORAGE,
                    ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
                    _ => StatusCode::BAD_REQUEST,
                };
                Self::new(status, error.message)
            }
            Denied::Fault => Self::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal error: 1003 (injected)"),
            Denied::Throttled(after) => {
                let (status, words) = (StatusCode::TOO_MANY_REQUESTS, "Too many requests (injected)".to_owned());
                Self::Said { status, words, code: None, retry: Some(after) }
            }
            Denied::Cut => Self::ready(crate::http::cut()),
        }
    }

    /// The answer.
    pub(super) fn answer(self, way: Way) -> Response {
        let (status, words, code, retry) = match self {
            Self::Ready(answer) => return *answer,
            Self::Said { status, words, code, retry } => (status, words, code, retry),
        };
        let (kind, body) = match way {
            Way::Standard => {
                let number = match status {
                    StatusCode::UNAUTHORIZED => tonic::Code::Unauthenticated,
                    StatusCode::TOO_MANY_REQUESTS | StatusCode::INSUFFICIENT_STORAGE => tonic::Code::ResourceExhausted,
                    StatusCode::INTERNAL_SERVER_ERROR => tonic::Code::Internal,
                    _ => tonic::Code::InvalidArgument,
                };
                ("application/x-protobuf", rpc::status(number as i32, &words, retry))
            }
            Way::Greptime => {
                let body = match code {
                    Some(code) => json!({"code": code, "error": words, "execution_time_ms": 0}),
                    None => json!({"error": words}),
                };
                ("application/json", body.to_string().into_bytes())
            }
        };
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        if let Some(after) = retry {
            // Whole seconds, and at least one: less cannot be said.
            headers.insert(header::RETRY_AFTER, HeaderValue::from(after.as_secs_f64().ceil().max(1.0) as u64));
        }
        if let Some(code) = code {
            headers.insert("x-greptime-err-code", HeaderValue::from(code));
        }
        response
    }
}
