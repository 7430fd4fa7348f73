//! What the kernel knows of a connection.

use std::pin::pin;
use std::time::Duration;

use crate::support::{Server, bounded, transport};
use benchhost_net::HttpOptions;

const NO_CONTENT: &str = "HTTP/1.1 204 No Content\r\n\r\n";

#[tokio::test]
async fn a_connection_tells_its_round_trip_and_what_it_sent() {
    bounded(async {
        let server = Server::answering(NO_CONTENT).await;
        let mut client = server.client().await;
        let before = client.tcp_info().unwrap();
        for _ in 0..20 {
            client.send("POST", "/write", &[], Some("m f=1".into())).await.unwrap();
        }
        let after = client.tcp_info().unwrap();
        assert!(after.rtt > Duration::ZERO && after.min_rtt.is_some_and(|least| least <= after.rtt), "{after:?}");
        let sent = after.segments_sent.unwrap() - before.segments_sent.unwrap();
        assert!(sent >= 20, "{sent} segments for 20 requests");
        assert!(after.retransmits >= before.retransmits);
    })
    .await;
}

#[tokio::test]
async fn each_of_two_connections_tells_its_own() {
    bounded(async {
        let server = Server::answering(NO_CONTENT).await;
        let (mut busy, idle) = (server.client().await, server.client().await);
        for _ in 0..50 {
            busy.send("GET", "/", &[], None).await.unwrap();
        }
        let sent = [&busy, &idle].map(|client| client.tcp_info().unwrap().segments_sent.unwrap());
        assert!(sent[0] >= sent[1] + 50, "{sent:?}");
    })
    .await;
}

#[tokio::test]
async fn a_shared_connection_tells_all_who_share_it() {
    bounded(async {
        let server = Server::answering(NO_CONTENT).await;
        let shared = transport(HttpOptions { connections: Some(1), ..HttpOptions::default() }, &server.url());
        let mut first = shared.connect(&server.url(), Some(0)).await.unwrap();
        let second = shared.connect(&server.url(), Some(1)).await.unwrap();
        for _ in 0..50 {
            first.send("GET", "/", &[], None).await.unwrap();
        }
        assert!(second.tcp_info().unwrap().segments_sent.unwrap() >= 50);
        let mut asking = pin!(first.send("GET", "/", &[], None));
        tokio::select! {
            biased;
            _ = &mut asking => panic!("the server has not run yet"),
            () = std::future::ready(()) => {}
        }
        assert_eq!(second.tcp_info(), None, "somebody else has his turn");
        asking.await.unwrap();
        assert!(second.tcp_info().is_some());
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_is_gone_tells_nothing() {
    bounded(async {
        let server = Server::start(|_, mut peer| async move {
            peer.request().await;
            // It closes without an answer.
        })
        .await;
        let mut client = server.client().await;
        assert!(client.tcp_info().is_some());
        client.send("GET", "/", &[], None).await.unwrap_err();
        assert_eq!(client.tcp_info(), None);
    })
    .await;
}

#[tokio::test]
async fn a_transport_adds_up_what_its_connections_told_whoever_shared_them() {
    bounded(async {
        let server = Server::answering(NO_CONTENT).await;
        for connections in [None, Some(1)] {
            let transport = transport(HttpOptions { connections, ..HttpOptions::default() }, &server.url());
            for slot in [0, 1] {
                let mut client = transport.connect(&server.url(), Some(slot)).await.unwrap();
                client.send("GET", "/", &[], None).await.unwrap();
            }
            let totals = transport.tcp_totals();
            assert_eq!(totals.connections, connections.map_or(2, |shared| shared as u64));
            assert!(totals.segments_sent >= 2);
        }
    })
    .await;
}
