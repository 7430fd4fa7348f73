//! InfluxDB 2.

use benchhost_reference::ReferenceOptions;
use serde_json::json;

use crate::http::serve;

fn two() -> ReferenceOptions {
    ReferenceOptions { influx_version: "v2.7.4".into(), ..ReferenceOptions::default() }
}

#[test]
fn a_bucket_is_made_filled_asked_and_emptied() {
    let (_server, mut client) = serve(two());
    assert_eq!(client.get("/health").json()["status"], "pass");
    let missing = client.post("/api/v2/write?org=o&bucket=b", "m v=1");
    assert_eq!((missing.status, missing.json()["code"].clone()), (404, json!("not found")));
    assert_eq!(client.get("/api/v2/buckets?org=o&name=b").json()["buckets"], json!([]));
    let org = client.get("/api/v2/orgs?org=o").json()["orgs"][0].clone();
    assert_eq!(org["name"], "o");
    let bucket = json!({ "orgID": org["id"], "name": "b", "retentionRules": [] }).to_string();
    assert_eq!(client.document("POST", "/api/v2/buckets", &bucket).status, 201);
    let again = client.document("POST", "/api/v2/buckets", &bucket);
    assert!(again.status == 422 && again.body.contains("already exists"), "{again:?}");
    assert_eq!(client.get("/api/v2/buckets?org=o&name=b").json()["buckets"][0]["name"], "b");
    assert_eq!(
        client.post("/api/v2/write?org=o&bucket=b&precision=ms", "m,h=a v=1,s=\"x\" 1\nm,h=b v=2 2").status,
        204
    );
    let count = client.influxql("b", r#"SELECT COUNT("v") FROM "m" WHERE time >= 0 AND time < 9000000"#);
    assert_eq!(count["results"][0]["series"][0]["values"], json!([[0, 2]]));
    let mut flux = |text: &str| {
        client.ask("POST", "/api/v2/query?org=o", &[("Content-Type", "application/vnd.flux")], text.as_bytes())
    };
    let from = r#"from(bucket: "b") |> range(start: 0) |> filter(fn: (r) => r._measurement == "m")"#;
    let rows = flux(&format!("{from} |> filter(fn: (r) => r._field == \"v\")"));
    assert_eq!(rows.status, 200, "{rows:?}");
    let lines: Vec<&str> = rows.body.lines().collect();
    assert!(
        lines[0].starts_with(
            "#datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,dateTime:RFC3339,double,string,string,string"
        ),
        "{}",
        rows.body
    );
    assert_eq!(lines[3], ",result,table,_start,_stop,_time,_value,_field,_measurement,h");
    assert!(
        lines[4].ends_with(",1970-01-01T00:00:00.001Z,1.0,v,m,a") && lines[5].ends_with(",2.0,v,m,b"),
        "{}",
        rows.body
    );
    let counts = flux(&format!("{from} |> count()")).body;
    assert!(counts.contains(",1,v,m,a\r\n") && counts.contains(",1,s,m,a\r\n"), "{counts}");
    let nowhere = flux(r#"from(bucket: "none") |> range(start: 0)"#);
    assert!(nowhere.status == 404 && nowhere.body.contains("could not find bucket"), "{nowhere:?}");
    let all = r#"{"start":"1677-09-21T00:12:44Z","stop":"2262-04-11T23:47:16Z","predicate":"_measurement=\"m\""}"#;
    assert_eq!(client.document("POST", "/api/v2/delete?org=o&bucket=b", all).status, 204);
    assert_eq!(
        client.influxql("b", r#"SELECT COUNT("v") FROM "m" WHERE time >= 0"#),
        json!({ "results": [{ "statement_id": 0 }] })
    );
}

#[test]
fn a_line_that_is_none_refuses_all_and_one_of_another_type_itself() {
    let (_server, mut client) = serve(two());
    client.document("POST", "/api/v2/buckets", r#"{"name":"b"}"#);
    let bad = client.post("/api/v2/write?org=o&bucket=b", "m v=1 1\nm");
    assert_eq!(
        (bad.status, bad.json()),
        (400, json!({ "code": "invalid", "message": "unable to parse 'm': missing fields" }))
    );
    assert_eq!(client.post("/api/v2/write?bucket=b&precision=h", "m v=1").status, 400);
    let conflict = client.post("/api/v2/write?org=o&bucket=b", "m v=1 1\nm v=2i 2");
    assert_eq!(conflict.status, 422);
    assert!(
        conflict.body.contains("partial write: field type conflict") && conflict.body.contains("dropped=1"),
        "{conflict:?}"
    );
    let count = client.influxql("b", r#"SELECT COUNT("v") FROM "m" WHERE time >= 0"#);
    assert_eq!(count["results"][0]["series"][0]["values"][0][1], 1);
}
