//! The values of one column as a batch keeps them: typed, so that no reader has to guess.
//!
//! Values at NULL rows are always 0, false, empty or key 0: the builder sees to it.

use std::sync::Arc;

use arrow_array::types::UInt32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float32Array, Float64Array, Int8Array, Int16Array,
    Int32Array, Int64Array, PrimitiveArray, StringArray, TimestampMicrosecondArray, TimestampMillisecondArray,
    TimestampNanosecondArray, TimestampSecondArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array, new_null_array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::ArrowError;

use crate::dictionary::Dictionary;
use crate::types::{DataType, TimeUnit};

/// Decimals are stored with this many digits, none of them after the point.
const DECIMAL_DIGITS: u8 = 38;

#[derive(Debug, Clone)]
pub(crate) enum Values {
    Boolean(BooleanBuffer),
    Int8(ScalarBuffer<i8>),
    Int16(ScalarBuffer<i16>),
    Int32(ScalarBuffer<i32>),
    Int64(ScalarBuffer<i64>),
    UInt8(ScalarBuffer<u8>),
    UInt16(ScalarBuffer<u16>),
    UInt32(ScalarBuffer<u32>),
    UInt64(ScalarBuffer<u64>),
    Float32(ScalarBuffer<f32>),
    Float64(ScalarBuffer<f64>),
    Date32(ScalarBuffer<i32>),
    Timestamp(ScalarBuffer<i64>, TimeUnit),
    /// Text as indices into a dictionary.
    Keys(ScalarBuffer<u32>, Dictionary),
    /// Text written out. The array's own validity is not used.
    Strings(StringArray),
    /// NULL in every row, of a type that no append call writes.
    Missing,
}

#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) values: Values,
    /// `None` if no row is NULL.
    pub(crate) nulls: Option<NullBuffer>,
}

impl Stored {
    pub(crate) fn is_null(&self, row: usize) -> bool {
        matches!(self.values, Values::Missing) || self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// The column as an Arrow array that shares the buffers.
    pub(crate) fn to_array(&self, data_type: DataType, rows: usize) -> Result<ArrayRef, ArrowError> {
        let nulls = self.nulls.clone();
        Ok(match &self.values {
            Values::Boolean(values) => Arc::new(BooleanArray::new(values.clone(), nulls)),
            Values::Int8(values) => Arc::new(Int8Array::try_new(values.clone(), nulls)?),
            Values::Int16(values) => Arc::new(Int16Array::try_new(values.clone(), nulls)?),
            Values::Int32(values) => Arc::new(Int32Array::try_new(values.clone(), nulls)?),
            Values::Int64(values) => Arc::new(Int64Array::try_new(values.clone(), nulls)?),
            Values::UInt8(values) => Arc::new(UInt8Array::try_new(values.clone(), nulls)?),
            Values::UInt16(values) => Arc::new(UInt16Array::try_new(values.clone(), nulls)?),
            Values::UInt32(values) => Arc::new(UInt32Array::try_new(values.clone(), nulls)?),
            Values::UInt64(values) => Arc::new(UInt64Array::try_new(values.clone(), nulls)?),
            Values::Float32(values) => Arc::new(Float32Array::try_new(values.clone(), nulls)?),
            Values::Float64(values) => Arc::new(Float64Array::try_new(values.clone(), nulls)?),
            Values::Date32(values) => Arc::new(Date32Array::try_new(values.clone(), nulls)?),
            Values::Timestamp(values, unit) => {
                let values = values.clone();
                match unit {
                    TimeUnit::Second => Arc::new(TimestampSecondArray::try_new(values, nulls)?),
                    TimeUnit::Millisecond => Arc::new(TimestampMillisecondArray::try_new(values, nulls)?),
                    TimeUnit::Microsecond => Arc::new(TimestampMicrosecondArray::try_new(values, nulls)?),
                    TimeUnit::Nanosecond => Arc::new(TimestampNanosecondArray::try_new(values, nulls)?),
                }
            }
            Values::Keys(keys, dictionary) => {
                let keys = PrimitiveArray::<UInt32Type>::try_new(keys.clone(), nulls)?;
                Arc::new(DictionaryArray::try_new(keys, dictionary.array().clone())?)
            }
            Values::Strings(values) => {
                Arc::new(StringArray::try_new(values.offsets().clone(), values.values().clone(), nulls)?)
            }
            Values::Missing => new_null_array(&arrow_type(data_type), rows),
        })
    }

    /// Bytes of the buffers that belong to this column alone.
    pub(crate) fn memory_bytes(&self) -> usize {
        let values = match &self.values {
            Values::Boolean(values) => values.inner().capacity(),
            Values::Int8(values) => values.inner().capacity(),
            Values::Int16(values) => values.inner().capacity(),
            Values::Int32(values) | Values::Date32(values) => values.inner().capacity(),
            Values::Int64(values) | Values::Timestamp(values, _) => values.inner().capacity(),
            Values::UInt8(values) => values.inner().capacity(),
            Values::UInt16(values) => values.inner().capacity(),
            Values::UInt32(values) => values.inner().capacity(),
            Values::UInt64(values) => values.inner().capacity(),
            Values::Float32(values) => values.inner().capacity(),
            Values::Float64(values) => values.inner().capacity(),
            Values::Keys(keys, dictionary) => {
                keys.inner().capacity() + if dictionary.is_shared() { 0 } else { dictionary.memory_bytes() }
            }
            Values::Strings(values) => values.offsets().inner().inner().capacity() + values.values().capacity(),
            Values::Missing => 0,
        };
        values + self.nulls.as_ref().map_or(0, |nulls| nulls.buffer().capacity())
    }
}

/// The Arrow type of a column that is not dictionary-encoded.
pub(crate) fn arrow_type(data_type: DataType) -> arrow_schema::DataType {
    use arrow_schema::DataType as Arrow;
    match data_type {
        DataType::Boolean => Arrow::Boolean,
        DataType::Int8 => Arrow::Int8,
        DataType::Int16 => Arrow::Int16,
        DataType::Int32 => Arrow::Int32,
        DataType::Int64 => Arrow::Int64,
        DataType::UInt8 => Arrow::UInt8,
        DataType::UInt16 => Arrow::UInt16,
        DataType::UInt32 => Arrow::UInt32,
        DataType::UInt64 => Arrow::UInt64,
        DataType::Float32 => Arrow::Float32,
        DataType::Float64 => Arrow::Float64,
        DataType::Decimal128 => Arrow::Decimal128(DECIMAL_DIGITS, 0),
        DataType::Utf8 | DataType::Json => Arrow::Utf8,
        DataType::Binary => Arrow::Binary,
        DataType::Date32 => Arrow::Date32,
        DataType::Timestamp(unit) => Arrow::Timestamp(arrow_unit(unit), None),
    }
}

pub(crate) fn arrow_unit(unit: TimeUnit) -> arrow_schema::TimeUnit {
    match unit {
        TimeUnit::Second => arrow_schema::TimeUnit::Second,
        TimeUnit::Millisecond => arrow_schema::TimeUnit::Millisecond,
        TimeUnit::Microsecond => arrow_schema::TimeUnit::Microsecond,
        TimeUnit::Nanosecond => arrow_schema::TimeUnit::Nanosecond,
    }
}
