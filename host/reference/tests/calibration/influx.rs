//! What the server answers and stores, over real sockets.

use crate::support::{Client, server};
use benchhost_reference::{Server, ServerOptions};
use serde_json::json;

#[test]
fn it_says_that_it_is_influxdb_1() {
    let server = server(ServerOptions::default());
    let answer = Client::new(&server).ask("GET", "/ping", "");
    assert_eq!((answer.status, answer.header("x-influxdb-version")), (204, Some("1.8.10")));
    assert_eq!(answer.header("content-length"), None);
}

#[test]
fn rows_are_counted_in_their_range_of_time() {
    let server = server(ServerOptions::default());
    let mut client = Client::new(&server);
    let lines: String =
        (0..1000).map(|n| format!("cpu,host=h{} cpu={n},memory=1.5 {}\n", n % 7, n * 1_000_000)).collect();
    assert_eq!((client.write(&lines).status, client.write("cpu,host=a cpu=1 5000000").status), (204, 204));
    // Another measurement, and another unit.
    assert_eq!(client.write("mem v=1 5000000").status, 204);
    assert_eq!(client.ask("POST", "/write?db=b&precision=ms", "cpu v=1 5").status, 204);
    let series = |start: i64, count: u64| {
        let series = json!([{ "name": "cpu", "columns": ["time", "count"], "values": [[start, count]] }]);
        json!({ "results": [{ "statement_id": 0, "series": series }] })
    };
    assert_eq!(client.count(i64::MIN + 2, i64::MAX - 1), series(i64::MIN + 2, 1002));
    assert_eq!(client.count(5_000_000, 6_000_000), series(5_000_000, 3));
    assert_eq!(client.count(4_000_001, 5_000_000), json!({ "results": [{ "statement_id": 0 }] }));
    let two = client.statement("GET", r#"SELECT COUNT("a"), COUNT("b") FROM "mem" WHERE time >= 0 AND time < 9000000"#);
    assert_eq!(two["results"][0]["series"][0]["columns"], json!(["time", "count", "count_1"]));
    assert_eq!(two["results"][0]["series"][0]["values"], json!([[0, 1, 1]]));
}

#[test]
fn a_dropped_measurement_is_gone_and_dropping_it_again_says_so() {
    let server = server(ServerOptions::default());
    let mut client = Client::new(&server);
    client.write("cpu v=1 5");
    assert_eq!(client.statement("POST", r#"DROP MEASUREMENT "cpu""#), json!({ "results": [{ "statement_id": 0 }] }));
    assert_eq!(client.count(0, 10), json!({ "results": [{ "statement_id": 0 }] }));
    let again = client.statement("POST", r#"DROP MEASUREMENT "cpu""#);
    assert_eq!(again["results"][0]["error"], "measurement not found: cpu");
}

#[test]
fn a_liar_acknowledges_and_stores_nothing() {
    let server = server(ServerOptions { forget: true, ..ServerOptions::default() });
    let mut client = Client::new(&server);
    assert_eq!(client.write("cpu v=1 5").status, 204);
    assert_eq!(client.count(0, 10), json!({ "results": [{ "statement_id": 0 }] }));
    assert_eq!(server.truth().writes, 1);
}

#[test]
fn bad_lines_are_named_and_the_good_ones_are_stored() {
    let server = server(ServerOptions::default());
    let mut client = Client::new(&server);
    let answer = client.write("cpu v=1 5\ncpu 6\ncpu v=1 7");
    assert_eq!(answer.status, 400);
    assert_eq!(answer.json()["error"], "partial write: unable to parse 'cpu 6': missing fields dropped=0");
    assert_eq!(client.count(0, 10)["results"][0]["series"][0]["values"][0][1], 2);
    assert_eq!(client.write("cpu 6").json()["error"], "unable to parse 'cpu 6': missing fields");
    let many = client.write(&format!("cpu v=1 5\n{}", "x\n".repeat(9))).json()["error"].to_string();
    assert!(many.matches("unable to parse").count() == 5 && many.contains("dropped=4"), "{many}");
    let outside = client.ask("POST", "/write?db=b&precision=h", "cpu v=1 9223372036854775807");
    assert!(outside.body.contains("time outside range"), "{outside:?}");
}

#[test]
fn what_cannot_be_done_is_refused_in_words_and_the_connection_goes_on() {
    let server = server(ServerOptions::default());
    let mut client = Client::new(&server);
    for (method, target, status, words) in [
        ("POST", "/write?db=none", 404, "database not found: \\\"none\\\""),
        ("POST", "/write", 400, "database is required"),
        ("POST", "/write?db=b&precision=us", 400, "invalid precision"),
        ("GET", "/write?db=b", 405, "use POST"),
        ("DELETE", "/ping", 405, "use GET or HEAD"),
        ("GET", "/truth/reset", 405, "use POST"),
        ("POST", "/truth", 405, "use GET"),
        ("GET", "/query", 400, "missing required parameter"),
        ("GET", "/query?q=SHOW+DATABASES", 400, "error parsing query"),
        ("GET", "/query?q=CREATE+DATABASE+x", 405, "send it by POST"),
        ("GET", "/query?q=SELECT+COUNT(a)+FROM+m+WHERE+time%3E%3D1+AND+time%3C2", 400, "epoch=ns"),
        ("POST", "/query?q=DROP+MEASUREMENT+m", 200, "database name required"),
        ("POST", "/query?db=none&q=DROP+MEASUREMENT+m", 200, "database not found: none"),
        ("GET", "/favicon.ico", 404, "no such path: /favicon.ico"),
    ] {
        let answer = client.ask(method, target, "cpu v=1 5");
        assert_eq!(answer.status, status, "{method} {target}: {}", answer.body);
        assert!(answer.body.contains(words), "{method} {target}: {}", answer.body);
    }
    let zipped = "POST /write?db=b HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx";
    assert_eq!(client.raw(zipped).status, 415);
    assert_eq!(client.ask("GET", "/ping", "").status, 204);
}

#[test]
fn what_is_no_request_is_answered_400_and_the_connection_ends() {
    let server = server(ServerOptions::default());
    for text in ["nonsense\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n"] {
        let mut client = Client::new(&server);
        let answer = client.raw(text);
        assert_eq!((answer.status, answer.header("connection")), (400, Some("close")), "{text:?}");
        assert!(answer.body.contains("this is no HTTP/1.1 request"), "{}", answer.body);
        assert!(client.closed());
    }
    assert_eq!(Client::new(&server).raw("POST / HTTP/1.1\r\nContent-Length: 26000000\r\n\r\n").status, 413);
    let mut client = Client::new(&server);
    assert_eq!(client.raw("GET /ping HTTP/1.1\r\nConnection: close\r\n\r\n").status, 204);
    assert!(client.closed());
}

#[test]
fn one_connection_too_many_is_turned_away_and_a_closed_one_makes_room() {
    let server = Server::start(ServerOptions { max_connections: 2, ..ServerOptions::default() }).unwrap();
    let mut two = [Client::new(&server), Client::new(&server)];
    for client in &mut two {
        assert_eq!(client.ask("GET", "/ping", "").status, 204);
    }
    let mut third = Client::new(&server);
    let answer = third.answer();
    assert_eq!(answer.status, 503);
    assert!(answer.body.contains("takes 2 connections at once"), "{}", answer.body);
    drop(two);
    // The server learns of a close when it comes; until then it says so.
    while Client::new(&server).raw("GET /ping HTTP/1.1\r\n\r\n").status != 204 {}
}

#[test]
fn the_server_ends_with_its_handle() {
    let server = server(ServerOptions::default());
    let address = server.address;
    let mut client = Client::new(&server);
    server.stop();
    assert!(client.closed());
    assert!(std::net::TcpStream::connect(address).is_err());
}
