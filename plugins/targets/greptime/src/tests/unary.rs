//! One call a batch: the bytes, and the answers.

use benchhost_plugin::testing::GrpcAnswer;
use benchhost_plugin::{Dictionary, ErrorKind, MessageCompression};

use super::decode::decode;
use super::*;

fn session(doors: &Doors, settings: &[(&str, &str)]) -> Greptime {
    doors.session(&[&[("protocol", "unary")], settings].concat())
}

#[test]
fn a_batch_is_one_request_with_all_its_values() {
    let doors = Doors::open();
    doors.grpc.answer(UNARY, stored(2));
    let mut greptime = session(&doors, &[("database", "db"), ("user", "u"), ("password", "p")]);
    let payload = greptime.encode(&batch()).unwrap();
    assert_eq!(payload.rows(), 2);
    assert_eq!(greptime.send(&payload).unwrap(), Ack::of_rows(2));
    let request = decode(&doors.grpc.call().unwrap().messages[0]);
    assert_eq!((request.database.as_str(), request.table.as_str()), ("db", "m \"x\""));
    assert_eq!(request.basic, Some(("u".into(), "p".into())));
    let columns = [("host".to_owned(), 12, 0), ("v".to_owned(), 10, 1), ("ts".to_owned(), 16, 2)];
    assert_eq!(request.columns, columns);
    assert_eq!(request.rows, [["13=h", "10=1.5", "17=7"], ["13=", "NULL", "17=-8"]]);
}

#[test]
fn every_type_is_written() {
    use DataType::{
        Boolean, Date32, Float32, Float64, Int8, Int16, Int32, Int64, Json, TimestampMicrosecond, TimestampSecond,
        Uint8, Uint16, Uint32, Uint64, Utf8,
    };
    let types = [
        Boolean,
        Int8,
        Int16,
        Int32,
        Int64,
        Uint8,
        Uint16,
        Uint32,
        Uint64,
        Float32,
        Float64,
        Utf8,
        Json,
        Date32,
        TimestampSecond,
        TimestampMicrosecond,
    ];
    let mut columns = vec![Column::tag("t").nullable()];
    columns.extend(types.map(|data_type| Column::field(&format!("{data_type:?}"), data_type).nullable()));
    columns.push(Column::timestamp("ts", TimeUnit::Nanosecond));
    let batch = testing::batch(&Table { name: "m".into(), columns }, 3, |builder| {
        builder.append_keys(0, &Dictionary::new(&["long".repeat(80), "b".into()]), &[0, 1, 0]);
        for (at, data_type) in (1..).zip(types) {
            match data_type {
                Boolean => builder.append_booleans(at, &[true, false, true]),
                Int8 | Int16 | Int32 | Int64 | Date32 | TimestampSecond | TimestampMicrosecond => {
                    builder.append_int64s(at, &[-1, 100, 0]);
                }
                Float32 | Float64 => builder.append_float64s(at, &[-0.5, 1e10, 0.0]),
                Utf8 | Json => builder.append_strings(at, &["ü".into(), "{}".into(), "".into()]),
                _ => builder.append_uint64s(at, &[0, 200, 0]),
            }
        }
        for at in 0..=types.len() as u32 {
            builder.mark_nulls(at, &[2]);
        }
        builder.append_timestamps(&[1, i64::MAX, i64::MIN]);
    });
    let mut greptime = session(&Doors::open(), &[]);
    let request = decode(&greptime.encode(&batch.unwrap()).unwrap().bytes());
    let numbers: Vec<u64> = request.columns.iter().map(|(_, number, _)| *number).collect();
    assert_eq!(numbers, [12, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 12, 13, 15, 17, 18]);
    let long = format!("13={}", "long".repeat(80));
    let first = [
        long.as_str(),
        "11=1",
        "1=-1",
        "2=-1",
        "3=-1",
        "4=-1",
        "5=0",
        "6=0",
        "7=0",
        "8=0",
        "9=-0.5",
        "10=-0.5",
        "13=ü",
        "13=ü",
        "14=-1",
        "16=-1",
        "18=-1",
        "19=1",
    ];
    assert_eq!(request.rows[0], first);
    assert_eq!(request.rows[1][1..6], ["11=0", "1=100", "2=100", "3=100", "4=100"]);
    assert_eq!(request.rows[1][9..12], ["8=200", "9=10000000000", "10=10000000000"]);
    assert_eq!(request.rows[1][17], format!("19={}", i64::MAX));
    assert!(request.rows[2][..17].iter().all(|value| value == "NULL"), "{:?}", request.rows[2]);
    assert_eq!(request.rows[2][17], format!("19={}", i64::MIN));
}

#[test]
fn bytes_do_not_depend_on_what_was_written_before() {
    let other = Table { name: "other".into(), ..table() };
    let more = testing::batch(&other, 1, |builder| {
        builder.append_strings(0, &["x".into()]);
        builder.append_float64s(1, &[2.0]);
        builder.append_timestamps(&[1]);
    });
    // More distinct tags than rows: they are fetched another way.
    let many: Vec<String> = (0..100).map(|number| format!("h{number}")).collect();
    let sparse = || {
        let written = testing::batch(&table(), 2, |builder| {
            builder.append_keys(0, &Dictionary::new(&many), &[99, 5]);
            builder.append_float64s(1, &[1.0, 2.0]);
            builder.append_timestamps(&[1, 2]);
        });
        written.unwrap()
    };
    let doors = Doors::open();
    let mut used = session(&doors, &[]);
    let first = used.encode(&sparse()).unwrap().bytes();
    assert_eq!(used.encode(&sparse()).unwrap().bytes(), first);
    assert_eq!(decode(&used.encode(&more.unwrap()).unwrap().bytes()).table, "other");
    let fresh = session(&doors, &[]).encode(&batch()).unwrap().bytes();
    assert_eq!(used.encode(&batch()).unwrap().bytes(), fresh);
    assert_eq!(decode(&first).rows[0][0], "13=h99");
}

#[test]
fn a_refusal_has_the_servers_words_and_code() {
    let doors = Doors::open();
    let words = "Failed to find schema, schema info: nodb";
    doors.grpc.answer(UNARY, GrpcAnswer::status(3, words).metadata("x-greptime-err-code", "1004"));
    let mut greptime = session(&doors, &[]);
    let payload = greptime.encode(&batch()).unwrap();
    let error = greptime.send(&payload).unwrap_err();
    assert_eq!((error.kind, error.retryable), (ErrorKind::Rejected, false));
    assert_eq!(error.code.as_deref(), Some("INVALID_ARGUMENT 1004"));
    assert_eq!(error.message, format!("write: gRPC INVALID_ARGUMENT: {words}"));
    doors.grpc.answer(UNARY, GrpcAnswer::status(16, "auth failed").metadata("x-greptime-err-code", "7003"));
    let error = greptime.send(&payload).unwrap_err();
    assert_eq!(error.message, "write: gRPC UNAUTHENTICATED: auth failed: check `user` and `password`");
    assert!(!format!("{error:?}").contains("secret"));
}

#[test]
fn an_error_inside_an_answer_is_an_error() {
    let doors = Doors::open();
    doors.grpc.answer(UNARY, GrpcAnswer::ok(*b"\x0a\x09\x0a\x07\x08\x05\x12\x03bad"));
    let mut greptime = session(&doors, &[]);
    let payload = greptime.encode(&batch()).unwrap();
    let error = greptime.send(&payload).unwrap_err();
    assert_eq!((error.message.as_str(), error.code.as_deref()), ("write: bad", Some("5")));
    doors.grpc.answer(UNARY, GrpcAnswer::ok(*b"\x0a\xff"));
    assert_eq!(greptime.send(&payload).unwrap_err().kind, ErrorKind::Internal);
}

#[test]
fn hints_and_compression_go_with_every_call() {
    let doors = Doors::open();
    doors.grpc.answer(UNARY, stored(2));
    let mut greptime =
        session(&doors, &[("ttl", "7d"), ("append_mode", "true"), ("skip_wal", "true"), ("grpc_compression", "zstd")]);
    let payload = greptime.encode(&batch()).unwrap();
    greptime.send(&payload).unwrap();
    let call = doors.grpc.call().unwrap();
    assert_eq!(call.metadata("x-greptime-hints"), Some("ttl=7d,append_mode=true,skip_wal=true"));
    assert_eq!(call.compression, Some(MessageCompression::Zstd));
}
