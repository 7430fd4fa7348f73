//! What a generator may do with a builder, what it may not, and what a batch then says.

use std::sync::Arc;

use crate::common::column;
use crate::common::strategy::{SAYABLE, UNSAYABLE, model};
use crate::common::{Model, Value};
use benchhost_data::{Batch, BatchBuilder, DataType, Interner, Semantic, Table, TimeUnit};
use proptest::prelude::*;

/// One nullable column of each kind; the time is column 0.
fn table() -> Arc<Table> {
    let mut columns = vec![column("ts", Semantic::Timestamp, DataType::Timestamp(TimeUnit::Millisecond), false)];
    columns.push(column("host", Semantic::Tag, DataType::Utf8, true));
    for (name, data_type) in [
        ("f", DataType::Float64),
        ("i8", DataType::Int8),
        ("u16", DataType::UInt16),
        ("b", DataType::Boolean),
        ("s", DataType::Utf8),
        ("d", DataType::Date32),
        ("dec", DataType::Decimal128),
    ] {
        columns.push(column(name, Semantic::Field, data_type, true));
    }
    columns.push(column("must", Semantic::Field, DataType::Boolean, false));
    Arc::new(Table::new("t", columns).unwrap())
}

const HOST: usize = 1;
const FLOAT: usize = 2;
const INT8: usize = 3;
const UINT16: usize = 4;
const TEXT: usize = 6;
const DATE: usize = 7;
const DECIMAL: usize = 8;
const MUST: usize = 9;

/// A builder for three rows that lacks nothing that is required.
fn builder() -> BatchBuilder {
    let mut builder = BatchBuilder::new(table(), 10, 3);
    builder.append_timestamps(vec![1, 2, 3]).unwrap();
    builder.append_booleans(MUST, vec![true, false, true]).unwrap();
    builder
}

fn finish_error(builder: BatchBuilder) -> String {
    builder.finish().unwrap_err().to_string()
}

#[test]
fn what_is_not_written_of_a_nullable_column_is_null() {
    let batch = builder().finish().unwrap();
    assert_eq!((batch.rows(), batch.first_row()), (3, 10));
    for index in [HOST, FLOAT, INT8, UINT16, 5, TEXT, DATE, DECIMAL] {
        assert_eq!(batch.nulls(index).unwrap(), [0, 1, 2]);
    }
    assert!(batch.nulls(MUST).unwrap().is_empty());
    assert_eq!(batch.record_batch().num_rows(), 3);
}

#[test]
fn one_append_of_all_rows_keeps_its_memory() {
    let interner = Interner::new();
    let mut builder = BatchBuilder::new(table(), 0, 3);
    let (times, floats, keys) = (vec![1_i64, 2, 3], vec![1.0_f64, 2.0, 3.0], vec![0_u32, 0, 0]);
    let places = (times.as_ptr(), floats.as_ptr(), keys.as_ptr());
    builder.append_timestamps(times).unwrap();
    builder.append_float64s(FLOAT, floats).unwrap();
    builder.append_keys(HOST, &interner.intern(["a"]).unwrap(), keys).unwrap();
    builder.append_booleans(MUST, vec![true; 3]).unwrap();
    let batch = builder.finish().unwrap();
    assert_eq!(batch.timestamps().as_ptr(), places.0);
    assert_eq!(batch.float64s(FLOAT).unwrap().as_ptr(), places.1);
    assert_eq!(batch.keys(HOST).unwrap().as_ptr(), places.2);
}

#[test]
fn a_column_that_does_not_exist_is_named_by_its_position() {
    let mut builder = builder();
    let expected = "append-float64s: table `t` has no column 99: it has 10, counted from 0";
    assert_eq!(builder.append_float64s(99, vec![]).unwrap_err().to_string(), expected);
    let expected = "mark-nulls: table `t` has no column 99: it has 10, counted from 0";
    assert_eq!(builder.mark_nulls(99, vec![]).unwrap_err().to_string(), expected);
}

#[test]
fn the_wrong_call_is_answered_with_the_right_one() {
    let mut builder = builder();
    assert_eq!(
        builder.append_int64s(FLOAT, vec![1]).unwrap_err().to_string(),
        "append-int64s: column `f` of table `t`: the column is float64: call append-float64s"
    );
    assert_eq!(
        builder.append_int64s(0, vec![1]).unwrap_err().to_string(),
        "append-int64s: column `ts` of table `t`: the column is timestamp-millisecond: call append-timestamps"
    );
    assert_eq!(
        builder.append_strings(DECIMAL, vec![]).unwrap_err().to_string(),
        "append-strings: column `dec` of table `t`: no call appends decimal128 values: leave the column NULL"
    );
    let dictionary = Interner::new().intern(["a"]).unwrap();
    assert_eq!(
        builder.append_keys(FLOAT, &dictionary, vec![0]).unwrap_err().to_string(),
        "append-keys: column `f` of table `t`: the column is float64: call append-float64s"
    );
}

#[test]
fn more_values_than_rows_are_refused_at_once() {
    let mut builder = builder();
    builder.append_float64s(FLOAT, vec![1.0, 2.0]).unwrap();
    assert_eq!(
        builder.append_float64s(FLOAT, vec![3.0, 4.0]).unwrap_err().to_string(),
        "append-float64s: column `f` of table `t`: 4 values were appended, but the batch has 3 rows"
    );
}

#[test]
fn fewer_values_than_rows_are_refused_at_the_end() {
    let mut builder = builder();
    builder.append_float64s(FLOAT, vec![1.0, 2.0]).unwrap();
    assert_eq!(
        finish_error(builder),
        "finish: column `f` of table `t`: 2 of 3 rows were appended: append exactly as many values as the batch has rows"
    );
    let builder = BatchBuilder::new(table(), 0, 3);
    assert_eq!(
        finish_error(builder),
        "finish: column `ts` of table `t`: 0 of 3 rows were appended: append exactly as many values as the batch has rows"
    );
}

#[test]
fn values_that_do_not_fit_their_type_are_refused() {
    let mut signed = builder();
    signed.append_int64s(INT8, vec![127, -128, 128]).unwrap();
    assert_eq!(finish_error(signed), "finish: column `i8` of table `t`: row 2 of the batch: 128 does not fit int8");
    let mut unsigned = builder();
    unsigned.append_uint64s(UINT16, vec![0, 65_536, 65_535]).unwrap();
    assert_eq!(
        finish_error(unsigned),
        "finish: column `u16` of table `t`: row 1 of the batch: 65536 does not fit uint16"
    );
    let mut date = builder();
    date.append_int64s(DATE, vec![i64::MIN, 0, 0]).unwrap();
    assert_eq!(
        finish_error(date),
        "finish: column `d` of table `t`: row 0 of the batch: -9223372036854775808 does not fit date32"
    );
}

#[test]
fn keys_must_name_values_of_one_dictionary() {
    let interner = Interner::new();
    let (small, other) = (interner.intern(["a", "b"]).unwrap(), interner.intern(["a"]).unwrap());
    let mut outside = builder();
    outside.append_keys(HOST, &small, vec![0, 1, 2]).unwrap();
    assert_eq!(
        finish_error(outside),
        "finish: column `host` of table `t`: row 2 of the batch: key 2 names no value of a dictionary of 2"
    );
    let mut two = builder();
    two.append_keys(HOST, &small, vec![0]).unwrap();
    assert_eq!(
        two.append_keys(HOST, &other, vec![0]).unwrap_err().to_string(),
        "append-keys: column `host` of table `t`: keys of two dictionaries were appended: use one for a batch"
    );
    let mut mixed = builder();
    mixed.append_keys(TEXT, &small, vec![0]).unwrap();
    assert_eq!(
        mixed.append_strings(TEXT, vec!["a".into()]).unwrap_err().to_string(),
        "append-strings: column `s` of table `t`: keys and strings were appended: use one kind for a batch"
    );
}

#[test]
fn nulls_need_a_nullable_column_and_an_existing_row() {
    let mut builder = builder();
    assert_eq!(
        builder.mark_nulls(MUST, vec![0]).unwrap_err().to_string(),
        "mark-nulls: column `must` of table `t`: the column is not nullable: say so in the table or write a value"
    );
    assert_eq!(
        builder.mark_nulls(FLOAT, vec![0, 3]).unwrap_err().to_string(),
        "mark-nulls: column `f` of table `t`: row 3 cannot be NULL: the batch has 3 rows, from 0"
    );
}

#[test]
fn what_is_appended_where_a_row_is_null_is_ignored() {
    let mut builder = builder();
    builder.append_int64s(INT8, vec![1, 99_999, 3]).unwrap();
    builder.mark_nulls(INT8, vec![1, 1]).unwrap();
    builder.append_keys(HOST, &Interner::new().intern(["a"]).unwrap(), vec![0, 77, 0]).unwrap();
    builder.mark_nulls(HOST, vec![1]).unwrap();
    builder.append_strings(TEXT, vec!["x".into(), "y".into(), "z".into()]).unwrap();
    builder.mark_nulls(TEXT, vec![2]).unwrap();
    builder.mark_nulls(TEXT, vec![0]).unwrap();
    let batch = builder.finish().unwrap();
    assert_eq!(&batch.int64s(INT8).unwrap()[..], [1, 0, 3]);
    assert_eq!(&batch.keys(HOST).unwrap()[..], [0, 0, 0]);
    assert_eq!(batch.strings(HOST).unwrap(), ["a", "", "a"]);
    assert_eq!(batch.strings(TEXT).unwrap(), ["", "y", ""]);
    assert_eq!(batch.nulls(TEXT).unwrap(), [0, 2]);
}

#[test]
fn a_tag_written_as_strings_has_a_dictionary_and_a_field_has_none() {
    let mut builder = builder();
    let texts = || ["b", "a", "b"].map(str::to_owned).to_vec();
    builder.append_strings(HOST, texts()).unwrap();
    builder.append_strings(TEXT, texts()).unwrap();
    let batch = builder.finish().unwrap();
    assert_eq!(batch.dictionary(HOST).unwrap().values().collect::<Vec<_>>(), ["b", "a"]);
    assert_eq!(&batch.keys(HOST).unwrap()[..], [0, 1, 0]);
    assert_eq!(
        batch.keys(TEXT).unwrap_err().to_string(),
        "keys: column `s` of table `t` was appended as strings and has no dictionary: call strings"
    );
}

#[test]
fn a_getter_of_another_type_names_the_right_one() {
    let batch = builder().finish().unwrap();
    assert_eq!(
        batch.float64s(INT8).unwrap_err().to_string(),
        "float64s: column `i8` of table `t` is int8: call int64s"
    );
    assert_eq!(
        batch.strings(42).unwrap_err().to_string(),
        "strings: table `t` has no column 42: it has 10, counted from 0"
    );
}

#[test]
fn the_time_range_is_inclusive_and_in_nanoseconds() {
    let with = |times: Vec<i64>| {
        let mut builder = BatchBuilder::new(table(), 0, times.len() as u32);
        builder.append_booleans(MUST, vec![true; times.len()]).unwrap();
        builder.append_timestamps(times).unwrap();
        builder.finish().unwrap()
    };
    assert_eq!(with(vec![5, -3, 2]).time_range_ns(), Some((-3_000_000, 5_000_000)));
    assert_eq!(with(vec![]).time_range_ns(), None);
    assert_eq!(with(vec![0, i64::MAX]).time_range_ns(), None);
}

#[test]
fn memory_counts_own_columns_but_not_shared_dictionaries() {
    let interner = Interner::new();
    let large = interner.intern((0..10_000).map(|value| format!("value number {value}"))).unwrap();
    let mut shared = builder();
    shared.append_keys(HOST, &large, vec![0, 1, 2]).unwrap();
    let shared = shared.finish().unwrap().memory_bytes();
    assert!((30..1000).contains(&shared), "{shared}");
    let mut own = builder();
    own.append_strings(HOST, vec!["x".repeat(50_000), String::new(), String::new()]).unwrap();
    assert!(own.finish().unwrap().memory_bytes() > 50_000);
}

#[test]
fn batches_can_be_shared_by_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&builder().finish().unwrap());
    shared(&Interner::new());
}

fn assert_holds(batch: &Batch, model: &Model) {
    assert_eq!(batch.timestamps(), model.times);
    for (index, filled) in model.columns.iter().enumerate() {
        let nulls: Vec<_> = (0..batch.rows()).filter(|row| filled.values[*row as usize].is_none()).collect();
        assert_eq!(batch.nulls(index).unwrap(), nulls);
        let got: Vec<Value> = match filled.column.data_type {
            DataType::Boolean => batch.booleans(index).unwrap().into_iter().map(Value::Boolean).collect(),
            DataType::Float32 | DataType::Float64 => {
                batch.float64s(index).unwrap().iter().map(|value| Value::Float(*value)).collect()
            }
            DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => {
                batch.uint64s(index).unwrap().iter().map(|value| Value::Unsigned(*value)).collect()
            }
            DataType::Utf8 | DataType::Json => batch.strings(index).unwrap().into_iter().map(Value::Text).collect(),
            _ => batch.int64s(index).unwrap().iter().map(|value| Value::Signed(*value)).collect(),
        };
        for (got, expected) in got.iter().zip(&filled.values) {
            if let Some(expected) = expected {
                assert_eq!(got, expected);
            }
        }
    }
}

proptest! {
    #[test]
    fn a_batch_gives_back_what_was_written(
        model in model(SAYABLE.into_iter().chain(UNSAYABLE).collect(), 20, TimeUnit::Second, 1),
        part in 1..21_usize,
    ) {
        let batch = model.batch(&Interner::new(), 0, model.times.len(), part);
        assert_holds(&batch, &model);
    }
}
