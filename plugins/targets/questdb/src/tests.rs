//! Tests of the target `questdb`. Answers are those of QuestDB 9.3.4.
#![allow(clippy::unwrap_used, reason = "tests")]

use benchhost_plugin::testing::{self, Answer, Server};
use benchhost_plugin::{Column, DataType, ErrorKind, TimeUnit};

use super::*;

fn table(field: DataType, unit: TimeUnit) -> Table {
    let columns = vec![Column::tag("host"), Column::field("v", field), Column::timestamp("ts", unit)];
    Table { name: "a\"b".into(), columns }
}

fn floats() -> Table {
    table(DataType::Float64, TimeUnit::Millisecond)
}

fn session(server: &Server, settings: &[(&str, &str)]) -> QuestDb {
    let all: Vec<_> = [("endpoint", server.endpoint())].into_iter().chain(settings.iter().copied()).collect();
    testing::open_target(&all).unwrap()
}

fn batch(unit: TimeUnit, time: i64) -> Batch {
    testing::batch(&table(DataType::Float64, unit), 1, |builder| {
        builder.append_strings(0, &["h".into()]);
        builder.append_float64s(1, &[1.5]);
        builder.append_timestamps(&[time]);
    })
    .unwrap()
}

#[test]
fn rows_are_posted_in_microseconds() {
    let server = Server::start();
    server.answer("POST", "/write", Answer::status(204));
    let mut quest = session(&server, &[]);
    let payload = quest.encode(&batch(TimeUnit::Millisecond, 7)).unwrap();
    assert_eq!(quest.send(&payload).unwrap().rows, None);
    let request = server.request().unwrap();
    assert_eq!(request.param("precision"), Some("us"));
    assert_eq!(request.text(), "a\"b,host=h v=1.5 7000\n");
    assert_eq!(request.header("authorization"), None);
    assert_eq!(request.header("content-encoding"), None);
}

#[test]
fn rows_are_compressed_when_asked_for() {
    let server = Server::start();
    server.answer("POST", "/write", Answer::status(204));
    let mut quest = session(&server, &[("gzip", "true")]);
    let payload = quest.encode(&batch(TimeUnit::Millisecond, 7)).unwrap();
    quest.send(&payload).unwrap();
    let request = server.request().unwrap();
    assert_eq!(request.header("content-encoding"), Some("gzip"));
    assert!(request.body.starts_with(&[0x1f, 0x8b]));
}

#[test]
fn times_finer_than_the_server_keeps_are_refused() {
    let mut quest = session(&Server::start(), &[]);
    assert!(quest.encode(&batch(TimeUnit::Nanosecond, 5000)).is_ok());
    assert_eq!(quest.encode(&batch(TimeUnit::Nanosecond, 5001)).unwrap_err().kind, ErrorKind::Invalid);
}

#[test]
fn unsigned_columns_are_unsupported_at_both_doors() {
    let unsigned = table(DataType::Uint16, TimeUnit::Second);
    let mut quest = session(&Server::start(), &[]);
    let error = quest.create_table(&unsigned).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported);
    assert_eq!(error.message, "column `v` of table `a\"b` is unsigned: QuestDB has no unsigned integers");
    let batch = testing::batch(&unsigned, 1, |builder| {
        builder.append_strings(0, &["h".into()]);
        builder.append_uint64s(1, &[1]);
        builder.append_timestamps(&[1]);
    });
    assert_eq!(quest.encode(&batch.unwrap()).unwrap_err(), error);
    assert!(quest.create_table(&floats()).is_ok());
}

#[test]
fn credentials_go_with_every_request() {
    let server = Server::start();
    server.answer("GET", "/exec", Answer::status(200).body(r#"{"ddl":"OK"}"#));
    session(&server, &[("user", "u1"), ("password", "p1")]).drop_table(&floats()).unwrap();
    assert_eq!(server.request().unwrap().header("authorization"), Some("Basic dTE6cDE="));
}

#[test]
fn refused_credentials_are_not_tried_again_and_not_shown() {
    let server = Server::start();
    server.answer("POST", "/write", Answer::status(401).body("Unauthorized\r\n"));
    let mut quest = session(&server, &[("user", "u1"), ("password", "hunter2")]);
    let error = quest.send(&Payload::from_bytes(b"x", 1)).unwrap_err();
    assert_eq!((error.kind, error.retryable, error.code.as_deref()), (ErrorKind::Rejected, false, Some("401")));
    assert_eq!(error.message, "write: HTTP 401 Unauthorized: Unauthorized: check `user` and `password`");
}

#[test]
fn a_bad_line_rejects_the_whole_request() {
    let server = Server::start();
    let body = r#"{"code":"invalid","message":"failed to parse line protocol:errors encountered on line(s):\nerror in line 2: Could not parse entire line, field value is invalid. Field: usage; value: abc","line":2,"errorId":"229752adaab1-1"}"#;
    server.answer("POST", "/write", Answer::status(400).body(body));
    let error = session(&server, &[]).send(&Payload::from_bytes(b"x", 2)).unwrap_err();
    assert_eq!((error.kind, error.retryable, error.rows_accepted), (ErrorKind::Rejected, false, None));
    assert!(error.message.contains("error in line 2: Could not parse entire line"), "{}", error.message);
}

#[test]
fn a_busy_server_is_tried_again() {
    let server = Server::start();
    server.answer("POST", "/write", Answer::status(503).header("Retry-After", "1"));
    let error = session(&server, &[]).send(&Payload::from_bytes(b"x", 1)).unwrap_err();
    assert_eq!((error.kind, error.retryable, error.retry_after_ms), (ErrorKind::Throttled, true, Some(1000)));
}

#[test]
fn a_count_is_one_query_over_half_open_microseconds() {
    let server = Server::start();
    server.answer("GET", "/exec", Answer::status(200).body(r#"{"query":"","columns":[],"dataset":[[12]],"count":1}"#));
    let count = session(&server, &[]).count_rows(&floats(), 1_704_067_200_000_000_001, 1_704_067_201_000_000_000);
    assert_eq!(count, Ok(12));
    assert_eq!(
        server.request().unwrap().param("query"),
        Some(
            "SELECT count() FROM \"a\"\"b\" WHERE timestamp >= '2024-01-01T00:00:00.000001Z' \
             AND timestamp < '2024-01-01T00:00:01.000000Z'"
        )
    );
}

#[test]
fn the_ends_of_time_can_be_asked_for() {
    assert_eq!(literal(i64::MIN), "1677-09-21T00:12:43.145225Z");
    assert_eq!(literal(i64::MAX), "2262-04-11T23:47:16.854775Z");
    assert_eq!(literal(-1), "1970-01-01T00:00:00.000000Z");
}

#[test]
fn a_table_that_does_not_exist_has_no_rows() {
    let server = Server::start();
    let body = r#"{"query":"..","error":"table does not exist [table=nosuch]","position":14}"#;
    server.answer("GET", "/exec", Answer::status(400).body(body));
    assert_eq!(session(&server, &[]).count_rows(&floats(), 0, 1), Ok(0));
}

#[test]
fn another_failure_to_count_is_an_error() {
    let server = Server::start();
    server.answer("GET", "/exec", Answer::status(400).body(r#"{"query":"..","error":"timeout","position":0}"#));
    let error = session(&server, &[]).count_rows(&floats(), 0, 1).unwrap_err();
    assert_eq!(error.message, "count rows: HTTP 400 Bad Request: timeout");
    server.answer("GET", "/exec", Answer::status(200).body("{}"));
    assert_eq!(session(&server, &[]).count_rows(&floats(), 0, 1).unwrap_err().kind, ErrorKind::Internal);
}

#[test]
fn a_table_is_dropped_if_there_is_one() {
    let server = Server::start();
    server.answer("GET", "/exec", Answer::status(200).body(r#"{"ddl":"OK"}"#));
    session(&server, &[]).drop_table(&floats()).unwrap();
    assert_eq!(server.request().unwrap().param("query"), Some("DROP TABLE IF EXISTS \"a\"\"b\""));
}

#[test]
fn the_server_says_its_version() {
    let server = Server::start();
    let body = r#"{"config":{"release.type":"OSS","release.version":"9.3.4"},"preferences.version":0}"#;
    server.answer("GET", "/settings", Answer::status(200).body(body));
    let facts = session(&server, &[]).server().unwrap();
    let expected = [("product", "QuestDB"), ("version", "9.3.4"), ("precision", "us"), ("gzip", "false")];
    assert_eq!(facts, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[test]
fn a_password_needs_a_user() {
    let server = Server::start();
    let error = testing::open_target::<QuestDb>(&[("endpoint", server.endpoint()), ("password", "p")]).err().unwrap();
    assert_eq!(error.message, "`password` is set without `user`");
}
