//! Connections and put streams that the runtimes of several threads use at once.

#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "all/grpc/mod.rs"]
mod grpc;

use std::sync::{Arc, Barrier};

use benchhost_net::{HttpOptions, NetError};
use bytes::Bytes;
use grpc::{GrpcServer, batch, bounded};
use tokio::runtime::Runtime;

const METHOD: &str = "/a.B/C";

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn sharing() -> HttpOptions {
    HttpOptions { connections: Some(1), ..HttpOptions::default() }
}

/// A server on a thread of its own: puts are acknowledged, other calls echoed; `stall` leaves the batches of the first put stream alone.
fn server(stall: bool) -> GrpcServer {
    let (ready, wait) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        runtime().block_on(async {
            let server = GrpcServer::start(move |number, mut call| async move {
                let answer = call.begin(&[]);
                let Some(first) = call.message().await else { return };
                if call.head.uri.path() == METHOD {
                    answer.message(0, &first);
                    return answer.ok();
                }
                while let Some(message) = call.message().await {
                    if !(stall && number == 0) {
                        let (id, payload) = batch(&message);
                        answer.ack(id, payload.len() as u64);
                    }
                }
                answer.ok();
            })
            .await;
            ready.send(server).unwrap();
            std::future::pending::<()>().await;
        });
    });
    wait.recv_timeout(grpc::BOUND).unwrap()
}

#[test]
fn workers_of_two_threads_use_one_connection_and_one_put_stream() {
    let server = server(false);
    let transport = server.transport(sharing());
    let together = Arc::new(Barrier::new(2));
    let threads: Vec<_> = (0..2usize)
        .map(|thread| {
            let (transport, url, together) = (Arc::clone(&transport), server.url(), Arc::clone(&together));
            std::thread::spawn(move || {
                let runtime = runtime();
                let mut channel = runtime.block_on(bounded(transport.channel(&url, Some(0)))).unwrap();
                let mut put = channel.put_stream(Bytes::from_static(b"schema"), 31);
                together.wait();
                let done = Arc::clone(&together);
                runtime.block_on(bounded(async {
                    for round in 0..200usize {
                        let size = (thread + 1) * 10 + round * 100;
                        assert_eq!(put.put(vec![1; size].into(), 0).await.unwrap().rows, Some(size as u64));
                        let message = Bytes::from(format!("{thread} {round}"));
                        assert_eq!(channel.unary(METHOD, message.clone()).await.unwrap().body, message);
                    }
                    assert!(!put.take_exchange().unanswered && !channel.take_exchange().unanswered);
                    // Whoever dialled serves the connection, so the runtimes end together.
                    tokio::task::spawn_blocking(move || done.wait()).await.unwrap();
                }));
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!((server.connections(), server.calls()), (1, 1 + 400));
}

#[test]
fn when_the_runtime_of_a_connection_ends_the_others_are_told_and_connect_again() {
    let server = server(false);
    let transport = server.transport(sharing());
    let first = runtime();
    let mut opener = first.block_on(bounded(transport.channel(&server.url(), Some(0)))).unwrap();
    first.block_on(bounded(opener.unary(METHOD, Bytes::from_static(b"x")))).unwrap();
    let second = runtime();
    let channel = second.block_on(bounded(transport.channel(&server.url(), Some(0)))).unwrap();
    let mut put = channel.put_stream(Bytes::from_static(b"schema"), 31);
    let mut other = channel.put_stream(Bytes::from_static(b"schema"), 31);
    let (ended, wait) = std::sync::mpsc::channel::<()>();
    let owner = std::thread::spawn(move || {
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        std::thread::spawn(move || {
            wait.recv().unwrap();
            drop(stop);
        });
        first.block_on(async { _ = stopped.await });
        drop(first);
    });
    second.block_on(bounded(put.put(Bytes::from_static(b"one"), 0))).unwrap();
    ended.send(()).unwrap();
    owner.join().unwrap();
    let ack = second.block_on(bounded(other.put(Bytes::from_static(b"three"), 0)));
    assert_eq!(ack.unwrap().rows, Some(5));
    assert_eq!(server.connections(), 2);
    assert!(!other.take_exchange().unanswered);
}

#[test]
fn a_batch_in_flight_on_the_connection_of_a_runtime_that_ends_is_unanswered() {
    let server = server(true);
    let transport = server.transport(sharing());
    let first = runtime();
    let channel = first.block_on(bounded(transport.channel(&server.url(), Some(0)))).unwrap();
    let (sent, wait) = std::sync::mpsc::channel::<()>();
    let waiting = {
        let (transport, url) = (Arc::clone(&transport), server.url());
        std::thread::spawn(move || {
            runtime().block_on(bounded(async {
                let channel = transport.channel(&url, Some(0)).await.unwrap();
                let mut put = channel.put_stream(Bytes::from_static(b"schema"), 31);
                sent.send(()).unwrap();
                let error = put.put(vec![1; 100_000].into(), 0).await.unwrap_err();
                (error, put.take_exchange())
            }))
        })
    };
    // Serves the connection until the batch is at the server, and then never again.
    first.block_on(bounded(async {
        wait.recv().unwrap();
        while server.bytes().0 < 100_000 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }));
    drop(first);
    drop(channel);
    let (error, exchange) = waiting.join().unwrap();
    assert!(matches!(error, NetError::Broken { .. }) && exchange.unanswered, "{error}");
}
