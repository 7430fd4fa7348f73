//! The forms of an answer to SQL.

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, SchemaRef};
use arrow_ipc::writer::StreamWriter;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use crate::http::reply;
use crate::http::values::{Times, csv, objects, rows};
use crate::sql::Outcome;
use crate::store::types::json_name;
use crate::store::{ErrorKind, StoreError};

/// A form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Greptime,
    Influx,
    Json,
    Csv,
    CsvWithNames,
    Arrow,
    Null,
}

impl Format {
    /// By its name; what is not known is the default.
    pub(super) fn of(name: Option<&str>) -> Self {
        match name {
            Some("influxdb_v1") => Self::Influx,
            Some("json") => Self::Json,
            Some("csv") => Self::Csv,
            Some("csvWithNames" | "csvwithnames") => Self::CsvWithNames,
            Some("arrow") => Self::Arrow,
            Some("null") => Self::Null,
            _ => Self::Greptime,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Greptime => "greptimedb_v1",
            Self::Influx => "influxdb_v1",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::CsvWithNames => "csvWithNames",
            Self::Arrow => "arrow",
            Self::Null => "null",
        }
    }
}

/// The answer in a form; `milliseconds` is what the statements took.
///
/// # Errors
///
/// A type that no answer can have.
pub(super) fn answer(
    format: Format,
    outcomes: &[Outcome],
    limit: Option<&str>,
    milliseconds: u64,
) -> Result<Response, StoreError> {
    let most = limit.and_then(|limit| limit.parse().ok()).unwrap_or(usize::MAX);
    for outcome in outcomes {
        if let Outcome::Records(_, schema) = outcome
            && let Some(field) = schema.fields().iter().find(|field| matches!(field.data_type(), DataType::Interval(_)))
        {
            let message = format!("column {} is an interval, which no answer can have", field.name());
            return Err(StoreError::new(ErrorKind::Internal, message));
        }
    }
    let last = outcomes.iter().rev().find_map(|outcome| match outcome {
        Outcome::Records(batches, schema) => Some((batches.as_slice(), schema)),
        Outcome::Affected(_) => None,
    });
    let (batches, schema) = last.map_or((&[][..], None), |(batches, schema)| (batches, Some(schema)));
    let response = match format {
        Format::Greptime => {
            let output: Vec<Value> = outcomes.iter().map(|outcome| greptime(outcome, most)).collect();
            reply::json(StatusCode::OK, &json!({ "output": output, "execution_time_ms": milliseconds }))
        }
        Format::Influx => {
            let results: Vec<Value> =
                outcomes.iter().enumerate().map(|(id, outcome)| influx(id, outcome, most)).collect();
            reply::json(StatusCode::OK, &json!({ "results": results, "execution_time_ms": milliseconds }))
        }
        Format::Json => {
            let mut data = objects(batches, Times::Number, true);
            data.truncate(most);
            reply::json(StatusCode::OK, &json!({ "data": data, "execution_time_ms": milliseconds }))
        }
        Format::Csv | Format::CsvWithNames => {
            let names = schema.filter(|_| format == Format::CsvWithNames);
            reply::bytes(StatusCode::OK, "text/csv; charset=utf-8", csv_text(batches, names, most))
        }
        Format::Arrow => reply::bytes(StatusCode::OK, "application/arrow", stream(batches, schema)?),
        Format::Null => {
            let count: usize = batches.iter().map(RecordBatch::num_rows).sum();
            let seconds = milliseconds as f64 / 1000.0;
            reply::text(StatusCode::OK, format!("{count} rows in set.\nElapsed: {seconds:.3} sec.\n"))
        }
    };
    let response = reply::with_header(response, "x-greptime-format", format.name());
    Ok(reply::with_header(response, "x-greptime-execution-time", &milliseconds.to_string()))
}

fn greptime(outcome: &Outcome, most: usize) -> Value {
    match outcome {
        Outcome::Affected(count) => json!({ "affectedrows": count }),
        Outcome::Records(batches, schema) => {
            let column = |field: &arrow::datatypes::FieldRef| json!({ "name": field.name(), "data_type": json_name(field.data_type()) });
            let columns: Vec<Value> = schema.fields().iter().map(column).collect();
            let rows = rows(batches, Times::Number, most);
            let total = rows.len();
            json!({ "records": { "schema": { "column_schemas": columns }, "rows": rows, "total_rows": total } })
        }
    }
}

fn influx(id: usize, outcome: &Outcome, most: usize) -> Value {
    match outcome {
        Outcome::Affected(_) => json!({ "statement_id": id, "series": [] }),
        Outcome::Records(batches, schema) => {
            let columns: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
            let values = rows(batches, Times::Number, most);
            json!({ "statement_id": id, "series": [{ "name": "", "columns": columns, "values": values }] })
        }
    }
}

fn csv_text(batches: &[RecordBatch], names: Option<&SchemaRef>, most: usize) -> String {
    let mut text = String::new();
    let mut line = |fields: Vec<String>| {
        text.push_str(&fields.join(","));
        text.push_str("\r\n");
    };
    if let Some(schema) = names {
        line(schema.fields().iter().map(|field| csv(&Value::String(field.name().clone()))).collect());
    }
    for row in rows(batches, Times::Number, most) {
        line(row.as_array().map(|row| row.iter().map(csv).collect()).unwrap_or_default());
    }
    text
}

fn stream(batches: &[RecordBatch], schema: Option<&SchemaRef>) -> Result<Vec<u8>, StoreError> {
    let Some(schema) = schema else { return Ok(Vec::new()) };
    let write = || -> Result<Vec<u8>, arrow::error::ArrowError> {
        let mut writer = StreamWriter::try_new(Vec::new(), schema)?;
        for batch in batches {
            writer.write(batch)?;
        }
        writer.into_inner()
    };
    write().map_err(|error| StoreError::new(ErrorKind::Internal, error.to_string()))
}
