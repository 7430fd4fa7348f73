//! Making, dropping and counting, in the ways of each version.

use super::*;
use benchhost_plugin::ErrorKind;
use serde_json::json;

const START: i64 = 1_704_067_200_000_000_000;
const END: i64 = START + 1_000_000_000;

/// A server whose answer to `/ping` has been looked at already, and a session with it.
fn ready(version: &str, settings: &[(&str, &str)]) -> (Server, Influx) {
    let server = server(version);
    let influx = session(&server, settings);
    let _ = server.requests();
    (server, influx)
}

#[test]
fn version_1_makes_a_database() {
    let (server, mut influx) = ready("1.8.3", &[("database", "b\"1/p")]);
    server.answer("POST", "/query", Answer::status(200).body(r#"{"results":[{"statement_id":0}]}"#));
    influx.create_table(&one_field()).unwrap();
    assert_eq!(server.request().unwrap().param("q"), Some(r#"CREATE DATABASE "b\"1""#));
    assert_eq!(testing::logged(), []);
}

#[test]
fn an_error_inside_a_success_is_an_error() {
    let (server, mut influx) = ready("1.8.3", &[]);
    let body = r#"{"results":[{"statement_id":0,"error":"create admin user first"}]}"#;
    server.answer("POST", "/query", Answer::status(200).body(body));
    let error = influx.create_table(&one_field()).unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::Rejected, "create the database: create admin user first")
    );
    server.answer("POST", "/query", Answer::status(403).body(r#"{"error":"error authorizing query"}"#));
    assert_eq!(influx.create_table(&one_field()).unwrap_err().code.as_deref(), Some("403"));
}

#[test]
fn a_table_of_nullable_fields_is_warned_about() {
    let (server, mut influx) = ready("1.8.3", &[]);
    server.answer("POST", "/query", Answer::status(200).body(r#"{"results":[{"statement_id":0}]}"#));
    influx.create_table(&table(vec![Column::field("v", DataType::Float64).nullable()])).unwrap();
    assert_eq!(testing::logged().len(), 1);
}

#[test]
fn version_1_is_managed_in_its_own_way_on_the_v2_path_too() {
    let (server, mut influx) = ready("1.8.3", &[("api", "v2")]);
    server.answer("POST", "/query", Answer::status(200).body(r#"{"results":[{"statement_id":0}]}"#));
    influx.create_table(&one_field()).unwrap();
    let paths: Vec<_> = server.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/ping", "/query"]);
}

#[test]
fn version_1_drops_a_measurement() {
    let (server, mut influx) = ready("1.8.3", &[("database", "b/p")]);
    server.answer("POST", "/query", Answer::status(200).body(r#"{"results":[{"statement_id":0}]}"#));
    influx.drop_table(&one_field()).unwrap();
    let request = server.request().unwrap();
    assert_eq!(request.param("q"), Some(r#"DROP MEASUREMENT "m \"x\"""#));
    assert_eq!((request.param("db"), request.param("rp")), (Some("b"), Some("p")));
    for absence in ["measurement not found: m", "database not found: b"] {
        let body = json!({ "results": [{ "statement_id": 0, "error": absence }] }).to_string();
        server.answer("POST", "/query", Answer::status(200).body(body));
        influx.drop_table(&one_field()).unwrap();
    }
    server.answer("POST", "/query", Answer::status(200).body(r#"{"results":[{"error":"timeout"}]}"#));
    assert_eq!(influx.drop_table(&one_field()).unwrap_err().message, "drop the measurement: timeout");
}

#[test]
fn versions_1_and_2_count_the_values_of_a_field_that_is_never_null() {
    let fields = vec![Column::field("a", DataType::Int64).nullable(), Column::field("b\\", DataType::Boolean)];
    for version in ["1.8.3", "2.8.0"] {
        let (server, mut influx) = ready(version, &[("database", "b/p")]);
        let body = r#"{"results":[{"statement_id":0,"series":[{"name":"m","columns":["time","count"],"values":[[1704067200000000000,42]]}]}]}"#;
        server.answer("GET", "/query", Answer::status(200).body(body));
        assert_eq!(influx.count_rows(&table(fields.clone()), START, END), Ok(42));
        let request = server.request().unwrap();
        let expected =
            r#"SELECT COUNT("b\\") FROM "m \"x\"" WHERE time >= 1704067200000000000 AND time < 1704067201000000000"#;
        assert_eq!(request.param("q"), Some(expected));
        assert_eq!((request.param("db"), request.param("rp")), (Some("b"), Some("p")));
        assert_eq!(request.param("epoch"), Some("ns"));
    }
}

#[test]
fn the_fullest_of_nullable_fields_counts() {
    let (server, mut influx) = ready("1.8.3", &[]);
    let body =
        r#"{"results":[{"series":[{"columns":["time","count","count_1"],"values":[[1704067200000000000,3,7]]}]}]}"#;
    server.answer("GET", "/query", Answer::status(200).body(body));
    let fields = ["a", "b"].map(|name| Column::field(name, DataType::Int64).nullable()).to_vec();
    assert_eq!(influx.count_rows(&table(fields), START, END), Ok(7));
    let query = server.request().unwrap();
    assert!(query.param("q").unwrap().starts_with(r#"SELECT COUNT("a"), COUNT("b") FROM"#));
}

#[test]
fn nothing_there_is_no_rows_to_influxql() {
    let (server, mut influx) = ready("2.8.0", &[]);
    for (status, body) in [
        (200, r#"{"results":[{"statement_id":0}]}"#),
        (200, r#"{"results":[{"statement_id":0,"error":"database not found: b"}]}"#),
        (404, r#"{"error":"database not found: \"b\""}"#),
        (404, r#"{"code":"not found","message":"no dbrp mapping found"}"#),
    ] {
        server.answer("GET", "/query", Answer::status(status).body(body));
        assert_eq!(influx.count_rows(&one_field(), START, END), Ok(0), "{body}");
    }
    server.answer("GET", "/query", Answer::status(404).body("404 page not found"));
    assert_eq!(influx.count_rows(&one_field(), START, END).unwrap_err().code.as_deref(), Some("404"));
}

#[test]
fn the_ends_of_time_are_those_of_influxql() {
    let (server, mut influx) = ready("1.8.3", &[]);
    server.answer("GET", "/query", Answer::status(200).body(r#"{"results":[{"statement_id":0}]}"#));
    influx.count_rows(&one_field(), i64::MIN, i64::MAX).unwrap();
    let query = server.request().unwrap();
    let range = "WHERE time >= -9223372036854775806 AND time < 9223372036854775806";
    assert!(query.param("q").unwrap().ends_with(range), "{query:?}");
    assert_eq!(influx.count_rows(&one_field(), END, START), Ok(0));
    assert_eq!(server.requests(), []);
}

#[test]
fn version_2_makes_a_bucket_unless_there_is_one() {
    let (server, mut influx) = ready("2.8.0", &[("org", "o"), ("database", "b")]);
    server.answer("GET", "/api/v2/buckets", Answer::status(200).body(r#"{"buckets":[{"id":"1","name":"b"}]}"#));
    influx.create_table(&one_field()).unwrap();
    let request = server.request().unwrap();
    assert_eq!((request.param("org"), request.param("name")), (Some("o"), Some("b")));
    for (status, body) in
        [(200, r#"{"buckets":[]}"#), (404, r#"{"code":"not found","message":"bucket \"b\" not found"}"#)]
    {
        server.answer("GET", "/api/v2/buckets", Answer::status(status).body(body));
        server.answer("GET", "/api/v2/orgs", Answer::status(200).body(r#"{"orgs":[{"id":"0a","name":"o"}]}"#));
        server.answer("POST", "/api/v2/buckets", Answer::status(201).body("{}"));
        influx.create_table(&one_field()).unwrap();
        let request = server.requests().pop().unwrap();
        assert_eq!(request.json(), json!({ "orgID": "0a", "name": "b", "retentionRules": [] }));
    }
    let exists = r#"{"code":"unprocessable entity","message":"bucket with name b already exists"}"#;
    server.answer("POST", "/api/v2/buckets", Answer::status(422).body(exists));
    influx.create_table(&one_field()).unwrap();
}

#[test]
fn version_2_says_what_keeps_it_from_making_a_bucket() {
    let (server, mut influx) = ready("2.8.0", &[("org", "o"), ("token", "hunter2")]);
    let denied = r#"{"code":"unauthorized","message":"unauthorized access"}"#;
    server.answer("GET", "/api/v2/buckets", Answer::status(401).body(denied));
    let error = influx.create_table(&one_field()).unwrap_err();
    assert!(error.message.ends_with("the token needs the right to it; check `token`"), "{}", error.message);
    assert!(!error.message.contains("hunter2"));
    server.answer("GET", "/api/v2/buckets", Answer::status(200).body(r#"{"buckets":[]}"#));
    for (status, body) in
        [(200, r#"{"orgs":[]}"#), (404, r#"{"code":"not found","message":"organization name \"o\" not found"}"#)]
    {
        server.answer("GET", "/api/v2/orgs", Answer::status(status).body(body));
        let error = influx.create_table(&one_field()).unwrap_err();
        assert!(error.message.contains("there is no organisation `o`"), "{}", error.message);
    }
}

#[test]
fn version_2_deletes_by_predicate() {
    let (server, mut influx) = ready("2.8.0", &[("org", "o"), ("database", "b")]);
    server.answer("POST", "/api/v2/delete", Answer::status(204));
    influx.drop_table(&one_field()).unwrap();
    let request = server.request().unwrap();
    assert_eq!((request.param("org"), request.param("bucket")), (Some("o"), Some("b")));
    assert_eq!(request.json()["predicate"], r#"_measurement="m \"x\"""#);
    server.answer("POST", "/api/v2/delete", Answer::status(404).body(r#"{"code":"not found","message":"bucket"}"#));
    influx.drop_table(&one_field()).unwrap();
    server.answer("POST", "/api/v2/delete", Answer::status(403).body("{}"));
    assert_eq!(influx.drop_table(&one_field()).unwrap_err().code.as_deref(), Some("403"));
}

#[test]
fn version_3_makes_and_deletes() {
    let (server, mut influx) = ready("3.10.1", &[("database", "b")]);
    for status in [200, 409] {
        server.answer("POST", "/api/v3/configure/database", Answer::status(status));
        influx.create_table(&one_field()).unwrap();
        assert_eq!(server.request().unwrap().json(), json!({ "db": "b" }));
    }
    server.answer("POST", "/api/v3/configure/database", Answer::status(422).body("database limit reached"));
    let error = influx.create_table(&one_field()).unwrap_err();
    assert!(error.message.ends_with("database limit reached"), "{}", error.message);
    let _ = server.requests();
    for status in [200, 404] {
        server.answer("DELETE", "/api/v3/configure/table", Answer::status(status));
        influx.drop_table(&one_field()).unwrap();
        let request = server.request().unwrap();
        assert_eq!((request.param("db"), request.param("table")), (Some("b"), Some("m \"x\"")));
    }
    server.answer("DELETE", "/api/v3/configure/table", Answer::status(401));
    assert_eq!(influx.drop_table(&one_field()).unwrap_err().code.as_deref(), Some("401"));
}

#[test]
fn version_3_counts_by_sql() {
    let (server, mut influx) = ready("3.10.1", &[("database", "b")]);
    server.answer("POST", "/api/v3/query_sql", Answer::status(200).body(r#"[{"n":42}]"#));
    assert_eq!(influx.count_rows(&one_field(), START, END), Ok(42));
    let expected = json!({
        "db": "b",
        "format": "json",
        "q": "SELECT count(*) AS n FROM \"m \"\"x\"\"\" WHERE time >= '2024-01-01T00:00:00.000000000Z' AND time < '2024-01-01T00:00:01.000000000Z'",
    });
    assert_eq!(server.request().unwrap().json(), expected);
}

#[test]
fn nothing_there_is_no_rows_to_sql() {
    let (server, mut influx) = ready("3.10.1", &[]);
    for (status, body) in [
        (200, "[]"),
        (400, "Error while planning query: Error during planning: table 'public.iox.m' not found"),
        (404, r#"{"error":"database not found"}"#),
    ] {
        server.answer("POST", "/api/v3/query_sql", Answer::status(status).body(body));
        assert_eq!(influx.count_rows(&one_field(), START, END), Ok(0), "{body}");
    }
    server.answer("POST", "/api/v3/query_sql", Answer::status(500).body("Query would scan 433 Parquet files"));
    let error = influx.count_rows(&one_field(), START, END).unwrap_err();
    assert!(error.message.ends_with("Query would scan 433 Parquet files"), "{}", error.message);
    server.answer("POST", "/api/v3/query_sql", Answer::status(200).body(r#"[{"m":1}]"#));
    assert_eq!(influx.count_rows(&one_field(), START, END).unwrap_err().kind, ErrorKind::Internal);
}
