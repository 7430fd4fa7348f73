//! Which columns of a stream go where in the table.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema};

use super::Fault;
use crate::store::{ColumnDef, Rows, TableSchema};

/// A stream's columns in the table's order. Columns that the table does not have are left out.
#[derive(Debug)]
pub(super) struct Plan {
    table: Arc<TableSchema>,
    columns: Vec<ColumnDef>,
    from: Vec<usize>,
    schema: Arc<Schema>,
}

impl Plan {
    /// Checks that each column of the table comes, in exactly its type: nothing is converted or filled in on this path.
    pub(super) fn new(table: Arc<TableSchema>, stream: &Schema) -> Result<Self, Fault> {
        let mut from = Vec::with_capacity(table.columns.len());
        let mut fields = Vec::with_capacity(table.columns.len());
        for column in &table.columns {
            let (place, field) = stream
                .column_with_name(&column.name)
                .ok_or_else(|| Fault::new(format!("column {} is missing", column.name)))?;
            if *field.data_type() != column.data_type {
                let (name, given, wanted) = (&column.name, field.data_type(), &column.data_type);
                return Err(Fault::new(format!("column {name} is {given}, and the table has {wanted}")));
            }
            from.push(place);
            fields.push(Field::new(&column.name, column.data_type.clone(), true));
        }
        Ok(Self { columns: table.columns.clone(), table, from, schema: Arc::new(Schema::new(fields)) })
    }

    /// Whether it was made for the table as it is now.
    pub(super) fn is_for(&self, table: &Arc<TableSchema>) -> bool {
        Arc::ptr_eq(&self.table, table)
    }

    /// A batch of the stream as rows of the table.
    pub(super) fn rows(&self, name: &str, batch: &RecordBatch) -> Result<Rows, Fault> {
        let arrays = self.from.iter().map(|place| Arc::clone(batch.column(*place))).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays);
        let batch = batch.map_err(|error| Fault::new(error.to_string()))?;
        Ok(Rows { table: name.to_owned(), columns: self.columns.clone(), batch })
    }
}
