//! The store: databases of tables of Arrow columns, in memory, with a bound.
//!
//! A write is checked as a whole before anything of it is kept, then its columns are moved in as they are: no row is touched, so a batch
//! costs the same whatever its size. Which rows replace which is found out by whoever reads ([`distinct`]).

mod catalog;
mod conform;
mod distinct;
mod error;
mod key;
mod schema;
mod span;
mod table;
pub(crate) mod types;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

pub(crate) use catalog::TableCounts;
pub(crate) use error::{ErrorKind, StoreError};
pub(crate) use schema::{ColumnDef, Extra, JSON, Merge, Missing, Rows, Semantic, TableOptions, TableSchema};
use span::Span;
use table::{Staged, Table};

/// The database that is always there.
pub(crate) const PUBLIC: &str = "public";
/// The number of the first table, as in a real server that has made its own before.
const FIRST_TABLE: u32 = 1024;

/// How the store keeps what it gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoreOptions {
    /// Bytes that it may hold; a write beyond is refused.
    pub(crate) max_bytes: u64,
    /// Counts rows and drops their values.
    pub(crate) count_only: bool,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { max_bytes: 4 << 30, count_only: false }
    }
}

type Tables = HashMap<String, Arc<Mutex<Table>>>;

/// Databases and their tables.
#[derive(Debug)]
pub(crate) struct Store {
    options: StoreOptions,
    databases: RwLock<HashMap<String, Tables>>,
    used: AtomicU64,
    next_table: AtomicU32,
}

impl Store {
    /// An empty store with the database `public`.
    pub(crate) fn new(options: StoreOptions) -> Arc<Self> {
        Arc::new(Self {
            options,
            databases: RwLock::new(HashMap::from([(PUBLIC.to_owned(), Tables::new())])),
            used: AtomicU64::new(0),
            next_table: AtomicU32::new(FIRST_TABLE),
        })
    }

    /// Whether values are dropped.
    pub(crate) fn count_only(&self) -> bool {
        self.options.count_only
    }

    /// Stores rows: all, or none if any does not fit.
    ///
    /// # Returns
    ///
    /// The rows given, whether or not they replace others.
    ///
    /// # Errors
    ///
    /// A database or table that is missing, values that do not fit, or no memory left.
    pub(crate) fn write(
        &self,
        database: &str,
        rows: Vec<Rows>,
        missing: &Missing,
        extra: Extra,
    ) -> Result<u64, StoreError> {
        let databases = self.databases.read().unwrap_or_else(PoisonError::into_inner);
        let tables = databases.get(database).ok_or_else(|| StoreError::no_database(database))?;
        let mut touched: BTreeMap<String, Arc<Mutex<Table>>> = BTreeMap::new();
        let mut complete = true;
        for rows in &rows {
            match tables.get(&rows.table) {
                Some(table) => drop(touched.insert(rows.table.clone(), Arc::clone(table))),
                None if *missing == Missing::Refuse => return Err(StoreError::no_table(database, &rows.table)),
                None => complete = false,
            }
        }
        if complete {
            return self.commit(&touched, rows, extra);
        }
        drop(databases);
        self.create_and_write(database, rows, missing, extra)
    }

    /// The same while nobody else writes, so that tables can be made.
    fn create_and_write(
        &self,
        database: &str,
        rows: Vec<Rows>,
        missing: &Missing,
        extra: Extra,
    ) -> Result<u64, StoreError> {
        let mut databases = self.databases.write().unwrap_or_else(PoisonError::into_inner);
        let tables = databases.get_mut(database).ok_or_else(|| StoreError::no_database(database))?;
        let mut touched: BTreeMap<String, Arc<Mutex<Table>>> = BTreeMap::new();
        for rows in &rows {
            if touched.contains_key(&rows.table) {
                continue;
            }
            let table = match (tables.get(&rows.table), missing) {
                (Some(table), _) => Arc::clone(table),
                (None, Missing::Refuse) => return Err(StoreError::no_table(database, &rows.table)),
                (None, Missing::Create(options)) => {
                    Arc::new(Mutex::new(self.make(&rows.table, rows.columns.clone(), options.clone())?))
                }
            };
            touched.insert(rows.table.clone(), table);
        }
        let stored = self.commit(&touched, rows, extra)?;
        tables.extend(touched);
        Ok(stored)
    }

    /// Checks all rows against their tables, then stores them. Tables are locked in the order of their names, so two writers never wait for each other.
    fn commit(
        &self,
        tables: &BTreeMap<String, Arc<Mutex<Table>>>,
        rows: Vec<Rows>,
        extra: Extra,
    ) -> Result<u64, StoreError> {
        let mut locked: BTreeMap<&str, (MutexGuard<'_, Table>, Staged)> = BTreeMap::new();
        for (name, table) in tables {
            let table = lock(table);
            let staged = table.stage();
            locked.insert(name, (table, staged));
        }
        let given = rows.iter().map(|rows| rows.batch.num_rows() as u64).sum();
        for rows in rows {
            if let Some((table, staged)) = locked.get_mut(rows.table.as_str()) {
                table.add(staged, rows, extra, self.options.count_only)?;
            }
        }
        self.reserve(locked.values().map(|(_, staged)| staged.bytes).sum())?;
        for (mut table, staged) in locked.into_values() {
            table.commit(staged);
        }
        Ok(given)
    }

    /// In counting mode: counts rows that were never decoded. `first` and `last` are their times, in the unit of the table's time index.
    ///
    /// # Errors
    ///
    /// A database or table that is missing, or no memory left.
    pub(crate) fn count(
        &self,
        database: &str,
        table: &str,
        rows: u64,
        (first, last): (i64, i64),
    ) -> Result<u64, StoreError> {
        let table = self.table(database, table)?;
        let mut table = lock(&table);
        let mut staged = table.stage();
        if rows > 0 {
            table.add_span(&mut staged, Span { rows, first, last });
        }
        self.reserve(staged.bytes)?;
        table.commit(staged);
        Ok(rows)
    }

    /// Charges bytes, unless they are too many.
    fn reserve(&self, bytes: u64) -> Result<(), StoreError> {
        let most = self.options.max_bytes;
        let add = |used: u64| used.checked_add(bytes).filter(|sum| *sum <= most);
        match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add) {
            Ok(_) => Ok(()),
            Err(used) => {
                let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
                let message = format!(
                    "the reference server's memory is full: {:.1} of {:.1} MiB are used, and the write needs {:.1} MiB more; nothing of it \
                     is stored. Drop tables, or start the server with a larger bound",
                    mib(used),
                    mib(most),
                    mib(bytes)
                );
                Err(StoreError::new(ErrorKind::Full, message))
            }
        }
    }

    /// A table that is in no database yet.
    fn make(&self, name: &str, columns: Vec<ColumnDef>, options: TableOptions) -> Result<Table, StoreError> {
        if name.is_empty() || name.len() > 1024 {
            return Err(StoreError::invalid(format!("Invalid table name: {name}")));
        }
        conform::check_columns(&columns)?;
        let id = self.next_table.fetch_add(1, Ordering::Relaxed);
        Ok(Table::new(id, TableSchema { columns, options }))
    }

    fn table(&self, database: &str, table: &str) -> Result<Arc<Mutex<Table>>, StoreError> {
        let databases = self.databases.read().unwrap_or_else(PoisonError::into_inner);
        let tables = databases.get(database).ok_or_else(|| StoreError::no_database(database))?;
        tables.get(table).map(Arc::clone).ok_or_else(|| StoreError::no_table(database, table))
    }

    fn release(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// A lock that outlives a panic: what it guards is never left half-changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
