//! Servers that can be asked. Answers are those of GreptimeDB 1.0.2 and VictoriaLogs 1.52.1.

use benchhost_plugin::ErrorKind;

use super::decode::decode;
use super::*;

#[test]
fn a_plain_server_is_not_asked() {
    let server = Server::start();
    let mut otlp = opened(&server, &[]).unwrap();
    otlp.create_table(&table()).unwrap();
    assert_eq!(otlp.count_rows(&table(), 0, 1).unwrap_err().kind, ErrorKind::Unsupported);
    assert_eq!(otlp.drop_table(&table()).unwrap_err().kind, ErrorKind::Unsupported);
    assert!(server.requests().is_empty());
}

#[test]
fn greptime_is_told_database_table_and_pipeline() {
    let server = Server::start();
    server.answer("POST", "/v1/otlp/v1/logs", Answer::status(200));
    let settings = [("dialect", "greptime"), ("database", "db"), ("user", "u"), ("password", "p")];
    let mut otlp = opened(&server, &settings).unwrap();
    let payload = otlp.encode(&batch()).unwrap();
    otlp.send(&payload).unwrap();
    let request = server.request().unwrap();
    assert_eq!(request.header("x-greptime-db-name"), Some("db"));
    assert_eq!(request.header("x-greptime-log-table-name"), Some("cpu"));
    assert_eq!(request.header("x-greptime-pipeline-name"), Some("greptime_identity"));
    assert_eq!(request.header("authorization"), Some("Basic dTpw"));
    // A resource would become a column.
    assert!(decode(&request.body).0.is_empty());
    let other = Table { name: "other".into(), ..table() };
    let written = testing::batch(&other, 1, |builder| {
        builder.append_strings(0, &["h".into()]);
        builder.append_strings(1, &["INFO".into()]);
        builder.append_float64s(2, &[0.5]);
        builder.append_timestamps(&[1]);
    });
    assert_eq!(otlp.encode(&written.unwrap()).unwrap_err().kind, ErrorKind::Unsupported);
    assert_eq!(opened(&server, &settings).unwrap().send(&payload).unwrap_err().kind, ErrorKind::Unsupported);
}

#[test]
fn greptime_counts_by_the_time_of_the_record() {
    let server = Server::start();
    let answer = r#"{"output":[{"records":{"rows":[[9]]}}]}"#;
    server.answer("POST", "/v1/sql", Answer::status(200).body(answer));
    let count = |pipeline: &str| {
        let mut otlp = opened(&server, &[("dialect", "greptime"), ("pipeline", pipeline)]).unwrap();
        otlp.count_rows(&table(), 5, 8)
    };
    assert_eq!(count("greptime_identity").unwrap(), 9);
    let asked = server.request().unwrap().text();
    assert!(asked.contains("%22Timestamp%22%20%3E%3D%205%20AND%20%22Timestamp%22%20%3C%208"), "{asked}");
    assert_eq!(count("").unwrap(), 9);
    let asked = server.request().unwrap().text();
    assert!(asked.contains("%22timestamp%22%20%3E%3D%20arrow_cast%285%2C%20%27Timestamp%28Nanosecond"), "{asked}");
    assert_eq!(count("own").unwrap_err().kind, ErrorKind::Unsupported);
}

#[test]
fn greptime_makes_the_database_and_drops_the_table() {
    let server = Server::start();
    server.answer("POST", "/v1/sql", Answer::status(200).body(r#"{"output":[{"affectedrows":0}]}"#));
    let mut otlp = opened(&server, &[("dialect", "greptime"), ("database", "db")]).unwrap();
    otlp.create_table(&table()).unwrap();
    assert!(server.request().unwrap().text().contains("CREATE%20DATABASE"));
    otlp.drop_table(&table()).unwrap();
    assert!(server.request().unwrap().text().contains("DROP%20TABLE"));
}

#[test]
fn victorialogs_is_told_its_streams_and_counts_by_logsql() {
    let server = Server::start();
    server.answer("POST", "/insert/opentelemetry/v1/logs", Answer::status(200));
    let mut otlp = opened(&server, &[("dialect", "victorialogs")]).unwrap();
    let payload = otlp.encode(&batch()).unwrap();
    otlp.send(&payload).unwrap();
    let request = server.request().unwrap();
    assert_eq!(request.header("vl-stream-fields"), Some("service.name,host"));
    assert_eq!(decode(&request.body).0, [("service.name".to_owned(), "text cpu".to_owned())]);
    server.answer("GET", "/select/logsql/query", Answer::status(200).body("{\"rows\":\"12\"}\n"));
    assert_eq!(otlp.count_rows(&table(), 0, 1_000_000_000).unwrap(), 12);
    let query = "_time:[1970-01-01T00:00:00.000000000Z, 1970-01-01T00:00:01.000000000Z) \"service.name\":=\"cpu\" \
                 | stats count() rows";
    assert_eq!(server.request().unwrap().param("query"), Some(query));
    server.answer("GET", "/select/logsql/query", Answer::status(200));
    assert_eq!(otlp.count_rows(&table(), 0, 1).unwrap(), 0);
    server.answer("GET", "/select/logsql/query", Answer::status(200).body("what"));
    assert_eq!(otlp.count_rows(&table(), 0, 1).unwrap_err().kind, ErrorKind::Internal);
}
