//! Calls with one message and one answer.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use crate::grpc::echo::{METHOD, echo};
use crate::grpc::{GrpcServer, bounded};
use benchhost_net::{Exchange, Grants, HttpOptions, MessageCompression, NetError, Transport};
use bytes::Bytes;
use tokio::sync::Notify;

#[tokio::test]
async fn a_call_is_made_as_grpc_wants_it_and_its_answer_is_read_whole() {
    bounded(async {
        let server = GrpcServer::start(|_, mut call| async move {
            assert_eq!((call.head.method.as_str(), call.head.uri.path()), ("POST", METHOD));
            assert_eq!(call.head.uri.scheme_str(), Some("http"));
            for (name, value) in [
                ("te", "trailers"),
                ("content-type", "application/grpc"),
                ("grpc-timeout", "30000000u"),
                ("grpc-accept-encoding", "identity,gzip,zstd"),
                ("x-greptime-auth", "second"),
            ] {
                assert_eq!(call.header(name), Some(value), "{name}");
            }
            assert!(call.header("user-agent").unwrap().starts_with("benchhost/"));
            assert_eq!(call.next().await.unwrap(), Some((0, Bytes::from_static(b"question"))));
            assert_eq!(call.next().await.unwrap(), None);
            let answer = call.begin(&[("x-where", "head"), ("x-head", "1")]);
            answer.message(0, &[7; 200_000]);
            answer.end(&[("grpc-status", "0"), ("x-where", "trailers")]);
        })
        .await;
        let mut channel = server.channel().await;
        channel.set_metadata("X-Greptime-Auth", "first").unwrap();
        channel.set_metadata("x-greptime-auth", "second").unwrap();
        let reply = channel.unary(METHOD, Bytes::from_static(b"question")).await.unwrap();
        assert_eq!((reply.status, reply.message.as_str(), reply.body.len()), (0, "", 200_000));
        let metadata = ["x-where", "X-Head", "x-none"].map(|name| reply.metadata(name));
        assert_eq!(metadata, [Some("trailers"), Some("1"), None]);
        let exchange = channel.take_exchange();
        assert!(!exchange.unanswered && exchange.bytes_received > 200_000 && exchange.bytes_sent > 0);
        assert!(!exchange.wait.is_zero());
    })
    .await;
}

#[tokio::test]
async fn any_status_is_an_answer() {
    bounded(async {
        let server = GrpcServer::start(|number, mut call| async move {
            call.message().await;
            match number {
                0 => call.begin(&[]).end(&[
                    ("grpc-status", "3"),
                    ("grpc-message", "no%20db"),
                    ("x-greptime-err-code", "1004"),
                ]),
                1 => call.only(
                    200,
                    &[("content-type", "application/grpc"), ("grpc-status", "16"), ("grpc-message", "who?")],
                ),
                2 => call.only(503, &[("content-type", "text/html")]),
                3 => {
                    let answer = call.begin(&[("content-type", "text/html")]);
                    answer.raw(b"<html>".to_vec());
                }
                _ => drop(call.begin(&[])),
            }
        })
        .await;
        let mut channel = server.channel().await;
        let mut replies = Vec::new();
        for _ in 0..5 {
            let reply = channel.unary(METHOD, Bytes::new()).await.unwrap();
            assert!(reply.body.is_empty() && !channel.take_exchange().unanswered);
            replies.push(reply);
        }
        assert_eq!(replies[0].metadata("x-greptime-err-code"), Some("1004"));
        assert_eq!((replies[0].message.as_str(), replies[1].message.as_str()), ("no db", "who?"));
        assert_eq!(replies.iter().map(|reply| reply.status).collect::<Vec<_>>(), [3, 16, 14, 2, 2]);
        assert!(replies[2].message.contains("503"), "{}", replies[2].message);
        assert_eq!(server.connections(), 1);
    })
    .await;
}

#[tokio::test]
async fn messages_are_compressed_both_ways() {
    bounded(async {
        let server = GrpcServer::start(|_, mut call| async move {
            let how = call.header("grpc-encoding").unwrap().to_owned();
            let (flag, message) = call.next().await.unwrap().unwrap();
            assert!(flag == 1 && message.len() < 1000);
            let answer = call.begin(&[("grpc-encoding", &how)]);
            answer.message(1, &message);
            answer.ok();
        })
        .await;
        for how in [MessageCompression::Gzip, MessageCompression::Zstd] {
            let mut channel = server.channel().await;
            channel.compress(how);
            let message = Bytes::from(vec![5; 100_000]);
            assert_eq!(channel.unary(METHOD, message.clone()).await.unwrap().body, message, "{how:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_answer_over_the_limit_is_refused_by_its_length_and_by_what_it_unpacks_to() {
    bounded(async {
        let server = GrpcServer::start(|number, mut call| async move {
            call.message().await;
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(&vec![0; 1 << 20]).unwrap();
            let bomb = encoder.finish().unwrap();
            let answer = call.begin(&[("grpc-encoding", "gzip")]);
            match number {
                0 => answer.message(0, &[0; 100_001]),
                1 => answer.message(1, &bomb),
                _ => answer.message(0, &[0; 100_000]),
            }
            answer.ok();
        })
        .await;
        let mut channel =
            server.channel_with(HttpOptions { max_response_bytes: 100_000, ..HttpOptions::default() }).await;
        for _ in 0..2 {
            let error = channel.unary(METHOD, Bytes::new()).await.unwrap_err();
            assert!(matches!(error, NetError::TooLarge { limit: 100_000, .. }), "{error}");
            assert!(channel.take_exchange().unanswered);
        }
        assert_eq!(channel.unary(METHOD, Bytes::new()).await.unwrap().body.len(), 100_000);
        assert_eq!(server.connections(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_call_whose_time_is_over_is_reset_and_leaves_the_connection_to_others() {
    bounded(async {
        let reset = Arc::new(Notify::new());
        let told = Arc::clone(&reset);
        let server = GrpcServer::start(move |number, mut call| {
            let reset = Arc::clone(&told);
            async move {
                call.message().await;
                if number == 0 {
                    let answer = call.begin(&[]);
                    answer.message(0, b"half");
                    reset.notified().await;
                } else {
                    call.begin(&[]).ok();
                }
            }
        })
        .await;
        let options = HttpOptions { request_timeout: Duration::from_millis(200), ..HttpOptions::default() };
        let mut channel = server.channel_with(options).await;
        let error = channel.unary(METHOD, Bytes::new()).await.unwrap_err();
        assert!(matches!(error, NetError::TimedOut { .. }) && error.retryable(), "{error}");
        let exchange = channel.take_exchange();
        assert!(exchange.unanswered && exchange.wait >= Duration::from_millis(200));
        assert_eq!(channel.unary(METHOD, Bytes::new()).await.unwrap().status, 0);
        assert_eq!(server.connections(), 1);
        reset.notify_one();
    })
    .await;
}

#[tokio::test]
async fn answers_that_are_not_grpc_inside_are_refused() {
    bounded(async {
        let server = GrpcServer::start(|number, mut call| async move {
            call.message().await;
            let answer = call.begin(&[]);
            answer.raw(match number {
                0 => b"\0\0\0\0\x05ab".to_vec(),
                1 => b"\x07\0\0\0\0".to_vec(),
                2 => b"\0\0\0\0\0\0\0\0\0\0".to_vec(),
                _ => b"\x01\0\0\0\x01a".to_vec(),
            });
            answer.ok();
        })
        .await;
        let mut channel = server.channel().await;
        for _ in 0..4 {
            let error = channel.unary(METHOD, Bytes::new()).await.unwrap_err();
            assert!(matches!(error, NetError::NotGrpc { .. }) && !error.retryable(), "{error}");
        }
        for path in ["", "nothing", "/one"] {
            assert_eq!(channel.unary(path, Bytes::new()).await.unwrap_err().code(), "malformed");
        }
    })
    .await;
}

#[tokio::test]
async fn the_bytes_of_a_shared_connection_are_counted_exactly_and_once() {
    bounded(async {
        let server = echo().await;
        let transport = server.transport(HttpOptions { connections: Some(1), ..HttpOptions::default() });
        let tasks: Vec<_> = (0..4usize)
            .map(|worker| {
                let (transport, url) = (Arc::clone(&transport), server.url());
                tokio::spawn(async move {
                    let mut channel = transport.channel(&url, Some(worker as u32)).await.unwrap();
                    let (mut sent, mut received) = (0, 0);
                    for round in 0..20 {
                        let message = Bytes::from(vec![worker as u8; worker * 1000 * round]);
                        assert_eq!(channel.unary(METHOD, message.clone()).await.unwrap().body, message);
                        let exchange = channel.take_exchange();
                        sent += exchange.bytes_sent;
                        received += exchange.bytes_received;
                    }
                    (sent, received)
                })
            })
            .collect();
        let mut sum = (0, 0);
        for task in tasks {
            let (sent, received) = task.await.unwrap();
            sum = (sum.0 + sent, sum.1 + received);
        }
        // What is still under way: acknowledgements of settings and windows.
        let mut last = transport.channel(&server.url(), Some(0)).await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        let rest: Exchange = last.take_exchange();
        sum = (sum.0 + rest.bytes_sent, sum.1 + rest.bytes_received);
        assert_eq!(sum, server.bytes());
        assert_eq!(server.connections(), 1);
        assert_eq!(last.take_exchange(), Exchange::default());
    })
    .await;
}

#[tokio::test]
async fn a_replayed_call_is_answered_as_the_first_one_was() {
    bounded(async {
        let server = echo().await;
        let transport = server.transport(HttpOptions::default());
        let mut channel = transport.channel(&server.url(), None).await.unwrap();
        channel.unary(METHOD, Bytes::from_static(b"first")).await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
        channel.take_exchange();
        transport.replay(true);
        let reply = channel.unary(METHOD, Bytes::from_static(b"second")).await.unwrap();
        assert_eq!((&reply.body[..], reply.metadata("x-head")), (&b"first"[..], Some("1")));
        let error = channel.unary("/other.Service/Method", Bytes::new()).await.unwrap_err();
        assert!(matches!(error, NetError::NothingToReplay { .. }), "{error}");
        assert_eq!((channel.take_exchange(), server.calls()), (Exchange::default(), 1));
    })
    .await;
}

#[tokio::test]
async fn a_call_that_is_dropped_is_unanswered() {
    bounded(async {
        let arrived = Arc::new(Notify::new());
        let here = Arc::clone(&arrived);
        let server = GrpcServer::start(move |number, mut call| {
            let here = Arc::clone(&here);
            async move {
                call.message().await;
                here.notify_one();
                if number > 0 {
                    call.begin(&[]).ok();
                }
                std::future::pending::<()>().await;
            }
        })
        .await;
        let transport =
            Arc::new(Transport::new(HttpOptions::default(), Grants::new([server.url().parse().unwrap()])).unwrap());
        let mut channel = transport.channel(&server.url(), None).await.unwrap();
        tokio::select! {
            _ = channel.unary(METHOD, Bytes::new()) => panic!("there is no answer"),
            () = arrived.notified() => {}
        }
        assert!(channel.take_exchange().unanswered);
        channel.unary(METHOD, Bytes::new()).await.unwrap();
        assert!(!channel.take_exchange().unanswered);
        assert_eq!(server.connections(), 1);
    })
    .await;
}
