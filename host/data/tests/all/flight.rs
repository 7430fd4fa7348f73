//! What the Flight encoder writes is read back by the reader of arrow-ipc and compared with what was put in.

use std::sync::Arc;

use crate::common::flight::{fields, parts, read};
use crate::common::strategy::{SAYABLE, UNSAYABLE, model, unit};
use crate::common::{Model, Value, column};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, RecordBatch};
use benchhost_data::{
    Batch, BatchBuilder, BodyCompression, DataType, EncodeError, FlightEncoder, Interner, Semantic, Table, TimeUnit,
    flight_metadata, flight_schema, flight_schema_message,
};
use proptest::prelude::*;

const COMPRESSIONS: [BodyCompression; 3] = [BodyCompression::None, BodyCompression::Lz4Frame, BodyCompression::Zstd];

fn primitives<T: ArrowPrimitiveType>(array: &dyn Array, value: fn(T::Native) -> Value) -> Vec<Option<Value>> {
    array.as_primitive::<T>().iter().map(|cell| cell.map(value)).collect()
}

/// The column as the test's own values. Panics if its type is not the one that the contract's type becomes.
fn values(array: &dyn Array, data_type: DataType) -> Vec<Option<Value>> {
    let signed = |value: i64| Value::Signed(value);
    match data_type {
        DataType::Boolean => array.as_boolean().iter().map(|cell| cell.map(Value::Boolean)).collect(),
        DataType::Int8 => primitives::<Int8Type>(array, |value| Value::Signed(value.into())),
        DataType::Int16 => primitives::<Int16Type>(array, |value| Value::Signed(value.into())),
        DataType::Int32 => primitives::<Int32Type>(array, |value| Value::Signed(value.into())),
        DataType::Date32 => primitives::<Date32Type>(array, |value| Value::Signed(value.into())),
        DataType::Int64 => primitives::<Int64Type>(array, signed),
        DataType::UInt8 => primitives::<UInt8Type>(array, |value| Value::Unsigned(value.into())),
        DataType::UInt16 => primitives::<UInt16Type>(array, |value| Value::Unsigned(value.into())),
        DataType::UInt32 => primitives::<UInt32Type>(array, |value| Value::Unsigned(value.into())),
        DataType::UInt64 => primitives::<UInt64Type>(array, Value::Unsigned),
        DataType::Float32 => primitives::<Float32Type>(array, |value| Value::Float(value.into())),
        DataType::Float64 => primitives::<Float64Type>(array, Value::Float),
        DataType::Utf8 | DataType::Json => {
            array.as_string::<i32>().iter().map(|cell| cell.map(|text| Value::Text(text.to_owned()))).collect()
        }
        DataType::Timestamp(TimeUnit::Second) => primitives::<TimestampSecondType>(array, signed),
        DataType::Timestamp(TimeUnit::Millisecond) => primitives::<TimestampMillisecondType>(array, signed),
        DataType::Timestamp(TimeUnit::Microsecond) => primitives::<TimestampMicrosecondType>(array, signed),
        DataType::Timestamp(TimeUnit::Nanosecond) => primitives::<TimestampNanosecondType>(array, signed),
        DataType::Decimal128 | DataType::Binary => vec![None; array.len()],
    }
}

/// Floats are compared by their bits: -0.0 is not 0.0.
fn same(got: &[Option<Value>], expected: &[Option<Value>]) -> bool {
    let same = |(got, expected): (&Option<Value>, &Option<Value>)| match (got, expected) {
        (Some(Value::Float(got)), Some(Value::Float(expected))) => got.to_bits() == expected.to_bits(),
        _ => got == expected,
    };
    got.len() == expected.len() && got.iter().zip(expected).all(same)
}

fn assert_same(model: &Model, start: usize, got: &RecordBatch) {
    let schema = got.schema();
    assert_eq!(schema.fields().len(), model.columns.len() + 1);
    for (index, filled) in model.columns.iter().enumerate() {
        assert_eq!(schema.field(index).name(), &filled.column.name);
        assert_eq!(schema.field(index).is_nullable(), filled.column.nullable);
        let expected = &filled.values[start..start + got.num_rows()];
        let got = values(got.column(index), filled.column.data_type);
        assert!(same(&got, expected), "column {index}: {got:?} instead of {expected:?}");
    }
    let times: Vec<_> =
        model.times[start..start + got.num_rows()].iter().map(|time| Some(Value::Signed(*time))).collect();
    let got = values(got.columns().last().unwrap(), DataType::Timestamp(model.unit));
    assert_eq!(got, times);
}

/// The rules of the format that a reader may not look at.
fn assert_layout(payload: &[u8], rows: usize) {
    let (header, body) = parts(payload);
    let message = arrow_ipc::root_as_message(&header).unwrap();
    assert_eq!(message.bodyLength(), body.len() as i64);
    assert_eq!(message.version(), arrow_ipc::MetadataVersion::V5);
    let batch = message.header_as_record_batch().unwrap();
    assert_eq!(batch.length(), rows as i64);
    let mut end = 0;
    for buffer in batch.buffers().unwrap() {
        assert_eq!(buffer.offset(), end, "buffers follow each other");
        end = (buffer.offset() + buffer.length() + 7) / 8 * 8;
    }
    assert_eq!(end, body.len() as i64);
}

fn every_type() -> Vec<DataType> {
    SAYABLE.into_iter().chain(UNSAYABLE).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_batch_reads_back_equal(
        model in unit().prop_flat_map(|unit| model(every_type(), 70, unit, 1)),
        compression in prop::sample::select(COMPRESSIONS.to_vec()),
    ) {
        let batch = model.whole(&Interner::new());
        let payload = FlightEncoder::new(compression).encode(&batch).unwrap();
        prop_assert_eq!(payload.rows(), batch.rows());
        assert_layout(payload.bytes(), model.times.len());
        let got = read(&flight_schema(batch.table()), &[payload.bytes()]);
        prop_assert_eq!(got.len(), 1);
        assert_same(&model, 0, &got[0]);
    }

    /// Whatever came before, in any order: an encoder never writes other bytes than a new one.
    #[test]
    fn what_an_encoder_remembers_never_shows(
        models in prop::collection::vec(model(SAYABLE.to_vec(), 12, TimeUnit::Millisecond, 1), 1..4),
        order in prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize), 2..12),
        compression in prop::sample::select(COMPRESSIONS.to_vec()),
    ) {
        let interner = Interner::new();
        let mut kept = FlightEncoder::new(compression);
        // A dictionary that nobody holds any more comes back under another id.
        let mut held = Vec::new();
        for (index, part) in order {
            let model = index.get(&models);
            let rows = model.times.len();
            let (start, len) = [(0, rows), (0, rows / 2), (rows / 2, rows - rows / 2), (rows / 3, rows / 3)][part];
            let batch = model.batch(&interner, start, len, usize::MAX);
            let payload = kept.encode(&batch).unwrap();
            prop_assert_eq!(&payload, &FlightEncoder::new(compression).encode(&batch).unwrap());
            assert_same(model, start, &read(&flight_schema(batch.table()), &[payload.bytes()])[0]);
            held.push(batch);
        }
    }
}

fn table(columns: &[(&str, DataType, bool)]) -> Arc<Table> {
    let field =
        |(name, data_type, nullable): &(&str, DataType, bool)| column(name, Semantic::Field, *data_type, *nullable);
    let mut columns: Vec<_> = columns.iter().map(field).collect();
    columns.push(column("ts", Semantic::Timestamp, DataType::Timestamp(TimeUnit::Millisecond), false));
    Arc::new(Table::new("t", columns).unwrap())
}

/// Rows that compress and are long enough for several blocks and two sizes of tables.
fn long(rows: u32) -> Batch {
    let table = table(&[("s", DataType::Utf8, false), ("k", DataType::Utf8, true), ("f", DataType::Float64, false)]);
    let mut builder = BatchBuilder::new(table, 0, rows);
    let dictionary = Interner::new().intern((0..50).map(|n| format!("value {n}"))).unwrap();
    builder.append_strings(0, (0..rows).map(|row| format!("row {row} of a long batch")).collect()).unwrap();
    builder.append_keys(1, &dictionary, (0..rows).map(|row| row * 7 % 50).collect()).unwrap();
    builder.mark_nulls(1, (0..rows).filter(|row| row % 3 == 0).collect()).unwrap();
    builder.append_float64s(2, (0..rows).map(f64::from).collect()).unwrap();
    builder.append_timestamps((0..i64::from(rows)).collect()).unwrap();
    builder.finish().unwrap()
}

#[test]
fn long_batches_read_back_equal_and_become_smaller_when_compressed() {
    for rows in [1000, 60_000] {
        let batch = long(rows);
        let schema = flight_schema(batch.table());
        let plain = FlightEncoder::new(BodyCompression::None).encode(&batch).unwrap();
        assert_eq!(plain.raw_size(), plain.size());
        let expected = read(&schema, &[plain.bytes()]);
        assert_eq!(expected[0].column(1).null_count(), rows.div_ceil(3) as usize);
        assert_eq!(expected[0].column(0).as_string::<i32>().value(999), "row 999 of a long batch");
        assert_eq!(expected[0].column(1).as_string::<i32>().value(8), "value 6");
        for compression in [BodyCompression::Lz4Frame, BodyCompression::Zstd] {
            let mut encoder = FlightEncoder::new(compression);
            let payload = encoder.encode(&batch).unwrap();
            let again = encoder.encode(&batch).unwrap();
            assert_eq!(payload, again);
            assert_eq!(read(&schema, &[payload.bytes(), again.bytes()]), [expected[0].clone(), expected[0].clone()]);
            assert!(payload.size() < plain.size() * 2 / 3, "{compression:?}: {} bytes", payload.size());
            // The header says how the body is compressed, which takes some bytes.
            assert!((plain.size()..plain.size() + 64).contains(&payload.raw_size()));
        }
    }
}

#[test]
fn a_column_without_null_has_no_validity() {
    let batch = long(10);
    let payload = FlightEncoder::new(BodyCompression::None).encode(&batch).unwrap();
    let (header, _) = parts(payload.bytes());
    let message = arrow_ipc::root_as_message(&header).unwrap();
    let record_batch = message.header_as_record_batch().unwrap();
    let buffers: Vec<_> = record_batch.buffers().unwrap().iter().map(|buffer| buffer.length()).collect();
    let validity = [buffers[0], buffers[3], buffers[6], buffers[8]];
    assert_eq!(validity, [0, 2, 0, 0]);
    let nulls: Vec<_> = record_batch.nodes().unwrap().iter().map(|node| node.null_count()).collect();
    assert_eq!(nulls, [0, 4, 0, 0]);
}

#[test]
fn types_that_nothing_writes_are_null_and_a_batch_may_be_empty() {
    let table = table(&[
        ("d", DataType::Decimal128, true),
        ("b", DataType::Binary, true),
        ("j", DataType::Json, true),
        ("x", DataType::Boolean, true),
    ]);
    for rows in [0, 1, 9] {
        let mut builder = BatchBuilder::new(Arc::clone(&table), 0, rows);
        builder.append_timestamps((0..i64::from(rows)).collect()).unwrap();
        let batch = builder.finish().unwrap();
        for compression in COMPRESSIONS {
            let payload = FlightEncoder::new(compression).encode(&batch).unwrap();
            assert_layout(payload.bytes(), rows as usize);
            let got = read(&flight_schema(&table), &[payload.bytes()]);
            assert_eq!(got[0].num_rows(), rows as usize);
            for column in &got[0].columns()[..4] {
                assert_eq!(column.null_count(), rows as usize);
            }
            assert_eq!(got[0].column(0).data_type(), &arrow_schema::DataType::Decimal128(38, 0));
            assert_eq!(got[0].column(2).data_type(), &arrow_schema::DataType::Utf8);
        }
    }
}

#[test]
fn a_table_of_many_columns_has_room_for_its_header() {
    let names: Vec<_> = (0..1000).map(|n| format!("column {n}")).collect();
    let columns: Vec<_> = names.iter().map(|name| (name.as_str(), DataType::Utf8, true)).collect();
    let table = table(&columns);
    let mut builder = BatchBuilder::new(Arc::clone(&table), 0, 1);
    builder.append_timestamps(vec![7]).unwrap();
    let batch = builder.finish().unwrap();
    for compression in COMPRESSIONS {
        let payload = FlightEncoder::new(compression).encode(&batch).unwrap();
        let got = read(&flight_schema(&table), &[payload.bytes()]);
        assert_eq!((got[0].num_columns(), got[0].num_rows()), (1001, 1));
    }
}

#[test]
fn more_than_2_gib_is_refused_before_it_is_written() {
    let table = table(&[("s", DataType::Utf8, false)]);
    let dictionary = Interner::new().intern(["x".repeat(1 << 20)]).unwrap();
    let mut builder = BatchBuilder::new(table, 0, 2048);
    builder.append_keys(0, &dictionary, vec![0; 2048]).unwrap();
    builder.append_timestamps(vec![0; 2048]).unwrap();
    let batch = builder.finish().unwrap();
    for compression in COMPRESSIONS {
        let error = FlightEncoder::new(compression).encode(&batch).unwrap_err();
        assert_eq!(error, EncodeError::TooLarge { table: "t".into(), rows: 2048 });
        assert_eq!(
            error.to_string(),
            "table `t`: 2048 rows take more than the 2 GiB that one message can hold: make batches smaller"
        );
    }
}

#[test]
fn the_first_message_has_path_schema_and_id_0() {
    let table = table(&[("s", DataType::Utf8, true)]);
    let message = fields(&flight_schema_message(&table, &["bench_logs"]));
    let numbers: Vec<_> = message.bytes.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [1, 2, 3]);
    let descriptor = fields(&message.bytes[0].1);
    assert_eq!((descriptor.numbers, descriptor.bytes), (vec![(1, 1)], vec![(3, b"bench_logs".to_vec())]));
    assert_eq!(message.bytes[1].1, flight_schema(&table));
    assert_eq!(message.bytes[2].1, br#"{"request_id":0}"#);
}

#[test]
fn metadata_can_stand_on_either_side_of_a_batch() {
    let payload = FlightEncoder::new(BodyCompression::None).encode(&long(3)).unwrap();
    for message in
        [[&flight_metadata(5)[..], payload.bytes()].concat(), [payload.bytes(), &flight_metadata(5)[..]].concat()]
    {
        let mut numbers: Vec<_> = fields(&message).bytes.into_iter().map(|(number, _)| number).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [2, 3, 1000]);
    }
}
