//! InfluxDB 3: `/api/v3/write_lp`, queries by SQL and `InfluxQL`, databases and tables.

mod configure;
mod query;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::post;
use serde_json::{Value, json};

use super::lines::{Bad, Precision, Problem, read};
use super::v1::conflict_words;
use super::{ensure_database, let_in, made_as_they_come};
use crate::http::params::Params;
use crate::http::write::{Written, status_of, write};
use crate::http::{body, reply};
use crate::line::Unit;
use crate::shared::Shared;
use crate::store::Extra;

/// What a body may have, unpacked.
const MOST: usize = 10 << 20;
/// Bytes of a bad line that are shown.
const SHOWN: usize = 20;

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new().route("/api/v3/write_lp", post(write_lines)).merge(query::router()).merge(configure::router())
}

fn refused(status: StatusCode, message: &str) -> Response {
    reply::json(status, &json!({ "error": message }))
}

fn unauthorized() -> Response {
    refused(StatusCode::UNAUTHORIZED, "the request was not authenticated")
}

async fn write_lines(
    State(shared): State<Arc<Shared>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let params = Params::of(query.as_deref());
    if let_in(&shared, &headers, &Params::default()).is_err() {
        return unauthorized();
    }
    let Some(database) = params.get("db").filter(|name| !name.is_empty()) else {
        return refused(StatusCode::BAD_REQUEST, "missing field `db`");
    };
    let precision = match params.get("precision").unwrap_or("auto") {
        "auto" => Precision::Auto,
        "nanosecond" | "ns" | "n" => Precision::Fixed(Unit::NANOSECOND),
        "microsecond" | "us" | "u" => Precision::Fixed(Unit::MICROSECOND),
        "millisecond" | "ms" => Precision::Fixed(Unit::MILLISECOND),
        "second" | "s" => Precision::Fixed(Unit::SECOND),
        other => {
            let words = format!(
                "unknown variant `{other}`, expected one of `auto`, `second`, `millisecond`, `microsecond`, `nanosecond`"
            );
            return refused(StatusCode::BAD_REQUEST, &words);
        }
    };
    let accept_partial = params.get("accept_partial") != Some("false");
    let body = match body::read(&headers, body, MOST).await {
        Ok(body) => body,
        Err(error) => {
            let (status, words) = error.status_and_words();
            return refused(status, &words);
        }
    };
    if let Err(error) = ensure_database(&shared, database) {
        return refused(status_of(&error), &error.message);
    }
    let read = match read(&shared.store, database, &body, precision, false) {
        Ok(read) => read,
        Err(error) => return refused(status_of(&error), &error.message),
    };
    if let Some(first) = read.bad.first()
        && !accept_partial
    {
        let document = json!({ "error": "line protocol parsing error", "data": described(first) });
        return reply::json(StatusCode::BAD_REQUEST, &document);
    }
    let mut refusals: Vec<Value> = read.bad.iter().map(described).collect();
    if read.good > 0 {
        match write(&shared, database, read.rows, &made_as_they_come(), Extra::AddColumns).await {
            Written::Acknowledged => {}
            Written::Refused(error) => return refused(status_of(&error), &error.message),
            Written::Injected(response) => return response,
            Written::Partial { accepted, dropped } => {
                let injected =
                    |at: u64| json!({ "error_message": "injected", "line_number": at + 1, "original_line": "" });
                refusals.extend((accepted..accepted + dropped).map(injected));
            }
        }
    }
    if !refusals.is_empty() {
        let document = json!({ "error": "partial write of line protocol occurred", "data": refusals });
        return reply::json(StatusCode::BAD_REQUEST, &document);
    }
    if params.get("no_sync") != Some("true") {
        shared.flushed().await;
    }
    reply::empty(StatusCode::NO_CONTENT)
}

/// A bad line as it is listed.
fn described(bad: &Bad) -> Value {
    let message = match &bad.problem {
        Problem::Syntax(problem) => (*problem).to_owned(),
        Problem::Conflict(conflict) => conflict_words(conflict),
        Problem::Time => "the timestamp is out of range".to_owned(),
        Problem::Name(name) => format!("the column {name} is the time"),
    };
    let end = (0..=SHOWN.min(bad.text.len())).rev().find(|at| bad.text.is_char_boundary(*at)).unwrap_or(0);
    json!({ "error_message": message, "line_number": bad.number, "original_line": bad.text[..end] })
}

/// A body of JSON; without its content type it is refused.
async fn document(headers: &HeaderMap, body: Body) -> Result<Value, Box<Response>> {
    let kind = headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !kind.starts_with("application/json") {
        return Err(Box::new(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the content type must be application/json")));
    }
    let body = body::read(headers, body, MOST).await.map_err(|error| {
        let (status, words) = error.status_and_words();
        Box::new(refused(status, &words))
    })?;
    serde_json::from_slice(&body)
        .map_err(|error| Box::new(refused(StatusCode::BAD_REQUEST, &format!("the body is no JSON: {error}"))))
}
