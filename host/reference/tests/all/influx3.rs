//! InfluxDB 3.

use std::time::{Duration, Instant};

use benchhost_reference::ReferenceOptions;
use serde_json::json;

use crate::http::{Client, escaped, serve};

fn three() -> ReferenceOptions {
    ReferenceOptions { influx_version: "3.10.1".into(), ..ReferenceOptions::default() }
}

fn query(client: &mut Client, sql: &str, format: &str) -> crate::http::Answer {
    client.get(&format!("/api/v3/query_sql?db=b&format={format}&q={}", escaped(sql)))
}

#[test]
fn rows_are_written_by_every_path_and_counted_by_sql() {
    let (_server, mut client) = serve(three());
    assert_eq!(client.get("/health").body, "OK");
    let ping = client.get("/ping");
    assert_eq!(
        (ping.status, ping.json()["version"].clone(), ping.header("x-influxdb-version")),
        (200, json!("3.10.1"), Some("3.10.1"))
    );
    let path = "/api/v3/write_lp?db=b&precision=nanosecond";
    assert_eq!(
        client.post(path, "m,h=a f=1.5,i=-1i,u=18446744073709551615u,b=t,s=\"x y\" 1700000000123456789").status,
        204
    );
    assert_eq!(client.post("/api/v2/write?org=o&bucket=b", "m,h=b f=2 1700000000000000000").status, 204);
    assert_eq!(client.post("/write?db=b&precision=ms", "m,h=c f=3 1700000000001").status, 204);
    assert_eq!(client.post("/api/v3/write_lp?db=b", "m,h=d f=4 1700000001").status, 204);
    let first = json!([{ "h": "a", "f": 1.5, "i": -1, "u": u64::MAX, "b": true, "s": "x y", "time": "2023-11-14T22:13:20.123456789" }]);
    assert_eq!(query(&mut client, "SELECT * FROM m WHERE h = 'a'", "json").json(), first);
    let second = query(&mut client, "SELECT * FROM m WHERE h > 'a' ORDER BY time", "jsonl").body;
    let lines: Vec<serde_json::Value> = second.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], json!({ "h": "b", "f": 2.0, "time": "2023-11-14T22:13:20" }));
    assert_eq!(lines[1]["time"], "2023-11-14T22:13:20.001");
    assert_eq!(query(&mut client, "SELECT h, f FROM m ORDER BY h LIMIT 2", "csv").body, "h,f\na,1.5\nb,2.0\n");
    let range =
        "SELECT count(*) AS n FROM \"m\" WHERE time >= '2023-11-14T22:13:20Z' AND time < '2023-11-14T22:13:21Z'";
    let asked = json!({ "db": "b", "q": range, "format": "json" }).to_string();
    assert_eq!(client.document("POST", "/api/v3/query_sql", &asked).json(), json!([{ "n": 3 }]));
    // All time that nanoseconds can count.
    let all = "SELECT count(*) FROM m WHERE time >= '1677-09-21T00:12:43.145224192Z' AND time < '2262-04-11T23:47:16.854775807Z'";
    assert_eq!(query(&mut client, all, "json").json(), json!([{ "count(*)": 4 }]));
    assert_eq!(
        (
            query(&mut client, "SELECT * FROM m WHERE h = 'z'", "json").body,
            query(&mut client, "SELECT * FROM m WHERE h = 'z'", "csv").body
        ),
        ("[]".into(), String::new())
    );
    let influxql = client.get(&format!("/api/v3/query_influxql?db=b&q={}", escaped("SELECT f FROM m WHERE h = 'b'")));
    assert_eq!(influxql.json(), json!([{ "iox::measurement": "m", "time": "2023-11-14T22:13:20", "f": 2.0 }]));
}

#[test]
fn good_lines_are_stored_beside_bad_ones_unless_that_is_refused() {
    let (_server, mut client) = serve(three());
    let body = "m v=1 1\n# comment\nm v=nonsense-that-is-long 2\nm v=2i 3\nm v=4 4";
    let refused = client.post("/api/v3/write_lp?db=b&precision=nanosecond&accept_partial=false", body);
    assert_eq!((refused.status, &refused.json()["error"]), (400, &json!("line protocol parsing error")));
    assert_eq!(refused.json()["data"]["line_number"], 2);
    assert_eq!(query(&mut client, "SELECT * FROM m", "json").status, 400);
    let partial = client.post("/api/v3/write_lp?db=b&precision=nanosecond", body);
    assert_eq!((partial.status, &partial.json()["error"]), (400, &json!("partial write of line protocol occurred")));
    let data = partial.json()["data"].clone();
    assert_eq!(data.as_array().unwrap().len(), 2);
    assert_eq!((&data[0]["line_number"], &data[0]["original_line"]), (&json!(2), &json!("m v=nonsense-that-is")));
    assert_eq!(data[1]["line_number"], 3);
    assert_eq!(query(&mut client, "SELECT count(*) AS n FROM m", "json").json(), json!([{ "n": 2 }]));
    // By the older paths nothing is stored beside a bad line.
    for path in ["/write?db=b", "/api/v2/write?bucket=b"] {
        assert_eq!(client.post(path, "m v=9 9\nm").status, 400);
        assert_eq!(client.post(path, "m v=9 9\nm v=9i 9").status, 400);
    }
    assert_eq!(query(&mut client, "SELECT count(*) AS n FROM m", "json").json(), json!([{ "n": 2 }]));
    for bad in ["m v=1 1\r\n", "m,t= v=1", "m v=NaN", "m,t=a,t=b v=1"] {
        assert_eq!(client.post("/api/v3/write_lp?db=b", bad).status, 400, "{bad}");
    }
}

#[test]
fn databases_and_tables_are_made_and_removed() {
    let (_server, mut client) = serve(three());
    let database = r#"{"db":"d"}"#;
    assert_eq!(client.post("/api/v3/configure/database", database).status, 415);
    assert_eq!(client.document("POST", "/api/v3/configure/database", database).status, 200);
    assert_eq!(client.document("POST", "/api/v3/configure/database", database).status, 409);
    let table = r#"{"db":"d","table":"t","tags":["h"],"fields":[{"name":"v","type":"float64"}]}"#;
    assert_eq!(client.document("POST", "/api/v3/configure/table", table).status, 200);
    assert_eq!(client.document("POST", "/api/v3/configure/table", table).status, 409);
    let mut delete = |target: &str| client.ask("DELETE", target, &[], b"").status;
    assert_eq!(
        (delete("/api/v3/configure/table?db=d&table=t"), delete("/api/v3/configure/table?db=d&table=t")),
        (200, 404)
    );
    assert_eq!((delete("/api/v3/configure/database?db=d"), delete("/api/v3/configure/database?db=d")), (200, 404));
    let databases = client.get("/api/v3/configure/database?format=json").json();
    assert_eq!(databases, json!([{ "iox::database": "public" }]));
}

#[test]
fn queries_fail_with_the_status_that_was_seen() {
    let (_server, mut client) = serve(three());
    client.post("/api/v3/write_lp?db=b", "m v=1 1");
    for (sql, status) in [
        ("SELECT * FROM nope", 400),
        ("SELECT nope FROM m", 500),
        ("SELEC", 400),
        ("DROP TABLE m", 400),
        ("SELECT 1; SELECT 2", 405),
    ] {
        assert_eq!(query(&mut client, sql, "json").status, status, "{sql}");
    }
    assert!(query(&mut client, "SELECT * FROM nope", "json").body.contains("not found"));
    assert_eq!(client.get("/api/v3/query_sql?db=none&q=SELECT+1").status, 404);
    assert_eq!(query(&mut client, "SELECT 1", "parquet").status, 400);
}

#[test]
fn writes_are_acknowledged_at_the_flush_unless_that_is_not_waited_for() {
    let interval = Duration::from_millis(300);
    let (_server, mut client) = serve(ReferenceOptions { flush_interval: Some(interval), ..three() });
    // The first may come at any time between two flushes; each of the next ones follows a flush, and waits for a whole interval.
    assert_eq!(client.post("/api/v3/write_lp?db=b", "m v=1 1").status, 204);
    let began = Instant::now();
    for path in ["/api/v3/write_lp?db=b", "/api/v2/write?bucket=b", "/write?db=b"] {
        assert_eq!(client.post(path, "m v=1 1").status, 204);
    }
    assert!(began.elapsed() > interval * 2, "{:?}", began.elapsed());
    assert_eq!(client.post("/api/v3/write_lp?db=b&no_sync=true", "m v=1 1").status, 204);
}
