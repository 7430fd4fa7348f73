//! GreptimeDB: answers as a real v1.0.2 was seen to give.

use std::io::Write;

use benchhost_reference::ReferenceOptions;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use serde_json::json;

use crate::http::{Client, escaped, serve};

const TABLE: &str = r#"CREATE TABLE IF NOT EXISTS cpu (host STRING, "region" STRING, usage DOUBLE, ts TIMESTAMP(3) TIME INDEX, PRIMARY KEY(host, "region"))"#;

fn ready() -> (benchhost_reference::RunningReference, Client) {
    serve(ReferenceOptions::default())
}

#[test]
fn health_is_an_empty_object() {
    let (_server, mut client) = ready();
    for path in ["/v1/health", "/ready"] {
        for method in ["GET", "POST"] {
            let answer = client.ask(method, path, &[], b"");
            assert_eq!((answer.status, answer.body.as_str()), (200, "{}"), "{path}");
        }
    }
    assert_eq!(client.get("/health").status, 200);
    assert_eq!(client.get("/status").json()["version"], "1.0.2");
    assert_eq!(client.get("/v1/influxdb/ping").status, 204);
    assert_eq!(
        (client.get("/v1/influxdb/health").status, client.get("/v1/influxdb/health").body),
        (200, String::new())
    );
}

#[test]
fn statements_are_answered_as_seen() {
    let (_server, mut client) = ready();
    let made = client.sql(TABLE);
    assert_eq!(made.json()["output"], json!([{ "affectedrows": 0 }]));
    assert!(made.json()["execution_time_ms"].is_u64());
    assert_eq!(made.header("x-greptime-format"), Some("greptimedb_v1"));
    assert!(made.header("x-greptime-execution-time").is_some());
    assert_eq!(client.sql("CREATE DATABASE d").json()["output"], json!([{ "affectedrows": 1 }]));
    let both = client
        .sql("INSERT INTO cpu (host, usage, ts) VALUES ('a', 1.5, 1000), ('b', 2.0, 2000); SELECT count(*) FROM cpu");
    let schema = json!({ "column_schemas": [{ "name": "count(*)", "data_type": "Int64" }] });
    let records = json!({ "records": { "schema": schema, "rows": [[2]], "total_rows": 1 } });
    assert_eq!(both.json()["output"], json!([{ "affectedrows": 2 }, records]));
    assert_eq!(client.rows("SELECT * FROM cpu ORDER BY ts"), json!([["a", null, 1.5, 1000], ["b", null, 2.0, 2000]]));
    let by_url = client.get(&format!("/v1/sql?sql={}&limit=1", escaped("SELECT host FROM cpu ORDER BY host")));
    assert_eq!(by_url.json()["output"][0]["records"]["rows"], json!([["a"]]));
    // Another database, by URL or by header.
    assert_eq!(client.sql_in("d", "SELECT * FROM cpu").json()["code"], 4001);
    let target = format!("/v1/sql?sql={}", escaped("SHOW TABLES"));
    let other = client.ask("GET", &target, &[("x-greptime-db-name", "d")], b"");
    assert_eq!(other.json()["output"][0]["records"]["rows"], json!([]));
}

#[test]
fn refusals_have_codes_in_body_and_headers() {
    let (_server, mut client) = ready();
    let refused = client.sql("SELECT * FROM nope");
    assert_eq!(refused.status, 400);
    assert_eq!(refused.header("x-greptime-err-code"), Some("4001"));
    let words = "Failed to plan SQL: Table not found: greptime.public.nope";
    assert_eq!(refused.header("x-greptime-err-msg"), Some(words));
    assert_eq!((&refused.json()["code"], &refused.json()["error"]), (&json!(4001), &json!(words)));
    client.sql(TABLE);
    for (sql, status, code) in [
        ("CREATE TABLE cpu (ts TIMESTAMP TIME INDEX)", 400, 4000),
        ("DROP DATABASE nodb", 400, 4004),
        ("SELECT nocolumn FROM cpu", 400, 3000),
        ("selct 1", 400, 1001),
        ("SELECT 1 FROM cpu WHERE", 400, 2000),
        ("CREATE DATABASE public", 400, 1004),
        ("INSERT INTO cpu (usage, ts) VALUES ('x', 1)", 400, 1004),
        ("SELECT 1/0", 500, 3001),
        ("CREATE TABLE t (region STRING, ts TIMESTAMP TIME INDEX)", 400, 2000),
    ] {
        let answer = client.sql(sql);
        assert_eq!((answer.status, &answer.json()["code"]), (status, &json!(code)), "{sql}: {}", answer.body);
    }
    assert_eq!(client.sql_in("nodb", "SELECT 1").json()["code"], 4004);
    let unformed = client.post("/v1/sql?sql=SELECT+1", "");
    assert_eq!((unformed.status, unformed.header("content-type")), (415, Some("text/plain; charset=utf-8")));
}

#[test]
fn answers_come_in_the_forms_that_are_asked_for() {
    let (_server, mut client) = ready();
    client.sql(TABLE);
    for values in ["('a,\"b', 'NaN', 1)", "('c', 2, 2)"] {
        assert_eq!(client.sql(&format!("INSERT INTO cpu (host, usage, ts) VALUES {values}")).status, 200);
    }
    let mut form = |form: &str| {
        client.get(&format!("/v1/sql?format={form}&sql={}", escaped("SELECT host, usage FROM cpu ORDER BY ts")))
    };
    assert_eq!(form("json").json()["data"], json!([{ "host": "a,\"b", "usage": null }, { "host": "c", "usage": 2.0 }]));
    assert_eq!(form("csv").body, "\"a,\"\"b\",\r\nc,2.0\r\n");
    assert_eq!(form("csvWithNames").body, "host,usage\r\n\"a,\"\"b\",\r\nc,2.0\r\n");
    let influx = form("influxdb_v1");
    let series = json!([{ "name": "", "columns": ["host", "usage"], "values": [["a,\"b", null], ["c", 2.0]] }]);
    assert_eq!(influx.json()["results"], json!([{ "statement_id": 0, "series": series }]));
    assert_eq!(influx.header("x-greptime-format"), Some("influxdb_v1"));
    assert!(form("null").body.starts_with("2 rows in set.\nElapsed: "));
    assert_eq!(form("arrow").header("content-type"), Some("application/arrow"));
    assert_eq!(form("unknown").header("x-greptime-format"), Some("greptimedb_v1"));
}

#[test]
fn lines_make_a_table_that_merges_what_is_not_null() {
    let (_server, mut client) = ready();
    let v2 = "/v1/influxdb/api/v2/write?org=o&bucket=public&precision=ms";
    assert_eq!(client.post(v2, "cpu,host=a,dc=x v=1,n=2i 1700000000001\ncpu,host=b v=2 1700000000001").status, 204);
    assert_eq!(
        client.post("/v1/influxdb/write?db=public&precision=ms", "cpu,host=a,dc=x v=5 1700000000001").status,
        204
    );
    let rows = client.rows("SELECT host, dc, v, n, greptime_timestamp FROM cpu ORDER BY host");
    let time = 1_700_000_000_001_000_000_i64;
    assert_eq!(rows, json!([["a", "x", 5.0, 2, time], ["b", null, 2.0, null, time]]));
    let shown = client.rows("SHOW CREATE TABLE cpu")[0][1].as_str().unwrap().to_owned();
    assert!(
        shown.contains("\"greptime_timestamp\" TIMESTAMP(9) NOT NULL")
            && shown.contains("merge_mode = 'last_non_null'"),
        "{shown}"
    );
    assert!(shown.contains("PRIMARY KEY (\"host\", \"dc\")"), "{shown}");
    // Another tag comes, and joins the key.
    assert_eq!(client.post("/v1/influxdb/write", "cpu,host=c,zone=z v=1,new=\"t\" 5").status, 204);
    assert_eq!(client.rows("SELECT zone, new FROM cpu WHERE host = 'c'"), json!([["z", "t"]]));
}

#[test]
fn lines_go_into_a_table_that_was_made_before_as_it_is() {
    let (_server, mut client) = ready();
    client.sql(TABLE);
    assert_eq!(client.post("/v1/influxdb/write", "cpu,host=a,region=r usage=1.5 1999999").status, 204);
    assert_eq!(client.rows("SELECT host, region, usage, ts FROM cpu"), json!([["a", "r", 1.5, 1]]));
}

#[test]
fn a_bad_line_or_type_refuses_the_whole_body_in_known_words() {
    let (_server, mut client) = ready();
    let mut write = |query: &str, body: &str| {
        let answer = client.post(&format!("/v1/influxdb/write?{query}"), body);
        let error =
            if answer.body.is_empty() { String::new() } else { answer.json()["error"].as_str().unwrap().to_owned() };
        (answer.status, error)
    };
    let good = "ok v=1 1\n";
    let parse = "Failed to parse InfluxDB line protocol: No fields were provided";
    assert_eq!(write("", &format!("{good}cpu 6")), (400, parse.into()));
    for bad in ["m v=1 1\r\n", "m v=NaN", "m,t= v=1"] {
        assert_eq!(write("", &format!("{good}{bad}")).0, 400, "{bad}");
    }
    for name in ["1num", "esc\\ m"] {
        assert_eq!(
            write("", &format!("{good}{name} v=1")),
            (400, format!("Invalid table name: {}", name.replace('\\', "")))
        );
    }
    assert_eq!(write("precision=d", good), (400, "Failed to convert time precision, name: d".into()));
    assert_eq!(write("precision=", good).0, 400);
    assert_eq!(write("db=nodb", good), (400, "Failed to find schema, schema info: nodb".into()));
    let inside = "Column: cpu, datatype incompatible, expected: 10, actual: 12";
    assert_eq!(write("", "m cpu=1 1\nm cpu=\"x\" 2"), (400, inside.into()));
    assert_eq!(write("", ""), (204, String::new()));
    assert_eq!(write("", "# only this\n\n"), (204, String::new()));
    assert_eq!(write("", "cpu cpu=1 1"), (204, String::new()));
    let region = "Invalid request to region 4398046511104(1024, 0), reason: column cpu expect type Float64(Float64Type), given: INT64(4)";
    assert_eq!(write("", &format!("{good}cpu cpu=1i 2")), (400, region.into()));
    // Of none of those bodies anything is there.
    assert_eq!(client.rows("SHOW TABLES"), json!([["cpu"]]));
    assert_eq!(client.rows("SELECT count(*) FROM cpu"), json!([[1]]));
}

#[test]
fn packed_bodies_are_unpacked() {
    let (_server, mut client) = ready();
    let lines = b"m v=1 1\nm v=2 2";
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(lines).unwrap();
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(lines).unwrap();
    for (coding, body) in [("gzip", gzip.finish().unwrap()), ("deflate", zlib.finish().unwrap())] {
        assert_eq!(client.ask("POST", "/v1/influxdb/write", &[("Content-Encoding", coding)], &body).status, 204);
    }
    assert_eq!(client.rows("SELECT count(*) FROM m"), json!([[2]]));
    let bad = client.ask("POST", "/v1/influxdb/write", &[("Content-Encoding", "gzip")], b"m v=1");
    assert_eq!((bad.status, bad.body.as_str()), (400, "Failed to buffer the request body: Invalid gzip header"));
}

#[test]
fn only_the_user_is_let_in() {
    let options =
        ReferenceOptions { user: Some("u".into()), password: Some("p".into()), ..ReferenceOptions::default() };
    let (_server, mut client) = serve(options);
    assert_eq!(client.get("/v1/health").status, 200);
    let refused = client.sql("SELECT 1");
    assert_eq!((refused.status, refused.header("x-greptime-err-code")), (401, Some("7003")));
    let mut write = |target: &str, header: Option<&str>| {
        let headers: Vec<(&str, &str)> = header.map(|value| ("Authorization", value)).into_iter().collect();
        let answer = client.ask("POST", target, &headers, b"m v=1 1");
        (answer.status, if answer.body.is_empty() { 0 } else { answer.json()["code"].as_u64().unwrap() })
    };
    assert_eq!(write("/v1/influxdb/write?u=u&p=p", None), (204, 0));
    assert_eq!(write("/v1/influxdb/write", Some("token u:p")), (204, 0));
    assert_eq!(write("/v1/influxdb/write", Some("Basic dTpw")), (204, 0));
    assert_eq!(write("/v1/influxdb/write?u=u&p=x", None), (401, 7002));
    assert_eq!(write("/v1/influxdb/write", Some("Token v:p")), (401, 7000));
    assert_eq!(write("/v1/influxdb/write", Some("Digest x")), (401, 7004));
}
