//! GreptimeDB's Influx door. Answers are those of GreptimeDB 1.0.2.

use benchhost_plugin::ErrorKind;

use super::*;

const WRITE: &str = "/v1/influxdb/api/v2/write";

fn door(settings: &[(&str, &str)]) -> (Server, Influx) {
    let server = Server::start();
    server.answer("GET", "/status", Answer::status(200).body(r#"{"version":"1.0.2"}"#));
    let influx = session(&server, &[&[("api", "greptime"), ("database", "db")], settings].concat());
    (server, influx)
}

#[test]
fn rows_are_posted_behind_the_prefix() {
    let (server, mut influx) = door(&[("token", "u:p"), ("precision", "us")]);
    server.answer("POST", WRITE, Answer::status(204));
    let payload = influx.encode(&batch()).unwrap();
    assert_eq!(influx.send(&payload).unwrap(), lp::SILENT);
    let request = server.request().unwrap();
    assert_eq!((request.param("bucket"), request.param("precision")), (Some("db"), Some("us")));
    assert_eq!(request.header("authorization"), Some("Token u:p"));
    let words = r#"{"error":"Failed to find schema, schema info: nodb"}"#;
    server.answer("POST", WRITE, Answer::status(400).body(words));
    let error = influx.send(&payload).unwrap_err();
    assert_eq!(error.message, "write: HTTP 400 Bad Request: Failed to find schema, schema info: nodb");
}

#[test]
fn tables_are_managed_by_sql_with_the_tokens_user() {
    let (server, mut influx) = door(&[("token", "u:p")]);
    server.answer("POST", "/v1/sql", Answer::status(200).body(r#"{"output":[{"records":{"rows":[[3]]}}]}"#));
    influx.create_table(&one_field()).unwrap();
    let request = server.request().unwrap();
    assert!(request.text().contains("CREATE%20DATABASE"), "{}", request.text());
    assert_eq!(request.header("authorization"), Some("Basic dTpw"));
    assert_eq!(influx.count_rows(&one_field(), 0, 10).unwrap(), 3);
    let request = server.request().unwrap();
    assert_eq!(request.param("db"), Some("db"));
    assert!(request.text().contains("%22greptime_timestamp%22%20%3E%3D%20arrow_cast%280"), "{}", request.text());
    influx.drop_table(&one_field()).unwrap();
    assert!(server.request().unwrap().text().contains("DROP%20TABLE"));
}

#[test]
fn the_report_names_the_server() {
    let (_server, mut influx) = door(&[]);
    let facts = influx.server().unwrap();
    let fact = |name: &str| facts.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
    let all = ["product", "version", "api"].map(fact);
    assert_eq!(all, [Some("GreptimeDB"), Some("1.0.2"), Some("greptime")]);
}

#[test]
fn a_token_without_a_user_is_refused() {
    let server = Server::start();
    let error = opened(&server, &[("api", "greptime"), ("token", "abc")]).err().unwrap();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::Invalid, "setting `token`: GreptimeDB takes `user:password`")
    );
}
