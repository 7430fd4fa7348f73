//! Arrow streams and Parquet files.
//!
//! Both need one schema for all batches, while a text field may come as keys in one batch and as strings in the next: it is
//! always written out. Times get the time zone UTC, so that readers do not take them for local times.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType as ArrowType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::batch::Batch;
use crate::column::{Values, arrow_type, arrow_unit};
use crate::table::{Column, Table};
use crate::types::{DataType, Semantic};

const UTC: &str = "UTC";

/// A stream that has begun with its schema.
pub(super) fn stream<W: Write>(table: &Table, file: W) -> Result<StreamWriter<W>, ArrowError> {
    StreamWriter::try_new(file, &schema(table))
}

/// A file that has begun.
pub(super) fn parquet<W: Write + Send>(table: &Table, file: W) -> Result<ArrowWriter<W>, ParquetError> {
    let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
    ArrowWriter::try_new(file, schema(table), Some(properties))
}

/// The rows with the schema of their table.
pub(super) fn records(batch: &Batch) -> Result<RecordBatch, ArrowError> {
    let rows = batch.rows() as usize;
    let mut arrays = Vec::with_capacity(batch.columns().len());
    for (column, stored) in batch.table().columns().iter().zip(batch.columns()) {
        let array: ArrayRef = match &stored.values {
            Values::Keys(keys, dictionary) if column.semantic != Semantic::Tag => {
                let text = |row: usize| if stored.is_null(row) { None } else { dictionary.get(keys[row]) };
                Arc::new((0..rows).map(text).collect::<StringArray>())
            }
            _ => stored.to_array(column.data_type, rows)?,
        };
        arrays.push(in_utc(&array)?);
    }
    RecordBatch::try_new(schema(batch.table()), arrays)
}

/// The same values, with the time zone if they are times.
fn in_utc(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let ArrowType::Timestamp(unit, None) = array.data_type() else {
        return Ok(Arc::clone(array));
    };
    let data_type = ArrowType::Timestamp(*unit, Some(UTC.into()));
    Ok(arrow_array::make_array(array.to_data().into_builder().data_type(data_type).build()?))
}

fn schema(table: &Table) -> SchemaRef {
    let field = |column: &Column| Field::new(&column.name, file_type(column), column.nullable);
    Arc::new(Schema::new(table.columns().iter().map(field).collect::<Vec<_>>()))
}

fn file_type(column: &Column) -> ArrowType {
    match column.data_type {
        DataType::Utf8 if column.semantic == Semantic::Tag => {
            ArrowType::Dictionary(Box::new(ArrowType::UInt32), Box::new(ArrowType::Utf8))
        }
        DataType::Timestamp(unit) => ArrowType::Timestamp(arrow_unit(unit), Some(UTC.into())),
        data_type => arrow_type(data_type),
    }
}
