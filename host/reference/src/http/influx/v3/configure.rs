//! Databases and tables, made and removed.

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit};
use axum::Router;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::{Value, json};

use super::{document, let_in, refused, unauthorized};
use crate::http::influx::TIME;
use crate::http::params::Params;
use crate::http::reply;
use crate::http::write::status_of;
use crate::shared::Shared;
use crate::store::{ColumnDef, ErrorKind, Merge, Semantic, StoreError, TableOptions};

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/v3/configure/database", get(databases).post(create_database).delete(drop_database))
        .route("/api/v3/configure/table", post(create_table).delete(drop_table))
}

async fn databases(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    if let_in(&shared, &headers, &Params::default()).is_err() {
        return unauthorized();
    }
    let all: Vec<Value> = shared.store.databases().iter().map(|name| json!({ "iox::database": name })).collect();
    reply::json(StatusCode::OK, &Value::Array(all))
}

/// The answer to what makes or removes something.
fn done(result: Result<(), StoreError>) -> Response {
    match result {
        Ok(()) => reply::json(StatusCode::OK, &json!({})),
        Err(error) => {
            let status = match error.kind {
                ErrorKind::DatabaseExists | ErrorKind::TableExists => StatusCode::CONFLICT,
                ErrorKind::DatabaseNotFound | ErrorKind::TableNotFound => StatusCode::NOT_FOUND,
                _ => status_of(&error),
            };
            refused(status, &error.message)
        }
    }
}

async fn create_database(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Body) -> Response {
    if let_in(&shared, &headers, &Params::default()).is_err() {
        return unauthorized();
    }
    match document(&headers, body).await {
        Err(response) => *response,
        Ok(document) => match document["db"].as_str().filter(|name| !name.is_empty()) {
            Some(name) => done(shared.store.create_database(name)),
            None => refused(StatusCode::BAD_REQUEST, "missing field `db`"),
        },
    }
}

async fn drop_database(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    if let_in(&shared, &headers, &Params::default()).is_err() {
        return unauthorized();
    }
    done(shared.store.drop_database(Params::of(query.as_deref()).get("db").unwrap_or_default()))
}

async fn create_table(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Body) -> Response {
    if let_in(&shared, &headers, &Params::default()).is_err() {
        return unauthorized();
    }
    let document = match document(&headers, body).await {
        Ok(document) => document,
        Err(response) => return *response,
    };
    let (Some(database), Some(table)) = (document["db"].as_str(), document["table"].as_str()) else {
        return refused(StatusCode::BAD_REQUEST, "missing field `db` or `table`");
    };
    let tags = document["tags"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut columns: Vec<ColumnDef> = tags.map(|tag| ColumnDef::new(tag, DataType::Utf8, Semantic::Tag)).collect();
    for field in document["fields"].as_array().into_iter().flatten() {
        let data_type = match field["type"].as_str() {
            Some("utf8") => DataType::Utf8,
            Some("int64") => DataType::Int64,
            Some("uint64") => DataType::UInt64,
            Some("float64") => DataType::Float64,
            Some("bool") => DataType::Boolean,
            _ => {
                return refused(StatusCode::BAD_REQUEST, "the type of a field is utf8, int64, uint64, float64 or bool");
            }
        };
        columns.push(ColumnDef::new(field["name"].as_str().unwrap_or_default(), data_type, Semantic::Field));
    }
    columns.push(ColumnDef::new(TIME, DataType::Timestamp(TimeUnit::Nanosecond, None), Semantic::Timestamp));
    let options = TableOptions { merge: Merge::LastNonNull, ..TableOptions::default() };
    done(shared.store.create_table(database, table, columns, options))
}

async fn drop_table(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    if let_in(&shared, &headers, &Params::default()).is_err() {
        return unauthorized();
    }
    let params = Params::of(query.as_deref());
    done(shared.store.drop_table(params.get("db").unwrap_or_default(), params.get("table").unwrap_or_default()))
}
