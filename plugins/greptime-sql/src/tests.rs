//! Tests of the statements and of how answers are read. Answers are those of GreptimeDB 1.0.2.
#![allow(clippy::unwrap_used, reason = "tests")]

use benchhost_plugin::testing::{Answer, Server};
use benchhost_plugin::{Column, DataType, ErrorKind, TimeUnit};
use serde_json::json;

use super::*;

const NO_TABLE: &str =
    r#"{"code":4001,"error":"Failed to plan SQL: Table not found: greptime.public.m","execution_time_ms":1}"#;

fn table() -> Table {
    let columns = vec![
        Column::tag("region"),
        Column::field("v\"w", DataType::Float64).nullable(),
        Column::field("n", DataType::Uint32),
        Column::timestamp("ts", TimeUnit::Millisecond),
    ];
    Table { name: "m".into(), columns }
}

fn sql(server: &Server, database: &str) -> Sql {
    Sql::connect(server.endpoint(), database, None, None).unwrap()
}

fn ran(server: &Server) -> Vec<(String, String)> {
    let statement = |body: String| {
        let raw = body.strip_prefix("sql=").unwrap().to_owned();
        let mut text = Vec::new();
        let mut rest = raw.as_bytes();
        while let Some((first, more)) = rest.split_first() {
            if *first == b'%' {
                text.push(u8::from_str_radix(std::str::from_utf8(&more[..2]).unwrap(), 16).unwrap());
                rest = &more[2..];
            } else {
                text.push(*first);
                rest = more;
            }
        }
        String::from_utf8(text).unwrap()
    };
    let requests = server.requests().into_iter();
    requests.map(|request| (request.param("db").unwrap().to_owned(), statement(request.text()))).collect()
}

fn count(rows: u64) -> Answer {
    let records = json!({ "schema": {}, "rows": [[rows]], "total_rows": 1 });
    Answer::status(200).body(json!({ "output": [{ "records": records }] }).to_string())
}

#[test]
fn a_table_is_made_with_quoted_names_and_options() {
    let server = Server::start();
    server.answer("POST", "/v1/sql", Answer::status(200).body(r#"{"output":[{"affectedrows":0}]}"#));
    let options = [("ttl", "7d".to_owned()), ("append_mode", "true".to_owned())];
    sql(&server, "db 1").create_table(&table(), &options).unwrap();
    let expected = "CREATE TABLE IF NOT EXISTS \"m\" (\"region\" STRING, \"v\"\"w\" DOUBLE, \
                    \"n\" INT UNSIGNED, \"ts\" TIMESTAMP(3) TIME INDEX, PRIMARY KEY(\"region\")) \
                    WITH ('ttl' = '7d', 'append_mode' = 'true')";
    assert_eq!(
        ran(&server),
        [("public".into(), "CREATE DATABASE IF NOT EXISTS \"db 1\"".into()), ("db 1".to_owned(), expected.to_owned())]
    );
    sql(&server, "public").create_table(&table(), &[]).unwrap();
    assert_eq!(ran(&server).len(), 1);
}

#[test]
fn rows_are_counted_in_the_unit_of_the_time_column() {
    let server = Server::start();
    server.answer("POST", "/v1/sql", count(7));
    let sql = sql(&server, "public");
    let time = TimeColumn::of(&table()).unwrap();
    assert_eq!(sql.count_rows("m", &time, -1, 1_000_001).unwrap(), 7);
    let bound = |ms: i64| format!("arrow_cast({ms}, 'Timestamp(Millisecond, None)')");
    let expected = format!("SELECT count(*) FROM \"m\" WHERE \"ts\" >= {} AND \"ts\" < {}", bound(0), bound(2));
    assert_eq!(ran(&server), [("public".to_owned(), expected)]);
    let time = TimeColumn::Nanoseconds { name: "Timestamp".into() };
    sql.count_rows("m", &time, -1, 2).unwrap();
    assert!(ran(&server)[0].1.ends_with("WHERE \"Timestamp\" >= -1 AND \"Timestamp\" < 2"));
}

#[test]
fn what_is_not_there_has_no_rows_and_no_columns() {
    let server = Server::start();
    server.answer("POST", "/v1/sql", Answer::status(400).body(NO_TABLE));
    let sql = sql(&server, "public");
    assert_eq!(sql.count_rows("m", &TimeColumn::of(&table()).unwrap(), 0, 1).unwrap(), 0);
    assert_eq!(sql.columns("m").unwrap(), None);
    sql.drop_table("m").unwrap();
}

#[test]
fn a_refusal_has_the_servers_code_and_words() {
    let server = Server::start();
    let body = r#"{"code":2000,"error":"Cannot use keyword 'region' as column name.","execution_time_ms":0}"#;
    server.answer("POST", "/v1/sql", Answer::status(400).body(body));
    let error = sql(&server, "public").drop_table("m").unwrap_err();
    assert_eq!((error.kind, error.code.as_deref()), (ErrorKind::Rejected, Some("2000")));
    assert_eq!(error.message, "drop the table: HTTP 400 Bad Request: Cannot use keyword 'region' as column name.");
    let body = r#"{"code":7002,"error":"Username and password does not match"}"#;
    server.answer("POST", "/v1/sql", Answer::status(401).body(body));
    let error = sql(&server, "public").drop_table("m").unwrap_err();
    assert!(error.message.ends_with("check `user` and `password`"), "{}", error.message);
}

#[test]
fn an_answer_without_a_count_is_no_count() {
    let server = Server::start();
    server.answer("POST", "/v1/sql", Answer::status(200).body(r#"{"output":[]}"#));
    let error = sql(&server, "public").count_rows("m", &TimeColumn::of(&table()).unwrap(), 0, 1).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Internal);
}

#[test]
fn a_difference_between_table_and_batch_is_named() {
    let server = Server::start();
    let describe = |rows: serde_json::Value| {
        let answer = json!({ "output": [{ "records": { "rows": rows } }] });
        server.answer("POST", "/v1/sql", Answer::status(200).body(answer.to_string()));
        let stored = sql(&server, "public").columns("m").unwrap().unwrap();
        StoredColumn::difference(&stored, &table())
    };
    let row = |name: &str, kind: &str| json!([name, kind, "", "YES", "", "FIELD"]);
    let region = row("region", "String");
    let (v, n, ts) = (row("v\"w", "Float64"), row("n", "UInt32"), row("ts", "TimestampMillisecond"));
    assert_eq!(describe(json!([region, v, n, ts])), None);
    assert_eq!(describe(json!([region, n, ts])).unwrap(), "the table has no column `v\"w`");
    assert_eq!(
        describe(json!([region, row("v\"w", "Int64"), n, ts])).unwrap(),
        "column `v\"w` is Int64 in the table and Float64 in the batch"
    );
    assert_eq!(
        describe(json!([region, v, n, ts, row("more", "String")])).unwrap(),
        "the table's column `more` is not in the batch"
    );
    assert_eq!(describe(json!([region, v, row("n", "int unsigned"), row("ts", "timestamp(3)")])), None);
}

#[test]
fn the_version_is_asked_for_without_sql() {
    let server = Server::start();
    server.answer("GET", "/status", Answer::status(200).body(r#"{"commit":"c","version":"1.0.2"}"#));
    assert_eq!(sql(&server, "public").version().unwrap().as_deref(), Some("1.0.2"));
    server.answer("GET", "/status", Answer::status(404));
    assert_eq!(sql(&server, "public").version().unwrap(), None);
    assert_eq!(Sql::connect(server.endpoint(), "", None, None).unwrap_err().kind, ErrorKind::Invalid);
}
