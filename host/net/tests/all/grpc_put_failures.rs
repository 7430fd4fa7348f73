//! Put streams that break, end early or are refused: what is unanswered, and what comes next.

use std::sync::{Arc, Mutex};

use crate::grpc::{GrpcServer, batch, bounded};
use benchhost_net::{GrpcChannel, HttpOptions, NetError, PutStream};
use bytes::Bytes;

const SCHEMA: Bytes = Bytes::from_static(b"\x12\x06schema");

fn sharing() -> HttpOptions {
    HttpOptions { connections: Some(1), ..HttpOptions::default() }
}

fn put_stream(channel: &GrpcChannel) -> PutStream {
    channel.put_stream(SCHEMA, 31)
}

fn payload(text: &str) -> Bytes {
    Bytes::from(format!("\x12{}{text}", char::from(u8::try_from(text.len()).unwrap())))
}

/// A server that ends its first stream after two batches as `end` says, and acknowledges everything on later ones.
async fn failing(end: impl Fn(crate::grpc::Answer) + Send + Sync + 'static) -> GrpcServer {
    let end = Arc::new(end);
    GrpcServer::start(move |number, mut call| {
        let end = Arc::clone(&end);
        async move {
            let answer = call.begin(&[]);
            assert_eq!(call.message().await.unwrap(), SCHEMA);
            if number == 0 {
                call.message().await.unwrap();
                call.message().await.unwrap();
                return end(answer);
            }
            while let Some(message) = call.message().await {
                answer.ack(batch(&message).0, 1);
            }
            answer.ok();
        }
    })
    .await
}

/// Puts two batches at once, which both fail; and one more, which does not.
async fn two_fail(server: &GrpcServer) -> Vec<NetError> {
    let transport = server.transport(sharing());
    let channel = transport.channel(&server.url(), Some(0)).await.unwrap();
    let (mut one, mut other) = (put_stream(&channel), put_stream(&channel));
    let (first, second) = tokio::join!(one.put(payload("1"), 0), other.put(payload("2"), 0));
    assert!(one.take_exchange().unanswered && other.take_exchange().unanswered);
    assert_eq!(one.put(payload("3"), 0).await.unwrap().rows, Some(1));
    assert!(!one.take_exchange().unanswered);
    vec![first.unwrap_err(), second.unwrap_err()]
}

#[tokio::test]
async fn a_stream_that_ends_in_order_without_acknowledgements_leaves_its_batches_unanswered() {
    bounded(async {
        let server = failing(crate::grpc::Answer::ok).await;
        for error in two_fail(&server).await {
            assert!(matches!(error, NetError::StreamEnded { unanswered: true, .. }) && error.retryable(), "{error}");
            assert!(error.to_string().contains("unanswered"), "{error}");
            assert_eq!(error.code(), "stream-ended");
        }
        assert_eq!((server.calls(), server.connections()), (2, 1));
    })
    .await;
}

#[tokio::test]
async fn a_status_that_ends_the_stream_is_in_the_error_of_each_batch() {
    bounded(async {
        let server = failing(|answer| {
            answer.end(&[
                ("grpc-status", "2"),
                ("grpc-message", "Execute%20gRPC request error"),
                ("x-greptime-err-code", "4001"),
            ]);
        })
        .await;
        for error in two_fail(&server).await {
            assert_eq!((error.code(), error.retryable()), ("UNKNOWN", false));
            let text = error.to_string();
            for part in ["UNKNOWN", "Execute gRPC request error", "4001", "unanswered"] {
                assert!(text.contains(part), "{text}");
            }
        }
        let server = failing(|answer| answer.end(&[("grpc-status", "14")])).await;
        for error in two_fail(&server).await {
            assert_eq!((error.code(), error.retryable()), ("UNAVAILABLE", true));
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_that_is_killed_fails_what_is_in_flight_and_the_next_put_connects_again() {
    bounded(async {
        let killer = Arc::new(Mutex::new(None::<Arc<GrpcServer>>));
        let server = {
            let killer = Arc::clone(&killer);
            failing(move |_| killer.lock().unwrap().as_ref().unwrap().kill()).await
        };
        let server = Arc::new(server);
        *killer.lock().unwrap() = Some(Arc::clone(&server));
        for error in two_fail(&server).await {
            assert!(matches!(error, NetError::Broken { .. }) && error.retryable(), "{error}");
        }
        assert_eq!(server.connections(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_stream_that_is_refused_at_once_says_why_and_counts_no_batch_as_unanswered() {
    bounded(async {
        let server = GrpcServer::start(|_, mut call| async move {
            call.only(
                200,
                &[("content-type", "application/grpc"), ("grpc-status", "16"), ("grpc-message", "no%20auth")],
            );
        })
        .await;
        let channel = server.channel().await;
        let mut put = put_stream(&channel);
        for _ in 0..3 {
            let error = put.put(payload("x"), 0).await.unwrap_err();
            assert_eq!(error.code(), "UNAUTHENTICATED", "{error}");
            assert!(error.to_string().contains("no auth"), "{error}");
        }
    })
    .await;
}
