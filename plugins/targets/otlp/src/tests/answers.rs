//! Both ways to a server, and what it answers.

use benchhost_plugin::testing::{GrpcAnswer, GrpcServer};
use benchhost_plugin::{ErrorKind, MessageCompression};

use super::*;

const EXPORT: &str = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
/// `partial_success` with one rejected record and `bad`.
const PARTIAL: &[u8] = b"\x0a\x07\x08\x01\x12\x03bad";

#[test]
fn logs_are_posted_with_the_users_headers() {
    let server = Server::start();
    server.answer("POST", "/v1/logs", Answer::status(200));
    let settings = [("headers", "x-a: 1, x-b:two"), ("token", "secret"), ("gzip", "true")];
    let mut otlp = opened(&server, &settings).unwrap();
    let payload = otlp.encode(&batch()).unwrap();
    assert_eq!(otlp.send(&payload).unwrap(), Ack::silent());
    let request = server.request().unwrap();
    assert_eq!((request.header("x-a"), request.header("x-b")), (Some("1"), Some("two")));
    assert_eq!(request.header("authorization"), Some("Bearer secret"));
    assert_eq!(request.header("content-type"), Some("application/x-protobuf"));
    assert_eq!(request.header("content-encoding"), Some("gzip"));
    assert!(request.body.starts_with(&[0x1f, 0x8b]));
    assert!(!format!("{:?}", otlp.server().unwrap()).contains("secret"));
}

#[test]
fn a_partial_success_is_counted() {
    let server = Server::start();
    let answer = Answer::status(200).header("content-type", "application/x-protobuf").body(PARTIAL);
    server.answer("POST", "/v1/logs", answer);
    let mut otlp = opened(&server, &[]).unwrap();
    let payload = otlp.encode(&batch()).unwrap();
    let error = otlp.send(&payload).unwrap_err();
    assert_eq!((error.kind, error.rows_accepted), (ErrorKind::Partial, Some(1)));
    assert_eq!(error.message, "write: 1 of 2 records were rejected: bad");
    let warning = Answer::status(200).header("content-type", "application/x-protobuf").body(*b"\x0a\x05\x12\x03old");
    server.answer("POST", "/v1/logs", warning);
    assert_eq!(otlp.send(&payload).unwrap(), Ack::silent());
    assert!(testing::logged()[0].1.ends_with("warns: old"));
    server.answer("POST", "/v1/logs", Answer::status(200).header("content-type", "application/json").body("{}"));
    assert_eq!(otlp.send(&payload).unwrap(), Ack::silent());
}

#[test]
fn a_refusal_has_the_servers_words() {
    let server = Server::start();
    let mut otlp = opened(&server, &[]).unwrap();
    let payload = otlp.encode(&batch()).unwrap();
    let says = |answer: Answer, otlp: &mut Otlp| {
        server.answer("POST", "/v1/logs", answer);
        otlp.send(&payload).unwrap_err()
    };
    let status = Answer::status(400).header("content-type", "application/x-protobuf").body(*b"\x08\x03\x12\x03bad");
    let error = says(status, &mut otlp);
    assert_eq!((error.message.as_str(), error.code.as_deref()), ("write: HTTP 400: bad", Some("400")));
    let error = says(Answer::status(404), &mut otlp);
    assert_eq!(error.message, "write: HTTP 404 Not Found: check `path` and `dialect`");
    let error = says(Answer::status(429).header("retry-after", "1"), &mut otlp);
    assert_eq!((error.kind, error.retry_after_ms), (ErrorKind::Throttled, Some(1000)));
}

#[test]
fn grpc_takes_the_same_messages() {
    let grpc = GrpcServer::start();
    grpc.answer(EXPORT, GrpcAnswer::ok([]));
    let settings = [
        ("protocol", "grpc"),
        ("grpc_endpoint", grpc.endpoint()),
        ("user", "u"),
        ("password", "p"),
        ("gzip", "true"),
        ("headers", "x-a:1"),
    ];
    let mut otlp: Otlp = testing::open_target(&settings).unwrap();
    let payload = otlp.encode(&batch()).unwrap();
    assert_eq!(otlp.send(&payload).unwrap(), Ack::silent());
    let call = grpc.call().unwrap();
    assert_eq!((call.metadata("authorization"), call.metadata("x-a")), (Some("Basic dTpw"), Some("1")));
    assert_eq!(call.compression, Some(MessageCompression::Gzip));
    let server = Server::start();
    assert_eq!(call.messages[0], opened(&server, &[]).unwrap().encode(&batch()).unwrap().bytes());
    grpc.answer(EXPORT, GrpcAnswer::ok(PARTIAL));
    assert_eq!(otlp.send(&payload).unwrap_err().rows_accepted, Some(1));
    grpc.answer(EXPORT, GrpcAnswer::status(8, "grpc: received message larger than max (5 vs. 4)"));
    let error = otlp.send(&payload).unwrap_err();
    assert_eq!((error.kind, error.retryable), (ErrorKind::Rejected, false));
    assert!(error.message.ends_with("set a smaller --batch-rows"), "{}", error.message);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let server = Server::start();
    let refused: [(&[(&str, &str)], &str); 7] = [
        (&[("token", "t"), ("user", "u")], "both `token` and `user` are set"),
        (&[("password", "p")], "`password` is set without `user`"),
        (&[("protocol", "grpc"), ("dialect", "greptime")], "dialect=greptime takes logs over HTTP only"),
        (&[("protocol", "grpc")], "protocol=grpc writes over gRPC: set -P grpc_endpoint="),
        (&[("headers", "nonsense")], "setting `headers`: `nonsense` is not `name:value`"),
        (&[("body_column", "a"), ("severity_column", "a")], "`body_column` and `severity_column`"),
        (&[("path", "v1/logs")], "setting `path`: it must begin with `/`"),
    ];
    for (settings, words) in refused {
        let error = opened(&server, settings).err().unwrap();
        assert_eq!(error.kind, ErrorKind::Invalid);
        assert!(error.message.starts_with(words), "{}", error.message);
    }
    let error = testing::open_target::<Otlp>(&[]).err().unwrap();
    assert!(error.message.starts_with("protocol=http needs `endpoint`"), "{}", error.message);
}
