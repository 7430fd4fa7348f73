//! The whole way of a batch through a target plugin.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::common::{Sandbox, batch, error, table, wait};
use benchhost_core::{Effort, ErrorKind, StopLevel, Target, Targets};
use benchhost_data::{LineProtocol, Payload, TimeUnit};

/// A server that answers one connection's requests with these bytes each, and gives back what it read.
fn answering(answers: Vec<&'static str>) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut read = String::new();
        let mut buffer = [0; 4096];
        for answer in answers {
            let start = read.len();
            while !read[start..].contains("hello") {
                let bytes = stream.read(&mut buffer).unwrap();
                read.push_str(&String::from_utf8_lossy(&buffer[..bytes]));
            }
            stream.write_all(answer.as_bytes()).unwrap();
        }
        read
    });
    (endpoint, thread)
}

fn hello() -> Payload {
    Payload::new(b"hello".to_vec(), 9).with_raw_size(50)
}

#[test]
fn the_null_plugin_takes_every_call_of_a_session() {
    let sandbox = Sandbox::new();
    let targets = sandbox.targets("null", &[], &[]);
    wait(async {
        let mut session = targets.open(0).await.unwrap();
        session.server().await.unwrap();
        session.create_table(&table()).await.unwrap();
        let batch = batch(10);
        let payload = session.encode(&batch).await.unwrap();
        assert_eq!(payload.rows(), 10);
        let ack = session.send(&payload).await.unwrap();
        assert!(ack.rows.is_none() || ack.rows == Some(10));
        session.drop_table(&table()).await.unwrap();
        session.close().await;
    });
}

#[test]
fn a_plugin_that_uses_the_native_encoder_gives_the_native_bytes_and_the_time_is_counted() {
    let sandbox = Sandbox::new();
    let targets = sandbox.targets("null", &[("format", "line-protocol")], &[]);
    wait(async {
        let mut session = targets.open(0).await.unwrap();
        let batch = batch(100);
        let native = LineProtocol::new(TimeUnit::Nanosecond).encode(&batch).unwrap();
        for _ in 0..2 {
            assert_eq!(session.encode(&batch).await.unwrap(), native);
            let effort = session.take_effort();
            assert!(effort.encode > Duration::ZERO);
            assert_eq!(Effort { encode: Duration::ZERO, ..effort }, Effort::default());
            assert_eq!(session.take_effort(), Effort::default());
        }
    });
}

#[test]
fn compressed_payloads_keep_their_rows_and_their_raw_size() {
    let sandbox = Sandbox::new();
    let batch = batch(100);
    let native = LineProtocol::new(TimeUnit::Nanosecond).encode(&batch).unwrap();
    let mut session = sandbox.session(&[("does", "gzip")]);
    let payload = wait(session.encode(&batch)).unwrap();
    assert_eq!((payload.rows(), payload.raw_size()), (100, native.size()));
    assert!(payload.size() < native.size());
    let mut session = sandbox.session(&[("does", "gzip-100")]);
    let refused = error(wait(session.encode(&batch)));
    assert_eq!(refused.kind, ErrorKind::Invalid);
    assert!(refused.message.contains("100"), "{}", refused.message);
}

#[test]
fn a_batch_can_be_read_column_by_column() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session(&[("does", "keep-reading")]);
    let payload = wait(session.encode(&batch(3))).unwrap();
    let text = String::from_utf8(payload.bytes().to_vec()).unwrap();
    assert!(text.contains("\"host\"") && text.contains("[0, 1000, 2000]") && text.ends_with("[]"), "{text}");
    assert_eq!(payload.rows(), 3);
}

#[test]
fn a_request_is_answered_and_its_bytes_and_time_are_counted_once() {
    let sandbox = Sandbox::new();
    let answer = "HTTP/1.1 204 No Content\r\n\r\n";
    let (endpoint, server) = answering(vec![answer, answer]);
    let targets = sandbox.targets("misbehave", &[("does", "post"), ("endpoint", &endpoint)], &[&endpoint]);
    wait(async {
        let mut session = targets.open(0).await.unwrap();
        for _ in 0..2 {
            let ack = session.send(&hello()).await.unwrap();
            assert_eq!((ack.rows, ack.server_time), (Some(9), Some(Duration::from_micros(1))));
            let effort = session.take_effort();
            assert!(effort.wait > Duration::ZERO && !effort.unanswered);
            assert_eq!(effort.received_bytes, answer.len() as u64);
            assert!(effort.sent_bytes > 5);
            assert_eq!(session.take_effort(), Effort::default());
        }
    });
    let read = server.join().unwrap();
    assert!(read.starts_with("POST /write HTTP/1.1\r\n") && read.to_lowercase().contains("x-one: 1"), "{read}");
}

#[test]
fn a_prepared_request_is_sent_again_and_says_nothing_of_a_plain_success() {
    let sandbox = Sandbox::new();
    let (endpoint, server) =
        answering(vec!["HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"]);
    let targets = sandbox.targets("misbehave", &[("does", "post-prepared"), ("endpoint", &endpoint)], &[&endpoint]);
    let answered = wait(async { error(targets.open(0).await.unwrap().send(&hello()).await) });
    assert_eq!(answered.message, "left true: 200", "the second answer has a body to look at");
    let read = server.join().unwrap().to_lowercase();
    assert_eq!(read.matches("post /write http/1.1\r\n").count(), 2, "{read}");
    assert_eq!(read.matches("x-one: 1\r\n").count(), 2, "{read}");
}

#[test]
fn a_replayed_answer_needs_no_server_also_for_a_plugin_that_prepares_nothing() {
    let sandbox = Sandbox::new();
    let (endpoint, server) = answering(vec!["HTTP/1.1 204 No Content\r\n\r\n"]);
    let targets = sandbox.targets("misbehave", &[("does", "post"), ("endpoint", &endpoint)], &[&endpoint]);
    wait(async {
        let mut session = targets.open(0).await.unwrap();
        session.send(&hello()).await.unwrap();
        session.take_effort();
        assert!(targets.replay(true));
        for _ in 0..3 {
            assert_eq!(session.send(&hello()).await.unwrap().rows, Some(9));
        }
        assert_eq!(session.take_effort(), Effort::default());
    });
    assert_eq!(server.join().unwrap().matches("POST /write").count(), 1);
}

#[test]
fn the_body_of_an_answer_can_be_read() {
    let sandbox = Sandbox::new();
    let (endpoint, server) = answering(vec!["HTTP/1.1 400 Bad Request\r\ncontent-length: 7\r\n\r\nno such"]);
    let targets = sandbox.targets("misbehave", &[("does", "post"), ("endpoint", &endpoint)], &[&endpoint]);
    let refused = wait(async { error(targets.open(0).await.unwrap().send(&hello()).await) });
    assert_eq!(refused.message, "status 400: no such");
    server.join().unwrap();
}

#[test]
fn an_endpoint_that_was_not_granted_is_denied() {
    let sandbox = Sandbox::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let targets = sandbox.targets("misbehave", &[("does", "post"), ("endpoint", &endpoint)], &[]);
    let denied = wait(async { error(targets.open(0).await.unwrap().send(&hello()).await) });
    assert_eq!((denied.kind, denied.code.as_deref()), (ErrorKind::Denied, Some("denied")));
    assert!(denied.message.contains("--allow-net"), "{}", denied.message);
}

#[test]
fn a_refused_connection_is_unavailable_and_may_be_tried_again() {
    let sandbox = Sandbox::new();
    // Bound and closed again: nobody listens there.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let endpoint = format!("http://{address}");
    let targets = sandbox.targets("misbehave", &[("does", "post"), ("endpoint", &endpoint)], &[&endpoint]);
    wait(async {
        let mut session = targets.open(0).await.unwrap();
        let refused = error(session.send(&hello()).await);
        assert_eq!((refused.kind, refused.code.as_deref()), (ErrorKind::Unavailable, Some("connection-refused")));
        assert!(refused.retryable);
        assert_eq!(session.take_effort(), Effort::default());
    });
}

#[test]
fn a_cancelled_run_gives_up_a_request_without_an_answer_and_says_that_it_is_unanswered() {
    let sandbox = Sandbox::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let targets = sandbox.targets("misbehave", &[("does", "post"), ("endpoint", &endpoint)], &[&endpoint]);
    wait(async {
        let mut session = targets.open(0).await.unwrap();
        let cancel = async {
            tokio::time::sleep(Duration::from_millis(30)).await;
            sandbox.stop.raise(StopLevel::Cancelled);
        };
        let hello = hello();
        let (outcome, ()) = tokio::join!(session.send(&hello), cancel);
        assert_eq!(error(outcome).kind, ErrorKind::Cancelled);
        assert!(session.take_effort().unanswered);
        // The session lives, and says the same at once.
        assert_eq!(error(session.send(&hello).await).kind, ErrorKind::Cancelled);
    });
}

#[test]
fn a_protocol_of_the_plugins_own_is_spoken_over_a_byte_stream() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("tcp://{}", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = [0; 6];
        stream.read_exact(&mut asked).unwrap();
        assert_eq!(&asked, b"greet\n");
        stream.write_all(b"hi\n").unwrap();
        let mut payload = [0; 5];
        stream.read_exact(&mut payload).unwrap();
        assert_eq!(&payload, b"hello");
        stream.write_all(b"05rest").unwrap();
    });
    let sandbox = Sandbox::new();
    let targets = sandbox.targets("misbehave", &[("does", "line"), ("endpoint", &endpoint)], &[&endpoint]);
    let (ack, effort) = wait(async {
        let mut session = targets.open(0).await.unwrap();
        let ack = session.send(&hello()).await.unwrap();
        (ack, session.take_effort())
    });
    served.join().unwrap();
    assert_eq!(ack.rows, Some(9));
    assert_eq!((effort.sent_bytes, effort.received_bytes, effort.unanswered), (11, 9, false));
    assert!(effort.wait > Duration::ZERO);
}

#[test]
fn a_byte_stream_leads_only_where_the_user_allowed_it_and_gives_no_more_than_fits() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("tcp://{}", listener.local_addr().unwrap());
    let sandbox = Sandbox::new();
    let settings = [("does", "ask-too-much"), ("endpoint", endpoint.as_str())];
    let ask = |granted: &[&str]| {
        let targets = sandbox.targets("misbehave", &settings, granted);
        wait(async { error(targets.open(0).await.unwrap().send(&hello()).await) })
    };
    assert_eq!(ask(&["tcp://127.0.0.1:1"]).kind, ErrorKind::Denied);
    let too_much = ask(&[&endpoint]);
    assert_eq!(too_much.kind, ErrorKind::Invalid);
    assert!(too_much.message.contains("at most 16777216 at a time"), "{too_much}");
}

#[test]
fn a_trace_has_every_call_with_its_bytes() {
    let sandbox = Sandbox::new();
    let targets = sandbox.targets("misbehave", &[("does", "keep-reading")], &[]);
    let (rows, calls) = benchhost_wasm::trace(|| {
        wait(async { targets.open(0).await.unwrap().encode(&batch(10)).await.unwrap().rows() })
    });
    assert_eq!(rows, 10);
    let told: Vec<_> = calls.iter().map(|call| (call.function.as_str(), call.copied_bytes)).collect();
    let text = calls.last().unwrap().copied_bytes;
    assert!(text > 100, "{told:?}");
    assert_eq!(
        told,
        [
            ("session.open", 0),
            ("encode.line-protocol.new", 0),
            ("ingest.encode", 0),
            ("data.batch.table", 0),
            ("data.batch.timestamps", 80),
            ("data.batch.nulls", 0),
            ("data.batch.rows", 0),
            ("data.payload.from-bytes", text),
        ]
    );
    assert!(calls.iter().all(|call| call.took.is_some()));
    // Nobody listens any more.
    assert!(benchhost_wasm::trace(|| ()).1.is_empty());
}
