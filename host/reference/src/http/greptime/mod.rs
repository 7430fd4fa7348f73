//! The paths of GreptimeDB 1.0.2, as a real one was seen to answer.

mod format;
mod influx;
mod sql;

use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::get;
use serde_json::json;

use super::reply;
use crate::auth::AuthError;
use crate::shared::Shared;

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1/health", get(healthy).post(healthy))
        .route("/ready", get(healthy).post(healthy))
        .route("/status", get(status))
        .merge(sql::router())
        .merge(influx::router())
}

/// `/health` and its likes.
pub(super) async fn healthy() -> Response {
    reply::json(StatusCode::OK, &json!({}))
}

async fn status() -> Response {
    let facts = json!({
        "source_time": "", "commit": "", "branch": "", "rustc_version": "", "hostname": "benchhost-reference", "version": "1.0.2",
    });
    reply::json(StatusCode::OK, &facts)
}

/// The database of a request: by its header, or else by the first of these that is there, or else `public`.
pub(crate) fn database<'a>(headers: &'a HeaderMap, others: &[Option<&'a str>]) -> &'a str {
    let header = headers.get("x-greptime-db-name").and_then(|value| value.to_str().ok());
    let named = header.or_else(|| others.iter().copied().flatten().next());
    let name = named.filter(|name| !name.is_empty()).unwrap_or(crate::store::PUBLIC);
    name.strip_prefix("greptime-").unwrap_or(name)
}

/// Somebody is not let in.
pub(crate) fn unauthorized(error: &AuthError) -> Response {
    refusal(StatusCode::UNAUTHORIZED, error.code, &error.message, 0)
}

/// An error with its code, in the body and in headers.
pub(crate) fn refusal(status: StatusCode, code: u32, message: &str, milliseconds: u64) -> Response {
    let body = json!({ "code": code, "error": message, "execution_time_ms": milliseconds });
    let response = reply::with_header(reply::json(status, &body), "x-greptime-err-code", &code.to_string());
    let response = reply::with_header(response, "x-greptime-err-msg", message);
    reply::with_header(response, "x-greptime-execution-time", &milliseconds.to_string())
}

/// The `Authorization` header.
pub(crate) fn authorization(headers: &HeaderMap) -> Option<&str> {
    headers.get("authorization").and_then(|value| value.to_str().ok())
}
