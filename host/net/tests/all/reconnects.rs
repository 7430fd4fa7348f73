//! Connections that are gone between two requests are replaced, and nobody notices.

use std::sync::Arc;
use std::time::Duration;

use crate::support::{Server, bounded, transport};
use benchhost_net::{HttpClient, HttpOptions, NetError};
use bytes::Bytes;
use tokio::sync::Notify;

const NO_CONTENT: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";

async fn post(client: &mut HttpClient) -> Result<u16, NetError> {
    client.send("POST", "/write", &[], Some(Bytes::from_static(b"m f=1"))).await.map(|answer| answer.status)
}

#[tokio::test]
async fn a_connection_that_the_server_closed_while_idle_is_replaced_unnoticed() {
    bounded(async {
        let close = Arc::new(Notify::new());
        let closed = Arc::new(Notify::new());
        let (on, done) = (Arc::clone(&close), Arc::clone(&closed));
        let server = Server::start(move |_, mut peer| {
            let (on, done) = (Arc::clone(&on), Arc::clone(&done));
            async move {
                peer.request().await;
                peer.write(NO_CONTENT).await;
                on.notified().await;
                drop(peer);
                done.notify_one();
            }
        })
        .await;
        let mut client = server.client().await;
        for round in 1..=3 {
            assert_eq!(post(&mut client).await.unwrap(), 204);
            assert_eq!(server.connections(), round);
            close.notify_one();
            closed.notified().await;
            // Idle for longer than a closed loop ever is.
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(!client.take_exchange().unanswered);
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_the_server_closes_right_after_its_answer_is_replaced_unnoticed() {
    bounded(async {
        for linger in [false, true] {
            let server = Server::start(move |_, mut peer| async move {
                peer.request().await;
                peer.write(NO_CONTENT).await;
                if linger {
                    peer.stream.set_zero_linger().unwrap();
                }
            })
            .await;
            let mut client = server.client().await;
            for _ in 0..3 {
                assert_eq!(post(&mut client).await.unwrap(), 204);
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            assert_eq!(server.connections(), 3);
            assert!(!client.take_exchange().unanswered);
        }
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_refuses_the_first_byte_is_replaced_unnoticed() {
    bounded(async {
        // The server lives on threads, and this one blocks while the connection is reset: the runtime cannot learn of it before
        // the next request is written.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (reset, told) = std::sync::mpsc::channel::<()>();
        let (done, is_done) = std::sync::mpsc::channel();
        let handle = tokio::runtime::Handle::current();
        std::thread::spawn(move || {
            let mut buffer = [0; 1024];
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                std::io::Read::read(&mut stream, &mut buffer).unwrap();
                std::io::Write::write_all(&mut stream, NO_CONTENT).unwrap();
                if told.recv().is_ok() {
                    let _runtime = handle.enter();
                    stream.set_nonblocking(true).unwrap();
                    tokio::net::TcpStream::from_std(stream).unwrap().set_zero_linger().unwrap();
                    done.send(()).unwrap();
                }
            }
        });
        let mut client = transport(HttpOptions::default(), &url).connect(&url, Some(0)).await.unwrap();
        assert_eq!(post(&mut client).await.unwrap(), 204);
        let first = client.take_exchange();
        reset.send(()).unwrap();
        is_done.recv_timeout(crate::support::BOUND).unwrap();
        assert_eq!(post(&mut client).await.unwrap(), 204);
        let second = client.take_exchange();
        assert!(!second.unanswered);
        assert_eq!(second.bytes_sent, first.bytes_sent, "the request went out once");
    })
    .await;
}

#[tokio::test]
async fn a_server_that_goes_away_and_comes_back_is_found_again() {
    bounded(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = format!("http://127.0.0.1:{port}");
        let mut client = transport(HttpOptions::default(), &url).connect(&url, Some(0)).await.unwrap();
        drop(listener.accept().await.unwrap());
        drop(listener);
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert_eq!(post(&mut client).await.unwrap_err().code(), "connection-refused");
        let exchange = client.take_exchange();
        assert!(!exchange.unanswered, "nothing was sent");

        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.unwrap();
        tokio::spawn(async move {
            let mut peer = crate::support::Peer::new(listener.accept().await.unwrap().0);
            peer.request().await;
            peer.write(NO_CONTENT).await;
        });
        assert_eq!(post(&mut client).await.unwrap(), 204);
    })
    .await;
}
