//! Calls with many messages and one answer.

use std::sync::Arc;
use std::time::Duration;

use crate::grpc::{GrpcServer, Setup, bounded};
use benchhost_net::{Exchange, HttpOptions, NetError};
use bytes::Bytes;
use tokio::sync::{Notify, mpsc};

const METHOD: &str = "/greptime.v1.GreptimeDatabase/HandleRequests";

#[tokio::test]
async fn messages_arrive_in_order_and_are_answered_once() {
    bounded(async {
        let server = GrpcServer::start(|_, mut call| async move {
            assert_eq!(call.header("grpc-timeout"), None);
            let mut all = Vec::new();
            while let Some(message) = call.message().await {
                all.extend_from_slice(&message);
            }
            let answer = call.begin(&[]);
            answer.message(0, &all);
            answer.ok();
        })
        .await;
        let mut channel = server.channel().await;
        let mut stream = channel.open_stream(METHOD).await.unwrap();
        for text in ["one ", "", "two ", "three"] {
            stream.send(Bytes::from(text)).await.unwrap();
        }
        drop(channel);
        let reply = stream.finish().await.unwrap();
        assert_eq!((reply.status, &reply.body[..]), (0, &b"one two three"[..]));
        let exchange = stream.take_exchange();
        assert!(!exchange.unanswered && exchange.bytes_sent > 13);
        assert_eq!(stream.finish().await.unwrap_err().code(), "stream-ended");
        assert_eq!(stream.send(Bytes::new()).await.unwrap_err().code(), "stream-ended");
        let mut empty = server.channel().await.open_stream(METHOD).await.unwrap();
        assert!(empty.finish().await.unwrap().body.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_server_that_does_not_read_holds_the_sender_up() {
    bounded(async {
        let read_on = Arc::new(Notify::new());
        let told = Arc::clone(&read_on);
        let server = GrpcServer::start_with(Setup { window: Some(65_535), ..Setup::default() }, move |_, mut call| {
            let read_on = Arc::clone(&told);
            async move {
                read_on.notified().await;
                let mut count = 0u8;
                while let Some(message) = call.message().await {
                    assert_eq!(message, vec![count; 1 << 20]);
                    count += 1;
                }
                let answer = call.begin(&[]);
                answer.message(0, &[count]);
                answer.ok();
            }
        })
        .await;
        let mut channel = server.channel().await;
        let mut stream = channel.open_stream(METHOD).await.unwrap();
        let (taken, mut count) = mpsc::unbounded_channel();
        let sending = tokio::spawn(async move {
            for number in 0..10 {
                stream.send(vec![number; 1 << 20].into()).await.unwrap();
                taken.send(()).unwrap();
            }
            stream.finish().await.unwrap()
        });
        tokio::time::sleep(Duration::from_millis(200)).await;
        let early = std::iter::from_fn(|| count.try_recv().ok()).count();
        assert!((1..=3).contains(&early), "{early} messages were taken by a server that reads none");
        read_on.notify_one();
        assert_eq!(sending.await.unwrap().body[..], [10]);
    })
    .await;
}

#[tokio::test]
async fn a_server_that_never_reads_ends_in_a_time_out() {
    bounded(async {
        let server = GrpcServer::start_with(Setup { window: Some(65_535), ..Setup::default() }, |_, call| async move {
            std::future::pending::<()>().await;
            drop(call);
        })
        .await;
        let options = HttpOptions { request_timeout: Duration::from_millis(200), ..HttpOptions::default() };
        let mut channel = server.channel_with(options).await;
        let mut stream = channel.open_stream(METHOD).await.unwrap();
        let error = loop {
            if let Err(error) = stream.send(vec![1; 1 << 20].into()).await {
                break error;
            }
        };
        assert!(matches!(error, NetError::TimedOut { .. }), "{error}");
        assert!(stream.take_exchange().unanswered);
        assert_eq!(stream.send(Bytes::new()).await.unwrap_err().code(), "stream-ended");
    })
    .await;
}

#[tokio::test]
async fn an_answer_before_the_end_stops_the_sender_and_is_kept() {
    bounded(async {
        let server =
            GrpcServer::start_with(Setup { window: Some(65_535), ..Setup::default() }, |_, mut call| async move {
                call.message().await.unwrap();
                call.begin(&[]).end(&[("grpc-status", "3"), ("grpc-message", "bad"), ("x-greptime-err-code", "1004")]);
            })
            .await;
        let mut channel = server.channel().await;
        for size in [10, 1 << 20] {
            let mut stream = channel.open_stream(METHOD).await.unwrap();
            assert!(stream.early_reply().is_none());
            let error = loop {
                if let Err(error) = stream.send(vec![1; size].into()).await {
                    break error;
                }
                tokio::task::yield_now().await;
            };
            assert!(matches!(error, NetError::StreamEnded { .. }), "{error}");
            let reply = stream.early_reply().unwrap();
            assert_eq!((reply.status, reply.message.as_str()), (3, "bad"));
            assert_eq!(reply.metadata("x-greptime-err-code"), Some("1004"));
            assert!(!stream.take_exchange().unanswered, "the server did answer");
        }
        assert_eq!(server.connections(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_stream_that_is_dropped_is_reset_and_one_whose_connection_breaks_is_unanswered() {
    bounded(async {
        let (ended, mut ends) = mpsc::unbounded_channel();
        let server = GrpcServer::start(move |_, mut call| {
            let ended = ended.clone();
            async move {
                let end = loop {
                    match call.next().await {
                        Ok(Some(_)) => ended.send(None).unwrap(),
                        Ok(None) => break "in order".to_owned(),
                        Err(error) => break error,
                    }
                };
                ended.send(Some(end)).unwrap();
            }
        })
        .await;
        let mut channel = server.channel().await;
        let mut stream = channel.open_stream(METHOD).await.unwrap();
        stream.send(Bytes::from_static(b"x")).await.unwrap();
        assert_eq!(ends.recv().await.unwrap(), None);
        drop(stream);
        let end = ends.recv().await.unwrap().unwrap();
        assert!(end.contains("Reset"), "{end}");
        let mut stream = channel.open_stream(METHOD).await.unwrap();
        stream.send(Bytes::from_static(b"x")).await.unwrap();
        assert_eq!(ends.recv().await.unwrap(), None);
        server.kill();
        let error = stream.finish().await.unwrap_err();
        assert!(matches!(error, NetError::Broken { .. }) && error.retryable(), "{error}");
        assert!(stream.take_exchange().unanswered);
    })
    .await;
}

#[tokio::test]
async fn a_replayed_stream_sends_nothing() {
    bounded(async {
        let server = GrpcServer::start(|_, mut call| async move {
            while call.message().await.is_some() {}
            let answer = call.begin(&[]);
            answer.message(0, b"rows");
            answer.ok();
        })
        .await;
        let transport = server.transport(HttpOptions::default());
        let mut channel = transport.channel(&server.url(), None).await.unwrap();
        let mut stream = channel.open_stream(METHOD).await.unwrap();
        stream.finish().await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
        stream.take_exchange();
        transport.replay(true);
        let mut replayed = channel.open_stream(METHOD).await.unwrap();
        replayed.send(Bytes::from_static(b"x")).await.unwrap();
        assert_eq!(replayed.finish().await.unwrap().body, "rows");
        assert_eq!((server.calls(), replayed.take_exchange()), (1, Exchange::default()));
    })
    .await;
}
