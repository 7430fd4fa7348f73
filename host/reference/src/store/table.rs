//! One table: chunks of columns in the order in which they came.

use std::sync::Arc;

use arrow::array::{Array, AsArray, RecordBatch, RecordBatchOptions};
use arrow::compute::{cast, concat, max, min};
use arrow::datatypes::{DataType, Int64Type};

use super::conform::{Chunk, conform};
use super::distinct::Distinct;
use super::error::StoreError;
use super::schema::{Extra, Merge, Rows, TableSchema};
use super::span::Span;

/// Chunks of fewer rows are joined, so that a million writes of one row are no million arrays.
const SMALL: usize = 256;
/// So many small chunks at once.
const JOINED: usize = 64;

/// A table.
#[derive(Debug)]
pub(super) struct Table {
    /// Its number, as refusals name it.
    pub(super) id: u32,
    pub(super) schema: Arc<TableSchema>,
    /// Rows that were acknowledged, whether or not they are distinct.
    pub(super) received: u64,
    /// Bytes that are charged to it.
    pub(super) bytes: u64,
    chunks: Vec<Chunk>,
    /// Small chunks at the end that can be joined.
    small: usize,
    distinct: Distinct,
    /// In counting mode: what is kept instead of chunks.
    spans: Vec<Span>,
    read: Option<(u64, Arc<Vec<RecordBatch>>)>,
}

/// Rows that fit their table, and the columns that it will have then.
#[derive(Debug)]
pub(super) struct Staged {
    schema: Arc<TableSchema>,
    chunks: Vec<Chunk>,
    spans: Vec<Span>,
    rows: u64,
    /// Bytes that storing it takes.
    pub(super) bytes: u64,
}

impl Table {
    pub(super) fn new(id: u32, schema: TableSchema) -> Self {
        Self {
            id,
            schema: Arc::new(schema),
            received: 0,
            bytes: 0,
            chunks: Vec::new(),
            small: 0,
            distinct: Distinct::default(),
            spans: Vec::new(),
            read: None,
        }
    }

    /// Nothing yet, for this table.
    pub(super) fn stage(&self) -> Staged {
        Staged { schema: Arc::clone(&self.schema), chunks: Vec::new(), spans: Vec::new(), rows: 0, bytes: 0 }
    }

    /// Adds rows to what is staged for this table. In counting mode only their number and times are kept.
    ///
    /// # Errors
    ///
    /// Rows that do not fit.
    pub(super) fn add(
        &self,
        staged: &mut Staged,
        rows: Rows,
        extra: Extra,
        count_only: bool,
    ) -> Result<(), StoreError> {
        let chunk = conform(self.id, &mut staged.schema, rows, extra)?;
        if chunk.rows == 0 {
            return Ok(());
        }
        if count_only {
            self.add_span(staged, span_of(&chunk, &staged.schema)?);
            return Ok(());
        }
        staged.rows += chunk.rows as u64;
        staged.bytes += chunk.bytes(self.schema.options.merge != Merge::Append);
        staged.chunks.push(chunk);
        Ok(())
    }

    /// Adds a number of rows without values.
    pub(super) fn add_span(&self, staged: &mut Staged, span: Span) {
        staged.rows += span.rows;
        staged.bytes += size_of::<Span>() as u64;
        staged.spans.push(span);
    }

    /// Stores what was staged.
    pub(super) fn commit(&mut self, staged: Staged) {
        self.schema = staged.schema;
        self.received += staged.rows;
        self.bytes += staged.bytes;
        self.spans.extend(staged.spans);
        for chunk in staged.chunks {
            self.small = if chunk.rows < SMALL { self.small + 1 } else { 0 };
            self.chunks.push(chunk);
            if self.small == JOINED {
                self.join();
            }
        }
    }

    /// Makes one chunk of the small ones at the end.
    fn join(&mut self) {
        let small = self.chunks.split_off(self.chunks.len() - self.small);
        self.small = 0;
        let column = |at: usize| {
            let arrays: Vec<_> = small.iter().map(|chunk| chunk.column(at, &self.schema)).collect();
            concat(&arrays.iter().map(AsRef::as_ref).collect::<Vec<&dyn Array>>())
        };
        let columns = (0..self.schema.columns.len()).map(column).collect::<Result<_, _>>();
        match columns {
            Ok(columns) => self.chunks.push(Chunk { columns, rows: small.iter().map(|chunk| chunk.rows).sum() }),
            // Too much text for one array: they stay as they are.
            Err(_) => self.chunks.extend(small),
        }
    }

    /// Forgets all rows.
    ///
    /// # Returns
    ///
    /// The bytes that are free now.
    pub(super) fn truncate(&mut self) -> u64 {
        let empty = Self::new(self.id, (*self.schema).clone());
        std::mem::replace(self, empty).bytes
    }

    /// Rows that a count would find.
    ///
    /// # Errors
    ///
    /// A tag of a type that has no order.
    pub(super) fn distinct(&mut self) -> Result<u64, StoreError> {
        if self.schema.options.merge == Merge::Append || !self.spans.is_empty() {
            return Ok(self.received);
        }
        self.index()?;
        Ok(self.distinct.rows())
    }

    fn index(&mut self) -> Result<(), StoreError> {
        self.distinct.take_in(&self.chunks, &self.schema)?;
        // The index names chunks by their numbers: they stay apart.
        self.small = 0;
        Ok(())
    }

    /// Its rows as Arrow. The result is kept until something is written.
    ///
    /// # Errors
    ///
    /// A tag of a type that has no order.
    pub(super) fn read(&mut self) -> Result<Arc<Vec<RecordBatch>>, StoreError> {
        if let Some((received, batches)) = &self.read
            && *received == self.received
        {
            return Ok(Arc::clone(batches));
        }
        let schema = self.schema.arrow();
        let batch = |chunk: Chunk| {
            let options = RecordBatchOptions::new().with_row_count(Some(chunk.rows));
            RecordBatch::try_new_with_options(Arc::clone(&schema), chunk.columns, &options).map_err(StoreError::from)
        };
        let distinct = self.schema.options.merge != Merge::Append;
        if distinct {
            self.index()?;
        }
        let mut batches = Vec::with_capacity(self.chunks.len());
        for (number, chunk) in self.chunks.iter().enumerate() {
            let chunk = if distinct {
                self.distinct.read(number, &self.chunks, &self.schema)?
            } else {
                let columns = (0..self.schema.columns.len()).map(|at| chunk.column(at, &self.schema)).collect();
                Chunk { columns, rows: chunk.rows }
            };
            if chunk.rows > 0 {
                batches.push(batch(chunk)?);
            }
        }
        for span in &self.spans {
            for chunk in span.chunks(&self.schema)? {
                batches.push(batch(chunk)?);
            }
        }
        let batches = Arc::new(batches);
        // What counting mode makes up is made up again rather than kept.
        self.read = self.spans.is_empty().then(|| (self.received, Arc::clone(&batches)));
        Ok(batches)
    }
}

/// The number of rows and their first and last time.
fn span_of(chunk: &Chunk, schema: &TableSchema) -> Result<Span, StoreError> {
    let (position, _) = schema.time().ok_or_else(|| StoreError::invalid("Missing timestamp column"))?;
    let times = cast(&chunk.columns[position], &DataType::Int64)?;
    let times = times.as_primitive::<Int64Type>();
    Ok(Span { rows: chunk.rows as u64, first: min(times).unwrap_or(0), last: max(times).unwrap_or(0) })
}
