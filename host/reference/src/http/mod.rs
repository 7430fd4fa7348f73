//! HTTP: one listener that answers as InfluxDB 1, 2 and 3 and as GreptimeDB 1.0.2.

pub(crate) mod body;
mod greptime;
mod influx;
mod params;
mod reply;
mod serve;
mod truth;
mod values;
mod write;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::response::Response;

pub(crate) use reply::cut;
pub(crate) use serve::{bind, serve};

use crate::shared::Shared;

/// All paths.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .merge(influx::router())
        .merge(greptime::router())
        .merge(truth::router())
        .fallback(missing)
        .method_not_allowed_fallback(wrong_method)
        .with_state(Arc::clone(&shared))
        .merge(crate::otlp::router(shared))
}

async fn missing(State(_): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path();
    reply::json(
        StatusCode::NOT_FOUND,
        &serde_json::json!({ "error": format!("the reference server has no path {path}") }),
    )
}

async fn wrong_method(method: Method, request: Request) -> Response {
    let path = request.uri().path();
    let error = format!("{path} does not take {method}");
    reply::json(StatusCode::METHOD_NOT_ALLOWED, &serde_json::json!({ "error": error }))
}
