//! The seam to a dataset: where rows come from.

use std::future::Future;
use std::sync::Arc;

use benchhost_data::{Batch, Table};

use crate::error::CallError;

/// What a dataset is.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Its tables; never empty.
    pub tables: Vec<Arc<Table>>,
    /// Rows of each table; none: endless.
    pub rows: Option<u64>,
    /// Distinct series of each table.
    pub series: u64,
    /// Whether any instance can give any rows in any order.
    pub seekable: bool,
}

/// An instance of a dataset.
pub trait Generator {
    /// What the dataset is.
    fn facts(&self) -> &Facts;
    /// Rows `first_row .. first_row + rows` of table number `table`.
    fn fill(&mut self, table: usize, first_row: u64, rows: u32) -> impl Future<Output = Result<Batch, CallError>>;
}

/// Opens instances; shared by all threads.
pub trait Generators: Send + Sync {
    /// The instance that it opens.
    type Session: Generator;
    /// A new instance: all give the same rows.
    fn open(&self) -> impl Future<Output = Result<Self::Session, CallError>>;
}
