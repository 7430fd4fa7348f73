//! Answers to `/query`, as InfluxDB 1.8 gives them: an error of a statement comes with status 200.

use serde_json::{Value, json};

use super::statement::{Statement, parse};
use super::store::{Store, StoreError};
use crate::calibration::http::{Answer, Request};

/// Answers a request to `/query`.
pub(super) fn answer(store: &Store, request: &Request) -> Answer {
    let Some(text) = request.param("q").filter(|text| !text.is_empty()) else {
        return Answer::error(400, "missing required parameter \"q\"");
    };
    let statement = match parse(text) {
        Ok(statement) => statement,
        Err(words) => return Answer::error(400, words),
    };
    let reads = matches!(statement, Statement::Count { .. });
    if !reads && request.method != "POST" {
        return Answer::error(405, "this statement changes something: send it by POST");
    }
    if reads && request.param("epoch") != Some("ns") {
        return Answer::error(400, "times are told in nanoseconds only: send epoch=ns");
    }
    match run(store, &statement, request.param("db")) {
        Ok(result) => Answer::json(200, &json!({ "results": [result] })),
        Err(words) => Answer::json(200, &json!({ "results": [{ "statement_id": 0, "error": words }] })),
    }
}

/// Runs a statement.
fn run(store: &Store, statement: &Statement, database: Option<&str>) -> Result<Value, String> {
    let database = database.filter(|name| !name.is_empty()).ok_or("database name required");
    let told = |error: StoreError| match error {
        // Here, and not on writes, the name has no quotes.
        StoreError::NoDatabase(name) => format!("database not found: {name}"),
        other => other.to_string(),
    };
    let done = json!({ "statement_id": 0 });
    match statement {
        Statement::Create(name) => store.create(name).map(|()| done).map_err(told),
        Statement::Drop(name) => {
            let found = store.drop_measurement(database?, name).map_err(told)?;
            if found { Ok(done) } else { Err(format!("measurement not found: {name}")) }
        }
        Statement::Count { fields, measurement, start, end } => {
            let rows = store.count(database?, measurement, *start, *end).map_err(told)?;
            Ok(if rows == 0 { done } else { series(*fields, measurement, *start, rows) })
        }
    }
}

/// A count: one row whose first column is the time.
fn series(fields: usize, measurement: &str, start: i64, rows: u64) -> Value {
    let mut columns = vec!["time".to_owned(), "count".to_owned()];
    columns.extend((1..fields).map(|number| format!("count_{number}")));
    let mut values = vec![json!(start)];
    values.extend(std::iter::repeat_n(json!(rows), fields));
    json!({ "statement_id": 0, "series": [{ "name": measurement, "columns": columns, "values": [values] }] })
}
