//! Settings, facts, and tables.

use benchhost_plugin::testing::Answer;
use benchhost_plugin::{Error, ErrorKind, settings_schema};

use super::decode::decode;
use super::*;

fn refusal(settings: &[(&str, &str)]) -> Error {
    Doors::open().try_session(settings).err().unwrap()
}

#[test]
fn the_grpc_address_is_asked_for_with_the_host_of_the_other() {
    let http = Server::start();
    for protocol in ["unary", "stream", "bulk"] {
        let settings = [("endpoint", http.endpoint()), ("protocol", protocol)];
        let error = testing::open_target::<Greptime>(&settings).err().unwrap();
        assert_eq!(error.kind, ErrorKind::Invalid);
        let advice = format!(
            "protocol={protocol} writes over gRPC: set -P grpc_endpoint=http://{}:4001",
            http.endpoint().trim_start_matches("http://").trim_end_matches(":80")
        );
        assert_eq!(error.message, advice);
    }
}

#[test]
fn the_grpc_address_is_one_that_the_user_grants() {
    let schema: serde_json::Value = serde_json::from_str(&settings_schema::<Settings>()).unwrap();
    assert_eq!(schema["properties"]["grpc_endpoint"]["format"], "endpoint");
    assert_eq!(schema["properties"]["password"]["writeOnly"], true);
    assert_eq!(schema["properties"]["max_in_flight"]["maximum"], 1000);
    assert_eq!(schema["required"], serde_json::json!(["endpoint"]));
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let contradictions: [(&[(&str, &str)], &str); 6] = [
        (&[("password", "p")], "`password` is set without `user`"),
        (&[("protocol", "unary"), ("compression", "lz4")], "`compression` is only for protocol=bulk"),
        (&[("append_mode", "true"), ("merge_mode", "last_row")], "append_mode=true keeps all rows"),
        (&[("max_in_flight", "0")], "setting `max_in_flight`: 0 is not from 1 to 1000"),
        (&[("ttl", "1d,x=y")], "setting `ttl`"),
        (&[("database", "")], "setting `database`: the name is empty"),
    ];
    for (settings, words) in contradictions {
        let error = refusal(settings);
        assert_eq!(error.kind, ErrorKind::Invalid);
        assert!(error.message.starts_with(words), "{}", error.message);
    }
}

#[test]
fn the_report_has_what_changes_a_result() {
    let doors = Doors::open();
    doors.http.answer("GET", "/status", Answer::status(200).body(r#"{"version":"1.0.2"}"#));
    let facts = |settings: &[(&str, &str)]| {
        let facts = doors.session(settings).server().unwrap();
        facts.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        facts(&[("ttl", "7d")]),
        "product=GreptimeDB version=1.0.2 protocol=bulk database=public grpc_compression=none compression=none \
         max_in_flight=31 ttl=7d"
    );
    assert_eq!(
        facts(&[("protocol", "unary"), ("grpc_compression", "gzip")]),
        "product=GreptimeDB version=1.0.2 protocol=unary database=public grpc_compression=gzip"
    );
}

#[test]
fn a_table_is_made_counted_and_dropped_by_sql() {
    let doors = Doors::open();
    doors.http.on("POST", "/v1/sql", |request| {
        let body = request.text();
        let records = r#"{"output":[{"records":{"rows":[[5]]}}]}"#;
        Answer::status(200).body(if body.starts_with("sql=SELECT") { records } else { r#"{"output":[]}"# })
    });
    let mut greptime = doors.session(&[("merge_mode", "last_non_null"), ("skip_wal", "true")]);
    greptime.create_table(&table()).unwrap();
    let made = doors.http.request().unwrap().text();
    let options = "WITH%20%28%27merge_mode%27%20%3D%20%27last_non_null%27%2C%20%27skip_wal%27%20%3D%20%27true%27%29";
    assert!(made.ends_with(options), "{made}");
    assert_eq!(greptime.count_rows(&table(), 0, 1_000_000_000).unwrap(), 5);
    greptime.drop_table(&table()).unwrap();
    assert!(doors.grpc.calls().is_empty());
}

#[test]
fn a_probe_row_makes_the_table_and_lies_before_all_data() {
    let doors = Doors::open();
    doors.grpc.answer(UNARY, stored(1));
    let mut greptime = doors.session(&[("create", "probe"), ("append_mode", "true")]);
    greptime.create_table(&table()).unwrap();
    let call = doors.grpc.call().unwrap();
    let request = decode(&call.messages[0]);
    assert_eq!(request.columns.len(), 3);
    assert_eq!(request.rows, [["NULL", "NULL", "17=-2208988800000"]]);
    assert_eq!(call.metadata("x-greptime-hints"), Some("append_mode=true"));
    assert!(doors.http.requests().is_empty());
}
