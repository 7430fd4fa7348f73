//! Rows whose columns are found as they come: attributes may be there or not, and each has the type of its first value.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{
    ArrayBuilder, ArrayRef, BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, LargeStringBuilder,
    RecordBatch, RecordBatchOptions, StringBuilder, TimestampMillisecondBuilder, TimestampNanosecondBuilder,
    UInt32Builder, UInt64Builder,
};
use arrow::datatypes::{DataType, Field, Schema, TimeUnit};

use crate::store::types::json_name;
use crate::store::{ColumnDef, JSON, Rows, Semantic, StoreError};

/// One value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell<'a> {
    /// Text.
    Text(&'a str),
    /// JSON text.
    Json(&'a str),
    /// A truth value.
    Flag(bool),
    /// 32 bits.
    Small(i32),
    /// 64 bits.
    Integer(i64),
    /// 32 bits without a sign.
    Natural(u32),
    /// 64 bits without a sign.
    Count(u64),
    /// A double.
    Double(f64),
    /// Nanoseconds since 1970.
    Nanos(i64),
    /// Milliseconds since 1970.
    Millis(i64),
}

/// A column's values so far.
enum Cells {
    Text(StringBuilder),
    Json(LargeStringBuilder),
    Flag(BooleanBuilder),
    Small(Int32Builder),
    Integer(Int64Builder),
    Natural(UInt32Builder),
    Count(UInt64Builder),
    Double(Float64Builder),
    Nanos(TimestampNanosecondBuilder),
    Millis(TimestampMillisecondBuilder),
}

/// Does `$do` with the builder of whichever kind.
macro_rules! each {
    ($cells:expr, $builder:ident => $do:expr) => {
        match $cells {
            Cells::Text($builder) => $do,
            Cells::Json($builder) => $do,
            Cells::Flag($builder) => $do,
            Cells::Small($builder) => $do,
            Cells::Integer($builder) => $do,
            Cells::Natural($builder) => $do,
            Cells::Count($builder) => $do,
            Cells::Double($builder) => $do,
            Cells::Nanos($builder) => $do,
            Cells::Millis($builder) => $do,
        }
    };
}

impl Cell<'_> {
    fn data_type(self) -> DataType {
        match self {
            Self::Text(_) => DataType::Utf8,
            Self::Json(_) => JSON,
            Self::Flag(_) => DataType::Boolean,
            Self::Small(_) => DataType::Int32,
            Self::Integer(_) => DataType::Int64,
            Self::Natural(_) => DataType::UInt32,
            Self::Count(_) => DataType::UInt64,
            Self::Double(_) => DataType::Float64,
            Self::Nanos(_) => DataType::Timestamp(TimeUnit::Nanosecond, None),
            Self::Millis(_) => DataType::Timestamp(TimeUnit::Millisecond, None),
        }
    }

    fn column(self) -> Cells {
        match self {
            Self::Text(_) => Cells::Text(StringBuilder::new()),
            Self::Json(_) => Cells::Json(LargeStringBuilder::new()),
            Self::Flag(_) => Cells::Flag(BooleanBuilder::new()),
            Self::Small(_) => Cells::Small(Int32Builder::new()),
            Self::Integer(_) => Cells::Integer(Int64Builder::new()),
            Self::Natural(_) => Cells::Natural(UInt32Builder::new()),
            Self::Count(_) => Cells::Count(UInt64Builder::new()),
            Self::Double(_) => Cells::Double(Float64Builder::new()),
            Self::Nanos(_) => Cells::Nanos(TimestampNanosecondBuilder::new()),
            Self::Millis(_) => Cells::Millis(TimestampMillisecondBuilder::new()),
        }
    }
}

impl Cells {
    /// Adds NULL until there are `rows` values.
    fn fill(&mut self, rows: usize) {
        each!(self, builder => for _ in builder.len()..rows {
            builder.append_null();
        });
    }

    fn len(&self) -> usize {
        each!(self, builder => builder.len())
    }

    /// False if the cell is of another type.
    fn push(&mut self, cell: Cell<'_>) -> bool {
        match (self, cell) {
            (Self::Text(builder), Cell::Text(value)) => builder.append_value(value),
            (Self::Json(builder), Cell::Json(value)) => builder.append_value(value),
            (Self::Flag(builder), Cell::Flag(value)) => builder.append_value(value),
            (Self::Small(builder), Cell::Small(value)) => builder.append_value(value),
            (Self::Integer(builder), Cell::Integer(value)) => builder.append_value(value),
            (Self::Natural(builder), Cell::Natural(value)) => builder.append_value(value),
            (Self::Count(builder), Cell::Count(value)) => builder.append_value(value),
            (Self::Double(builder), Cell::Double(value)) => builder.append_value(value),
            (Self::Nanos(builder), Cell::Nanos(value)) => builder.append_value(value),
            (Self::Millis(builder), Cell::Millis(value)) => builder.append_value(value),
            _ => return false,
        }
        true
    }

    fn finish(&mut self) -> ArrayRef {
        each!(self, builder => Arc::new(builder.finish()))
    }
}

/// Rows of one table in the making.
#[derive(Default)]
pub(super) struct Frame {
    places: HashMap<String, usize>,
    columns: Vec<(ColumnDef, Cells)>,
    rows: usize,
}

impl Frame {
    /// Begins the next row.
    pub(super) fn row(&mut self) {
        self.rows += 1;
    }

    /// Sets a value of the row that was begun last. A second value of one name is passed over.
    ///
    /// # Errors
    ///
    /// A value of another type than those before it.
    pub(super) fn set(&mut self, name: &str, semantic: Semantic, cell: Cell<'_>) -> Result<(), StoreError> {
        let place = match self.places.get(name) {
            Some(place) => *place,
            None => {
                let place = self.columns.len();
                self.places.insert(name.to_owned(), place);
                self.columns.push((ColumnDef::new(name, cell.data_type(), semantic), cell.column()));
                place
            }
        };
        // It is there: it was found, or just added.
        let Some((def, cells)) = self.columns.get_mut(place) else { return Ok(()) };
        if cells.len() >= self.rows {
            return Ok(());
        }
        cells.fill(self.rows - 1);
        if cells.push(cell) {
            return Ok(());
        }
        Err(StoreError::invalid(format!(
            "Column datatype mismatch. For column: {name}, expected datatype: {}, actual datatype: {}",
            json_name(&def.data_type),
            json_name(&cell.data_type())
        )))
    }

    /// The rows, for `table`.
    ///
    /// # Errors
    ///
    /// None that is known: Arrow takes columns of one length.
    pub(super) fn finish(self, table: &str) -> Result<Rows, StoreError> {
        let mut fields = Vec::with_capacity(self.columns.len());
        let mut arrays = Vec::with_capacity(self.columns.len());
        let mut columns = Vec::with_capacity(self.columns.len());
        for (def, mut cells) in self.columns {
            cells.fill(self.rows);
            fields.push(Field::new(&def.name, def.data_type.clone(), true));
            arrays.push(cells.finish());
            columns.push(def);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
            .map_err(|error| StoreError::invalid(error.to_string()))?;
        Ok(Rows { table: table.to_owned(), columns, batch })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_comes_late_is_null_before_and_after() -> Result<(), StoreError> {
        let mut frame = Frame::default();
        for row in 0..4i64 {
            frame.row();
            frame.set("ts", Semantic::Timestamp, Cell::Nanos(row))?;
            if row == 2 {
                frame.set("late", Semantic::Field, Cell::Text("x"))?;
                frame.set("late", Semantic::Field, Cell::Text("again"))?;
            }
        }
        let rows = frame.finish("t")?;
        let late = rows.batch.column(1);
        assert_eq!((late.len(), late.null_count(), late.is_valid(2)), (4, 3, true));
        assert_eq!(rows.columns[1], ColumnDef::new("late", DataType::Utf8, Semantic::Field));
        Ok(())
    }

    #[test]
    fn two_types_in_one_column_are_refused_in_the_real_words() -> Result<(), StoreError> {
        let mut frame = Frame::default();
        frame.row();
        frame.set("LogAttributes.cpu", Semantic::Field, Cell::Double(1.0))?;
        frame.row();
        let error = frame.set("LogAttributes.cpu", Semantic::Field, Cell::Text("1")).map_err(|error| error.message);
        let words = "Column datatype mismatch. For column: LogAttributes.cpu, expected datatype: Float64, actual datatype: String";
        assert_eq!(error, Err(words.to_owned()));
        Ok(())
    }
}
