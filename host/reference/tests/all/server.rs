//! Starting, ending, bounds, and what the server says of itself.

use std::net::{SocketAddr, TcpStream};

use benchhost_reference::{ReferenceError, ReferenceOptions, ReferenceServer};
use serde_json::json;

use crate::http::{Client, serve, start};

#[test]
fn it_says_what_it_has() {
    let (_server, mut client) = serve(ReferenceOptions::default());
    let lines = "cpu,h=a v=1 1\ncpu,h=a v=2 1\ncpu,h=b v=3 1";
    assert_eq!(client.post("/v1/influxdb/write", lines).status, 204);
    let truth = client.get("/truth").json();
    let table = &truth["tables"][0];
    assert_eq!((&table["database"], &table["table"]), (&json!("public"), &json!("cpu")));
    assert_eq!((&table["rows_received"], &table["distinct_rows"]), (&json!(3), &json!(2)));
    assert!(table["bytes"].as_u64().unwrap() > 0);
}

#[test]
fn a_port_that_is_taken_is_a_clear_error() {
    let server = start(ReferenceOptions::default());
    let taken = server.http_address.unwrap();
    let error =
        ReferenceServer::start(ReferenceOptions { http: Some(taken), grpc: None, ..ReferenceOptions::default() })
            .unwrap_err();
    assert!(matches!(error, ReferenceError::Listen { protocol: "HTTP", .. }));
    let words = error.to_string();
    assert!(
        words.contains(&taken.to_string()) && words.ends_with("choose another port, or port 0 for a free one"),
        "{words}"
    );
    let nobody = ReferenceOptions { password: Some("p".into()), ..ReferenceOptions::default() };
    assert!(ReferenceServer::start(nobody).unwrap_err().to_string().contains("no user"));
}

#[test]
fn it_ends_with_its_handle_and_listens_on_this_machine_alone() {
    let (server, mut client) = serve(ReferenceOptions::default());
    let address: SocketAddr = server.http_address.unwrap();
    assert!(address.ip().is_loopback());
    assert_eq!(client.get("/health").status, 200);
    server.stop();
    assert!(TcpStream::connect(address).is_err());
    assert_eq!(client.try_ask("GET", "/health", &[], b""), None);
}

#[test]
fn a_write_beyond_the_bound_is_refused_and_stores_nothing() {
    let (_server, mut client) = serve(ReferenceOptions { max_bytes: 64 << 10, ..ReferenceOptions::default() });
    let lines = |from: usize| (from..from + 400).map(|n| format!("m,h=h{n} v={n} {n}\n")).collect::<String>();
    assert_eq!(client.post("/v1/influxdb/write", &lines(0)).status, 204);
    let refused = client.post("/v1/influxdb/write", &[lines(1000), lines(2000)].concat());
    assert_eq!(refused.status, 507);
    assert!(refused.json()["error"].as_str().unwrap().contains("memory is full"), "{}", refused.body);
    assert_eq!(client.rows("SELECT count(*) FROM m"), json!([[400]]));
    // What is dropped makes room.
    assert_eq!(client.sql("DROP TABLE m").status, 200);
    assert_eq!(client.post("/v1/influxdb/write", &lines(0)).status, 204);
}

#[test]
fn counting_mode_counts_rows_in_their_range_and_drops_their_values() {
    let (_server, mut client) = serve(ReferenceOptions { count_only: true, ..ReferenceOptions::default() });
    for batch in 0..3 {
        let lines: String = (0..100).map(|n| format!("m,h=a v={n} {}\n", batch * 1000 + n)).collect();
        assert_eq!(client.post("/v1/influxdb/write", &lines).status, 204);
    }
    assert_eq!(client.rows("SELECT count(*) FROM m"), json!([[300]]));
    assert_eq!(
        client
            .rows("SELECT count(*) FROM m WHERE greptime_timestamp >= arrow_cast(1000, 'Timestamp(Nanosecond, None)')"),
        json!([[200]])
    );
    assert_eq!(client.rows("SELECT count(v) FROM m"), json!([[0]]));
    let count = client.influxql("public", r#"SELECT COUNT("v") FROM "m" WHERE time >= 0 AND time < 1000"#);
    assert_eq!(count["results"][0]["series"][0]["values"], json!([[0, 100]]));
    assert_eq!(client.get("/truth").json()["tables"][0]["rows_received"], 300);
}

#[test]
fn small_writes_are_joined_and_nothing_is_lost() {
    let (_server, mut client) = serve(ReferenceOptions::default());
    for n in 0..200 {
        // A column that comes later, and keys that come again.
        let extra = if n > 100 { format!(",w={n}i") } else { String::new() };
        assert_eq!(client.post("/v1/influxdb/write", &format!("m,h=h{} v={n}{extra} 5", n % 150)).status, 204);
    }
    assert_eq!(client.rows("SELECT count(*), count(w), sum(v) FROM m"), json!([[150, 99, 18675.0]]));
}

#[test]
fn unknown_paths_and_methods_are_named() {
    let (server, mut client) = serve(ReferenceOptions::default());
    let missing = client.get("/favicon.ico");
    assert_eq!(
        (missing.status, missing.json()["error"].clone()),
        (404, json!("the reference server has no path /favicon.ico"))
    );
    assert_eq!(client.get("/v1/influxdb/write").status, 405);
    let mut other = Client::new(server.http_address.unwrap());
    assert_eq!(other.ask("HEAD", "/ping", &[], b"").status, 204);
}
