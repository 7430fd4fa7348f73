//! Queries by SQL and `InfluxQL`.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use axum::Router;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::get;
use serde_json::{Map, Value};

use super::{document, let_in, refused, unauthorized};
use crate::http::influx::query;
use crate::http::params::Params;
use crate::http::reply;
use crate::http::values::{Times, csv, objects, rows};
use crate::shared::Shared;
use crate::sql::Outcome;
use crate::store::{ErrorKind, StoreError};

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/v3/query_sql", get(sql_by_url).post(sql_by_body))
        .route("/api/v3/query_influxql", get(influxql_by_url).post(influxql_by_body))
}

/// A query's database, text and format: from a URL or a document.
struct Asked {
    database: String,
    text: String,
    format: String,
}

impl Asked {
    fn of_url(query: Option<&str>) -> Result<Self, Box<Response>> {
        let params = Params::of(query);
        let text = |key: &str| params.get(key).map(str::to_owned);
        Self::of(text("db"), text("q"), text("format"))
    }

    async fn of_body(headers: &HeaderMap, body: Body) -> Result<Self, Box<Response>> {
        let document = document(headers, body).await?;
        let text = |key: &str| document[key].as_str().map(str::to_owned);
        Self::of(text("db").or_else(|| text("database")), text("q").or_else(|| text("query_str")), text("format"))
    }

    fn of(database: Option<String>, text: Option<String>, format: Option<String>) -> Result<Self, Box<Response>> {
        let missing = |field: &str| Box::new(refused(StatusCode::BAD_REQUEST, &format!("missing field `{field}`")));
        let database = database.ok_or_else(|| missing("db"))?;
        let text = text.ok_or_else(|| missing("q"))?;
        Ok(Self { database, text, format: format.unwrap_or_else(|| "json".into()) })
    }
}

async fn sql_by_url(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    match Asked::of_url(query.as_deref()) {
        Ok(asked) => sql(&shared, &headers, &asked).await,
        Err(response) => *response,
    }
}

async fn sql_by_body(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Body) -> Response {
    match Asked::of_body(&headers, body).await {
        Ok(asked) => sql(&shared, &headers, &asked).await,
        Err(response) => *response,
    }
}

async fn sql(shared: &Shared, headers: &HeaderMap, asked: &Asked) -> Response {
    if let_in(shared, headers, &Params::default()).is_err() {
        return unauthorized();
    }
    if !shared.store.has_database(&asked.database) {
        return refused(StatusCode::NOT_FOUND, "database not found");
    }
    let first = asked.text.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    if !["SELECT", "WITH", "SHOW", "EXPLAIN", "VALUES"].contains(&first.as_str()) {
        return reply::text(StatusCode::BAD_REQUEST, "Error during planning: only queries are answered here");
    }
    let mut outcomes = match shared.store.sql(&asked.database, &asked.text).await {
        Ok(outcomes) => outcomes,
        Err(error) => return failed(&asked.database, &error),
    };
    match (outcomes.pop(), outcomes.is_empty()) {
        (Some(Outcome::Records(batches, schema)), true) => formatted(&asked.format, &batches, &schema),
        _ => refused(StatusCode::METHOD_NOT_ALLOWED, "one statement at a time"),
    }
}

/// Why a query fails, mostly as text.
fn failed(database: &str, error: &StoreError) -> Response {
    match error.kind {
        ErrorKind::TableNotFound => {
            let name = error.message.rsplit('.').next().unwrap_or_default();
            reply::text(
                StatusCode::BAD_REQUEST,
                format!("Error during planning: table '{database}.iox.{name}' not found"),
            )
        }
        ErrorKind::Plan => reply::text(StatusCode::INTERNAL_SERVER_ERROR, error.message.clone()),
        ErrorKind::Syntax | ErrorKind::Unsupported => reply::text(StatusCode::BAD_REQUEST, error.message.clone()),
        _ => reply::text(StatusCode::INTERNAL_SERVER_ERROR, error.message.clone()),
    }
}

fn formatted(format: &str, batches: &[RecordBatch], schema: &SchemaRef) -> Response {
    match format {
        "json" => reply::json(StatusCode::OK, &Value::Array(objects(batches, Times::Text, false))),
        "jsonl" => {
            let lines: String =
                objects(batches, Times::Text, false).iter().map(|object| format!("{object}\n")).collect();
            reply::bytes(StatusCode::OK, "application/jsonl", lines)
        }
        "csv" => {
            let rows = rows(batches, Times::Text, usize::MAX);
            let line = |row: &Value| {
                row.as_array().map(|row| row.iter().map(csv).collect::<Vec<_>>().join(",")).unwrap_or_default()
            };
            let names = schema
                .fields()
                .iter()
                .map(|field| csv(&Value::String(field.name().clone())))
                .collect::<Vec<_>>()
                .join(",");
            let text = if rows.is_empty() {
                String::new()
            } else {
                std::iter::once(names).chain(rows.iter().map(line)).map(|line| line + "\n").collect()
            };
            reply::bytes(StatusCode::OK, "text/csv", text)
        }
        other => refused(
            StatusCode::BAD_REQUEST,
            &format!("the reference server has no format `{other}`: use json, jsonl or csv"),
        ),
    }
}

async fn influxql_by_url(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    match Asked::of_url(query.as_deref()) {
        Ok(asked) => influxql(&shared, &headers, &asked).await,
        Err(response) => *response,
    }
}

async fn influxql_by_body(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Body) -> Response {
    match Asked::of_body(&headers, body).await {
        Ok(asked) => influxql(&shared, &headers, &asked).await,
        Err(response) => *response,
    }
}

/// The series that `InfluxQL` finds, a row an object.
async fn influxql(shared: &Shared, headers: &HeaderMap, asked: &Asked) -> Response {
    if let_in(shared, headers, &Params::default()).is_err() {
        return unauthorized();
    }
    if !shared.store.has_database(&asked.database) {
        return refused(StatusCode::NOT_FOUND, "database not found");
    }
    let results = match query::run(&shared.store, Some(&asked.database), &asked.text, None).await {
        Ok(results) => results,
        Err(problem) => return reply::text(StatusCode::BAD_REQUEST, problem),
    };
    let mut found = Vec::new();
    for result in &results {
        if let Some(error) = result["error"].as_str() {
            return reply::text(StatusCode::BAD_REQUEST, error.to_owned());
        }
        for series in result["series"].as_array().into_iter().flatten() {
            let columns: Vec<&str> =
                series["columns"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            for row in series["values"].as_array().into_iter().flatten().filter_map(Value::as_array) {
                let pairs = columns.iter().zip(row).filter(|(_, value)| !value.is_null());
                let mut object: Map<String, Value> = pairs
                    .map(|(name, value)| {
                        (
                            (*name).to_owned(),
                            value
                                .as_str()
                                .filter(|_| *name == "time")
                                .map_or_else(|| value.clone(), |time| time.trim_end_matches('Z').into()),
                        )
                    })
                    .collect();
                object.insert("iox::measurement".into(), series["name"].clone());
                found.push(Value::Object(object));
            }
        }
    }
    reply::json(StatusCode::OK, &Value::Array(found))
}
