//! The stand-ins for gRPC and Flight, and the reading of replies.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "tests")]

use benchhost_plugin::testing::{self, GrpcAnswer, GrpcServer};
use benchhost_plugin::{
    BodyCompression, Channel, Column, DataType, Error, ErrorKind, FlightEncoder, MessageCompression, Payload, PutAck,
    PutStream, Table, TimeUnit,
};

fn payload(bytes: &[u8]) -> Payload {
    Payload::from_bytes(bytes, 1)
}

#[test]
fn a_call_is_answered_and_remembered() {
    let server = GrpcServer::start();
    server.answer("/a.B/C", GrpcAnswer::ok(*b"yes"));
    let channel = Channel::connect(server.endpoint()).unwrap();
    channel.set_metadata("who", "me").unwrap();
    channel.set_metadata("Who", "you").unwrap();
    channel.compress(MessageCompression::Zstd);
    let reply = channel.unary("/a.B/C", &payload(b"ask")).unwrap().success("ask").unwrap();
    assert_eq!(reply.body().bytes(), b"yes");
    let call = server.call().unwrap();
    assert_eq!((call.metadata("WHO"), call.metadata.len()), (Some("you"), 1));
    assert_eq!(call.compression, Some(MessageCompression::Zstd));
    assert_eq!(call.messages, [b"ask"]);
}

#[test]
fn a_status_becomes_an_error_with_the_servers_words() {
    let server = GrpcServer::start();
    let answer = GrpcAnswer::status(8, "slow\n down").metadata("grpc-retry-pushback-ms", "250");
    server.answer("/a.B/C", answer);
    let reply = Channel::connect(server.endpoint()).unwrap().unary("/a.B/C", &payload(b"")).unwrap();
    let error = reply.success("write").unwrap_err();
    assert_eq!(error.message, "write: gRPC RESOURCE_EXHAUSTED: slow down");
    assert_eq!((error.kind, error.retryable, error.retry_after_ms), (ErrorKind::Throttled, true, Some(250)));
    assert_eq!(error.code.as_deref(), Some("RESOURCE_EXHAUSTED"));
}

#[test]
fn a_missing_right_is_recognised_by_name() {
    let server = GrpcServer::start();
    server.answer("/a.B/C", GrpcAnswer::status(16, "who are you"));
    let reply = Channel::connect(server.endpoint()).unwrap().unary("/a.B/C", &payload(b"")).unwrap();
    let error = reply.error("write").advise_if_refused("check `token`");
    assert_eq!(error.message, "write: gRPC UNAUTHENTICATED: who are you: check `token`");
}

#[test]
fn a_stream_is_answered_at_its_end() {
    let server = GrpcServer::start();
    server.on("/a.B/D", |call| GrpcAnswer::ok(vec![call.messages.len() as u8]));
    let stream = Channel::connect(server.endpoint()).unwrap().open_stream("/a.B/D").unwrap();
    stream.send(&payload(b"1")).unwrap();
    stream.send(&payload(b"2")).unwrap();
    assert!(stream.early_reply().is_none());
    assert!(server.calls().is_empty());
    assert_eq!(stream.finish().unwrap().body().bytes(), [2]);
}

#[test]
fn a_stream_that_ends_early_says_why() {
    let server = GrpcServer::start();
    server.end_streams_after(1, GrpcAnswer::status(3, "no such table"));
    let stream = Channel::connect(server.endpoint()).unwrap().open_stream("/a.B/D").unwrap();
    stream.send(&payload(b"1")).unwrap();
    assert_eq!(stream.send(&payload(b"2")).unwrap_err().kind, ErrorKind::Unavailable);
    assert_eq!(stream.early_reply().unwrap().message(), "no such table");
}

#[test]
fn an_endpoint_of_no_server_is_denied() {
    assert_eq!(Channel::connect("http://nobody.test:1").unwrap_err().kind, ErrorKind::Denied);
}

#[test]
fn a_batch_goes_into_a_flight_stream() {
    let table = Table {
        name: "m".into(),
        columns: vec![
            Column::tag("host"),
            Column::field("v", DataType::Float64).nullable(),
            Column::timestamp("ts", TimeUnit::Second),
        ],
    };
    let batch = testing::batch(&table, 2, |builder| {
        builder.append_strings(0, &["a".into(), "b".into()]);
        builder.append_float64s(1, &[1.5, 0.0]);
        builder.mark_nulls(1, &[1]);
        builder.append_timestamps(&[7, 8]);
    })
    .unwrap();
    let server = GrpcServer::start();
    server.on_put(|put| match put.path.as_slice() {
        [table] if table == "m" => Ok(PutAck { rows: Some(put.rows.into()), server_time_ns: None }),
        _ => Err(Error::rejected("Execute gRPC request error")),
    });
    let channel = Channel::connect(server.endpoint()).unwrap();
    let body = FlightEncoder::new(BodyCompression::Zstd).encode(&batch).unwrap();
    let stream = PutStream::new(&channel, &["m".into()], &table, 31);
    assert_eq!(stream.put(&body).unwrap().rows, Some(2));
    assert!(PutStream::new(&channel, &["n".into()], &table, 31).put(&body).is_err());
    let put = server.puts().remove(0);
    assert_eq!((put.max_in_flight, &put.table), (31, &table));
    assert_eq!(put.batch, body.bytes());
}
