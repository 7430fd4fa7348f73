//! What there is: databases, tables, their columns and rows, and how they are made and removed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use super::table::Table;
use super::{ColumnDef, ErrorKind, Store, StoreError, TableOptions, TableSchema, Tables, lock};

/// What a table has received and holds.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct TableCounts {
    /// Its number.
    pub(crate) id: u32,
    /// Its database.
    pub(crate) database: String,
    /// Its name.
    pub(crate) table: String,
    /// Rows that were acknowledged and stored.
    pub(crate) rows_received: u64,
    /// Rows that a count finds: of those with the same tags and time, one, unless the table keeps all.
    pub(crate) distinct_rows: u64,
    /// Bytes of memory that are charged to it.
    pub(crate) bytes: u64,
}

impl Store {
    /// A table's columns and options.
    ///
    /// # Errors
    ///
    /// No such database or table.
    pub(crate) fn schema(&self, database: &str, table: &str) -> Result<Arc<TableSchema>, StoreError> {
        let table = self.table(database, table)?;
        let schema = Arc::clone(&lock(&table).schema);
        Ok(schema)
    }

    /// A table's rows, each with all columns. This may take a while: rows that replace each other are found here.
    ///
    /// # Errors
    ///
    /// No such database or table, or a tag of a type that has no order.
    pub(crate) fn read(&self, database: &str, table: &str) -> Result<(SchemaRef, Arc<Vec<RecordBatch>>), StoreError> {
        let table = self.table(database, table)?;
        let mut table = lock(&table);
        let batches = table.read()?;
        Ok((table.schema.arrow(), batches))
    }

    /// Rows that a table has received, and those of them that are distinct.
    ///
    /// # Errors
    ///
    /// No such database or table, or a tag of a type that has no order.
    #[cfg(test)]
    pub(crate) fn counts(&self, database: &str, table: &str) -> Result<(u64, u64), StoreError> {
        let table = self.table(database, table)?;
        let mut table = lock(&table);
        Ok((table.received, table.distinct()?))
    }

    /// What every table has received and holds, by name.
    ///
    /// # Errors
    ///
    /// A tag of a type that has no order.
    pub(crate) fn truth(&self) -> Result<Vec<TableCounts>, StoreError> {
        let mut all = Vec::new();
        for database in self.databases() {
            for (name, table) in self.tables(&database)? {
                let mut table = lock(&table);
                let distinct_rows = table.distinct()?;
                let (id, rows_received, bytes) = (table.id, table.received, table.bytes);
                all.push(TableCounts {
                    id,
                    database: database.clone(),
                    table: name,
                    rows_received,
                    distinct_rows,
                    bytes,
                });
            }
        }
        Ok(all)
    }

    /// Makes a database.
    ///
    /// # Errors
    ///
    /// It exists.
    pub(crate) fn create_database(&self, name: &str) -> Result<(), StoreError> {
        let mut databases = self.databases.write().unwrap_or_else(PoisonError::into_inner);
        if databases.contains_key(name) {
            return Err(StoreError::new(ErrorKind::DatabaseExists, format!("Schema {name} already exists")));
        }
        databases.insert(name.to_owned(), Tables::new());
        Ok(())
    }

    /// Removes a database and its tables.
    ///
    /// # Errors
    ///
    /// It does not exist.
    pub(crate) fn drop_database(&self, name: &str) -> Result<(), StoreError> {
        let mut databases = self.databases.write().unwrap_or_else(PoisonError::into_inner);
        let tables = databases.remove(name).ok_or_else(|| StoreError::no_database(name))?;
        drop(databases);
        for table in tables.into_values() {
            self.release(lock(&table).truncate());
        }
        Ok(())
    }

    /// Makes a table.
    ///
    /// # Errors
    ///
    /// No such database, a table of that name, or columns that make no table.
    pub(crate) fn create_table(
        &self,
        database: &str,
        name: &str,
        columns: Vec<ColumnDef>,
        options: TableOptions,
    ) -> Result<(), StoreError> {
        let mut databases = self.databases.write().unwrap_or_else(PoisonError::into_inner);
        let tables = databases.get_mut(database).ok_or_else(|| StoreError::no_database(database))?;
        if tables.contains_key(name) {
            let message = format!("Table already exists: `greptime.{database}.{name}`");
            return Err(StoreError::new(ErrorKind::TableExists, message));
        }
        let table = self.make(name, columns, options)?;
        tables.insert(name.to_owned(), Arc::new(Mutex::new(table)));
        Ok(())
    }

    /// Removes a table.
    ///
    /// # Errors
    ///
    /// No such database or table.
    pub(crate) fn drop_table(&self, database: &str, name: &str) -> Result<(), StoreError> {
        let mut databases = self.databases.write().unwrap_or_else(PoisonError::into_inner);
        let tables = databases.get_mut(database).ok_or_else(|| StoreError::no_database(database))?;
        let table = tables.remove(name).ok_or_else(|| StoreError::no_table(database, name))?;
        drop(databases);
        self.release(lock(&table).truncate());
        Ok(())
    }

    /// Removes a table's rows.
    ///
    /// # Errors
    ///
    /// No such database or table.
    pub(crate) fn truncate(&self, database: &str, name: &str) -> Result<(), StoreError> {
        let table = self.table(database, name)?;
        self.release(lock(&table).truncate());
        Ok(())
    }

    /// The databases, by name.
    pub(crate) fn databases(&self) -> Vec<String> {
        let databases = self.databases.read().unwrap_or_else(PoisonError::into_inner);
        let mut names: Vec<String> = databases.keys().cloned().collect();
        names.sort_unstable();
        names
    }

    /// Whether there is such a database.
    pub(crate) fn has_database(&self, name: &str) -> bool {
        self.databases.read().unwrap_or_else(PoisonError::into_inner).contains_key(name)
    }

    /// The names of a database's tables, in their order.
    ///
    /// # Errors
    ///
    /// No such database.
    pub(crate) fn table_names(&self, database: &str) -> Result<Vec<String>, StoreError> {
        Ok(self.tables(database)?.into_keys().collect())
    }

    fn tables(&self, database: &str) -> Result<BTreeMap<String, Arc<Mutex<Table>>>, StoreError> {
        let databases = self.databases.read().unwrap_or_else(PoisonError::into_inner);
        let tables = databases.get(database).ok_or_else(|| StoreError::no_database(database))?;
        Ok(tables.iter().map(|(name, table)| (name.clone(), Arc::clone(table))).collect())
    }
}
