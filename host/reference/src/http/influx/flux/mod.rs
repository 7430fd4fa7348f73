//! The little Flux that is needed to count and to read back what was written:
//! `from(bucket: "b") |> range(start: 0, stop: now()) |> filter(fn: (r) => r._measurement == "m") |> count()`.
//!
//! A time is a number of seconds, a text of RFC 3339, or a span such as `-1h` before now. The answer is annotated CSV, a table for each field.

mod read;

use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{DataType, Int64Type};
use axum::http::StatusCode;
use serde_json::Value;

use super::condition::identifier;
use crate::http::values::{self, Times, raw_time, rfc3339};
use crate::sql::Outcome;
use crate::store::types::digits;
use crate::store::{ColumnDef, Semantic, Store};
use read::{Query, read};

type Failed = (StatusCode, String);

/// The answer to a query, as CSV.
pub(super) async fn run(store: &Arc<Store>, text: &str) -> Result<String, Failed> {
    let bad =
        |problem: String| (StatusCode::BAD_REQUEST, format!("the reference server cannot read this Flux: {problem}"));
    let query = read(text).map_err(bad)?;
    if !store.has_database(&query.bucket) {
        let words = format!("failed to initialize execute state: could not find bucket \"{}\"", query.bucket);
        return Err((StatusCode::NOT_FOUND, words));
    }
    let wanted = |key: &str| query.filters.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
    let tables = store.table_names(&query.bucket).unwrap_or_default();
    let mut csv = String::new();
    let mut number = 0;
    for table in tables.iter().filter(|table| wanted("_measurement").is_none_or(|name| name == *table)) {
        let Ok(schema) = store.schema(&query.bucket, table) else { continue };
        for field in schema.columns.iter().filter(|column| column.semantic == Semantic::Field) {
            if wanted("_field").is_none_or(|name| name == field.name) {
                let found = one_field(store, &query, table, &schema.columns, field).await?;
                write(&mut csv, &query, table, field, &found, &mut number);
            }
        }
    }
    Ok(csv)
}

/// The rows of a field: its time, its value, its tags; of a count, the number and the tags.
async fn one_field(
    store: &Arc<Store>,
    query: &Query,
    table: &str,
    columns: &[ColumnDef],
    field: &ColumnDef,
) -> Result<Vec<RecordBatch>, Failed> {
    let time =
        columns.iter().find(|column| column.semantic == Semantic::Timestamp).map_or(super::TIME, |column| &column.name);
    let (time, value) = (identifier(time), identifier(&field.name));
    let tags: Vec<String> =
        columns.iter().filter(|column| column.semantic == Semantic::Tag).map(|tag| identifier(&tag.name)).collect();
    let bound = |nanoseconds: i128| {
        let nanoseconds = nanoseconds.clamp(i64::MIN.into(), i64::MAX.into());
        format!("arrow_cast({nanoseconds}, 'Timestamp(Nanosecond, None)')")
    };
    let mut conditions = vec![
        format!("{time} >= {} AND {time} < {}", bound(query.start), bound(query.stop)),
        format!("{value} IS NOT NULL"),
    ];
    for (name, wanted) in query.filters.iter().filter(|(name, _)| !name.starts_with('_')) {
        if !tags.contains(&identifier(name)) {
            return Ok(Vec::new());
        }
        conditions.push(format!("{} = '{}'", identifier(name), wanted.replace('\'', "''")));
    }
    let (conditions, tags) = (conditions.join(" AND "), tags.iter().map(|tag| format!(", {tag}")).collect::<String>());
    let table = identifier(table);
    let sql = if query.count {
        let group = if tags.is_empty() { "TRUE".to_owned() } else { tags.trim_start_matches(", ").to_owned() };
        format!("SELECT count({value}){tags} FROM {table} WHERE {conditions} GROUP BY {group}")
    } else {
        format!("SELECT {time}, {value}{tags} FROM {table} WHERE {conditions} ORDER BY {time}")
    };
    match store.sql(&query.bucket, &sql).await {
        Ok(mut outcomes) => Ok(match outcomes.pop() {
            Some(Outcome::Records(batches, _)) => batches,
            _ => Vec::new(),
        }),
        Err(error) => Err((StatusCode::INTERNAL_SERVER_ERROR, error.message)),
    }
}

/// Writes the rows of a field as a table of its own, annotations first.
fn write(csv: &mut String, query: &Query, table: &str, field: &ColumnDef, batches: &[RecordBatch], number: &mut usize) {
    if batches.iter().all(|batch| batch.num_rows() == 0) {
        return;
    }
    let first_tag = if query.count { 1 } else { 2 };
    let tags: Vec<String> = batches.first().map_or_else(Vec::new, |batch| {
        batch.schema().fields().iter().skip(first_tag).map(|field| field.name().clone()).collect()
    });
    let kind = match (query.count, &field.data_type) {
        (true, _) | (_, DataType::Int64) => "long",
        (_, DataType::UInt64) => "unsignedLong",
        (_, DataType::Float64) => "double",
        (_, DataType::Boolean) => "boolean",
        _ => "string",
    };
    let time = if query.count { (vec![], vec![]) } else { (vec!["dateTime:RFC3339"], vec!["_time"]) };
    let strings = vec!["string"; tags.len() + 2];
    let ranged = ["string", "long", "dateTime:RFC3339", "dateTime:RFC3339"];
    let types: Vec<&str> = ranged.into_iter().chain(time.0).chain([kind]).chain(strings).collect();
    let names =
        ["result", "table", "_start", "_stop"].into_iter().chain(time.1).chain(["_value", "_field", "_measurement"]);
    let names: Vec<&str> = names.chain(tags.iter().map(String::as_str)).collect();
    let grouped = types.iter().zip(&names).map(|(_, name)| !matches!(*name, "result" | "table" | "_time" | "_value"));
    let grouped: Vec<&str> = grouped.map(|grouped| if grouped { "true" } else { "false" }).collect();
    let defaults = format!("#default,_result{}", ",".repeat(types.len() - 1));
    csv.push_str(&format!(
        "#datatype,{}\r\n#group,{}\r\n{defaults}\r\n,{}\r\n",
        types.join(","),
        grouped.join(","),
        names.join(",")
    ));
    let stamp = |nanoseconds: i128| format!("{}Z", rfc3339(nanoseconds));
    let plain = |text: &str| values::csv(&Value::String(text.to_owned()));
    for batch in batches {
        for row in 0..batch.num_rows() {
            let cell = |column: usize| values::csv(&values::json(batch.column(column), row, Times::Number));
            let mut cells =
                vec![String::new(), String::new(), number.to_string(), stamp(query.start), stamp(query.stop)];
            if query.count {
                cells.push(count_of(batch, row));
            } else {
                cells.push(stamp(time_of(batch, row)));
                cells.push(cell(1));
            }
            cells.extend([plain(&field.name), plain(table)]);
            cells.extend((0..tags.len()).map(|tag| cell(first_tag + tag)));
            csv.push_str(&cells.join(","));
            csv.push_str("\r\n");
            // Counted series are tables of their own, each of one row.
            *number += usize::from(query.count);
        }
    }
    *number += usize::from(!query.count);
    csv.push_str("\r\n");
}

fn count_of(batch: &RecordBatch, row: usize) -> String {
    batch.column(0).as_primitive_opt::<Int64Type>().map_or_else(String::new, |counts| counts.value(row).to_string())
}

fn time_of(batch: &RecordBatch, row: usize) -> i128 {
    let array = batch.column(0);
    let scale = match array.data_type() {
        DataType::Timestamp(unit, _) => 10_i128.pow(9 - digits(*unit)),
        _ => 1,
    };
    raw_time(array, row).map_or(0, |time| i128::from(time) * scale)
}
