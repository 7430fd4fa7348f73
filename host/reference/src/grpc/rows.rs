//! GreptimeDB's rows: from the message to Arrow columns, without an object for each value in between.

use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Field, Schema};
use arrow::error::ArrowError;
use prost::Message as _;
use thiserror::Error;

use super::columns::{Kind, kind};
use super::wire::{Fields, Raw, WireError};
use crate::messages::greptime::v1::column_data_type_extension::TypeExt;
use crate::messages::greptime::v1::{ColumnDataType, ColumnSchema, SemanticType};
use crate::store::{ColumnDef, Rows, Semantic};

/// Rows that cannot be taken. All are the client's fault.
#[derive(Debug, Error)]
pub(super) enum RowsError {
    /// No message.
    #[error("Invalid rows of table {table}: {source}")]
    Wire {
        /// The table they are for.
        table: String,
        /// What is wrong.
        source: WireError,
    },
    /// A column whose description is no message.
    #[error("Invalid schema of table {table}: {source}")]
    Schema {
        /// The table it is for.
        table: String,
        /// What is wrong.
        source: prost::DecodeError,
    },
    /// Values of a type that is not stored here.
    #[error("Unsupported type of column {column}: {kind}; the reference server does not store it")]
    Unsupported {
        /// The column's name.
        column: String,
        /// Its type.
        kind: String,
    },
    /// There is no time index.
    #[error("Missing timestamp column, msg: table {0} has rows without a time index")]
    NoTime(String),
    /// A row is too short or too long.
    #[error("The number of values of row {row} of table {table}, {values}, is not the number of columns, {columns}")]
    Length {
        /// The table it is for.
        table: String,
        /// Its place, from 0.
        row: usize,
        /// How many values it has.
        values: usize,
        /// How many it should have.
        columns: usize,
    },
    /// A value that is not what its column says.
    #[error("Column {column} is said to be {kind}, but row {row} has another value (field {field} of Value)")]
    Value {
        /// The column's name.
        column: String,
        /// Its type.
        kind: &'static str,
        /// The row's place, from 0.
        row: usize,
        /// The number of the field that holds the value.
        field: u64,
    },
    /// Columns that make no table.
    #[error("Invalid rows of table {table}: {source}")]
    Columns {
        /// The table they are for.
        table: String,
        /// What is wrong.
        source: ArrowError,
    },
}

/// How many rows there are in the message `rows`.
fn count(table: &str, rows: &[u8]) -> Result<u64, RowsError> {
    let wire = |source| RowsError::Wire { table: table.to_owned(), source };
    let mut fields = Fields::new(rows);
    let mut count = 0;
    while let Some((number, _)) = fields.next().map_err(wire)? {
        count += u64::from(number == 2);
    }
    Ok(count)
}

/// Reads the message `rows`, which are for `table`.
pub(super) fn read(table: &str, rows: &[u8]) -> Result<Rows, RowsError> {
    let wire = |source| RowsError::Wire { table: table.to_owned(), source };
    let schema = schema(table, rows)?;
    let count = usize::try_from(count(table, rows)?).unwrap_or(usize::MAX);
    // A row has at least two bytes, so what is reserved is bounded by what came.
    let mut columns = schema.iter().map(|column| described(column, count)).collect::<Result<Vec<_>, _>>()?;
    if !columns.iter().any(|(def, _)| def.semantic == Semantic::Timestamp) {
        return Err(RowsError::NoTime(table.to_owned()));
    }
    let mut fields = Fields::new(rows);
    let mut row = 0;
    while let Some((number, value)) = fields.next().map_err(wire)? {
        if let (2, Raw::Bytes(values)) = (number, value) {
            push(table, row, values, &mut columns)?;
            row += 1;
        }
    }
    finish(table, row, columns)
}

fn schema(table: &str, rows: &[u8]) -> Result<Vec<ColumnSchema>, RowsError> {
    let mut fields = Fields::new(rows);
    let mut schema = Vec::new();
    while let Some((number, value)) =
        fields.next().map_err(|source| RowsError::Wire { table: table.to_owned(), source })?
    {
        if let (1, Raw::Bytes(column)) = (number, value) {
            let column = ColumnSchema::decode(column);
            schema.push(column.map_err(|source| RowsError::Schema { table: table.to_owned(), source })?);
        }
    }
    Ok(schema)
}

type Reading = (ColumnDef, Kind);

fn described(column: &ColumnSchema, rows: usize) -> Result<Reading, RowsError> {
    let unsupported = |kind: String| RowsError::Unsupported { column: column.column_name.clone(), kind };
    let data_type =
        ColumnDataType::try_from(column.datatype).map_err(|_| unsupported(format!("number {}", column.datatype)))?;
    let digits = match column.datatype_extension.as_ref().and_then(|extension| extension.type_ext.as_ref()) {
        Some(TypeExt::DecimalType(decimal)) => {
            let digits = (u8::try_from(decimal.precision), i8::try_from(decimal.scale));
            let (Ok(precision), Ok(scale)) = digits else { return Err(unsupported(format!("{decimal:?}"))) };
            Some((precision, scale))
        }
        None => None,
    };
    let kind = kind(data_type, rows, digits).ok_or_else(|| unsupported(data_type.as_str_name().to_owned()))?;
    let semantic = match column.semantic_type() {
        SemanticType::Tag => Semantic::Tag,
        SemanticType::Field => Semantic::Field,
        SemanticType::Timestamp => Semantic::Timestamp,
    };
    Ok((ColumnDef::new(column.column_name.clone(), kind.data_type.clone(), semantic), kind))
}

fn push(table: &str, row: usize, values: &[u8], columns: &mut [Reading]) -> Result<(), RowsError> {
    let wire = |source| RowsError::Wire { table: table.to_owned(), source };
    let mut fields = Fields::new(values);
    let mut place = 0;
    while let Some((number, value)) = fields.next().map_err(wire)? {
        let (1, Raw::Bytes(value)) = (number, value) else { continue };
        if let Some((def, kind)) = columns.get_mut(place) {
            let (field, value) = datum(value).map_err(wire)?;
            let fits = value.is_none() || kind.fields.contains(&field);
            if !fits || !kind.column.push(value) {
                let (column, kind) = (def.name.clone(), kind.wire.as_str_name());
                return Err(RowsError::Value { column, kind, row, field });
            }
        }
        place += 1;
    }
    if place == columns.len() {
        return Ok(());
    }
    Err(RowsError::Length { table: table.to_owned(), row, values: place, columns: columns.len() })
}

/// The field of a `Value` that is set; of several, the last one counts.
fn datum(value: &[u8]) -> Result<(u64, Option<Raw<'_>>), WireError> {
    let mut fields = Fields::new(value);
    let mut found = (0, None);
    while let Some((number, value)) = fields.next()? {
        found = (number, Some(value));
    }
    Ok(found)
}

fn finish(table: &str, rows: usize, columns: Vec<Reading>) -> Result<Rows, RowsError> {
    let mut arrays = Vec::with_capacity(columns.len());
    let mut defs = Vec::with_capacity(columns.len());
    let mut fields = Vec::with_capacity(columns.len());
    for (def, mut kind) in columns {
        fields.push(Field::new(&def.name, def.data_type.clone(), true));
        arrays.push(kind.column.finish());
        defs.push(def);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
        .map_err(|source| RowsError::Columns { table: table.to_owned(), source })?;
    Ok(Rows { table: table.to_owned(), columns: defs, batch })
}
