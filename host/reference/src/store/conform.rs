//! Making what comes fit the table that it is for, before anything is stored.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, new_null_array};

use super::error::StoreError;
use super::schema::{ColumnDef, Extra, Rows, Semantic, TableSchema};
use super::types::{logical_name, wire_name, wire_semantic};

/// What a value costs beside its bytes: the handle of its array, for each column of each batch.
const COLUMN_OVERHEAD: u64 = 96;
/// What each row of a table without duplicates costs beside its values: its place in the index.
const INDEX_OVERHEAD: u64 = 40;

/// Columns in the table's order; a column that is not there yet is all NULL.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    /// At most as many as the table has.
    pub(super) columns: Vec<ArrayRef>,
    /// Rows in it.
    pub(super) rows: usize,
}

impl Chunk {
    /// The column at `position`, made of NULL if it is younger than the chunk.
    pub(super) fn column(&self, position: usize, schema: &TableSchema) -> ArrayRef {
        match (self.columns.get(position), schema.columns.get(position)) {
            (Some(array), _) => Arc::clone(array),
            (None, Some(column)) => new_null_array(&column.data_type, self.rows),
            (None, None) => new_null_array(&arrow::datatypes::DataType::Null, self.rows),
        }
    }

    /// Bytes that it holds, with what the store needs to keep it.
    pub(super) fn bytes(&self, indexed: bool) -> u64 {
        let values = |array: &ArrayRef| {
            array.to_data().get_slice_memory_size().map_or(0, |bytes| bytes as u64) + COLUMN_OVERHEAD
        };
        let index = if indexed { INDEX_OVERHEAD * self.rows as u64 } else { 0 };
        self.columns.iter().map(values).sum::<u64>() + index
    }
}

/// Checks the columns of a table that is about to be made.
///
/// # Errors
///
/// Two columns of one name, or not exactly one time index.
pub(super) fn check_columns(columns: &[ColumnDef]) -> Result<(), StoreError> {
    let mut names = HashSet::with_capacity(columns.len());
    if let Some(twice) = columns.iter().find(|column| !names.insert(column.name.as_str())) {
        return Err(StoreError::invalid(format!("Invalid column: `{}` is there twice", twice.name)));
    }
    let times: Vec<_> = columns.iter().filter(|column| column.semantic == Semantic::Timestamp).collect();
    match times[..] {
        [time] if matches!(time.data_type, arrow::datatypes::DataType::Timestamp(_, _)) => Ok(()),
        [time] => {
            let (name, is) = (&time.name, wire_name(&time.data_type));
            Err(StoreError::invalid(format!(
                "Invalid column: the time index `{name}` must be a timestamp, and is {is}"
            )))
        }
        [] => Err(StoreError::invalid("Missing timestamp column: a table needs a time index")),
        _ => Err(StoreError::invalid("Invalid columns: there is more than one time index")),
    }
}

/// The rows as a chunk of the table `schema`, to which the columns that are new are appended if `extra` says so.
///
/// # Errors
///
/// A type or semantic other than the table's, a time that is missing or NULL, or a new column where none may come.
pub(super) fn conform(
    table: u32,
    schema: &mut Arc<TableSchema>,
    rows: Rows,
    extra: Extra,
) -> Result<Chunk, StoreError> {
    check_columns(&rows.columns)?;
    let (name, count) = (rows.table, rows.batch.num_rows());
    if rows.columns.len() != rows.batch.num_columns() {
        return Err(StoreError::invalid("Invalid rows: not as many columns as are described"));
    }
    let mut taken: Vec<Option<ArrayRef>> = vec![None; schema.columns.len()];
    for (column, array) in rows.columns.into_iter().zip(rows.batch.columns()) {
        if *array.data_type() != column.data_type {
            return Err(mismatch(table, &column, array.data_type()));
        }
        match schema.position(&column.name) {
            Some(position) => {
                fits(table, &schema.columns[position], &column)?;
                taken[position] = Some(Arc::clone(array));
            }
            // A second time index cannot come: the table's own would be missing.
            None if extra == Extra::AddColumns && column.semantic != Semantic::Timestamp => {
                Arc::make_mut(schema).columns.push(column);
                taken.push(Some(Arc::clone(array)));
            }
            None if extra == Extra::Ignore => {}
            None => {
                let words = format!("Column not found in table, column: {}, table: {}", column.name, name);
                return Err(StoreError::invalid(words));
            }
        }
    }
    if let Some((position, time)) = schema.time() {
        match &taken[position] {
            Some(array) if array.null_count() == 0 => {}
            Some(_) => {
                return Err(StoreError::invalid(format!("Invalid rows: the time index `{}` is NULL", time.name)));
            }
            None => {
                let words = format!("{}missing column {}", reason(table), time.name);
                return Err(StoreError::invalid(words));
            }
        }
    }
    let fill = |(array, column): (Option<ArrayRef>, &ColumnDef)| {
        array.unwrap_or_else(|| new_null_array(&column.data_type, count))
    };
    Ok(Chunk { columns: taken.into_iter().zip(&schema.columns).map(fill).collect(), rows: count })
}

/// Whether what comes is what the column holds.
fn fits(table: u32, has: &ColumnDef, comes: &ColumnDef) -> Result<(), StoreError> {
    if has.data_type != comes.data_type {
        return Err(mismatch(table, has, &comes.data_type));
    }
    if has.semantic != comes.semantic {
        let (name, is, given) = (&has.name, has.semantic, wire_semantic(comes.semantic));
        return Err(StoreError::invalid(format!(
            "{}column {name} has semantic type {is:?}, given: {given}",
            reason(table)
        )));
    }
    Ok(())
}

fn mismatch(table: u32, has: &ColumnDef, comes: &arrow::datatypes::DataType) -> StoreError {
    let (name, expected, given) = (&has.name, logical_name(&has.data_type), wire_name(comes));
    StoreError::invalid(format!("{}column {name} expect type {expected}, given: {given}", reason(table)))
}

/// How the real server begins a refusal: a region's number is made of the table's.
fn reason(table: u32) -> String {
    format!("Invalid request to region {}({table}, 0), reason: ", u64::from(table) << 32)
}
