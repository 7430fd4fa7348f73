//! Values of Arrow as JSON and as text.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{
    DataType, Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimeUnit, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use serde_json::{Map, Number, Value};

use crate::store::JSON;
use crate::store::types::digits;

/// How times are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Times {
    /// As a number in the column's unit, as GreptimeDB does.
    Number,
    /// As InfluxDB 3 does: no zone, and as many groups of three digits as are needed.
    Text,
}

/// A value as JSON.
pub(crate) fn json(array: &dyn Array, row: usize, times: Times) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Boolean => Value::Bool(array.as_boolean().value(row)),
        DataType::Int8 => array.as_primitive::<Int8Type>().value(row).into(),
        DataType::Int16 => array.as_primitive::<Int16Type>().value(row).into(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).into(),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().value(row).into(),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().value(row).into(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).into(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).into(),
        // What is no number in JSON is null, as in the real server.
        DataType::Float32 => Number::from_f64(f64::from(array.as_primitive::<Float32Type>().value(row)))
            .map_or(Value::Null, Value::Number),
        DataType::Float64 => {
            Number::from_f64(array.as_primitive::<Float64Type>().value(row)).map_or(Value::Null, Value::Number)
        }
        DataType::Date32 if times == Times::Number => array.as_primitive::<Date32Type>().value(row).into(),
        DataType::Timestamp(unit, _) => time(array, row, *unit, times),
        DataType::Binary => {
            Value::Array(array.as_binary::<i32>().value(row).iter().map(|byte| (*byte).into()).collect())
        }
        DataType::Utf8 => array.as_string::<i32>().value(row).into(),
        DataType::Utf8View => array.as_string_view().value(row).into(),
        json if *json == JSON => {
            let text = array.as_string::<i64>().value(row);
            serde_json::from_str(text).unwrap_or_else(|_| text.into())
        }
        _ => text(array, row).into(),
    }
}

fn time(array: &dyn Array, row: usize, unit: TimeUnit, times: Times) -> Value {
    let Some(number) = raw_time(array, row) else { return Value::Null };
    match times {
        Times::Number => number.into(),
        Times::Text => rfc3339(i128::from(number) * 10_i128.pow(9 - digits(unit))).into(),
    }
}

/// A time in its column's unit.
pub(crate) fn raw_time(array: &dyn Array, row: usize) -> Option<i64> {
    let numbers = arrow::compute::cast(&array.slice(row, 1), &DataType::Int64).ok()?;
    numbers.is_valid(0).then(|| numbers.as_primitive::<Int64Type>().value(0))
}

/// A time without its zone, with 0, 3, 6 or 9 digits of a second.
pub(crate) fn rfc3339(nanoseconds: i128) -> String {
    let (seconds, fraction) = (nanoseconds.div_euclid(1_000_000_000), nanoseconds.rem_euclid(1_000_000_000));
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    if fraction > 0 {
        let all = format!("{fraction:09}");
        let kept = all.trim_end_matches('0').len().div_ceil(3) * 3;
        text = format!("{text}.{}", &all[..kept]);
    }
    text
}

/// The date that is so many days after 1970-01-01, in the Gregorian calendar. Years are counted from March, so that the leap day is their last.
fn civil(days: i128) -> (i128, i128, i128) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i128::from(month <= 2), month, day)
}

/// A value as text.
pub(crate) fn text(array: &dyn Array, row: usize) -> String {
    let options = FormatOptions::default();
    ArrayFormatter::try_new(array, &options)
        .map_or_else(|error| error.to_string(), |format| format.value(row).to_string())
}

/// All rows as arrays of JSON.
pub(crate) fn rows(batches: &[RecordBatch], times: Times, most: usize) -> Vec<Value> {
    let row = |batch: &RecordBatch, row| batch.columns().iter().map(|array| json(array, row, times)).collect();
    let all = batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |at| Value::Array(row(batch, at))));
    all.take(most).collect()
}

/// All rows as objects of JSON; `nulls`: with the values that are NULL.
pub(crate) fn objects(batches: &[RecordBatch], times: Times, nulls: bool) -> Vec<Value> {
    let object = |batch: &RecordBatch, row| {
        let schema = batch.schema();
        let pairs = schema
            .fields()
            .iter()
            .zip(batch.columns())
            .map(|(field, array)| (field.name().clone(), json(array, row, times)));
        Value::Object(pairs.filter(|(_, value)| nulls || !value.is_null()).collect::<Map<_, _>>())
    };
    batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| object(batch, row))).collect()
}

/// A field of CSV: quoted if it must be.
pub(crate) fn csv(value: &Value) -> String {
    let plain = match value {
        Value::Null => return String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if plain.contains([',', '"', '\n', '\r']) { format!("\"{}\"", plain.replace('"', "\"\"")) } else { plain }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, BinaryArray, Float64Array, LargeStringArray, TimestampMicrosecondArray, UInt64Array};

    use super::*;

    #[test]
    fn values_are_as_greptimedb_writes_them() {
        let cases: Vec<(ArrayRef, Value)> = vec![
            (Arc::new(UInt64Array::from(vec![u64::MAX])), u64::MAX.into()),
            (Arc::new(Float64Array::from(vec![f64::NAN])), Value::Null),
            (Arc::new(BinaryArray::from(vec![&b"\x01\xff"[..]])), serde_json::json!([1, 255])),
            (Arc::new(LargeStringArray::from(vec!["{\"a\":[1]}"])), serde_json::json!({"a": [1]})),
            (Arc::new(TimestampMicrosecondArray::from(vec![-5])), (-5).into()),
        ];
        for (array, expected) in cases {
            assert_eq!(json(&array, 0, Times::Number), expected);
        }
    }

    #[test]
    fn times_have_as_many_groups_of_digits_as_they_need() {
        for (nanoseconds, text) in [
            (1_700_000_000_123_456_789, "2023-11-14T22:13:20.123456789"),
            (1_700_000_000_100_000_000, "2023-11-14T22:13:20.100"),
            (1_700_000_000_000_001_000, "2023-11-14T22:13:20.000001"),
            (1_709_164_800_000_000_000, "2024-02-29T00:00:00"),
            (-1, "1969-12-31T23:59:59.999999999"),
        ] {
            assert_eq!(rfc3339(nanoseconds), text);
        }
    }
}
