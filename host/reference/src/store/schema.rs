//! What a table is made of, and what a write brings.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

/// JSON text. Its Arrow type is one that no protocol sends otherwise, so that it is told from plain strings.
pub(crate) const JSON: DataType = DataType::LargeUtf8;

/// What a column is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Semantic {
    /// Part of what names a series.
    Tag,
    /// A value.
    Field,
    /// The time index; every table has one.
    Timestamp,
}

impl Semantic {
    /// As `information_schema.columns` and `DESC TABLE` spell it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Tag => "TAG",
            Self::Field => "FIELD",
            Self::Timestamp => "TIMESTAMP",
        }
    }
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ColumnDef {
    /// Its name; case matters.
    pub(crate) name: String,
    /// The Arrow type of its values; [`JSON`] for JSON.
    pub(crate) data_type: DataType,
    /// What it is for.
    pub(crate) semantic: Semantic,
}

impl ColumnDef {
    /// A column.
    pub(crate) fn new(name: impl Into<String>, data_type: DataType, semantic: Semantic) -> Self {
        Self { name: name.into(), data_type, semantic }
    }
}

/// What becomes of rows with the same tags and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Merge {
    /// All are kept.
    Append,
    /// The last one is kept.
    #[default]
    LastRow,
    /// One is kept, with the last value of each field that is not NULL.
    LastNonNull,
}

/// How a table is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TableOptions {
    /// What becomes of duplicates.
    pub(crate) merge: Merge,
    /// How long rows are kept, as the client wrote it. It is shown, and nothing is ever removed for it.
    pub(crate) ttl: Option<String>,
    /// A comment.
    pub(crate) comment: Option<String>,
    /// Whether the client asked for no write-ahead log. It is shown; this store has none.
    pub(crate) skip_wal: bool,
}

/// A table's columns and options.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TableSchema {
    /// In the order in which they were made.
    pub(crate) columns: Vec<ColumnDef>,
    /// How it is kept.
    pub(crate) options: TableOptions,
}

impl TableSchema {
    /// Where a column is.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The column of the time index, of which there is one.
    pub(crate) fn time(&self) -> Option<(usize, &ColumnDef)> {
        self.columns.iter().enumerate().find(|(_, column)| column.semantic == Semantic::Timestamp)
    }

    /// The columns as Arrow has them. Any may be NULL but the time.
    pub(crate) fn arrow(&self) -> SchemaRef {
        let field = |c: &ColumnDef| Field::new(&c.name, c.data_type.clone(), c.semantic != Semantic::Timestamp);
        Arc::new(Schema::new(self.columns.iter().map(field).collect::<Vec<_>>()))
    }
}

/// What happens when a table is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Missing {
    /// It is made of the columns that come.
    Create(TableOptions),
    /// The write is refused.
    Refuse,
}

/// What happens when a column is missing in a table that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extra {
    /// It is added; earlier rows have NULL in it.
    AddColumns,
    /// Its values are dropped.
    Ignore,
    /// The write is refused.
    Refuse,
}

/// Rows for one table.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    /// The table's name; case matters.
    pub(crate) table: String,
    /// `columns[i]` describes `batch.column(i)`.
    pub(crate) columns: Vec<ColumnDef>,
    /// The values.
    pub(crate) batch: RecordBatch,
}
