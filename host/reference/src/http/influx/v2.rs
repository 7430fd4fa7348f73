//! InfluxDB 2: writes, buckets, deletion, and a little Flux.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::{Value, json};

use super::lines::{Bad, Precision, Problem, read};
use super::v1::conflict_words;
use super::{ensure_database, flux, is_v3, let_in, made_as_they_come};
use crate::http::params::Params;
use crate::http::write::{Written, status_of, write};
use crate::http::{body, reply};
use crate::line::Unit;
use crate::shared::Shared;
use crate::store::{ErrorKind, Extra};

/// The one organisation: it has whatever name it is asked for by.
const ORGANISATION: &str = "0000000000000001";

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/v2/write", post(write_lines))
        .route("/api/v2/buckets", get(buckets).post(create_bucket))
        .route("/api/v2/orgs", get(organisations))
        .route("/api/v2/delete", post(delete))
        .route("/api/v2/query", post(query))
}

/// An error as InfluxDB 2 writes it.
fn refused(status: StatusCode, message: &str) -> Response {
    let code = match status.as_u16() {
        401 => "unauthorized",
        404 => "not found",
        413 => "request too large",
        422 => "unprocessable entity",
        400 => "invalid",
        _ => "internal error",
    };
    reply::json(status, &json!({ "code": code, "message": message }))
}

fn unauthorized() -> Response {
    refused(StatusCode::UNAUTHORIZED, "unauthorized access")
}

fn no_bucket(name: &str) -> Response {
    refused(StatusCode::NOT_FOUND, &format!("bucket \"{name}\" not found"))
}

async fn write_lines(
    State(shared): State<Arc<Shared>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let params = Params::of(query.as_deref());
    if let_in(&shared, &headers, &params).is_err() {
        return unauthorized();
    }
    let Some(bucket) = params.get("bucket").filter(|name| !name.is_empty()) else { return no_bucket("") };
    if is_v3(&shared) {
        if let Err(error) = ensure_database(&shared, bucket) {
            return refused(status_of(&error), &error.message);
        }
    } else if !shared.store.has_database(bucket) {
        return no_bucket(bucket);
    }
    let spelling = params.get("precision").filter(|name| !name.is_empty()).unwrap_or("ns");
    let unit = Unit::short(spelling).filter(|_| matches!(spelling, "ns" | "us" | "ms" | "s"));
    let Some(unit) = unit else {
        return refused(StatusCode::BAD_REQUEST, "invalid precision; valid precision units are ns, us, ms, and s");
    };
    let body = match body::read(&headers, body, body::MOST).await {
        Ok(body) => body,
        Err(error) => {
            let (status, words) = error.status_and_words();
            return refused(status, &words);
        }
    };
    let read = match read(&shared.store, bucket, &body, Precision::Fixed(unit), true) {
        Ok(read) => read,
        Err(error) => return refused(status_of(&error), &error.message),
    };
    // A line that cannot be parsed refuses all; one of another type only itself, but with InfluxDB 3.
    let unparsed: Vec<String> = read.bad.iter().filter_map(unparsed).collect();
    if !unparsed.is_empty() {
        return refused(StatusCode::BAD_REQUEST, &unparsed.join("\n"));
    }
    if is_v3(&shared)
        && let Some(bad) = read.bad.first()
    {
        return refused(StatusCode::BAD_REQUEST, &unfit(bad));
    }
    if read.good > 0 {
        match write(&shared, bucket, read.rows, &made_as_they_come(), Extra::AddColumns).await {
            Written::Acknowledged => {}
            Written::Refused(error) => return refused(status_of(&error), &error.message),
            Written::Injected(response) => return response,
            Written::Partial { dropped, .. } => {
                let words = format!("failure writing points to database: partial write: injected dropped={dropped}");
                return refused(StatusCode::UNPROCESSABLE_ENTITY, &words);
            }
        }
    }
    if let Some(bad) = read.bad.first() {
        let dropped = read.bad.len();
        let words = format!("failure writing points to database: partial write: {} dropped={dropped}", unfit(bad));
        return refused(StatusCode::UNPROCESSABLE_ENTITY, &words);
    }
    if is_v3(&shared) {
        shared.flushed().await;
    }
    reply::empty(StatusCode::NO_CONTENT)
}

fn unparsed(bad: &Bad) -> Option<String> {
    match bad.problem {
        Problem::Syntax(problem) => Some(format!("unable to parse '{}': {problem}", bad.text)),
        Problem::Time => Some(format!("unable to parse '{}': time outside range", bad.text)),
        Problem::Conflict(_) | Problem::Name(_) => None,
    }
}

fn unfit(bad: &Bad) -> String {
    match &bad.problem {
        Problem::Conflict(conflict) => conflict_words(conflict),
        Problem::Name(name) => format!("invalid field name: input field \"{name}\" is reserved"),
        Problem::Syntax(problem) => (*problem).to_owned(),
        Problem::Time => "time outside range".to_owned(),
    }
}

fn bucket_facts(name: &str) -> Value {
    json!({ "id": bucket_id(name), "orgID": ORGANISATION, "type": "user", "name": name, "retentionRules": [] })
}

/// Sixteen digits that stand for a name.
fn bucket_id(name: &str) -> String {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

async fn buckets(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    let params = Params::of(query.as_deref());
    if let_in(&shared, &headers, &params).is_err() {
        return unauthorized();
    }
    let named = |name: &String| params.get("name").is_none_or(|wanted| wanted == name);
    let found: Vec<Value> =
        shared.store.databases().iter().filter(|name| named(name)).map(|name| bucket_facts(name)).collect();
    reply::json(StatusCode::OK, &json!({ "buckets": found }))
}

async fn create_bucket(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Body) -> Response {
    if let_in(&shared, &headers, &Params::default()).is_err() {
        return unauthorized();
    }
    let Some(document) = document(&headers, body).await else {
        return refused(StatusCode::BAD_REQUEST, "the body is no JSON");
    };
    let Some(name) = document["name"].as_str().filter(|name| !name.is_empty()) else {
        return refused(StatusCode::BAD_REQUEST, "bucket name is required");
    };
    match shared.store.create_database(name) {
        Ok(()) => reply::json(StatusCode::CREATED, &bucket_facts(name)),
        Err(error) if error.kind == ErrorKind::DatabaseExists => {
            let message = format!("bucket with name {name} already exists");
            reply::json(StatusCode::UNPROCESSABLE_ENTITY, &json!({ "code": "conflict", "message": message }))
        }
        Err(error) => refused(status_of(&error), &error.message),
    }
}

async fn organisations(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    let params = Params::of(query.as_deref());
    if let_in(&shared, &headers, &params).is_err() {
        return unauthorized();
    }
    let name = params.get("org").unwrap_or("benchhost");
    reply::json(StatusCode::OK, &json!({ "orgs": [{ "id": ORGANISATION, "name": name }] }))
}

/// Removes a whole measurement: what lies in a part of time cannot be removed from this store.
async fn delete(
    State(shared): State<Arc<Shared>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let params = Params::of(query.as_deref());
    if let_in(&shared, &headers, &params).is_err() {
        return unauthorized();
    }
    let bucket = params.get("bucket").unwrap_or_default();
    if !shared.store.has_database(bucket) {
        return no_bucket(bucket);
    }
    let Some(document) = document(&headers, body).await else {
        return refused(StatusCode::BAD_REQUEST, "the body is no JSON");
    };
    let text = |key: &str| document[key].as_str().unwrap_or_default();
    if text("start") > "1970-01-02" || text("stop") < "2200" {
        let words =
            "the reference server deletes whole measurements: let start be 1970 or before, and stop 2200 or after";
        return refused(StatusCode::BAD_REQUEST, words);
    }
    let measurement =
        text("predicate").trim().strip_prefix("_measurement").and_then(|rest| rest.trim_start().strip_prefix('='));
    let Some(quoted) = measurement.map(str::trim) else {
        return refused(StatusCode::BAD_REQUEST, "the reference server deletes by `_measurement=\"name\"` alone");
    };
    let name = crate::sql::token::tokens(quoted, crate::sql::token::Escape::Backslash).ok().and_then(|tokens| {
        let mut cursor = crate::sql::token::Cursor::new(&tokens);
        cursor.name().ok().filter(|_| cursor.is_done())
    });
    let Some(name) = name else {
        return refused(StatusCode::BAD_REQUEST, "the measurement in the predicate is no name");
    };
    match shared.store.drop_table(bucket, &name) {
        Err(error) if error.kind != ErrorKind::TableNotFound => refused(status_of(&error), &error.message),
        _ => reply::empty(StatusCode::NO_CONTENT),
    }
}

/// A body of JSON.
async fn document(headers: &HeaderMap, body: Body) -> Option<Value> {
    serde_json::from_slice(&body::read(headers, body, body::MOST).await.ok()?).ok()
}

async fn query(
    State(shared): State<Arc<Shared>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    if let_in(&shared, &headers, &Params::of(query.as_deref())).is_err() {
        return unauthorized();
    }
    let json = headers.get("content-type").is_some_and(|value| value.as_bytes().starts_with(b"application/json"));
    let body = match body::read(&headers, body, body::MOST).await {
        Ok(body) => body,
        Err(error) => {
            let (status, words) = error.status_and_words();
            return refused(status, &words);
        }
    };
    let text = if json {
        serde_json::from_slice::<Value>(&body).ok().and_then(|document| document["query"].as_str().map(str::to_owned))
    } else {
        std::str::from_utf8(&body).ok().map(str::to_owned)
    };
    let Some(text) = text else { return refused(StatusCode::BAD_REQUEST, "there is no query") };
    match flux::run(&shared.store, &text).await {
        Ok(csv) => reply::bytes(StatusCode::OK, "text/csv; charset=utf-8", csv),
        Err((status, problem)) => refused(status, &problem),
    }
}
