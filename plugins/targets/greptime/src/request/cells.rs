//! The values of one column, each a `Value` in a `Row`.

use benchhost_plugin::proto::rows::{Cells, Frame};
use benchhost_plugin::proto::{Wire, tag};
use benchhost_plugin::{Batch, Column, DataType, Error, Result, Semantic};

/// `Row.values`, as a tag.
const VALUE: u8 = 0x0a;
/// An empty `Value`, which is NULL.
const NULL: [u8; 2] = [VALUE, 0];

/// How the values of one column are written.
#[derive(Debug)]
pub(crate) struct ColumnCells {
    data_type: DataType,
    is_tag: bool,
    nullable: bool,
    /// `ColumnDataType`.
    number: u32,
    frame: Frame,
    /// Distinct values of the last batch. Where they outnumber the rows of a batch, fetching them all costs more than fetching the rows' own.
    distinct: usize,
}

impl ColumnCells {
    pub(crate) fn new(column: &Column) -> Result<Self> {
        // Numbers of `ColumnDataType`, and of the fields of `Value`.
        let (number, field, wire) = match column.data_type {
            DataType::Boolean => (0, 11, Wire::Varint),
            DataType::Int8 => (1, 1, Wire::Varint),
            DataType::Int16 => (2, 2, Wire::Varint),
            DataType::Int32 => (3, 3, Wire::Varint),
            DataType::Int64 => (4, 4, Wire::Varint),
            DataType::Uint8 => (5, 5, Wire::Varint),
            DataType::Uint16 => (6, 6, Wire::Varint),
            DataType::Uint32 => (7, 7, Wire::Varint),
            DataType::Uint64 => (8, 8, Wire::Varint),
            DataType::Float32 => (9, 9, Wire::Fixed32),
            DataType::Float64 => (10, 10, Wire::Fixed64),
            DataType::Utf8 | DataType::Json => (12, 13, Wire::Length),
            DataType::Date32 => (13, 14, Wire::Varint),
            DataType::TimestampSecond => (15, 16, Wire::Varint),
            DataType::TimestampMillisecond => (16, 17, Wire::Varint),
            DataType::TimestampMicrosecond => (17, 18, Wire::Varint),
            DataType::TimestampNanosecond => (18, 19, Wire::Varint),
            DataType::Decimal128 | DataType::Binary => {
                let (name, kind) = (&column.name, column.data_type);
                return Err(Error::unsupported(format!("column `{name}` is {kind:?}, which this plugin cannot write")));
            }
        };
        Ok(Self {
            data_type: column.data_type,
            is_tag: column.semantic == Semantic::Tag,
            nullable: column.nullable,
            number,
            frame: Frame { layers: vec![vec![VALUE]], leaf: tag(field, wire) },
            distinct: 0,
        })
    }

    /// The number of its type in `ColumnDataType`.
    pub(crate) fn data_type(&self) -> u32 {
        self.number
    }

    /// The values of column `at` of a batch.
    pub(crate) fn cells(&mut self, batch: &Batch, at: u32) -> Cells {
        let cells = self.values(batch, at);
        if !self.nullable {
            return cells;
        }
        cells.with_nulls(&batch.nulls(at), batch.rows() as usize, &NULL)
    }

    fn values(&mut self, batch: &Batch, at: u32) -> Cells {
        let frame = &self.frame;
        let signed = |values: Vec<i64>| values.into_iter().map(|value| value as u64).collect();
        match self.data_type {
            DataType::Boolean => Cells::booleans(frame, &batch.booleans(at)),
            DataType::Float64 => Cells::fixed64(frame, batch.float64s(at).into_iter().map(f64::to_bits).collect()),
            DataType::Float32 => {
                let bits = batch.float64s(at).into_iter().map(|value| (value as f32).to_bits());
                Cells::fixed32(frame, bits.collect())
            }
            other if other.is_unsigned() => Cells::varints(frame.clone(), batch.uint64s(at)),
            // Only tags have a dictionary for sure.
            DataType::Utf8 if self.is_tag && self.distinct <= batch.rows() as usize => {
                let dictionary = batch.dictionary(at);
                self.distinct = dictionary.len();
                Cells::keyed_texts(frame, &dictionary, batch.keys(at))
            }
            DataType::Utf8 | DataType::Json => Cells::texts(frame.clone(), batch.strings(at)),
            _ => Cells::varints(frame.clone(), signed(batch.int64s(at))),
        }
    }

    /// One time, of a timestamp column.
    pub(crate) fn one_time(&self, seconds: i64) -> Cells {
        let units = match self.data_type {
            DataType::TimestampSecond => 1,
            DataType::TimestampMillisecond => 1000,
            DataType::TimestampMicrosecond => 1_000_000,
            _ => 1_000_000_000,
        };
        Cells::varints(self.frame.clone(), vec![(seconds * units) as u64])
    }

    /// One NULL.
    pub(crate) fn one_null(&self) -> Cells {
        Cells::varints(self.frame.clone(), vec![0]).with_nulls(&[0], 1, &NULL)
    }
}
