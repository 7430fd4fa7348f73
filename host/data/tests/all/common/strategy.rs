//! Random tables: every type, names that need escapes, NULLs and extreme numbers.

use benchhost_data::{DataType, Semantic, TimeUnit};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{Filled, Model, Value, column};

pub fn unit() -> impl Strategy<Value = TimeUnit> {
    prop_oneof![
        Just(TimeUnit::Second),
        Just(TimeUnit::Millisecond),
        Just(TimeUnit::Microsecond),
        Just(TimeUnit::Nanosecond)
    ]
}

/// Texts made of what is special somewhere; some of them cannot be said as a name.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-z ,=\"\\\\é#'\t🦀]{0,6}[a-z=\",ü]",
        4 => "[a-z]{1,40}",
        1 => "[a-z\\\\\n\r]{1,4}",
        1 => Just(String::new()),
        1 => "[ -~]{30,90}",
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        30 => "[a-z ,=\"\\\\é'🦀]{0,8}[a-z=\", ü]",
        30 => "[a-z_]{1,20}",
        1 => "[#\t\n\\\\a-z]{1,3}",
    ]
}

pub fn double() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |value| value.is_finite()),
        8 => -1e6..1e6_f64,
        4 => (-100_000..100_000_i32).prop_map(|hundredths| f64::from(hundredths) / 100.0),
        2 => (-1000..1000_i32).prop_map(f64::from),
        2 => prop::sample::select(vec![
            0.0, -0.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE, f64::from_bits(1), f64::EPSILON, 0.1, 1e15, 1e16, 1e17, 9_007_199_254_740_993.0,
        ]),
    ]
}

fn signed(bits: u32) -> impl Strategy<Value = i64> {
    let (lowest, highest) = (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits));
    prop_oneof![4 => lowest..=highest, 1 => Just(lowest), 1 => Just(highest), 1 => Just(0), 2 => -100..100_i64]
}

fn unsigned(bits: u32) -> impl Strategy<Value = u64> {
    let highest = u64::MAX >> (64 - bits);
    prop_oneof![4 => 0..=highest, 1 => Just(highest), 1 => Just(0), 2 => 0..200_u64]
}

fn values(data_type: DataType) -> BoxedStrategy<Value> {
    match data_type {
        DataType::Boolean => any::<bool>().prop_map(Value::Boolean).boxed(),
        DataType::Int8 => signed(8).prop_map(Value::Signed).boxed(),
        DataType::Int16 => signed(16).prop_map(Value::Signed).boxed(),
        DataType::Int32 | DataType::Date32 => signed(32).prop_map(Value::Signed).boxed(),
        DataType::Int64 | DataType::Timestamp(_) => signed(64).prop_map(Value::Signed).boxed(),
        DataType::UInt8 => unsigned(8).prop_map(Value::Unsigned).boxed(),
        DataType::UInt16 => unsigned(16).prop_map(Value::Unsigned).boxed(),
        DataType::UInt32 => unsigned(32).prop_map(Value::Unsigned).boxed(),
        DataType::UInt64 => unsigned(64).prop_map(Value::Unsigned).boxed(),
        DataType::Float32 => any::<u32>()
            .prop_map(f32::from_bits)
            .prop_filter("finite", |value| value.is_finite())
            .prop_map(|value| Value::Float(value.into()))
            .boxed(),
        DataType::Float64 => double().prop_map(Value::Float).boxed(),
        DataType::Utf8 | DataType::Json | DataType::Decimal128 | DataType::Binary => {
            text().prop_map(Value::Text).boxed()
        }
    }
}

/// The types that line protocol has.
pub const SAYABLE: [DataType; 13] = [
    DataType::Boolean,
    DataType::Int8,
    DataType::Int16,
    DataType::Int32,
    DataType::Int64,
    DataType::UInt8,
    DataType::UInt16,
    DataType::UInt32,
    DataType::UInt64,
    DataType::Float32,
    DataType::Float64,
    DataType::Utf8,
    DataType::Json,
];

/// The other ones that can be written to a batch.
pub const UNSAYABLE: [DataType; 3] =
    [DataType::Date32, DataType::Timestamp(TimeUnit::Second), DataType::Timestamp(TimeUnit::Nanosecond)];

fn filled(semantic: Semantic, data_type: DataType, nullable: bool, rows: usize) -> impl Strategy<Value = Filled> {
    let value = if nullable {
        prop::option::weighted(0.7, values(data_type)).boxed()
    } else {
        values(data_type).prop_map(Some).boxed()
    };
    (name(), vec(value, rows), any::<bool>()).prop_map(move |(name, values, by_keys)| Filled {
        column: column(&name, semantic, data_type, nullable),
        values,
        by_keys,
    })
}

/// A table with up to `max_rows` rows, whose times are multiples of `ticks` most of the time. Column names differ.
pub fn model(types: Vec<DataType>, max_rows: usize, unit: TimeUnit, ticks: i64) -> impl Strategy<Value = Model> {
    let field_types = vec((prop::sample::select(types), any::<bool>()), 0..6);
    (0..=max_rows, vec(any::<bool>(), 0..5), field_types)
        .prop_flat_map(move |(rows, tags, fields)| {
            let mut columns: Vec<_> = tags
                .into_iter()
                .map(|nullable| filled(Semantic::Tag, DataType::Utf8, nullable, rows).boxed())
                .collect();
            columns.extend(
                fields.into_iter().map(|(kind, nullable)| filled(Semantic::Field, kind, nullable, rows).boxed()),
            );
            // Rows without any field have tests of their own.
            columns.push(filled(Semantic::Field, DataType::Float64, false, rows).boxed());
            let time = (any::<i32>(), prop::sample::select(vec![0, 0, 0, 0, 0, 0, 0, 0, 0, 1_i64]));
            let time = time.prop_map(move |(tick, odd)| i64::from(tick).wrapping_mul(ticks).wrapping_add(odd));
            (name(), columns, vec(time, rows))
        })
        .prop_map(move |(name, columns, times)| Model { name, columns, unit, times })
        .prop_filter("column names differ", |model| {
            let names: std::collections::HashSet<_> = model.columns.iter().map(|filled| &filled.column.name).collect();
            names.len() == model.columns.len() && !names.contains(&"the time".to_owned())
        })
}
