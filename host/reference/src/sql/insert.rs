//! `INSERT`: the query engine makes the rows, and they are cast to what the table holds.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{Field, Schema};

use super::engine::query;
use crate::store::{ColumnDef, ErrorKind, Extra, Missing, Rows, Store, StoreError};

/// Inserts what `source` finds into a table.
///
/// # Returns
///
/// The rows given.
///
/// # Errors
///
/// A column that the table does not have, or values that it cannot hold.
pub(super) async fn insert(
    store: &Arc<Store>,
    database: &str,
    (into, table): (&str, &str),
    names: &[String],
    source: &str,
) -> Result<u64, StoreError> {
    let schema = store.schema(into, table)?;
    let columns: Vec<ColumnDef> = if names.is_empty() {
        schema.columns.clone()
    } else {
        let of = |name: &String| {
            schema.position(name).map(|at| schema.columns[at].clone()).ok_or_else(|| {
                let message = format!("Column {name} not exists in table {table}");
                StoreError::new(ErrorKind::Invalid, message)
            })
        };
        names.iter().map(of).collect::<Result<_, _>>()?
    };
    let (batches, found) = query(store, database, source).await?;
    if found.fields().len() != columns.len() {
        let (expected, given) = (columns.len(), found.fields().len());
        return Err(StoreError::syntax(format!("column count mismatch, columns: {expected}, values: {given}")));
    }
    let field = |column: &ColumnDef| Field::new(&column.name, column.data_type.clone(), true);
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    let mut rows = Vec::with_capacity(batches.len());
    for batch in batches {
        let arrays = batch.columns().iter().zip(&columns).map(|(array, column)| cast(array, column));
        let batch = RecordBatch::try_new(Arc::clone(&schema), arrays.collect::<Result<_, _>>()?)?;
        rows.push(Rows { table: table.to_owned(), columns: columns.clone(), batch });
    }
    store.write(into, rows, &Missing::Refuse, Extra::Refuse)
}

/// Values as the column holds them; what cannot be one is refused, and not NULL.
fn cast(array: &ArrayRef, column: &ColumnDef) -> Result<ArrayRef, StoreError> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(array, &column.data_type, &options).map_err(|error| {
        let (name, kind) = (&column.name, crate::store::types::sql_name(&column.data_type));
        StoreError::invalid(format!("Failed to cast a value to column {name} of type {kind}: {error}"))
    })
}
