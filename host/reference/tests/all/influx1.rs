//! InfluxDB 1.

use benchhost_reference::ReferenceOptions;
use serde_json::json;

use crate::http::{escaped, serve};

#[test]
fn rows_are_written_counted_read_and_dropped() {
    let (_server, mut client) = serve(ReferenceOptions::default());
    let ping = client.get("/ping");
    assert_eq!((ping.status, ping.header("x-influxdb-version")), (204, Some("1.8.10")));
    let missing = client.post("/write?db=b", "m v=1");
    assert_eq!((missing.status, missing.json()["error"].clone()), (404, json!("database not found: \"b\"")));
    assert_eq!(client.post(&format!("/query?q={}", escaped("CREATE DATABASE \"b\"")), "").status, 200);
    assert_eq!(client.post("/write?db=b", "m,h=a v=1,w=2i 10\nm,h=b v=2 20\nm,h=a v=3 10").status, 204);
    assert_eq!(client.post("/write?db=b&precision=u", "m,h=c v=4 1").status, 204);
    let count = client.influxql("b", r#"SELECT COUNT("v"), COUNT("w") FROM "m" WHERE time >= 5 AND time < 2000"#);
    let series = json!([{ "name": "m", "columns": ["time", "count", "count_1"], "values": [[5, 3, 1]] }]);
    assert_eq!(count, json!({ "results": [{ "statement_id": 0, "series": series }] }));
    let none = json!({ "results": [{ "statement_id": 0 }] });
    assert_eq!(client.influxql("b", r#"SELECT COUNT("v") FROM "m" WHERE time >= 5000 AND time < 6000"#), none);
    assert_eq!(client.influxql("b", r#"SELECT COUNT("v") FROM "nothing" WHERE time >= 0"#), none);
    let all = client.influxql("b", "SELECT * FROM m WHERE h = 'a'");
    assert_eq!(all["results"][0]["series"][0]["columns"], json!(["time", "h", "v", "w"]));
    assert_eq!(all["results"][0]["series"][0]["values"], json!([[10, "a", 3.0, 2]]));
    assert_eq!(client.influxql("b", "SHOW MEASUREMENTS")["results"][0]["series"][0]["values"], json!([["m"]]));
    assert_eq!(client.influxql("b", "DROP MEASUREMENT m"), none);
    assert_eq!(client.influxql("b", "DROP MEASUREMENT m")["results"][0]["error"], "measurement not found: m");
    assert_eq!(client.influxql("none", "SELECT v FROM m")["results"][0]["error"], "database not found: none");
}

#[test]
fn bad_lines_are_named_and_the_good_ones_are_stored() {
    let (_server, mut client) = serve(ReferenceOptions::default());
    client.post("/query?q=CREATE+DATABASE+b", "");
    let answer = client.post("/write?db=b", "cpu v=1 5\ncpu 6\ncpu v=1 7\r\n");
    assert_eq!(
        (answer.status, answer.json()["error"].clone()),
        (400, json!("partial write: unable to parse 'cpu 6': missing fields dropped=0"))
    );
    assert_eq!(answer.header("x-influxdb-error"), answer.json()["error"].as_str());
    assert_eq!(client.post("/write?db=b", "cpu 6").json()["error"], "unable to parse 'cpu 6': missing fields");
    let conflict = client.post("/write?db=b", "cpu v=2i 8\ncpu v=2 9").json()["error"].clone();
    let words =
        r#"field type conflict: input field "v" on measurement "cpu" is type integer, already exists as type float"#;
    assert_eq!(conflict, json!(format!("partial write: {words} dropped=1")));
    let many = client.post("/write?db=b", &format!("cpu v=1 10\n{}", "x\n".repeat(9))).json()["error"].to_string();
    assert!(many.matches("unable to parse").count() == 5 && many.contains("dropped=4"), "{many}");
    let count = client.influxql("b", r#"SELECT COUNT("v") FROM "cpu" WHERE time >= 0 AND time < 100"#);
    assert_eq!(count["results"][0]["series"][0]["values"], json!([[0, 4]]));
}

#[test]
fn what_cannot_be_done_is_refused_in_words() {
    let (_server, mut client) = serve(ReferenceOptions::default());
    client.post("/query?q=CREATE+DATABASE+b", "");
    for (target, status, words) in [
        ("/write", 400, "database is required"),
        ("/write?db=b&precision=us", 400, "invalid precision"),
        ("/write?db=b&precision=h", 400, "time outside range"),
        ("/query", 400, "missing required parameter"),
        ("/query?q=GRANT", 400, "error parsing query: found GRANT"),
    ] {
        let answer = client.post(target, "m v=1 9223372036854775807");
        assert!(answer.status == status && answer.body.contains(words), "{target}: {answer:?}");
    }
}
