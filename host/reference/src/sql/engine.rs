//! Queries, by `DataFusion`: the tables that a query names are read from the store and handed to it, so a query sees each of them at one moment.

use std::sync::Arc;

#[cfg(test)]
use arrow::array::AsArray;
use arrow::array::{RecordBatch, StringArray};
use arrow::datatypes::{DataType, SchemaRef};
use datafusion::catalog::{CatalogProvider, MemTable, MemoryCatalogProvider, MemorySchemaProvider, SchemaProvider};
use datafusion::common::TableReference;
use datafusion::common::config::Dialect;
use datafusion::error::DataFusionError;
use datafusion::execution::context::{SQLOptions, SessionConfig, SessionContext};
use datafusion::logical_expr::{ColumnarValue, Volatility, create_udf};

use super::show;
use crate::store::{ErrorKind, Store, StoreError};

/// What `version()` says: the server that is imitated, and that it is imitated.
const VERSION: &str = "8.4.2-greptimedb-1.0.2-benchhost-reference";
/// The catalog.
const CATALOG: &str = "greptime";

/// The rows that a query finds.
pub(super) async fn query(
    store: &Arc<Store>,
    database: &str,
    sql: &str,
) -> Result<(Vec<RecordBatch>, SchemaRef), StoreError> {
    let mut config = SessionConfig::new()
        .with_create_default_catalog_and_schema(false)
        .with_default_catalog_and_schema(CATALOG, database)
        .with_target_partitions(1);
    config.options_mut().sql_parser.enable_ident_normalization = false;
    config.options_mut().execution.time_zone = Some("UTC".into());
    let context = SessionContext::new_with_config(config);
    let version = |_: &[ColumnarValue]| Ok(ColumnarValue::Array(Arc::new(StringArray::from(vec![VERSION]))));
    context.register_udf(create_udf("version", vec![], DataType::Utf8, Volatility::Stable, Arc::new(version)));
    let catalog = Arc::new(MemoryCatalogProvider::new());
    let state = context.state();
    let statement = state.sql_to_statement(sql, &Dialect::Generic)?;
    for reference in state.resolve_table_references(&statement)? {
        provide(store, &catalog, database, &reference).await?;
    }
    context.register_catalog(CATALOG, catalog);
    let state = context.state();
    let plan = state.statement_to_plan(statement).await?;
    // What changes the store goes past the engine, which would change nothing but its own copy.
    let options = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
    options.verify_plan(&plan)?;
    let frame = context.execute_logical_plan(plan).await?;
    let schema = Arc::clone(frame.schema().inner());
    let batches = frame.collect().await?;
    let schema = batches.first().map_or(schema, |batch| batch.schema());
    Ok((batches, schema))
}

/// Puts a table into the catalog of a query. One that is missing is left out: a name may also be one that the query makes.
async fn provide(
    store: &Arc<Store>,
    catalog: &Arc<MemoryCatalogProvider>,
    database: &str,
    reference: &TableReference,
) -> Result<(), StoreError> {
    if reference.catalog().is_some_and(|catalog| catalog != CATALOG) {
        return Ok(());
    }
    let database = reference.schema().unwrap_or(database).to_owned();
    let name = reference.table().to_owned();
    let reading = (Arc::clone(store), database.clone(), name.clone());
    // Reading may take a second or more: the threads that answer others go on.
    let read = tokio::task::spawn_blocking(move || {
        let (store, database, name) = reading;
        match show::SCHEMAS.contains(&database.as_str()) {
            true => show::information(&store, &name),
            false => store.read(&database, &name).map(|(schema, batches)| (schema, batches.to_vec())),
        }
    });
    let read = read.await.map_err(|error| StoreError::new(ErrorKind::Internal, error.to_string()))?;
    let (schema, batches) = match read {
        Ok(table) => table,
        Err(error) if matches!(error.kind, ErrorKind::TableNotFound | ErrorKind::DatabaseNotFound) => return Ok(()),
        Err(error) => return Err(error),
    };
    let table = MemTable::try_new(schema, vec![batches])?;
    let tables = match catalog.schema(&database) {
        Some(tables) => tables,
        None => {
            let tables: Arc<dyn SchemaProvider> = Arc::new(MemorySchemaProvider::new());
            catalog.register_schema(&database, Arc::clone(&tables))?;
            tables
        }
    };
    tables.register_table(name, Arc::new(table))?;
    Ok(())
}

/// The engine's errors in GreptimeDB's words and codes.
impl From<DataFusionError> for StoreError {
    fn from(error: DataFusionError) -> Self {
        let root = error.find_root();
        let words = root.strip_backtrace();
        if let Some(table) = missing_table(&words) {
            return Self::new(ErrorKind::TableNotFound, format!("Failed to plan SQL: Table not found: {table}"));
        }
        match root {
            DataFusionError::SQL(problem, _) => {
                Self::new(ErrorKind::Syntax, format!("Invalid SQL syntax: {}", syntax(&problem.to_string())))
            }
            DataFusionError::Plan(_) | DataFusionError::SchemaError(..) | DataFusionError::NotImplemented(_) => {
                Self::new(ErrorKind::Plan, format!("Failed to plan SQL: {words}"))
            }
            DataFusionError::Internal(_) => Self::new(ErrorKind::Internal, words),
            _ => Self::new(ErrorKind::Execution, words),
        }
    }
}

/// The parser's words without its name for them.
fn syntax(words: &str) -> &str {
    words.trim_start_matches("sql parser error: ")
}

/// The table that an error says is missing.
fn missing_table(words: &str) -> Option<&str> {
    let (_, rest) = words.split_once("table '")?;
    let (table, rest) = rest.split_once('\'')?;
    rest.starts_with(" not found").then_some(table)
}

/// A column as texts.
#[cfg(test)]
pub(super) fn texts(batches: &[RecordBatch], column: usize) -> Vec<String> {
    let text = |batch: &RecordBatch| {
        let array = arrow::compute::cast(batch.column(column), &DataType::Utf8);
        array.map(|array| {
            array.as_string::<i32>().iter().map(|text| text.unwrap_or("NULL").to_owned()).collect::<Vec<_>>()
        })
    };
    batches.iter().filter_map(|batch| text(batch).ok()).flatten().collect()
}
