//! Flight `DoPut`: many batches in flight on one stream, each with its own acknowledgement.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use crate::grpc::{GrpcServer, batch, bounded};
use benchhost_net::{GrpcChannel, HttpOptions, MessageCompression, NetError, PutStream};
use bytes::Bytes;
use tokio::sync::{Notify, mpsc};

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

/// Acknowledges every batch with as many rows as its payload has bytes.
async fn acknowledging() -> GrpcServer {
    GrpcServer::start(|_, mut call| async move {
        assert_eq!(call.head.uri.path(), "/arrow.flight.protocol.FlightService/DoPut");
        assert_eq!(call.header("grpc-timeout"), None);
        let answer = call.begin(&[]);
        assert_eq!(call.message().await.unwrap(), SCHEMA);
        while let Some(message) = call.message().await {
            let (id, payload) = batch(&message);
            answer.ack(id, payload.len() as u64);
        }
        answer.ok();
    })
    .await
}

#[tokio::test]
async fn batches_are_acknowledged_one_by_one_on_one_stream() {
    bounded(async {
        let server = acknowledging().await;
        let channel = server.channel().await;
        let mut put = put_stream(&channel);
        for text in ["one", "three", ""] {
            let ack = put.put(payload(text), 0).await.unwrap();
            assert_eq!(ack.rows, Some(text.len() as u64 + 2));
            assert_eq!(ack.server_time, Some(Duration::from_millis(500)));
        }
        assert_eq!((server.calls(), server.connections()), (1, 1));
        let exchange = put.take_exchange();
        assert!(!exchange.unanswered && exchange.bytes_sent > 0 && !exchange.wait.is_zero());
    })
    .await;
}

#[tokio::test]
async fn batches_of_many_workers_share_a_stream_and_may_be_acknowledged_in_any_order() {
    bounded(async {
        let server = GrpcServer::start(|_, mut call| async move {
            let answer = call.begin(&[]);
            call.message().await.unwrap();
            let mut held = Vec::new();
            while let Some(message) = call.message().await {
                let (id, payload) = batch(&message);
                held.push((id, u64::from(payload[2])));
                if held.len() == 8 {
                    held.drain(..).rev().for_each(|(id, rows)| answer.ack(id, rows));
                }
            }
            answer.ok();
        })
        .await;
        let transport = server.transport(sharing());
        let tasks: Vec<_> = (0..8u8)
            .map(|worker| {
                let (transport, url) = (Arc::clone(&transport), server.url());
                tokio::spawn(async move {
                    let channel = transport.channel(&url, Some(worker.into())).await.unwrap();
                    let mut put = put_stream(&channel);
                    for _ in 0..20 {
                        let payload = Bytes::from(vec![0x12, 1, worker]);
                        assert_eq!(put.put(payload, 0).await.unwrap().rows, Some(worker.into()));
                    }
                    put.take_exchange().unanswered
                })
            })
            .collect();
        for task in tasks {
            assert!(!task.await.unwrap());
        }
        assert_eq!((server.calls(), server.connections()), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn no_more_than_the_limit_is_in_flight() {
    bounded(async {
        let (arrived, mut arrivals) = mpsc::unbounded_channel();
        let release = Arc::new(Notify::new());
        let server = {
            let release = Arc::clone(&release);
            GrpcServer::start(move |_, mut call| {
                let (arrived, release) = (arrived.clone(), Arc::clone(&release));
                async move {
                    let answer = call.begin(&[]);
                    call.message().await.unwrap();
                    let (queue, mut queued) = mpsc::unbounded_channel();
                    tokio::spawn(async move {
                        while let Some(id) = queued.recv().await {
                            release.notified().await;
                            answer.ack(id, 1);
                        }
                    });
                    while let Some(message) = call.message().await {
                        let (id, _) = batch(&message);
                        arrived.send(id).unwrap();
                        queue.send(id).unwrap();
                    }
                }
            })
            .await
        };
        let transport = server.transport(sharing());
        let done = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..40)
            .map(|_| {
                let (transport, url, done) = (Arc::clone(&transport), server.url(), Arc::clone(&done));
                tokio::spawn(async move {
                    let channel = transport.channel(&url, Some(0)).await.unwrap();
                    put_stream(&channel).put(payload("x"), 0).await.unwrap();
                    done.fetch_add(1, SeqCst);
                })
            })
            .collect();
        for _ in 0..31 {
            arrivals.recv().await.unwrap();
        }
        for acknowledged in 1..=40 {
            // Whatever was going to come has come when all that can run has run.
            for _ in 0..200 {
                tokio::task::yield_now().await;
            }
            let more = std::iter::from_fn(|| arrivals.try_recv().ok()).count();
            assert!(more <= 1, "{more} came where {acknowledged} - 1 were acknowledged");
            release.notify_one();
        }
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(done.load(SeqCst), 40);
    })
    .await;
}

#[tokio::test]
async fn servers_that_greet_that_acknowledge_the_schema_and_that_wait_for_it_all_work() {
    bounded(async {
        for kind in 0..4 {
            let server = GrpcServer::start(move |_, mut call| async move {
                if kind == 3 {
                    // Nothing is said before the first batch is there.
                    call.message().await.unwrap();
                    let (id, _) = batch(&call.message().await.unwrap());
                    let answer = call.begin(&[]);
                    answer.ack(id, 7);
                    return;
                }
                let schema_first = kind == 2;
                if schema_first {
                    call.message().await.unwrap();
                }
                let answer = call.begin(&[]);
                if kind == 0 {
                    answer.ack(0, 0);
                }
                if !schema_first {
                    call.message().await.unwrap();
                }
                match kind {
                    1 => answer.message(0, b""),
                    _ => answer.ack(0, 0),
                }
                answer.ack(999, 1);
                let (id, _) = batch(&call.message().await.unwrap());
                answer.ack(id, 7);
                call.message().await;
                answer.ok();
            })
            .await;
            let channel = server.channel().await;
            assert_eq!(put_stream(&channel).put(payload("x"), 0).await.unwrap().rows, Some(7), "kind {kind}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_batch_whose_time_is_over_leaves_the_stream_usable() {
    bounded(async {
        let server = GrpcServer::start(|_, mut call| async move {
            let answer = call.begin(&[]);
            call.message().await.unwrap();
            let (late, _) = batch(&call.message().await.unwrap());
            while let Some(message) = call.message().await {
                // The late one first, with other rows: nobody may take it for his own.
                answer.ack(late, 99);
                answer.ack(batch(&message).0, 1);
            }
        })
        .await;
        let options = HttpOptions { request_timeout: Duration::from_millis(300), ..HttpOptions::default() };
        let channel = server.channel_with(options).await;
        let mut put = channel.put_stream(SCHEMA, 1);
        let error = put.put(payload("x"), 0).await.unwrap_err();
        assert!(matches!(error, NetError::TimedOut { .. }), "{error}");
        let exchange = put.take_exchange();
        assert!(exchange.unanswered && !exchange.wait.is_zero());
        for _ in 0..3 {
            assert_eq!(put.put(payload("y"), 0).await.unwrap().rows, Some(1));
        }
        assert!(!put.take_exchange().unanswered);
        assert_eq!(server.calls(), 1);
    })
    .await;
}

#[tokio::test]
async fn streams_of_other_metadata_schema_or_limit_are_others() {
    bounded(async {
        let server = acknowledging().await;
        let transport = server.transport(sharing());
        let mut channel = transport.channel(&server.url(), Some(0)).await.unwrap();
        let mut first = put_stream(&channel);
        channel.set_metadata("x-greptime-auth", "secret").unwrap();
        let (mut second, mut third) = (put_stream(&channel), channel.put_stream(SCHEMA, 2));
        for put in [&mut first, &mut second, &mut third] {
            put.put(payload("x"), 0).await.unwrap();
        }
        assert_eq!((server.calls(), server.connections()), (3, 1));
        assert!(!format!("{channel:?}{first:?}").contains("secret"));
    })
    .await;
}

#[tokio::test]
async fn compressed_batches_hold_their_number() {
    bounded(async {
        let server = GrpcServer::start(|_, mut call| async move {
            assert_eq!(call.header("grpc-encoding"), Some("zstd"));
            let answer = call.begin(&[]);
            assert_eq!(call.next().await.unwrap().unwrap().0, 1);
            while let Ok(Some((flag, packed))) = call.next().await {
                assert_eq!(flag, 1);
                let (id, payload) = batch(&zstd::decode_all(&packed[..]).unwrap().into());
                answer.ack(id, payload.len() as u64);
            }
        })
        .await;
        let mut channel = server.channel().await;
        channel.compress(MessageCompression::Zstd);
        let rows = put_stream(&channel).put(vec![9; 100_000].into(), 0).await.unwrap().rows;
        assert_eq!(rows, Some(100_000));
        assert!(channel.take_exchange().bytes_sent < 10_000);
    })
    .await;
}

#[tokio::test]
async fn a_replayed_put_needs_no_server() {
    bounded(async {
        let server = acknowledging().await;
        let transport = server.transport(sharing());
        let channel = transport.channel(&server.url(), Some(0)).await.unwrap();
        transport.replay(true);
        let mut put = put_stream(&channel);
        put.take_exchange();
        let ack = put.put(payload("x"), 5000).await.unwrap();
        assert_eq!((ack.rows, ack.server_time), (Some(5000), None));
        assert_eq!((server.calls(), put.take_exchange()), (0, benchhost_net::Exchange::default()));
    })
    .await;
}
