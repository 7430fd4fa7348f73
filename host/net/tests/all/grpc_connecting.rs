//! How connections for calls are made, refused and replaced.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use crate::grpc::echo::{METHOD, echo, echo_with};
use crate::grpc::{Setup, bounded};
use benchhost_net::{HttpOptions, NetError, TlsOptions};
use bytes::Bytes;
use rcgen::{CertificateParams, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio_rustls::TlsAcceptor;

#[tokio::test]
async fn what_cannot_be_reached_or_was_not_granted_is_refused_when_connecting() {
    bounded(async {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let url = format!("http://127.0.0.1:{free}");
        let error = crate::support::transport(HttpOptions::default(), &url).channel(&url, None).await.unwrap_err();
        assert_eq!(error.code(), "connection-refused");
        let server = echo().await;
        let error =
            crate::support::transport(HttpOptions::default(), &url).channel(&server.url(), None).await.unwrap_err();
        assert!(matches!(error, NetError::Denied { .. }), "{error}");
        assert_eq!(server.connections(), 0);
    })
    .await;
}

/// What a TLS server shows, with these protocols to agree on, and a file with its certificate.
fn tls(protocols: &[&[u8]]) -> (TlsAcceptor, tempfile::NamedTempFile) {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap().self_signed(&key).unwrap();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(certificate.pem().as_bytes()).unwrap();
    let private = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], private)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    (TlsAcceptor::from(Arc::new(config)), file)
}

#[tokio::test]
async fn tls_agrees_on_http2_or_says_that_it_is_not_offered() {
    bounded(async {
        for (protocols, works) in [(&[b"h2".as_slice(), b"http/1.1"][..], true), (&[], false), (&[b"http/1.1"], false)]
        {
            let (acceptor, file) = tls(protocols);
            let server = echo_with(Setup { tls: Some(acceptor), ..Setup::default() }).await;
            let trust = TlsOptions { ca_cert: Some(file.path().to_owned()), ..TlsOptions::default() };
            let transport = server.transport(HttpOptions { tls: trust, ..HttpOptions::default() });
            let channel = transport.channel(&server.url(), None).await;
            if works {
                let message = Bytes::from(vec![1; 300_000]);
                assert_eq!(channel.unwrap().unary(METHOD, message.clone()).await.unwrap().body, message);
            } else {
                let error = channel.unwrap_err();
                assert!(matches!(error, NetError::Tls { .. }), "{error}");
                assert!(error.to_string().contains("HTTP/2"), "{error}");
            }
            let stranger = server.transport(HttpOptions::default());
            assert_eq!(stranger.channel(&server.url(), None).await.unwrap_err().code(), "tls");
        }
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_the_server_has_closed_is_replaced_unnoticed() {
    bounded(async {
        let server = echo().await;
        let mut channel = server.channel().await;
        for round in 1..4 {
            assert_eq!(channel.unary(METHOD, Bytes::from_static(b"x")).await.unwrap().body, "x");
            assert!(!channel.take_exchange().unanswered);
            assert_eq!(server.connections(), round);
            server.kill();
            // The close crosses the loopback before anything else does.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_of_another_protocol_is_named_as_such() {
    bounded(async {
        let server = crate::support::Server::start(|_, mut peer| async move {
            peer.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").await;
            peer.closed().await;
        })
        .await;
        let transport = crate::support::transport(HttpOptions::default(), &server.url());
        let mut channel = transport.channel(&server.url(), None).await.unwrap();
        let error = channel.unary(METHOD, Bytes::new()).await.unwrap_err();
        assert!(matches!(error, NetError::NotGrpc { .. } | NetError::Broken { .. }), "{error}");
        assert_eq!(error.code(), "not-grpc", "{error}");
    })
    .await;
}
