//! Clients that take turns with one connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::support::{Server, bounded, transport};
use benchhost_net::{Grants, HttpClient, HttpOptions, Transport};
use bytes::Bytes;
use tokio::sync::Notify;

const NO_CONTENT: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";

fn sharing(connections: usize) -> HttpOptions {
    HttpOptions { connections: Some(connections), ..HttpOptions::default() }
}

/// Answers every request with its own body and its `x-who` header.
async fn echo() -> Server {
    Server::start(|_, mut peer| async move {
        while let Some(request) = peer.request().await {
            let who = request.header("x-who").unwrap_or("nobody");
            let head = format!("HTTP/1.1 200 OK\r\nx-who: {who}\r\nContent-Length: {}\r\n\r\n", request.body.len());
            peer.write(head.as_bytes()).await;
            // Bodies come apart from their heads, so that a turn lasts.
            tokio::task::yield_now().await;
            peer.write(&request.body).await;
        }
    })
    .await
}

async fn ask(client: &mut HttpClient, who: &str, round: u32) {
    let body = Bytes::from(format!("{who} {round}"));
    let answer = client.send("POST", "/", &[], Some(body.clone())).await.unwrap();
    assert_eq!((answer.header("x-who"), &answer.body), (Some(who), &body));
}

#[tokio::test]
async fn clients_of_one_connection_take_turns_and_keep_their_own_headers_and_books() {
    bounded(async {
        let server = echo().await;
        let shared = transport(sharing(1), &server.url());
        let mut tasks = Vec::new();
        for who in ["first", "second", "third"] {
            let (shared, url) = (Arc::clone(&shared), server.url());
            tasks.push(tokio::spawn(async move {
                let mut client = shared.connect(&url, Some(7)).await.unwrap();
                client.set_header("x-who", who).unwrap();
                for round in 0..50 {
                    ask(&mut client, who, round).await;
                }
                client.take_exchange()
            }));
        }
        let mut sent = Vec::new();
        for task in tasks {
            let exchange = task.await.unwrap();
            assert!(!exchange.unanswered);
            sent.push(exchange.bytes_sent);
        }
        assert_eq!(server.connections(), 1);
        // 5, 6 and 5 letters, each twice in every request.
        assert_eq!((sent[1] - sent[0], sent[2]), (2 * 50, sent[0]));
    })
    .await;
}

#[tokio::test]
async fn workers_are_dealt_over_the_connections() {
    bounded(async {
        let server = echo().await;
        for (connections, opened) in [(0, 1), (1, 1), (2, 2), (3, 3), (9, 5)] {
            let before = server.connections();
            let shared = transport(sharing(connections), &server.url());
            let mut clients = Vec::new();
            for slot in 0..5 {
                clients.push(shared.connect(&server.url(), Some(slot)).await.unwrap());
            }
            for client in &mut clients {
                client.send("GET", "/", &[], None).await.unwrap();
            }
            assert_eq!(server.connections() - before, opened);
        }
    })
    .await;
}

#[tokio::test]
async fn two_endpoints_never_share_a_connection() {
    bounded(async {
        let (one, other) = (echo().await, echo().await);
        let grants = Grants::new([one.url().parse().unwrap(), other.url().parse().unwrap()]);
        let shared = Arc::new(Transport::new(sharing(1), grants).unwrap());
        for server in [&one, &other] {
            shared.connect(&server.url(), Some(0)).await.unwrap().send("GET", "/", &[], None).await.unwrap();
            assert_eq!(server.connections(), 1);
        }
    })
    .await;
}

#[tokio::test]
async fn a_turn_that_is_given_up_costs_the_next_client_nothing_but_a_new_connection() {
    bounded(async {
        let arrived = Arc::new(Notify::new());
        let here = Arc::clone(&arrived);
        let server = Server::start(move |number, mut peer| {
            let here = Arc::clone(&here);
            async move {
                while peer.request().await.is_some() {
                    if number > 0 {
                        peer.write(NO_CONTENT).await;
                    }
                    here.notify_one();
                }
            }
        })
        .await;
        let shared = transport(sharing(1), &server.url());
        let mut first = shared.connect(&server.url(), Some(0)).await.unwrap();
        let mut second = shared.connect(&server.url(), Some(1)).await.unwrap();
        tokio::select! {
            _ = first.send("GET", "/", &[], None) => panic!("there is no answer"),
            () = arrived.notified() => {}
        }
        assert!(first.take_exchange().unanswered);
        assert_eq!(second.send("GET", "/", &[], None).await.unwrap().status, 204);
        assert!(!second.take_exchange().unanswered);
        assert_eq!(first.send("GET", "/", &[], None).await.unwrap().status, 204);
        assert_eq!(server.connections(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_client_that_gives_up_waiting_for_its_turn_has_sent_nothing() {
    bounded(async {
        let server = Server::start(|_, mut peer| async move { peer.closed().await }).await;
        let shared = transport(sharing(1), &server.url());
        let mut first = shared.connect(&server.url(), Some(0)).await.unwrap();
        let mut second = shared.connect(&server.url(), Some(1)).await.unwrap();
        let waiting = tokio::spawn(async move { first.send("GET", "/", &[], None).await.map(|_| ()) });
        tokio::task::yield_now().await;
        let turn = tokio::time::timeout(Duration::from_millis(20), second.send("GET", "/", &[], None)).await;
        assert!(turn.is_err(), "the first client has the connection");
        assert_eq!(second.take_exchange(), benchhost_net::Exchange::default());
        waiting.abort();
    })
    .await;
}

#[test]
fn a_connection_can_be_shared_by_the_runtimes_of_several_threads() {
    let (ready, wait) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            ready.send(echo().await).unwrap();
            std::future::pending::<()>().await;
        });
    });
    let server = wait.recv_timeout(crate::support::BOUND).unwrap();
    let shared = transport(sharing(1), &server.url());
    let together = Arc::new(std::sync::Barrier::new(2));
    let done = Arc::new(AtomicUsize::new(0));
    let threads: Vec<_> = ["first", "second"]
        .into_iter()
        .map(|who| {
            let (shared, together, done, url) =
                (Arc::clone(&shared), Arc::clone(&together), Arc::clone(&done), server.url());
            std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                let mut client = runtime.block_on(bounded(shared.connect(&url, Some(0)))).unwrap();
                client.set_header("x-who", who).unwrap();
                together.wait();
                runtime.block_on(bounded(async {
                    for round in 0..50 {
                        ask(&mut client, who, round).await;
                    }
                }));
                // Whoever dialled serves the connection, so both stay until both are done.
                runtime.block_on(bounded(async {
                    done.fetch_add(1, Ordering::SeqCst);
                    while done.load(Ordering::SeqCst) < 2 {
                        tokio::time::sleep(Duration::from_millis(1)).await;
                    }
                }));
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_connection_whose_runtime_has_ended_is_replaced_unnoticed() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let home = runtime();
    let server = home.block_on(echo());
    let shared = transport(sharing(1), &server.url());
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = std::thread::spawn(move || home.block_on(async { _ = stopped.await }));
    let first = runtime();
    let mut client = first.block_on(bounded(shared.connect(&server.url(), Some(0)))).unwrap();
    client.set_header("x-who", "me").unwrap();
    first.block_on(bounded(ask(&mut client, "me", 1)));
    drop(first);
    runtime().block_on(bounded(ask(&mut client, "me", 2)));
    assert!(!client.take_exchange().unanswered);
    assert_eq!(server.connections(), 2);
    stop.send(()).unwrap();
    serving.join().unwrap();
}
