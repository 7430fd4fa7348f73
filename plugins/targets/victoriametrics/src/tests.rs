//! Tests of the target `victoriametrics`. Answers are those of VictoriaMetrics 1.151.
#![allow(clippy::unwrap_used, reason = "tests")]

use benchhost_plugin::testing::{self, Answer, Server};
use benchhost_plugin::{Column, DataType, ErrorKind, TimeUnit};

use super::*;

fn table(fields: Vec<Column>) -> Table {
    let mut columns = vec![Column::tag("host")];
    columns.extend(fields);
    columns.push(Column::timestamp("ts", TimeUnit::Microsecond));
    Table { name: "m.x".into(), columns }
}

fn two_fields() -> Table {
    table(vec![Column::field("a", DataType::Float64).nullable(), Column::field("b", DataType::Float64)])
}

fn session(server: &Server, settings: &[(&str, &str)]) -> VictoriaMetrics {
    let all: Vec<_> = [("endpoint", server.endpoint())].into_iter().chain(settings.iter().copied()).collect();
    testing::open_target(&all).unwrap()
}

fn batch(time_us: i64) -> Batch {
    testing::batch(&two_fields(), 1, |builder| {
        builder.append_strings(0, &["h".into()]);
        builder.append_float64s(1, &[0.0]);
        builder.mark_nulls(1, &[0]);
        builder.append_float64s(2, &[1.5]);
        builder.append_timestamps(&[time_us]);
    })
    .unwrap()
}

fn counted(value: &str) -> Answer {
    let result = if value.is_empty() { String::new() } else { format!(r#"{{"metric":{{}},"value":[1.5,"{value}"]}}"#) };
    let body = format!(r#"{{"status":"success","data":{{"resultType":"vector","result":[{result}]}}}}"#);
    Answer::status(200).body(body)
}

fn counting_server() -> Server {
    let server = Server::start();
    server.answer("GET", "/internal/force_flush", Answer::status(200));
    server
}

#[test]
fn rows_are_posted_in_milliseconds() {
    let server = Server::start();
    server.answer("POST", "/write", Answer::status(204));
    let mut vm = session(&server, &[]);
    let payload = vm.encode(&batch(7000)).unwrap();
    assert_eq!(vm.send(&payload).unwrap().rows, None);
    let request = server.request().unwrap();
    assert_eq!(request.query, [("precision".to_owned(), "ms".to_owned())]);
    assert_eq!(request.text(), "m.x,host=h b=1.5 7\n");
    assert_eq!(request.header("authorization"), None);
}

#[test]
fn times_finer_than_the_server_keeps_are_refused() {
    let error = session(&Server::start(), &[]).encode(&batch(7001)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid);
}

#[test]
fn gzip_database_and_credentials_go_with_the_write() {
    let server = Server::start();
    server.answer("POST", "/write", Answer::status(204));
    let settings = [("gzip", "true"), ("database", "b 1"), ("user", "u1"), ("password", "p1")];
    let mut vm = session(&server, &settings);
    let payload = vm.encode(&batch(7000)).unwrap();
    vm.send(&payload).unwrap();
    let request = server.request().unwrap();
    assert_eq!(request.param("db"), Some("b 1"));
    assert_eq!(request.header("content-encoding"), Some("gzip"));
    assert!(request.body.starts_with(&[0x1f, 0x8b]));
    assert_eq!(request.header("authorization"), Some("Basic dTE6cDE="));
}

#[test]
fn a_refused_line_is_an_error_in_the_servers_words() {
    let server = Server::start();
    server.answer("POST", "/write", Answer::status(400).body("error: cannot parse line"));
    let error = session(&server, &[]).send(&Payload::from_bytes(b"x", 1)).unwrap_err();
    assert_eq!((error.kind, error.retryable), (ErrorKind::Rejected, false));
    assert_eq!(error.message, "write: HTTP 400 Bad Request: error: cannot parse line");
    server.answer("POST", "/write", Answer::status(503).header("Retry-After", "10"));
    let error = session(&server, &[]).send(&Payload::from_bytes(b"x", 1)).unwrap_err();
    assert_eq!((error.kind, error.retryable, error.retry_after_ms), (ErrorKind::Throttled, true, Some(10_000)));
}

#[test]
fn rows_are_counted_by_a_field_that_is_never_null() {
    let server = counting_server();
    server.answer("GET", "/api/v1/query", counted("1000000"));
    let count = session(&server, &[]).count_rows(&two_fields(), 1_704_067_200_000_000_000, 1_704_067_201_000_000_001);
    assert_eq!(count, Ok(1_000_000));
    let requests = server.requests();
    assert_eq!(requests[0].path, "/internal/force_flush");
    let query = &requests[1];
    assert_eq!(query.param("query"), Some(r#"sum(count_over_time({__name__="m.x_b"}[1001ms]))"#));
    assert_eq!(query.param("time"), Some("1704067201.000"));
    assert_eq!(query.param("nocache"), Some("1"));
    assert_eq!(requests.len(), 2);
}

#[test]
fn rows_whose_fields_are_all_nullable_are_counted_by_the_fullest() {
    let server = counting_server();
    server.on("GET", "/api/v1/query", |request| {
        counted(if request.param("query").unwrap().contains("_b\"") { "7" } else { "3" })
    });
    let fields = ["a", "b", "c"].map(|name| Column::field(name, DataType::Float64).nullable()).to_vec();
    assert_eq!(session(&server, &[]).count_rows(&table(fields), 0, 1_000_000), Ok(7));
}

#[test]
fn a_count_is_of_the_users_database_only() {
    let server = counting_server();
    server.answer("GET", "/api/v1/query", counted("1"));
    session(&server, &[("database", "b\"1")]).count_rows(&two_fields(), 0, 1_000_000).unwrap();
    let query = server.requests().remove(1);
    assert_eq!(query.param("query"), Some(r#"sum(count_over_time({__name__="m.x_b",db="b\"1"}[1ms]))"#));
    assert_eq!(query.param("time"), Some("0.000"));
}

#[test]
fn no_series_is_no_rows() {
    let server = counting_server();
    server.answer("GET", "/api/v1/query", counted(""));
    assert_eq!(session(&server, &[]).count_rows(&two_fields(), 0, 1_000_000), Ok(0));
}

#[test]
fn a_range_without_a_millisecond_is_not_asked_for() {
    assert_eq!(session(&counting_server(), &[]).count_rows(&two_fields(), 1, 1_000_000), Ok(0));
    assert_eq!(promql::count("x", 5_000_000, 5_000_000), None);
    assert_eq!(promql::count("x", 9_000_000, 5_000_000), None);
}

#[test]
fn times_before_the_epoch_do_not_exist() {
    assert_eq!(promql::count("x", -2_000_000_000, -999_000_000), None);
    let count = promql::count("x", i64::MIN, i64::MAX).unwrap();
    assert_eq!(
        (count.query.as_str(), count.time.as_str()),
        ("sum(count_over_time(x[9223372036855ms]))", "9223372036.854")
    );
}

#[test]
fn a_query_that_is_too_large_is_an_error_in_the_servers_words() {
    let server = counting_server();
    let body = r#"{"status":"error","errorType":"422","error":"the number of matching timeseries exceeds 300000"}"#;
    server.answer("GET", "/api/v1/query", Answer::status(422).body(body));
    let error = session(&server, &[]).count_rows(&two_fields(), 0, 1_000_000).unwrap_err();
    assert!(error.message.ends_with("the number of matching timeseries exceeds 300000"), "{}", error.message);
    server.answer("GET", "/api/v1/query", Answer::status(200).body(r#"{"status":"error","error":"partial"}"#));
    let error = session(&server, &[]).count_rows(&two_fields(), 0, 1_000_000).unwrap_err();
    assert_eq!(error.message, "count rows: partial");
}

#[test]
fn only_the_tables_own_metrics_are_deleted() {
    let server = Server::start();
    server.answer("POST", "/api/v1/admin/tsdb/delete_series", Answer::status(204));
    session(&server, &[]).drop_table(&two_fields()).unwrap();
    assert_eq!(server.request().unwrap().param("match[]"), Some(r#"{__name__=~"m\\.x_a|m\\.x_b"}"#));
    session(&server, &[("database", "d")]).drop_table(&two_fields()).unwrap();
    assert_eq!(server.request().unwrap().param("match[]"), Some(r#"{__name__=~"m\\.x_a|m\\.x_b",db="d"}"#));
}

#[test]
fn columns_that_will_be_changed_are_named() {
    let mut vm = session(&Server::start(), &[]);
    vm.create_table(&two_fields()).unwrap();
    assert_eq!(testing::logged(), []);
    vm.create_table(&table(vec![Column::field("s", DataType::Utf8), Column::field("ok", DataType::Boolean)])).unwrap();
    let (level, words) = testing::logged().remove(0);
    assert_eq!(level, log::Level::Warn);
    assert!(words.ends_with("(columns s, ok of table `m.x`)"), "{words}");
}

#[test]
fn the_server_says_its_version_and_retention() {
    let server = Server::start();
    let body = "vm_app_version{version=\"vm-v1.151.0\", short_version=\"v1.151.0\"} 1\n\
                flag{name=\"retentionPeriod\", value=\"100y\", is_set=\"true\"} 1\n";
    server.answer("GET", "/metrics", Answer::status(200).body(body));
    let facts = session(&server, &[]).server().unwrap();
    let fact = |name: &str| facts.iter().find(|(other, _)| other == name).unwrap().1.as_str();
    assert_eq!((fact("version"), fact("retention"), fact("precision")), ("v1.151.0", "100y", "ms"));
    server.answer(
        "GET",
        "/metrics",
        Answer::status(200).body("vm_app_version{version=\"own\", short_version=\"\"} 1\n"),
    );
    let facts = session(&server, &[]).server().unwrap();
    assert_eq!(facts[1].1, "own");
    assert_eq!(facts[2].1, "unknown");
}

#[test]
fn a_failed_flush_stops_the_count() {
    let server = Server::start();
    server.answer("GET", "/internal/force_flush", Answer::status(401).body("no"));
    let error = session(&server, &[]).count_rows(&two_fields(), 0, 1_000_000).unwrap_err();
    assert_eq!(error.code.as_deref(), Some("401"));
}
