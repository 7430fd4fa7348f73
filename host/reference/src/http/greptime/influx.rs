//! GreptimeDB's paths for InfluxDB's clients: all lines of a body are stored, or none.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::json;

use super::{authorization, database, unauthorized};
use crate::auth::{self, AuthError};
use crate::http::params::Params;
use crate::http::write::{Written, status_of, write};
use crate::http::{body, reply};
use crate::line::{Batch, Known, Line, Lines, Refused, Unit};
use crate::shared::Shared;
use crate::store::types::wire_number;
use crate::store::{Extra, Merge, Missing, Rows, Store, StoreError, TableOptions};

/// The name of the time in a table that a line makes.
const TIME: &str = "greptime_timestamp";

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1/influxdb/ping", get(ping).head(ping))
        .route("/v1/influxdb/health", get(health).head(health))
        .route("/v1/influxdb/write", post(write_v1))
        .route("/v1/influxdb/api/v2/write", post(write_v2))
}

async fn ping() -> Response {
    reply::empty(StatusCode::NO_CONTENT)
}

async fn health() -> Response {
    reply::empty(StatusCode::OK)
}

async fn write_v1(state: State<Arc<Shared>>, RawQuery(query): RawQuery, headers: HeaderMap, body: Body) -> Response {
    let params = Params::of(query.as_deref());
    let database = database(&headers, &[params.get("db")]).to_owned();
    write_lines(&state.0, &headers, &params, &database, body).await
}

async fn write_v2(state: State<Arc<Shared>>, RawQuery(query): RawQuery, headers: HeaderMap, body: Body) -> Response {
    let params = Params::of(query.as_deref());
    let database = database(&headers, &[params.get("db"), params.get("bucket")]).to_owned();
    write_lines(&state.0, &headers, &params, &database, body).await
}

async fn write_lines(shared: &Shared, headers: &HeaderMap, params: &Params, database: &str, body: Body) -> Response {
    if let Err(error) = let_in(shared, headers, params) {
        return unauthorized(&error);
    }
    let body = match body::read(headers, body, body::MOST).await {
        Ok(body) => body,
        Err(error) => return error.greptime(),
    };
    let unit = match params.get("precision") {
        None => Unit::NANOSECOND,
        Some(name) => match Unit::short(name) {
            Some(unit) => unit,
            None => {
                return refused(StatusCode::BAD_REQUEST, &format!("Failed to convert time precision, name: {name}"));
            }
        },
    };
    let rows = match read(&shared.store, database, &body, unit) {
        Ok(rows) => rows,
        Err(error) => return refused(status_of(&error), &error.message),
    };
    if rows.is_empty() {
        return reply::empty(StatusCode::NO_CONTENT);
    }
    let options = TableOptions { merge: Merge::LastNonNull, ..TableOptions::default() };
    let options = match headers.get("x-greptime-hints").and_then(|hints| hints.to_str().ok()) {
        // Of the hints this path knows only how long rows are kept.
        Some(hints) => TableOptions {
            ttl: hints.split(',').find_map(|hint| hint.trim().strip_prefix("ttl=").map(str::to_owned)),
            ..options
        },
        None => options,
    };
    match write(shared, database, rows, &Missing::Create(options), Extra::AddColumns).await {
        Written::Acknowledged => reply::empty(StatusCode::NO_CONTENT),
        Written::Refused(error) => refused(status_of(&error), &error.message),
        Written::Injected(response) => response,
        Written::Partial { accepted, dropped } => {
            let words = format!("injected: {accepted} rows are stored, and {dropped} are not");
            refused(StatusCode::INTERNAL_SERVER_ERROR, &words)
        }
    }
}

/// An error of these paths has no code.
fn refused(status: StatusCode, message: &str) -> Response {
    reply::json(status, &json!({ "error": message }))
}

fn let_in(shared: &Shared, headers: &HeaderMap, params: &Params) -> Result<(), AuthError> {
    match (params.get("u"), params.get("p")) {
        (Some(user), Some(password)) => auth::check(&shared.options, user, password),
        _ => auth::header(&shared.options, authorization(headers)),
    }
}

/// The rows of a body, or what is wrong with its first bad line.
fn read(store: &Store, database: &str, body: &[u8], unit: Unit) -> Result<Vec<Rows>, StoreError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64);
    let cannot = |problem: &str| StoreError::invalid(format!("Failed to parse InfluxDB line protocol: {problem}"));
    let bad_name = RefCell::new(None);
    let known = |name: &str| {
        if !is_table_name(name) {
            bad_name.borrow_mut().get_or_insert_with(|| name.to_owned());
        }
        Known { schema: store.schema(database, name).ok(), line_by_line: false, time: TIME }
    };
    let (mut lines, mut line, mut batch) = (Lines::new(body, false), Line::default(), Batch::default());
    while let Some((_, read)) = lines.read(&mut line) {
        read.map_err(|problem| cannot(in_their_words(problem)))?;
        let time = match line.time {
            None => now,
            Some(time) => time.checked_mul(unit.nanoseconds).ok_or_else(|| cannot("the timestamp is out of range"))?,
        };
        batch.push(&line, time, &known).map_err(|refused| match refused {
            Refused::Conflict(conflict) => {
                let number = |data_type| wire_number(data_type).unwrap_or_default();
                let (expected, actual) = (number(&conflict.expected.0), number(&conflict.given.0));
                let column = conflict.column;
                StoreError::invalid(format!(
                    "Column: {column}, datatype incompatible, expected: {expected}, actual: {actual}"
                ))
            }
            Refused::Time => cannot("the timestamp is out of range"),
            Refused::Name(name) => StoreError::invalid(format!("Column: {name} is the time index")),
        })?;
    }
    match bad_name.into_inner() {
        Some(name) => Err(StoreError::invalid(format!("Invalid table name: {name}"))),
        None => batch.finish(),
    }
}

/// The problems of a line that the real server was seen to name.
fn in_their_words(problem: &'static str) -> &'static str {
    match problem {
        "missing fields" | "missing field value" | "invalid boolean" | "invalid number" => "No fields were provided",
        other => other,
    }
}

/// Whether GreptimeDB takes a name for a table.
fn is_table_name(name: &str) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | ':' | '-');
    name.starts_with(first) && name.chars().all(|c| first(c) || c.is_ascii_digit() || matches!(c, '.' | '@' | '#'))
}
