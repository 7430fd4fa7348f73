//! Batches in a Flight stream.

use benchhost_plugin::testing::Answer;
use benchhost_plugin::{BodyCompression, Error, ErrorKind, FlightEncoder, PutAck};
use serde_json::json;

use super::*;

fn taking(doors: &Doors) {
    doors.grpc.on_put(|put| Ok(PutAck { rows: Some(put.rows.into()), server_time_ns: Some(3_113_386) }));
}

fn refusing(doors: &Doors) {
    doors.grpc.on_put(|_| Err(Error::rejected("put: gRPC UNKNOWN: Execute gRPC request error").with_code("UNKNOWN")));
}

#[test]
fn a_batch_goes_into_the_stream_of_its_table() {
    let doors = Doors::open();
    taking(&doors);
    let mut greptime = doors.session(&[
        ("database", "db"),
        ("user", "u"),
        ("password", "p"),
        ("compression", "lz4"),
        ("max_in_flight", "8"),
    ]);
    let payload = greptime.encode(&batch()).unwrap();
    let ack = greptime.send(&payload).unwrap();
    assert_eq!(ack, Ack { pending: false, rows: Some(2), server_time_ns: Some(3_113_386) });
    let put = doors.grpc.puts().remove(0);
    assert_eq!((put.path, put.max_in_flight, &put.table), (vec!["m \"x\"".to_owned()], 8, &table()));
    let metadata: Vec<(&str, &str)> =
        put.metadata.iter().map(|header| (header.name.as_str(), header.value.as_str())).collect();
    assert_eq!(metadata, [("x-greptime-db-name", "db"), ("x-greptime-auth", "Basic dTpw")]);
    let encoded = |compression| FlightEncoder::new(compression).encode(&batch()).unwrap().bytes();
    assert_eq!(put.batch, encoded(BodyCompression::Lz4Frame));
    assert_ne!(put.batch, encoded(BodyCompression::None));
}

#[test]
fn a_refusal_without_a_reason_is_explained_once_by_sql() {
    let doors = Doors::open();
    refusing(&doors);
    let mut greptime = doors.session(&[]);
    let payload = greptime.encode(&batch()).unwrap();
    doors.http.answer("POST", "/v1/sql", Answer::status(400).body(r#"{"code":4001,"error":"Table not found"}"#));
    for _ in 0..3 {
        let error = greptime.send(&payload).unwrap_err();
        assert_eq!(error.code.as_deref(), Some("UNKNOWN"));
        assert_eq!(
            error.message,
            "put: gRPC UNKNOWN: Execute gRPC request error: there is no table `m \"x\"`: let the run create it"
        );
    }
    assert_eq!(doors.http.requests().len(), 1);
}

#[test]
fn a_column_that_differs_is_named() {
    let doors = Doors::open();
    refusing(&doors);
    let says = |rows: serde_json::Value| {
        let answer = json!({ "output": [{ "records": { "rows": rows } }] });
        doors.http.answer("POST", "/v1/sql", Answer::status(200).body(answer.to_string()));
        let mut greptime = doors.session(&[]);
        let payload = greptime.encode(&batch()).unwrap();
        greptime.send(&payload).unwrap_err().message
    };
    let (host, ts) = (json!(["host", "String"]), json!(["ts", "TimestampMillisecond"]));
    let different = says(json!([host, ["v", "Int64"], ts]));
    assert!(different.ends_with(": column `v` is Int64 in the table and Float64 in the batch"), "{different}");
    let missing = says(json!([host, ts]));
    assert!(missing.ends_with(": the table has no column `v`"), "{missing}");
    let equal = says(json!([host, ["v", "Float64"], ts]));
    assert!(equal.ends_with("look into the server's log"), "{equal}");
    doors.http.answer("POST", "/v1/sql", Answer::status(500).body(r#"{"error":"Internal error: 1003"}"#));
    let mut greptime = doors.session(&[]);
    let payload = greptime.encode(&batch()).unwrap();
    let error = greptime.send(&payload).unwrap_err();
    assert!(error.message.contains("could not be looked at"), "{}", error.message);
}

#[test]
fn a_broken_stream_is_no_refusal() {
    let doors = Doors::open();
    doors.grpc.on_put(|_| Err(Error::new(ErrorKind::Unavailable, "Stream removed").retry_after(None)));
    let mut greptime = doors.session(&[]);
    let payload = greptime.encode(&batch()).unwrap();
    let error = greptime.send(&payload).unwrap_err();
    assert_eq!((error.message.as_str(), error.retryable), ("Stream removed", true));
}

#[test]
fn the_table_must_be_known() {
    let doors = Doors::open();
    taking(&doors);
    let mut greptime = doors.session(&[]);
    let payload = greptime.encode(&batch()).unwrap();
    let error = doors.session(&[]).send(&payload).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported);
    let other = testing::batch(&Table { name: "other".into(), ..table() }, 1, |builder| {
        builder.append_strings(0, &["x".into()]);
        builder.append_float64s(1, &[2.0]);
        builder.append_timestamps(&[1]);
    });
    assert_eq!(greptime.encode(&other.unwrap()).unwrap_err().kind, ErrorKind::Unsupported);
}
