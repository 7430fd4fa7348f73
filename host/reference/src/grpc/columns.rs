//! Columns of GreptimeDB's rows: from the values of one column, as they stand in the message, to an Arrow array.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryBuilder, BooleanBuilder, LargeStringBuilder, PrimitiveBuilder, StringBuilder};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};

use super::wire::{Fields, Raw};
use crate::messages::greptime::v1::ColumnDataType;
use crate::store::JSON;

/// Takes the values of one column, one after the other.
pub(super) trait Column: Send {
    /// A value, or NULL. False: it is none of the column's type, and nothing was added.
    fn push(&mut self, value: Option<Raw<'_>>) -> bool;
    /// What was pushed.
    fn finish(&mut self) -> ArrayRef;
}

/// How a column's values are sent.
pub(super) struct Kind {
    /// The type by its name in the protocol.
    pub(super) wire: ColumnDataType,
    /// The number of the field of `Value` that holds them; for JSON, the text's.
    pub(super) fields: &'static [u64],
    /// Their Arrow type.
    pub(super) data_type: DataType,
    /// Reads them.
    pub(super) column: Box<dyn Column>,
}

struct Primitive<T: ArrowPrimitiveType> {
    builder: PrimitiveBuilder<T>,
    read: fn(Raw<'_>) -> Option<T::Native>,
}

impl<T: ArrowPrimitiveType> Column for Primitive<T> {
    fn push(&mut self, value: Option<Raw<'_>>) -> bool {
        match value.map(self.read) {
            Some(None) => return false,
            Some(Some(value)) => self.builder.append_value(value),
            None => self.builder.append_null(),
        }
        true
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
    }
}

/// Implements [`Column`] for a builder of values that are read by `$read`.
macro_rules! column {
    ($builder:ty, $read:expr) => {
        impl Column for $builder {
            fn push(&mut self, value: Option<Raw<'_>>) -> bool {
                match value.map($read) {
                    Some(None) => return false,
                    Some(Some(value)) => self.append_value(value),
                    None => self.append_null(),
                }
                true
            }

            fn finish(&mut self) -> ArrayRef {
                Arc::new(Self::finish(self))
            }
        }
    };
}

column!(BooleanBuilder, |value| integer(value).map(|value| value != 0));
column!(BinaryBuilder, bytes);
column!(StringBuilder, text);
column!(LargeStringBuilder, text);

fn integer(value: Raw<'_>) -> Option<i64> {
    match value {
        // Protocol Buffers write negative numbers as 64 bits of two's complement.
        Raw::Varint(value) => Some(value.cast_signed()),
        _ => None,
    }
}

fn unsigned(value: Raw<'_>) -> Option<u64> {
    integer(value).map(i64::cast_unsigned)
}

fn bytes(value: Raw<'_>) -> Option<&[u8]> {
    match value {
        Raw::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

fn text(value: Raw<'_>) -> Option<&str> {
    bytes(value).and_then(|bytes| std::str::from_utf8(bytes).ok())
}

fn small<T: TryFrom<i64>>(value: Raw<'_>) -> Option<T> {
    T::try_from(integer(value)?).ok()
}

fn float(value: Raw<'_>) -> Option<f32> {
    match value {
        Raw::Fixed32(bytes) => Some(f32::from_le_bytes(bytes)),
        _ => None,
    }
}

fn double(value: Raw<'_>) -> Option<f64> {
    match value {
        Raw::Fixed64(bytes) => Some(f64::from_le_bytes(bytes)),
        _ => None,
    }
}

/// A `Decimal128`: two halves, of which the higher one has the sign.
fn decimal(value: Raw<'_>) -> Option<i128> {
    let mut fields = Fields::new(bytes(value)?);
    let (mut high, mut low) = (0, 0);
    while let Some((number, value)) = fields.next().ok()? {
        match number {
            1 => high = integer(value)?,
            2 => low = integer(value)?,
            _ => {}
        }
    }
    Some((i128::from(high) << 64) | i128::from(low.cast_unsigned()))
}

fn primitive<T: ArrowPrimitiveType>(
    wire: ColumnDataType,
    fields: &'static [u64],
    rows: usize,
    read: fn(Raw<'_>) -> Option<T::Native>,
) -> Kind {
    let column = Primitive::<T> { builder: PrimitiveBuilder::with_capacity(rows), read };
    Kind { wire, fields, data_type: T::DATA_TYPE, column: Box::new(column) }
}

/// How values of `kind` are read; none if the reference server does not store them. `digits` are a decimal's precision and scale.
pub(super) fn kind(wire: ColumnDataType, rows: usize, digits: Option<(u8, i8)>) -> Option<Kind> {
    let other = |fields, data_type, column| Some(Kind { wire, fields, data_type, column });
    match wire {
        ColumnDataType::Boolean => other(&[11], DataType::Boolean, Box::new(BooleanBuilder::with_capacity(rows))),
        ColumnDataType::Int8 => Some(primitive::<Int8Type>(wire, &[1], rows, small)),
        ColumnDataType::Int16 => Some(primitive::<Int16Type>(wire, &[2], rows, small)),
        ColumnDataType::Int32 => Some(primitive::<Int32Type>(wire, &[3], rows, small)),
        ColumnDataType::Int64 => Some(primitive::<Int64Type>(wire, &[4], rows, integer)),
        ColumnDataType::Uint8 => Some(primitive::<UInt8Type>(wire, &[5], rows, small)),
        ColumnDataType::Uint16 => Some(primitive::<UInt16Type>(wire, &[6], rows, small)),
        ColumnDataType::Uint32 => Some(primitive::<UInt32Type>(wire, &[7], rows, small)),
        ColumnDataType::Uint64 => Some(primitive::<UInt64Type>(wire, &[8], rows, unsigned)),
        ColumnDataType::Float32 => Some(primitive::<Float32Type>(wire, &[9], rows, float)),
        ColumnDataType::Float64 => Some(primitive::<Float64Type>(wire, &[10], rows, double)),
        ColumnDataType::Binary => other(&[12], DataType::Binary, Box::new(BinaryBuilder::with_capacity(rows, 0))),
        ColumnDataType::String => other(&[13], DataType::Utf8, Box::new(StringBuilder::with_capacity(rows, 0))),
        // JSON comes as text, in either of the two fields.
        ColumnDataType::Json => other(&[12, 13], JSON, Box::new(LargeStringBuilder::with_capacity(rows, 0))),
        ColumnDataType::Date => Some(primitive::<Date32Type>(wire, &[14], rows, small)),
        ColumnDataType::Datetime => Some(primitive::<TimestampMicrosecondType>(wire, &[15], rows, integer)),
        ColumnDataType::TimestampSecond => Some(primitive::<TimestampSecondType>(wire, &[16], rows, integer)),
        ColumnDataType::TimestampMillisecond => Some(primitive::<TimestampMillisecondType>(wire, &[17], rows, integer)),
        ColumnDataType::TimestampMicrosecond => Some(primitive::<TimestampMicrosecondType>(wire, &[18], rows, integer)),
        ColumnDataType::TimestampNanosecond => Some(primitive::<TimestampNanosecondType>(wire, &[19], rows, integer)),
        ColumnDataType::TimeSecond => Some(primitive::<Time32SecondType>(wire, &[20], rows, small)),
        ColumnDataType::TimeMillisecond => Some(primitive::<Time32MillisecondType>(wire, &[21], rows, small)),
        ColumnDataType::TimeMicrosecond => Some(primitive::<Time64MicrosecondType>(wire, &[22], rows, integer)),
        ColumnDataType::TimeNanosecond => Some(primitive::<Time64NanosecondType>(wire, &[23], rows, integer)),
        ColumnDataType::Decimal128 => {
            let (precision, scale) = digits.unwrap_or((38, 0));
            let builder = PrimitiveBuilder::<Decimal128Type>::with_capacity(rows);
            let builder = builder.with_precision_and_scale(precision, scale).ok()?;
            let column = Primitive { builder, read: decimal };
            other(&[31], DataType::Decimal128(precision, scale), Box::new(column))
        }
        ColumnDataType::IntervalYearMonth
        | ColumnDataType::IntervalDayTime
        | ColumnDataType::IntervalMonthDayNano
        | ColumnDataType::Vector
        | ColumnDataType::List
        | ColumnDataType::Struct
        | ColumnDataType::Dictionary => None,
    }
}
