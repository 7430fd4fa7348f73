//! InfluxDB 1: `/ping`, `/write` and `/query`.

use std::sync::Arc;

use arrow::datatypes::DataType;
use axum::Router;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::json;

use super::lines::{Bad, Precision, Problem, read};
use super::{ensure_database, is_v3, let_in, made_as_they_come, query};
use crate::http::params::Params;
use crate::http::write::{Written, status_of, write};
use crate::http::{body, reply};
use crate::line::{Conflict, Unit};
use crate::shared::Shared;
use crate::store::{Extra, Semantic};

/// Lines that cannot be parsed are named, so many of them.
const NAMED: usize = 5;

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/ping", get(ping).head(ping).post(ping))
        .route("/health", get(health).post(health))
        .route("/write", post(write_lines))
        .route("/query", get(by_url).post(by_form))
}

async fn ping(State(shared): State<Arc<Shared>>) -> Response {
    let version = &shared.options.influx_version;
    let response = if is_v3(&shared) {
        reply::json(StatusCode::OK, &json!({ "version": version, "revision": "benchhost", "process_id": "benchhost" }))
    } else {
        reply::empty(StatusCode::NO_CONTENT)
    };
    let response = reply::with_header(response, "x-influxdb-version", version);
    reply::with_header(response, "x-influxdb-build", if is_v3(&shared) { "Core" } else { "OSS" })
}

/// As InfluxDB 1 and 2 answer; GreptimeDB answers an empty object, whose clients look at the status alone.
async fn health(State(shared): State<Arc<Shared>>) -> Response {
    if is_v3(&shared) {
        return reply::text(StatusCode::OK, "OK");
    }
    let version = &shared.options.influx_version;
    let message = "ready for queries and writes";
    let facts = json!({ "checks": [], "commit": "", "message": message, "name": "influxdb", "status": "pass", "version": version });
    reply::json(StatusCode::OK, &facts)
}

async fn write_lines(
    State(shared): State<Arc<Shared>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let params = Params::of(query.as_deref());
    if let Err(error) = let_in(&shared, &headers, &params) {
        return refused(StatusCode::UNAUTHORIZED, &format!("authorization failed: {}", error.message));
    }
    let Some(database) = params.get("db").filter(|name| !name.is_empty()) else {
        return refused(StatusCode::BAD_REQUEST, "database is required");
    };
    if is_v3(&shared) {
        if let Err(error) = ensure_database(&shared, database) {
            return refused(status_of(&error), &error.message);
        }
    } else if !shared.store.has_database(database) {
        return refused(StatusCode::NOT_FOUND, &format!("database not found: \"{database}\""));
    }
    let spelling = params.get("precision").filter(|name| !name.is_empty()).unwrap_or("ns");
    // To InfluxDB 1 microseconds are `u`, to the others `us`.
    let unit = Unit::short(spelling).filter(|_| spelling != "us" || !shared.options.influx_version.starts_with("1."));
    let Some(unit) = unit else {
        let words = format!("invalid precision \"{spelling}\" (use n, u, ms, s, m or h)");
        return refused(StatusCode::BAD_REQUEST, &words);
    };
    let body = match body::read(&headers, body, body::MOST).await {
        Ok(body) => body,
        Err(error) => {
            let (status, words) = error.status_and_words();
            return refused(status, &words);
        }
    };
    let read = match read(&shared.store, database, &body, Precision::Fixed(unit), true) {
        Ok(read) => read,
        Err(error) => return refused(status_of(&error), &error.message),
    };
    // InfluxDB 3 stores nothing of a body with a bad line that comes this way.
    let good = if is_v3(&shared) && !read.bad.is_empty() { 0 } else { read.good };
    if good > 0 {
        match write(&shared, database, read.rows, &made_as_they_come(), Extra::AddColumns).await {
            Written::Acknowledged => {}
            Written::Refused(error) => return refused(status_of(&error), &error.message),
            Written::Injected(response) => return response,
            Written::Partial { dropped, .. } => {
                return refused(StatusCode::BAD_REQUEST, &format!("partial write: injected dropped={dropped}"));
            }
        }
    }
    if !read.bad.is_empty() {
        return refused(StatusCode::BAD_REQUEST, &words(&read.bad, good));
    }
    if is_v3(&shared) {
        shared.flushed().await;
    }
    reply::with_header(reply::empty(StatusCode::NO_CONTENT), "x-influxdb-version", &shared.options.influx_version)
}

/// What is wrong with lines, in the words of InfluxDB 1. Lines that could not be parsed were never points: they are named, and not in `dropped`,
/// but for those that are too many to be named.
fn words(bad: &[Bad], good: usize) -> String {
    let mut named = Vec::new();
    let mut dropped = 0;
    for line in bad {
        let unparsed = |problem: &str| format!("unable to parse '{}': {problem}", line.text);
        let words = match &line.problem {
            Problem::Syntax(problem) if named.len() < NAMED => unparsed(problem),
            Problem::Time if named.len() < NAMED => {
                unparsed("time outside range -9223372036854775806 - 9223372036854775806")
            }
            Problem::Conflict(conflict) if named.len() < NAMED => {
                dropped += 1;
                conflict_words(conflict)
            }
            Problem::Name(name) if named.len() < NAMED => {
                dropped += 1;
                format!("invalid field name: input field \"{name}\" is reserved")
            }
            _ => {
                dropped += 1;
                continue;
            }
        };
        named.push(words);
    }
    let named = named.join("\n");
    if good > 0 || dropped > 0 { format!("partial write: {named} dropped={dropped}") } else { named }
}

/// A conflict of types in the words of InfluxDB 1 and 2.
pub(super) fn conflict_words(conflict: &Conflict) -> String {
    let kind = |(data_type, semantic): &(DataType, Semantic)| match (data_type, semantic) {
        (_, Semantic::Tag) => "tag",
        (DataType::Float64, _) => "float",
        (DataType::Int64, _) => "integer",
        (DataType::UInt64, _) => "unsigned",
        (DataType::Boolean, _) => "boolean",
        _ => "string",
    };
    let Conflict { measurement, column, expected, given } = conflict;
    let (given, expected) = (kind(given), kind(expected));
    format!(
        "field type conflict: input field \"{column}\" on measurement \"{measurement}\" is type {given}, already exists as type {expected}"
    )
}

/// An error in a body and in a header.
pub(super) fn refused(status: StatusCode, message: &str) -> Response {
    reply::with_header(reply::json(status, &json!({ "error": message })), "x-influxdb-error", message)
}

async fn by_url(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    ask(&shared, &headers, &Params::of(query.as_deref())).await
}

async fn by_form(
    State(shared): State<Arc<Shared>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    match body::read(&headers, body, body::MOST).await {
        Ok(form) => {
            let form = Params::of(std::str::from_utf8(&form).ok());
            ask(&shared, &headers, &Params::of(query.as_deref()).and(form)).await
        }
        Err(error) => {
            let (status, words) = error.status_and_words();
            refused(status, &words)
        }
    }
}

async fn ask(shared: &Shared, headers: &HeaderMap, params: &Params) -> Response {
    if let Err(error) = let_in(shared, headers, params) {
        return refused(StatusCode::UNAUTHORIZED, &format!("authorization failed: {}", error.message));
    }
    let Some(text) = params.get("q").filter(|text| !text.is_empty()) else {
        return refused(StatusCode::BAD_REQUEST, "missing required parameter \"q\"");
    };
    match query::run(&shared.store, params.get("db"), text, params.get("epoch")).await {
        Ok(results) => {
            let response = reply::json(StatusCode::OK, &json!({ "results": results }));
            reply::with_header(response, "x-influxdb-version", &shared.options.influx_version)
        }
        Err(problem) => refused(StatusCode::BAD_REQUEST, &format!("error parsing query: {problem}")),
    }
}
