//! Files are read back, by a simple reader for text and by Arrow's own for the others, and compared with what went in.

use std::io::{self, Write};
use std::sync::Arc;

use crate::common::strategy::{SAYABLE, UNSAYABLE, model};
use crate::common::{Filled, Model, Value, column};
use arrow_array::{Array, ArrayRef, RecordBatch, cast::AsArray, types};
use arrow_ipc::reader::StreamReader;
use benchhost_data::{
    BatchBuilder, Column, DataType, ExportError, Exporter, FileFormat, Interner, LineProtocol, Semantic, Table,
    TimeUnit,
};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;

/// The file that the model becomes when its rows come in batches of `size`.
fn file(model: &Model, format: FileFormat, size: usize) -> Vec<u8> {
    let interner = Interner::new();
    let mut exporter = Exporter::new(format, model.table(), Vec::new()).unwrap();
    let rows = model.times.len();
    for (number, start) in (0..rows).step_by(size).enumerate() {
        let mut part = model.clone();
        // A text field may come as keys in one batch and as strings in the next.
        for filled in &mut part.columns {
            filled.by_keys ^= number % 2 == 1 && filled.column.semantic == Semantic::Field;
        }
        exporter.write(&part.batch(&interner, start, size.min(rows - start), size)).unwrap();
    }
    exporter.finish().unwrap()
}

/// Cells of a CSV file; `None` is nothing at all, without quotes.
fn read_csv(text: &str) -> Vec<Vec<Option<String>>> {
    let mut lines = Vec::new();
    let mut line = Vec::new();
    let mut rest = text.chars().peekable();
    while rest.peek().is_some() {
        let mut cell = String::new();
        let quoted = rest.next_if_eq(&'"').is_some();
        if quoted {
            loop {
                match rest.next().unwrap() {
                    '"' if rest.next_if_eq(&'"').is_some() => cell.push('"'),
                    '"' => break,
                    other => cell.push(other),
                }
            }
        }
        while let Some(other) = rest.next_if(|next| !matches!(next, ',' | '\r')) {
            assert!(!quoted, "{other:?} behind a quote");
            cell.push(other);
        }
        line.push(if quoted || !cell.is_empty() { Some(cell) } else { None });
        if rest.next() == Some('\r') {
            assert_eq!(rest.next(), Some('\n'));
            lines.push(std::mem::take(&mut line));
        }
    }
    lines
}

fn same_text(got: &str, expected: &Value, data_type: DataType) -> bool {
    match expected {
        Value::Boolean(value) => got == value.to_string(),
        Value::Signed(value) => got == value.to_string(),
        Value::Unsigned(value) => got == value.to_string(),
        Value::Float(value) if data_type == DataType::Float32 => {
            got.parse::<f32>().unwrap().to_bits() == (*value as f32).to_bits()
        }
        Value::Float(value) => got.parse::<f64>().unwrap().to_bits() == value.to_bits(),
        Value::Text(value) => got == value,
    }
}

fn check_csv(model: &Model, text: &str) {
    let lines = read_csv(text);
    let mut names: Vec<_> = model.columns.iter().map(|filled| Some(filled.column.name.clone())).collect();
    names.push(Some("the time".into()));
    assert_eq!(lines[0], names);
    assert_eq!(lines.len() - 1, model.times.len());
    for (row, line) in lines[1..].iter().enumerate() {
        assert_eq!(line.len(), names.len());
        for (filled, cell) in model.columns.iter().zip(line) {
            match (cell, &filled.values[row]) {
                (None, None) => {}
                (Some(cell), Some(value)) => {
                    assert!(same_text(cell, value, filled.column.data_type), "{cell:?} is not {value:?}");
                }
                (cell, value) => panic!("{cell:?} is not {value:?}"),
            }
        }
        assert_eq!(line.last().unwrap().as_deref(), Some(model.times[row].to_string().as_str()));
    }
}

fn check_json(model: &Model, text: &str) {
    assert_eq!(text.lines().count(), model.times.len());
    for (row, line) in text.lines().enumerate() {
        let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        assert_eq!(object.len(), model.columns.len() + 1);
        assert_eq!(object["the time"].as_i64(), Some(model.times[row]));
        for filled in &model.columns {
            let got = &object[&filled.column.name];
            match &filled.values[row] {
                None => assert!(got.is_null()),
                Some(Value::Boolean(value)) => assert_eq!(got.as_bool(), Some(*value)),
                Some(Value::Signed(value)) => assert_eq!(got.as_i64(), Some(*value)),
                Some(Value::Unsigned(value)) => assert_eq!(got.as_u64(), Some(*value)),
                Some(Value::Text(value)) => assert_eq!(got.as_str(), Some(value.as_str())),
                Some(Value::Float(value)) if filled.column.data_type == DataType::Float32 => {
                    assert_eq!((got.as_f64().unwrap() as f32).to_bits(), (*value as f32).to_bits());
                }
                Some(Value::Float(value)) => assert_eq!(got.as_f64().unwrap().to_bits(), value.to_bits()),
            }
        }
    }
}

fn arrow_value(array: &ArrayRef, row: usize, data_type: DataType) -> Option<Value> {
    use types::{
        Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampNanosecondType,
        TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
    };
    if array.is_null(row) {
        return None;
    }
    Some(match data_type {
        DataType::Boolean => Value::Boolean(array.as_boolean().value(row)),
        DataType::Int8 => Value::Signed(array.as_primitive::<Int8Type>().value(row).into()),
        DataType::Int16 => Value::Signed(array.as_primitive::<Int16Type>().value(row).into()),
        DataType::Int32 => Value::Signed(array.as_primitive::<Int32Type>().value(row).into()),
        DataType::Int64 => Value::Signed(array.as_primitive::<Int64Type>().value(row)),
        DataType::Date32 => Value::Signed(array.as_primitive::<Date32Type>().value(row).into()),
        DataType::Timestamp(TimeUnit::Second) => Value::Signed(array.as_primitive::<TimestampSecondType>().value(row)),
        DataType::Timestamp(_) => Value::Signed(array.as_primitive::<TimestampNanosecondType>().value(row)),
        DataType::UInt8 => Value::Unsigned(array.as_primitive::<UInt8Type>().value(row).into()),
        DataType::UInt16 => Value::Unsigned(array.as_primitive::<UInt16Type>().value(row).into()),
        DataType::UInt32 => Value::Unsigned(array.as_primitive::<UInt32Type>().value(row).into()),
        DataType::UInt64 => Value::Unsigned(array.as_primitive::<UInt64Type>().value(row)),
        DataType::Float32 => Value::Float(array.as_primitive::<Float32Type>().value(row).into()),
        DataType::Float64 => Value::Float(array.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8 | DataType::Json | DataType::Decimal128 | DataType::Binary => {
            match array.as_any_dictionary_opt() {
                Some(dictionary) => {
                    let key = dictionary.normalized_keys()[row];
                    Value::Text(dictionary.values().as_string::<i32>().value(key).into())
                }
                None => Value::Text(array.as_string::<i32>().value(row).into()),
            }
        }
    })
}

fn check_records(model: &Model, records: &[RecordBatch]) {
    let mut row = 0;
    for batch in records {
        for local in 0..batch.num_rows() {
            for (index, filled) in model.columns.iter().enumerate() {
                let got = arrow_value(batch.column(index), local, filled.column.data_type);
                assert_eq!(got, filled.values[row]);
            }
            let times = batch.columns().last().unwrap().as_primitive::<types::TimestampMillisecondType>();
            assert_eq!(times.value(local), model.times[row]);
            row += 1;
        }
    }
    assert_eq!(row, model.times.len());
}

fn read_parquet(file: Vec<u8>) -> Vec<RecordBatch> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(file)).unwrap().build().unwrap();
    reader.map(Result::unwrap).collect()
}

/// Parquet, like Arrow's equality, keeps -0.0 and all types as they are.
fn types_of_files() -> Vec<DataType> {
    SAYABLE.into_iter().chain(UNSAYABLE).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_table_reads_back_from_every_format(
        model in model(types_of_files(), 20, TimeUnit::Millisecond, 1),
        size in 1..21_usize,
    ) {
        check_csv(&model, std::str::from_utf8(&file(&model, FileFormat::Csv, size)).unwrap());
        check_json(&model, std::str::from_utf8(&file(&model, FileFormat::JsonLines, size)).unwrap());
        let stream = file(&model, FileFormat::ArrowStream, size);
        let reader = StreamReader::try_new(&stream[..], None).unwrap();
        check_records(&model, &reader.map(Result::unwrap).collect::<Vec<_>>());
        check_records(&model, &read_parquet(file(&model, FileFormat::Parquet, size)));
    }
}

fn small() -> Model {
    let field = |column: Column, values| Filled { column, values, by_keys: true };
    let text = |text: &str| Some(Value::Text(text.into()));
    Model {
        name: "t".into(),
        columns: vec![
            field(column("host", Semantic::Tag, DataType::Utf8, true), vec![text("a"), None]),
            field(column("say", Semantic::Field, DataType::Utf8, false), vec![text("x, \"y\""), text("")]),
            field(
                column("load", Semantic::Field, DataType::Float64, false),
                vec![Some(Value::Float(0.5)), Some(Value::Float(f64::NAN))],
            ),
        ],
        unit: TimeUnit::Millisecond,
        times: vec![1_704_067_200_000, -1],
    }
}

#[test]
fn csv_looks_as_documented() {
    let text = String::from_utf8(file(&small(), FileFormat::Csv, 2)).unwrap();
    assert_eq!(text, "host,say,load,the time\r\na,\"x, \"\"y\"\"\",0.5,1704067200000\r\n,\"\",NaN,-1\r\n");
}

#[test]
fn json_lines_look_as_documented() {
    let text = String::from_utf8(file(&small(), FileFormat::JsonLines, 2)).unwrap();
    assert_eq!(
        text,
        concat!(
            r#"{"host":"a","say":"x, \"y\"","load":0.5,"the time":1704067200000}"#,
            "\n",
            r#"{"host":null,"say":"","load":null,"the time":-1}"#,
            "\n"
        )
    );
}

#[test]
fn line_protocol_has_times_in_the_unit_of_the_table() {
    let mut model = small();
    model.columns[2].values[1] = Some(Value::Float(2.0));
    let mut encoder = LineProtocol::new(TimeUnit::Millisecond);
    let lines = encoder.encode(&model.whole(&Interner::new())).unwrap();
    assert_eq!(file(&model, FileFormat::LineProtocol, 1), &lines.bytes()[..]);
}

#[test]
fn files_of_no_rows_are_complete() {
    let mut model = small();
    model.times.clear();
    model.columns.iter_mut().for_each(|filled| filled.values.clear());
    assert_eq!(file(&model, FileFormat::Csv, 1), b"host,say,load,the time\r\n");
    assert_eq!(file(&model, FileFormat::JsonLines, 1), b"");
    let stream = file(&model, FileFormat::ArrowStream, 1);
    assert_eq!(StreamReader::try_new(&stream[..], None).unwrap().count(), 0);
    assert!(read_parquet(file(&model, FileFormat::Parquet, 1)).is_empty());
}

#[test]
fn times_in_files_are_utc() {
    let records = read_parquet(file(&small(), FileFormat::Parquet, 2));
    assert_eq!(records[0].schema().field(3).data_type().to_string(), "Timestamp(ms, \"UTC\")");
}

#[test]
fn columns_that_are_always_null_are_written_as_such() {
    let mut columns = vec![column("ts", Semantic::Timestamp, DataType::Timestamp(TimeUnit::Second), false)];
    for (name, data_type) in [("dec", DataType::Decimal128), ("bin", DataType::Binary), ("f", DataType::Float32)] {
        columns.push(column(name, Semantic::Field, data_type, true));
    }
    columns.push(column("host", Semantic::Tag, DataType::Utf8, true));
    let table = Arc::new(Table::new("t", columns).unwrap());
    let export = |format| {
        let mut builder = BatchBuilder::new(Arc::clone(&table), 0, 2);
        builder.append_timestamps(vec![1, 2]).unwrap();
        let mut exporter = Exporter::new(format, Arc::clone(&table), Vec::new()).unwrap();
        exporter.write(&builder.finish().unwrap()).unwrap();
        exporter.finish().unwrap()
    };
    assert_eq!(export(FileFormat::Csv), b"ts,dec,bin,f,host\r\n1,,,,\r\n2,,,,\r\n");
    assert_eq!(
        String::from_utf8(export(FileFormat::JsonLines)).unwrap().lines().next().unwrap(),
        r#"{"ts":1,"dec":null,"bin":null,"f":null,"host":null}"#
    );
    let stream = export(FileFormat::ArrowStream);
    let records = StreamReader::try_new(&stream[..], None).unwrap().next().unwrap().unwrap();
    assert_eq!(records.column(1).null_count(), 2);
    assert_eq!(read_parquet(export(FileFormat::Parquet))[0].column(2).null_count(), 2);
}

#[test]
fn a_batch_of_another_table_is_refused() {
    let mut exporter = Exporter::new(FileFormat::Csv, small().table(), Vec::new()).unwrap();
    let other = Model { name: "u".into(), ..small() };
    assert_eq!(
        exporter.write(&other.whole(&Interner::new())).unwrap_err().to_string(),
        "the file holds rows of table `t`, the batch has rows of `u`: write one file for each table"
    );
}

#[derive(Debug)]
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::new(io::ErrorKind::StorageFull, "the disk is full"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_file_that_takes_no_more_is_an_io_error_in_every_format() {
    for format in FileFormat::ALL {
        let mut model = small();
        model.columns[2].values[1] = Some(Value::Float(1.0));
        let write = || {
            let mut exporter = Exporter::new(format, model.table(), Full)?;
            exporter.write(&model.whole(&Interner::new()))?;
            exporter.finish()
        };
        let error = write().unwrap_err();
        let ExportError::Io(error) = error else { panic!("{format}: {error:?}") };
        assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{format}");
    }
}

#[test]
fn formats_are_named_as_users_write_them() {
    for format in FileFormat::ALL {
        assert_eq!(format.to_string().parse::<FileFormat>().unwrap(), format);
    }
    assert_eq!(
        "xml".parse::<FileFormat>().unwrap_err().to_string(),
        "there is no file format `xml`: choose line-protocol, csv, jsonl, arrow or parquet"
    );
}
