//! Requests that are answered without the server.

use crate::support::{Server, bounded, transport};
use benchhost_net::{HttpOptions, NetError};
use bytes::Bytes;

const ANSWER: &str = "HTTP/1.1 200 OK\r\nx-rows: 7\r\ncontent-length: 2\r\n\r\n{}";

#[tokio::test]
async fn a_replayed_answer_is_the_servers_and_nothing_crosses_the_wire() {
    bounded(async {
        let server = Server::answering(ANSWER).await;
        let transport = transport(HttpOptions::default(), &server.url());
        let mut client = transport.connect(&server.url(), None).await.unwrap();
        let request = client.prepare("POST", "/write", &[]).unwrap();
        let body = || Some(Bytes::from_static(b"m f=1"));
        transport.replay(true);
        let error = client.send_prepared(&request, body()).await.unwrap_err();
        assert!(matches!(error, NetError::NothingToReplay { .. }) && !error.retryable(), "{error}");
        transport.replay(false);
        let real = client.send_prepared(&request, body()).await.unwrap();
        client.take_exchange();
        transport.replay(true);
        for _ in 0..3 {
            let replayed = client.send_prepared(&request, body()).await.unwrap();
            assert_eq!((replayed.status, replayed.header("x-rows"), &replayed.body), (200, Some("7"), &real.body));
        }
        let mut other = transport.connect(&server.url(), None).await.unwrap();
        let same = other.prepare("POST", "/write", &[]).unwrap();
        assert_eq!(
            other.send_prepared(&same, body()).await.unwrap().status,
            200,
            "another client's answer does as well"
        );
        assert!(client.send("POST", "/never", &[], body()).await.is_err());
        assert_eq!(client.take_exchange(), benchhost_net::Exchange::default());
        transport.replay(false);
        client.send_prepared(&request, body()).await.unwrap();
        assert!(client.take_exchange().bytes_sent > 0);
    })
    .await;
}
