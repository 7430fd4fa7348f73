//! What goes wrong on purpose.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::http::{Client, injecting};

fn stored(client: &mut Client) -> u64 {
    let tables = client.get("/truth").json()["tables"].clone();
    tables.as_array().unwrap().iter().map(|table| table["rows_received"].as_u64().unwrap()).sum()
}

#[test]
fn refusals_and_throttles_store_nothing_and_say_so() {
    let (_server, mut client) = injecting(&["error=100%"]);
    let refused = client.post("/v1/influxdb/write", "m v=1 1");
    assert!(refused.status == 500 && refused.body.contains("injected"), "{refused:?}");
    assert_eq!(stored(&mut client), 0);
    let (_server, mut client) = injecting(&["throttle=100%"]);
    let throttled = client.post("/v1/influxdb/write", "m v=1 1");
    assert_eq!((throttled.status, throttled.header("retry-after")), (429, Some("1")));
    assert_eq!(stored(&mut client), 0);
}

#[test]
fn lost_rows_are_acknowledged_and_not_there() {
    let (_server, mut client) = injecting(&["lose=100%"]);
    assert_eq!(client.post("/v1/influxdb/write", "m v=1 1").status, 204);
    assert_eq!(stored(&mut client), 0);
}

#[test]
fn a_share_of_writes_is_hit_and_the_same_share_again_with_the_same_seed() {
    let statuses = || {
        let (_server, mut client) = injecting(&["error=30%"]);
        (0..60).map(|n| client.post("/v1/influxdb/write", &format!("m v=1 {n}")).status).collect::<Vec<_>>()
    };
    let first = statuses();
    assert_eq!(first, statuses());
    let refused = first.iter().filter(|status| **status == 500).count();
    assert!((6..=30).contains(&refused), "{refused}");
}

#[test]
fn a_cut_connection_ends_without_an_answer_and_the_write_is_stored_or_not() {
    let (server, _) = injecting(&["reset=100%"]);
    for n in 0..40 {
        let mut client = Client::new(server.http_address.unwrap());
        let body = format!("m v=1 {n}");
        assert_eq!(client.try_ask("POST", "/v1/influxdb/write", &[], body.as_bytes()), None);
    }
    let kept = stored(&mut Client::new(server.http_address.unwrap()));
    assert!((5..=35).contains(&kept), "{kept}");
}

#[test]
fn a_part_is_stored_and_every_protocol_says_how_much() {
    let (_server, mut client) = injecting(&["partial=100%"]);
    client.post("/query?q=CREATE+DATABASE+b", "");
    let lines = |from: u32| (from..from + 100).map(|n| format!("m v=1 {n}\n")).collect::<String>();
    let v3 = client.post("/api/v3/write_lp?db=b&precision=nanosecond", &lines(0));
    let dropped3 = v3.json()["data"].as_array().unwrap().len() as u64;
    assert_eq!((v3.status, stored(&mut client)), (400, 100 - dropped3));
    let v1 = client.post("/write?db=b", &lines(1000)).json()["error"].as_str().unwrap().to_owned();
    let dropped1: u64 = v1.strip_prefix("partial write: injected dropped=").unwrap().parse().unwrap();
    let v2 = client.post("/api/v2/write?bucket=b", &lines(2000));
    let dropped2: u64 = v2.json()["message"].as_str().unwrap().rsplit('=').next().unwrap().parse().unwrap();
    assert_eq!((v2.status, stored(&mut client)), (422, 300 - dropped1 - dropped2 - dropped3));
    let greptime = client.post("/v1/influxdb/write?db=b", &lines(3000));
    assert!(greptime.status == 500 && greptime.body.contains("rows are stored"), "{greptime:?}");
    assert!((1..=100).contains(&dropped1) && (1..=100).contains(&dropped2));
}

#[test]
fn latency_holds_writes_and_not_questions() {
    let (_server, mut client) = injecting(&["latency=80ms"]);
    let began = Instant::now();
    assert_eq!(client.post("/v1/influxdb/write", "m v=1 1").status, 204);
    assert!(began.elapsed() >= Duration::from_millis(80));
    assert_eq!(client.rows("SELECT count(*) FROM m"), json!([[1]]));
}
