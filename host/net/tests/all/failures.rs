//! What a client does, says and counts when an exchange goes wrong.

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

/// A server whose first connection answers with `first` and closes; later ones answer properly.
async fn dies_once(first: &'static [u8], reset: bool) -> Server {
    Server::start(move |number, mut peer| async move {
        while peer.request().await.is_some() {
            if number == 0 {
                peer.write(first).await;
                if reset {
                    peer.stream.set_zero_linger().unwrap();
                }
                return;
            }
            peer.write(NO_CONTENT).await;
        }
    })
    .await
}

#[tokio::test]
async fn a_connection_that_breaks_before_a_complete_answer_leaves_the_request_unanswered() {
    bounded(async {
        for first in [
            &b""[..],
            b"HTTP/1.1 20",
            b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        ] {
            for reset in [false, true] {
                let server = dies_once(first, reset).await;
                let mut client = server.client().await;
                let error = post(&mut client).await.unwrap_err();
                assert!(matches!(error, NetError::Broken { .. }), "{error:?}");
                assert!(error.retryable());
                assert_eq!(error.code(), "reset");
                assert!(error.to_string().contains(&server.url()), "{error}");
                let exchange = client.take_exchange();
                assert!(exchange.unanswered);
                assert!(exchange.bytes_sent > 0);
                assert_eq!(exchange.bytes_received, first.len() as u64);
                assert_eq!(server.connections(), 1, "a request that was written is not sent again");

                assert_eq!(post(&mut client).await.unwrap(), 204, "the next request makes a new connection");
                assert!(!client.take_exchange().unanswered);
                assert_eq!(server.connections(), 2);
            }
        }
    })
    .await;
}

/// A server that never answers on its first connection.
async fn stalls_once() -> Server {
    Server::start(move |number, mut peer| async move {
        while peer.request().await.is_some() {
            if number > 0 {
                peer.write(NO_CONTENT).await;
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_time_out_leaves_the_request_unanswered_and_the_next_one_uses_a_new_connection() {
    bounded(async {
        let server = stalls_once().await;
        let limit = Duration::from_millis(50);
        let mut client = server.client_with(HttpOptions { request_timeout: limit, ..HttpOptions::default() }).await;
        let error = post(&mut client).await.unwrap_err();
        assert!(matches!(error, NetError::TimedOut { .. }), "{error:?}");
        assert!(error.retryable());
        assert_eq!(error.code(), "timeout");
        assert!(error.to_string().contains("within 50ms"), "{error}");
        let exchange = client.take_exchange();
        assert!(exchange.unanswered);
        assert!(!exchange.wait.is_zero());
        assert_eq!(post(&mut client).await.unwrap(), 204);
        assert_eq!(server.connections(), 2);
        assert!(!client.take_exchange().unanswered);
    })
    .await;
}

#[tokio::test]
async fn a_body_that_stalls_times_out_too() {
    bounded(async {
        let server = Server::start(|_, mut peer| async move {
            while peer.request().await.is_some() {
                peer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf").await;
            }
        })
        .await;
        let options = HttpOptions { request_timeout: Duration::from_millis(50), ..HttpOptions::default() };
        let mut client = server.client_with(options).await;
        assert!(matches!(post(&mut client).await.unwrap_err(), NetError::TimedOut { .. }));
        assert!(client.take_exchange().unanswered);
    })
    .await;
}

#[tokio::test]
async fn a_dropped_request_is_unanswered_and_its_connection_is_closed() {
    bounded(async {
        let (arrived, gone) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (here, left) = (Arc::clone(&arrived), Arc::clone(&gone));
        let server = Server::start(move |number, mut peer| {
            let (here, left) = (Arc::clone(&here), Arc::clone(&left));
            async move {
                while peer.request().await.is_some() {
                    if number == 0 {
                        here.notify_one();
                        peer.closed().await;
                        left.notify_one();
                        return;
                    }
                    peer.write(NO_CONTENT).await;
                }
            }
        })
        .await;
        let mut client = server.client().await;
        tokio::select! {
            _ = post(&mut client) => panic!("there is no answer"),
            () = arrived.notified() => {}
        }
        gone.notified().await;
        let exchange = client.take_exchange();
        assert!(exchange.unanswered);
        assert!(exchange.bytes_sent > 0);
        assert!(!exchange.wait.is_zero());
        assert_eq!(post(&mut client).await.unwrap(), 204);
        assert!(!client.take_exchange().unanswered);
        assert_eq!(server.connections(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_request_dropped_while_its_body_is_being_read_is_unanswered() {
    bounded(async {
        let server = Server::start(|number, mut peer| async move {
            while peer.request().await.is_some() {
                if number == 0 {
                    peer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf").await;
                } else {
                    peer.write(NO_CONTENT).await;
                }
            }
        })
        .await;
        let mut client = server.client().await;
        let given_up = tokio::time::timeout(Duration::from_millis(50), post(&mut client)).await;
        assert!(given_up.is_err());
        assert!(client.take_exchange().unanswered);
        assert_eq!(post(&mut client).await.unwrap(), 204);
        assert!(!client.take_exchange().unanswered);
    })
    .await;
}

#[tokio::test]
async fn a_request_dropped_before_its_first_poll_was_never_sent() {
    bounded(async {
        let server = Server::answering(NO_CONTENT).await;
        let mut client = server.client().await;
        drop(post(&mut client));
        assert_eq!(client.take_exchange(), benchhost_net::Exchange::default());
        assert_eq!(post(&mut client).await.unwrap(), 204);
        assert_eq!(server.connections(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_body_larger_than_the_cap_is_an_error_and_one_of_that_size_is_not() {
    bounded(async {
        let answers: [&'static [u8]; 3] = [
            b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnine byte",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n4\r\nbyte\r\n0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nnine byte",
        ];
        for answer in answers {
            let server = Server::start(move |_, mut peer| async move {
                peer.request().await;
                peer.write(answer).await;
            })
            .await;
            for (cap, fits) in [(8, false), (9, true)] {
                let mut client =
                    server.client_with(HttpOptions { max_response_bytes: cap, ..HttpOptions::default() }).await;
                let outcome = post(&mut client).await;
                if fits {
                    assert_eq!(outcome.unwrap(), 200);
                    continue;
                }
                let error = outcome.unwrap_err();
                assert!(matches!(error, NetError::TooLarge { limit: 8, .. }), "{error:?}");
                assert!(error.to_string().contains("limit of 8 bytes"), "{error}");
                assert!(!error.retryable());
                assert!(client.take_exchange().unanswered, "the answer was not read whole");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_that_announces_more_than_memory_can_hold_is_only_a_broken_one() {
    bounded(async {
        let server = Server::start(|_, mut peer| async move {
            peer.request().await;
            peer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\nsome").await;
            tokio::time::sleep(Duration::from_millis(5)).await;
            peer.write(b" more").await;
        })
        .await;
        let mut client =
            server.client_with(HttpOptions { max_response_bytes: usize::MAX, ..HttpOptions::default() }).await;
        assert!(matches!(post(&mut client).await.unwrap_err(), NetError::Broken { .. }));
        assert!(client.take_exchange().unanswered);
        let mut client = server.client().await;
        assert!(matches!(post(&mut client).await.unwrap_err(), NetError::TooLarge { .. }));
    })
    .await;
}

#[tokio::test]
async fn what_is_not_http_is_said_to_be_so() {
    bounded(async {
        for answer in [
            &b"\x15\x03\x01\x00\x02\x02\x50"[..],
            b"-ERR unknown command\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot-a-size\r\n",
        ] {
            let server = dies_once(answer, false).await;
            let mut client = server.client().await;
            let error = post(&mut client).await.unwrap_err();
            assert!(matches!(error, NetError::NotHttp { .. }), "{answer:?}: {error:?}");
            assert!(error.to_string().contains("is the port right, and is it http or https?"), "{error}");
            assert!(!error.retryable());
            assert!(client.take_exchange().unanswered);
        }
    })
    .await;
}

#[tokio::test]
async fn an_answer_before_the_whole_body_was_taken_counts_and_the_next_request_starts_clean() {
    bounded(async {
        let server = Server::start(|_, mut peer| async move {
            // Reads the head and some of the body, refuses, and closes.
            let mut some = [0; 1024];
            if tokio::io::AsyncReadExt::read(&mut peer.stream, &mut some).await.unwrap_or(0) > 0 {
                peer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").await;
                peer.closed().await;
            }
        })
        .await;
        let mut client = server.client().await;
        for _ in 0..2 {
            let body = Bytes::from(vec![b'x'; 20_000_000]);
            assert_eq!(client.send("POST", "/", &[], Some(body)).await.unwrap().status, 413);
        }
        assert!(!client.take_exchange().unanswered);
        assert_eq!(server.connections(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_refused_connection_says_what_to_look_at() {
    bounded(async {
        // A port that was free a moment ago.
        let port = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        let url = format!("http://127.0.0.1:{port}");
        let error = transport(HttpOptions::default(), &url).connect(&url, Some(0)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("cannot connect to {url}: connection refused: is the server running there, and is the port right?")
        );
        assert_eq!(error.code(), "connection-refused");
        assert!(error.retryable());
    })
    .await;
}

#[tokio::test]
async fn limits_of_any_length_are_accepted() {
    bounded(async {
        let server = Server::answering(NO_CONTENT).await;
        let forever = HttpOptions {
            connect_timeout: Duration::MAX,
            request_timeout: Duration::MAX,
            max_response_bytes: usize::MAX,
            ..HttpOptions::default()
        };
        assert_eq!(post(&mut server.client_with(forever).await).await.unwrap(), 204);
    })
    .await;
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_named() {
    bounded(async {
        let url = "http://no-such-host.invalid:1";
        let error = transport(HttpOptions::default(), url).connect(url, Some(0)).await.unwrap_err();
        assert!(matches!(error, NetError::Resolve { .. }), "{error:?}");
        assert!(
            error
                .to_string()
                .starts_with("cannot find the host `no-such-host.invalid` of http://no-such-host.invalid:1: ")
        );
        assert_eq!(error.code(), "dns");
    })
    .await;
}

#[tokio::test]
async fn a_handshake_that_stalls_ends_with_the_connect_time_out() {
    bounded(async {
        let server = Server::start(|_, mut peer| async move { peer.closed().await }).await;
        let url = format!("https://127.0.0.1:{}", server.port);
        let tls = benchhost_net::TlsOptions { insecure: true, ..Default::default() };
        let options = HttpOptions { connect_timeout: Duration::from_millis(50), tls, ..HttpOptions::default() };
        let error = transport(options, &url).connect(&url, Some(0)).await.unwrap_err();
        assert!(matches!(error, NetError::ConnectTimedOut { .. }), "{error:?}");
        assert_eq!(error.code(), "connect-timeout");
        assert!(error.retryable());
    })
    .await;
}
