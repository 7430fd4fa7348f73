//! OTLP over HTTP: what comes in.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use axum::routing::post;
use prost::Message;

use super::export::{self, LOGS, LogTable};
use super::failure::{Failure, Way};
use super::logs::Layout;
use super::metrics::Shape;
use crate::auth;
use crate::hints::Hints;
use crate::http::body;
use crate::shared::Shared;
use crate::store::PUBLIC;

/// What a body may be packed by.
const ENCODINGS: [&str; 3] = ["identity", "gzip", "deflate"];
/// What OTLP comes in.
const PROTOBUF: &str = "application/x-protobuf";
/// GreptimeDB's table for logs when the client names none.
const OPENTELEMETRY_LOGS: &str = "opentelemetry_logs";
/// The one pipeline there is.
const IDENTITY: &str = "greptime_identity";

/// The paths of OTLP.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let router = Router::new()
        .route("/v1/logs", post(|State(shared), request| logs(shared, request, Way::Standard)))
        .route("/v1/metrics", post(|State(shared), request| metrics(shared, request, Way::Standard)))
        .route("/v1/otlp/v1/logs", post(|State(shared), request| logs(shared, request, Way::Greptime)))
        .route("/v1/otlp/v1/metrics", post(|State(shared), request| metrics(shared, request, Way::Greptime)));
    router.with_state(shared)
}

async fn logs(shared: Arc<Shared>, request: Request, way: Way) -> Response {
    let stored = async {
        let (parts, request) = take(&shared, request, way).await?;
        let to = log_table(&parts, way)?;
        let answer = export::logs(&shared, &request, &to).await.map_err(Failure::denied)?;
        Ok(answer.encode_to_vec())
    };
    stored.await.map_or_else(|failure: Failure| failure.answer(way), answer)
}

async fn metrics(shared: Arc<Shared>, request: Request, way: Way) -> Response {
    let stored = async {
        let (parts, request) = take(&shared, request, way).await?;
        let shape = match way {
            Way::Standard => Shape::Standard,
            Way::Greptime => Shape::Prometheus,
        };
        let stored = export::metrics(&shared, &request, &database(&parts), shape).await;
        Ok(stored.map_err(Failure::denied)?.encode_to_vec())
    };
    stored.await.map_or_else(|failure: Failure| failure.answer(way), answer)
}

/// All is well: the body is empty unless something was rejected.
fn answer(message: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(message));
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(PROTOBUF));
    response
}

/// Reads a request, and checks all that can be checked before it is acted on.
async fn take<T: Message + Default>(shared: &Shared, request: Request, way: Way) -> Result<(Parts, T), Failure> {
    let (parts, body) = request.into_parts();
    auth::header(&shared.options, text(&parts.headers, "authorization")).map_err(Failure::unauthenticated)?;
    content_type(&parts.headers, way)?;
    if let Some(other) = text(&parts.headers, "content-encoding").filter(|name| !ENCODINGS.contains(name)) {
        let words = format!("Unsupported content encoding '{other}': send gzip or none");
        return Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, words));
    }
    let body = body::read(&parts.headers, body, body::MOST).await.map_err(|error| Failure::ready(error.greptime()))?;
    let message = T::decode(body);
    let bad = |error| Failure::new(StatusCode::BAD_REQUEST, format!("Failed to decode OTLP request: {error}"));
    Ok((parts, message.map_err(bad)?))
}

fn content_type(headers: &HeaderMap, way: Way) -> Result<(), Failure> {
    let given = text(headers, "content-type").unwrap_or_default();
    let kind = given.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case(PROTOBUF) {
        return Ok(());
    }
    let words = format!("Unsupported content type '{kind}'. OTLP endpoint only supports '{PROTOBUF}'. ");
    let status = match way {
        Way::Standard => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Way::Greptime => StatusCode::BAD_REQUEST,
    };
    Err(Failure::new(status, words + "Set the exporter's protocol to http/protobuf"))
}

/// The header goes before the parameter.
fn database(parts: &Parts) -> String {
    let query = || {
        let Query(query) = Query::<HashMap<String, String>>::try_from_uri(&parts.uri).ok()?;
        query.get("db").cloned()
    };
    let named = text(&parts.headers, "x-greptime-db-name").map(str::to_owned).or_else(query).unwrap_or_default();
    match named.strip_prefix("greptime-").unwrap_or(&named) {
        "" => PUBLIC.to_owned(),
        name => name.to_owned(),
    }
}

fn log_table(parts: &Parts, way: Way) -> Result<LogTable, Failure> {
    let database = database(parts);
    if way == Way::Standard {
        let layout = Layout::Table { extract: Vec::new() };
        return Ok(LogTable { database, table: LOGS.to_owned(), layout, ttl: None });
    }
    let headers = &parts.headers;
    let bad = |words: String| Failure::new(StatusCode::BAD_REQUEST, words);
    let hints = Hints::from_headers(headers).map_err(|error| bad(error.to_string()))?;
    let pipeline = text(headers, "x-greptime-pipeline-name");
    let layout = match pipeline.or_else(|| text(headers, "x-greptime-log-pipeline-name")) {
        Some(IDENTITY) => Layout::Identity,
        Some(other) => return Err(bad(format!("Pipeline not found, name: {other}, version: latest"))),
        None => {
            let keys = text(headers, "x-greptime-log-extract-keys").unwrap_or_default();
            let keys = keys.split(',').map(str::trim).filter(|key| !key.is_empty());
            Layout::Table { extract: keys.map(str::to_owned).collect() }
        }
    };
    let table = text(headers, "x-greptime-log-table-name").filter(|name| !name.is_empty());
    let table = table.unwrap_or(OPENTELEMETRY_LOGS).to_owned();
    Ok(LogTable { database, table, layout, ttl: hints.options.ttl })
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
