//! The stand-in for the host: it must be as strict as the host is.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "tests")]

use benchhost_plugin::lp::{Precision, Writer};
use benchhost_plugin::testing::{self, Answer, Server};
use benchhost_plugin::{
    BatchBuilder, Client, Column, DataType, Dictionary, Error, ErrorKind, Query, Table, TimeUnit, log,
};

fn table() -> Table {
    let columns = vec![
        Column::tag("host"),
        Column::field("n", DataType::Int64).nullable(),
        Column::field("v", DataType::Float64),
        Column::timestamp("ts", TimeUnit::Millisecond),
    ];
    Table { name: "m".into(), columns }
}

fn write(builder: &BatchBuilder) {
    builder.append_keys(0, &Dictionary::new(&["a b".into(), "c".into()]), &[0, 1]);
    builder.append_int64s(1, &[0, -7]);
    builder.mark_nulls(1, &[0]);
    builder.append_float64s(2, &[0.5, 1.0]);
    builder.append_timestamps(&[1, 2]);
}

#[test]
fn a_batch_reads_back_as_it_was_written() {
    let batch = testing::batch(&table(), 2, write).unwrap();
    assert_eq!(batch.table(), table());
    assert_eq!(batch.rows(), 2);
    assert_eq!(batch.dictionary(0), ["a b", "c"]);
    assert_eq!(batch.keys(0), [0, 1]);
    assert_eq!(batch.strings(0), ["a b", "c"]);
    assert_eq!(batch.nulls(1), [0]);
    assert_eq!(batch.int64s(1)[1], -7);
    assert_eq!(batch.float64s(2), [0.5, 1.0]);
    assert_eq!(batch.timestamps(), [1, 2]);
}

#[test]
fn a_missing_column_is_an_error() {
    let error = testing::batch(&table(), 2, |builder| builder.append_timestamps(&[1, 2])).unwrap_err();
    assert!(error.message.contains("host"), "{}", error.message);
}

#[test]
#[should_panic(expected = "the host would trap")]
fn a_getter_of_the_wrong_type_traps() {
    testing::batch(&table(), 2, write).unwrap().uint64s(2);
}

fn writer(precision: Precision) -> Writer {
    let server = Server::start();
    let client = Client::connect(server.endpoint()).unwrap();
    Writer::new(&client, &Query::new("/write"), precision, false).unwrap()
}

#[test]
fn line_protocol_is_the_native_encoders() {
    let batch = testing::batch(&table(), 2, write).unwrap();
    let writer = writer(Precision::Us);
    let payload = writer.encode(&batch).unwrap();
    assert_eq!(payload.text(), "m,host=a\\ b v=0.5 1000\nm,host=c n=-7i,v=1 2000\n");
    assert_eq!(payload.rows(), 2);
}

#[test]
fn times_that_do_not_fit_the_precision_are_invalid() {
    let batch = testing::batch(&table(), 2, write).unwrap();
    let error = writer(Precision::S).encode(&batch).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid);
}

#[test]
fn a_writer_posts_text_and_says_when_it_is_compressed() {
    let server = Server::start();
    server.answer("POST", "/write", Answer::status(204));
    let client = Client::connect(server.endpoint()).unwrap();
    let batch = testing::batch(&table(), 2, write).unwrap();
    for gzip in [false, true] {
        let path = Query::new("/write").with("db", "x");
        let writer = Writer::new(&client, &path, Precision::Ns, gzip).unwrap();
        let payload = writer.encode(&batch).unwrap();
        assert_eq!(payload.rows(), 2);
        let ack = writer.send(&payload).unwrap();
        assert_eq!(ack.rows, None, "line protocol does not count");
        let request = server.request().unwrap();
        assert_eq!(request.param("db"), Some("x"));
        assert_eq!(request.header("content-type"), Some("text/plain; charset=utf-8"));
        assert_eq!(request.header("content-encoding"), gzip.then_some("gzip"));
        assert_eq!(request.body.starts_with(&[0x1f, 0x8b]), gzip);
    }
}

#[test]
fn a_large_body_is_read_in_pieces() {
    let server = Server::start();
    server.answer("GET", "/x", Answer::status(200).body(vec![b'x'; (16 << 20) + 5]));
    let client = Client::connect(server.endpoint()).unwrap();
    let body = client.call("GET", &Query::new("/x")).unwrap().body();
    assert_eq!(body.read(0, u32::MAX).len(), 16 << 20);
    assert_eq!(body.bytes().len(), (16 << 20) + 5);
}

#[test]
fn an_endpoint_of_no_server_is_denied() {
    assert_eq!(Client::connect("http://127.0.0.1:1").unwrap_err().kind, ErrorKind::Denied);
    let gone = Server::start().endpoint().to_owned();
    assert_eq!(Client::connect(&gone).unwrap_err().kind, ErrorKind::Denied);
}

#[test]
fn a_request_that_the_test_did_not_foresee_is_an_error() {
    let server = Server::start();
    let client = Client::connect(server.endpoint()).unwrap();
    let error = client.call("GET", &Query::new("/nowhere")).unwrap_err();
    assert_eq!(error, Error::internal("the test has told the server no answer to GET /nowhere"));
    assert!(server.request().is_ok());
    assert!(server.request().is_err(), "requests are handed out once");
}

#[test]
fn the_last_answer_told_goes_first() {
    let server = Server::start();
    server.answer("GET", "/x", Answer::status(200));
    server.on("GET", "/x", |request| Answer::status(if request.param("a").is_some() { 404 } else { 500 }));
    let client = Client::connect(server.endpoint()).unwrap();
    assert_eq!(client.call("GET", &Query::new("/x")).unwrap().status(), 500);
    assert_eq!(client.call("GET", &Query::new("/x").with("a", "")).unwrap().status(), 404);
}

#[test]
fn what_is_logged_can_be_looked_at_once() {
    log::warn("careful");
    assert_eq!(testing::logged(), [(log::Level::Warn, "careful".to_owned())]);
    assert_eq!(testing::logged(), []);
}

#[test]
fn a_byte_stream_answers_as_its_server_says() {
    let server = testing::StreamServer::start(|asked| match asked {
        b"PING\r\n" => Some(b"+PONG\r\n$2\r\nok".to_vec()),
        _ => None,
    });
    let connection = benchhost_plugin::Connection::connect(server.endpoint()).unwrap();
    connection.write(b"PING\r\n").unwrap();
    assert_eq!(connection.read_until(b"\r\n", 100).unwrap(), b"+PONG\r\n");
    assert_eq!(connection.read_until(b"\r\n", 3).unwrap_err().kind, ErrorKind::Denied);
    assert_eq!(connection.read_exact(4).unwrap(), b"$2\r\n");
    assert_eq!(connection.read(100).unwrap(), b"ok");
    assert_eq!(connection.read(100).unwrap_err().kind, ErrorKind::TimedOut);
    connection.write_payload(&benchhost_plugin::Payload::from_bytes(b"QUIT", 0)).unwrap();
    assert_eq!(connection.read(100).unwrap(), b"");
    assert_eq!(connection.read_exact(1).unwrap_err().kind, ErrorKind::Unavailable);
    assert_eq!(server.written(), b"PING\r\nQUIT");
    assert_eq!(benchhost_plugin::Connection::connect("tcp://elsewhere:1").unwrap_err().kind, ErrorKind::Denied);
}
