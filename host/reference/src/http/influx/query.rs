//! Running `InfluxQL`: it is turned into SQL.

use std::sync::Arc;

use arrow::array::RecordBatch;
use serde_json::{Value, json};

use super::condition::identifier;
use super::influxql::{Item, Select, Statement, statements};
use crate::http::values::{self, Times, raw_time, rfc3339};
use crate::line::Unit;
use crate::sql::Outcome;
use crate::store::types::digits;
use crate::store::{ErrorKind, Semantic, Store, StoreError, TableSchema};

/// The results of statements: each has its own error, if any.
///
/// # Errors
///
/// A text that cannot be read: nothing is done.
pub(super) async fn run(
    store: &Arc<Store>,
    database: Option<&str>,
    text: &str,
    epoch: Option<&str>,
) -> Result<Vec<Value>, String> {
    let mut results = Vec::new();
    for (id, statement) in statements(text)?.into_iter().enumerate() {
        results.push(match one(store, database, statement, epoch).await {
            Ok(None) => json!({ "statement_id": id }),
            Ok(Some(series)) => json!({ "statement_id": id, "series": [series] }),
            Err(error) => json!({ "statement_id": id, "error": error }),
        });
    }
    Ok(results)
}

async fn one(
    store: &Arc<Store>,
    database: Option<&str>,
    statement: Statement,
    epoch: Option<&str>,
) -> Result<Option<Value>, String> {
    let existing = || match database {
        None | Some("") => Err("database name required".to_owned()),
        Some(name) if store.has_database(name) => Ok(name),
        Some(name) => Err(format!("database not found: {name}")),
    };
    let names = |title: &str, names: Vec<String>| {
        let values: Vec<Value> = names.into_iter().map(|name| json!([name])).collect();
        json!({ "name": title, "columns": ["name"], "values": values })
    };
    match statement {
        Statement::CreateDatabase(name) => match store.create_database(&name) {
            Err(error) if error.kind != ErrorKind::DatabaseExists => Err(error.message),
            _ => Ok(None),
        },
        Statement::DropDatabase(name) => match store.drop_database(&name) {
            Err(error) if error.kind != ErrorKind::DatabaseNotFound => Err(error.message),
            _ => Ok(None),
        },
        Statement::DropMeasurement(name) => match store.drop_table(existing()?, &name) {
            Ok(()) => Ok(None),
            Err(error) if error.kind == ErrorKind::TableNotFound => Err(format!("measurement not found: {name}")),
            Err(error) => Err(error.message),
        },
        Statement::ShowDatabases => Ok(Some(names("databases", store.databases()))),
        Statement::ShowMeasurements => {
            let found = store.table_names(existing()?).map_err(|error| error.message)?;
            Ok((!found.is_empty()).then(|| names("measurements", found)))
        }
        Statement::Select(select) => {
            let database = existing()?;
            match store.schema(database, &select.measurement) {
                Err(_) => Ok(None),
                Ok(schema) => find(store, database, &select, &schema, epoch).await.map_err(|error| error.message),
            }
        }
    }
}

/// The series that a query finds; none if there is no value.
async fn find(
    store: &Arc<Store>,
    database: &str,
    select: &Select,
    schema: &TableSchema,
    epoch: Option<&str>,
) -> Result<Option<Value>, StoreError> {
    let time = schema.time().map_or(super::TIME, |(_, column)| column.name.as_str());
    let mut conditions: Vec<String> = select.conditions.iter().map(|comparison| comparison.sql(time)).collect();
    if conditions.is_empty() {
        conditions.push("TRUE".into());
    }
    let from = format!("FROM {} WHERE {}", identifier(&select.measurement), conditions.join(" AND "));
    let calls = calls(select, schema);
    if !calls.is_empty() {
        // Counting mode has no values, only rows.
        let argument = |call: &Call| match (store.count_only(), call.sql) {
            (true, "count") => "*".to_owned(),
            _ => identifier(&call.field),
        };
        let items: Vec<String> = calls.iter().map(|call| format!("{}({})", call.sql, argument(call))).collect();
        let batches = records(store, database, &format!("SELECT {} {from}", items.join(", "))).await?;
        let mut found = values::rows(&batches, Times::Number, 1);
        let row =
            found.pop().and_then(|row| if let Value::Array(row) = row { Some(row) } else { None }).unwrap_or_default();
        if row.iter().all(|value| value.is_null() || *value == json!(0)) {
            return Ok(None);
        }
        let start = select.conditions.iter().find_map(|comparison| comparison.start()).unwrap_or(0);
        let columns: Vec<String> = std::iter::once("time".to_owned()).chain(titles(&calls)).collect();
        let row: Vec<Value> = std::iter::once(written(i128::from(start), epoch)).chain(row).collect();
        return Ok(Some(json!({ "name": select.measurement, "columns": columns, "values": [row] })));
    }
    let columns = columns(select, schema);
    let items: Vec<String> = std::iter::once(time).chain(columns.iter().map(String::as_str)).map(identifier).collect();
    let limit = select.limit.map_or(String::new(), |limit| format!(" LIMIT {limit}"));
    let sql = format!("SELECT {} {from} ORDER BY {}{limit}", items.join(", "), identifier(time));
    let batches = records(store, database, &sql).await?;
    let rows: Vec<Value> =
        batches.iter().flat_map(|batch| (0..batch.num_rows()).map(|row| with_time(batch, row, epoch))).collect();
    let titles: Vec<&str> = std::iter::once("time").chain(columns.iter().map(String::as_str)).collect();
    Ok((!rows.is_empty()).then(|| json!({ "name": select.measurement, "columns": titles, "values": rows })))
}

/// A function of one field.
struct Call {
    name: String,
    sql: &'static str,
    field: String,
    /// Whether it stands for one of all fields.
    of_all: bool,
}

fn calls(select: &Select, schema: &TableSchema) -> Vec<Call> {
    let mut calls = Vec::new();
    for item in &select.items {
        let Item::Call { name, sql, field } = item else { continue };
        let mut add =
            |field: &str, of_all| calls.push(Call { name: name.clone(), sql, field: field.to_owned(), of_all });
        match field {
            // A field that was never written has no values.
            Some(field) if schema.position(field).is_some() => add(field, false),
            Some(_) => {}
            None => schema.columns.iter().filter(|c| c.semantic == Semantic::Field).for_each(|c| add(&c.name, true)),
        }
    }
    calls
}

/// The names of columns: `count`, `count_1`; of all fields, `count_field`.
fn titles(calls: &[Call]) -> Vec<String> {
    let mut titles: Vec<String> = Vec::new();
    for call in calls {
        let plain = if call.of_all { format!("{}_{}", call.name, call.field) } else { call.name.clone() };
        let same = titles.iter().filter(|title| **title == plain || title.starts_with(&format!("{plain}_"))).count();
        titles.push(if call.of_all || same == 0 { plain } else { format!("{plain}_{same}") });
    }
    titles
}

/// The columns that are asked for; of all, in the order of their names.
fn columns(select: &Select, schema: &TableSchema) -> Vec<String> {
    let mut found = Vec::new();
    for item in &select.items {
        match item {
            Item::All => {
                let mut all: Vec<String> = schema
                    .columns
                    .iter()
                    .filter(|c| c.semantic != Semantic::Timestamp)
                    .map(|c| c.name.clone())
                    .collect();
                all.sort_unstable();
                found.extend(all);
            }
            Item::Column(name) if name != super::TIME && schema.position(name).is_some() => found.push(name.clone()),
            _ => {}
        }
    }
    found
}

async fn records(store: &Arc<Store>, database: &str, sql: &str) -> Result<Vec<RecordBatch>, StoreError> {
    match store.sql(database, sql).await?.pop() {
        Some(Outcome::Records(batches, _)) => Ok(batches),
        _ => Ok(Vec::new()),
    }
}

/// A row whose first column is the time.
fn with_time(batch: &RecordBatch, row: usize, epoch: Option<&str>) -> Value {
    let time = |array: &arrow::array::ArrayRef| match array.data_type() {
        arrow::datatypes::DataType::Timestamp(unit, _) => {
            raw_time(array, row).map(|time| i128::from(time) * 10_i128.pow(9 - digits(*unit)))
        }
        _ => None,
    };
    let cells = batch.columns().iter().enumerate().map(|(at, array)| match (at, time(array)) {
        (0, Some(nanoseconds)) => written(nanoseconds, epoch),
        _ => values::json(array, row, Times::Number),
    });
    Value::Array(cells.collect())
}

/// A time as the client wants it: a number in a unit, or a text.
fn written(nanoseconds: i128, epoch: Option<&str>) -> Value {
    match epoch.and_then(Unit::short) {
        Some(unit) => {
            i64::try_from(nanoseconds.div_euclid(i128::from(unit.nanoseconds))).map_or(Value::Null, Value::from)
        }
        None => format!("{}Z", rfc3339(nanoseconds)).into(),
    }
}
