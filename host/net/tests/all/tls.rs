//! TLS: who is trusted, what the user is told when somebody is not, and which files are refused.

use std::path::PathBuf;
use std::sync::Arc;

use crate::support::{Peer, bounded};
use benchhost_net::{Endpoint, Grants, HttpClient, HttpOptions, NetError, TlsError, TlsOptions, Transport};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;

/// An authority, and files for the flags.
struct World {
    dir: TempDir,
    authority: CertifiedIssuer<'static, KeyPair>,
}

impl World {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        Self { dir: TempDir::new().unwrap(), authority }
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn ca_file(&self) -> PathBuf {
        self.file("ca.pem", &self.authority.pem())
    }

    /// Certificate and key, signed by the authority.
    fn signed(&self, names: &[&str]) -> (rcgen::Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let certificate = params.signed_by(&key, &self.authority).unwrap();
        (certificate, key)
    }

    /// An HTTPS server with a certificate for `names`, which answers 204; its port, and what it counted after each answer.
    async fn serve(&self, names: &[&str], ask_client: bool) -> (u16, mpsc::UnboundedReceiver<Option<Vec<u8>>>) {
        let (certificate, key) = self.signed(names);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder =
            ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions().unwrap();
        let builder = if ask_client {
            let mut roots = RootCertStore::empty();
            roots.add(self.authority.der().clone()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
            builder.with_client_cert_verifier(verifier)
        } else {
            builder.with_no_client_auth()
        };
        let chain: Vec<CertificateDer<'static>> = vec![certificate.der().clone()];
        let mut config =
            builder.with_single_cert(chain, PrivateKeyDer::try_from(key.serialize_der()).unwrap()).unwrap();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, protocols) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                let (acceptor, seen) = (acceptor.clone(), seen.clone());
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(tcp).await else { return };
                    let _ = seen.send(stream.get_ref().1.alpn_protocol().map(<[u8]>::to_vec));
                    let mut peer = Peer::new(stream);
                    while peer.request().await.is_some() {
                        peer.write(b"HTTP/1.1 204 No Content\r\n\r\n").await;
                    }
                });
            }
        });
        (port, protocols)
    }
}

fn open(tls: TlsOptions, url: &str) -> Result<Arc<Transport>, TlsError> {
    let endpoint: Endpoint = url.parse().unwrap();
    Transport::new(HttpOptions { tls, ..HttpOptions::default() }, Grants::new([endpoint])).map(Arc::new)
}

async fn connect(tls: TlsOptions, url: &str) -> Result<HttpClient, NetError> {
    open(tls, url).unwrap().connect(url, Some(0)).await
}

fn trusting(ca_cert: PathBuf) -> TlsOptions {
    TlsOptions { ca_cert: Some(ca_cert), ..TlsOptions::default() }
}

#[tokio::test]
async fn a_server_of_a_named_authority_is_trusted_by_name_and_by_address() {
    bounded(async {
        let world = World::new("home");
        let (port, mut protocols) = world.serve(&["localhost", "127.0.0.1"], false).await;
        for host in ["localhost", "127.0.0.1"] {
            let mut client = connect(trusting(world.ca_file()), &format!("https://{host}:{port}")).await.unwrap();
            for _ in 0..3 {
                assert_eq!(client.send("POST", "/", &[], Some("m f=1".into())).await.unwrap().status, 204);
            }
            assert_eq!(protocols.recv().await.unwrap().as_deref(), Some(&b"http/1.1"[..]));
        }
    })
    .await;
}

#[tokio::test]
async fn bytes_of_tls_are_counted_as_they_are_on_the_wire() {
    bounded(async {
        let world = World::new("home");
        let (port, _protocols) = world.serve(&["127.0.0.1"], false).await;
        let mut client = connect(trusting(world.ca_file()), &format!("https://127.0.0.1:{port}")).await.unwrap();
        let handshake = client.take_exchange();
        assert!(handshake.bytes_sent > 100 && handshake.bytes_received > 300, "{handshake:?}");
        assert!(handshake.wait.is_zero() && !handshake.unanswered);
        client.send("POST", "/", &[], Some(vec![b'x'; 1000].into())).await.unwrap();
        client.take_exchange();
        let mut sizes = Vec::new();
        for size in [1000, 2000] {
            client.send("POST", "/", &[], Some(vec![b'x'; size].into())).await.unwrap();
            sizes.push(client.take_exchange());
        }
        assert_eq!(sizes[1].bytes_sent - sizes[0].bytes_sent, 1000);
        // One record around the answer: five bytes of head, one of type, sixteen of tag.
        assert_eq!(sizes[0].bytes_received, b"HTTP/1.1 204 No Content\r\n\r\n".len() as u64 + 22);
    })
    .await;
}

#[tokio::test]
async fn a_server_of_an_unknown_authority_is_refused_and_the_error_names_the_flags() {
    bounded(async {
        let world = World::new("home");
        let (port, _protocols) = world.serve(&["127.0.0.1"], false).await;
        let url = format!("https://127.0.0.1:{port}");
        let error = connect(trusting(World::new("elsewhere").ca_file()), &url).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "no TLS session with {url}: the server's certificate comes from an authority that is not trusted here: name the \
                 authority's certificate by --cacert FILE, or skip the check by --insecure"
            )
        );
        assert_eq!((error.code(), error.retryable()), ("tls", false));
        let error = connect(trusting(World::new("home").ca_file()), &url).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains("not signed by the authority of that name") && text.contains("--cacert FILE"), "{text}");
    })
    .await;
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    bounded(async {
        let world = World::new("home");
        let (port, _protocols) = world.serve(&["db.example.org"], false).await;
        let error = connect(trusting(world.ca_file()), &format!("https://127.0.0.1:{port}")).await.unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("not valid for name") && text.contains("write the name that the certificate carries"),
            "{text}"
        );
    })
    .await;
}

#[tokio::test]
async fn insecure_accepts_any_certificate() {
    bounded(async {
        let world = World::new("home");
        let (port, _protocols) = world.serve(&["db.example.org"], false).await;
        let tls = TlsOptions { insecure: true, ..TlsOptions::default() };
        let mut client = connect(tls, &format!("https://127.0.0.1:{port}")).await.unwrap();
        assert_eq!(client.send("GET", "/", &[], None).await.unwrap().status, 204);
    })
    .await;
}

#[tokio::test]
async fn a_client_certificate_opens_a_server_that_asks_for_one() {
    bounded(async {
        let world = World::new("home");
        let (port, _protocols) = world.serve(&["127.0.0.1"], true).await;
        let url = format!("https://127.0.0.1:{port}");
        let (certificate, key) = world.signed(&["worker"]);
        let tls = TlsOptions {
            client_cert: Some(world.file("cert.pem", &certificate.pem())),
            client_key: Some(world.file("key.pem", &key.serialize_pem())),
            ..trusting(world.ca_file())
        };
        let mut client = connect(tls, &url).await.unwrap();
        assert_eq!(client.send("GET", "/", &[], None).await.unwrap().status, 204);
    })
    .await;
}

#[tokio::test]
async fn a_server_that_asks_for_a_client_certificate_says_so() {
    bounded(async {
        let world = World::new("home");
        let (port, _protocols) = world.serve(&["127.0.0.1"], true).await;
        // In TLS 1.3 the server's refusal arrives after the client is done with the handshake, so the first request meets it.
        let mut client = connect(trusting(world.ca_file()), &format!("https://127.0.0.1:{port}")).await.unwrap();
        let error = client.send("GET", "/", &[], None).await.unwrap_err();
        assert!(matches!(error, NetError::Tls { .. }), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("asks for a client certificate: give one by --cert FILE and --key FILE"), "{text}");
    })
    .await;
}

#[tokio::test]
async fn a_plain_port_is_recognised() {
    bounded(async {
        let world = World::new("home");
        let plain = crate::support::Server::start(|_, mut peer| async move {
            peer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").await;
            peer.closed().await;
        })
        .await;
        let error = connect(trusting(world.ca_file()), &format!("https://127.0.0.1:{}", plain.port)).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains("does not speak TLS on this port: is it a plain port? Then write http://"), "{text}");
        let closes = crate::support::Server::start(|_, mut peer| async move {
            let mut hello = [0; 4096];
            let _ = tokio::io::AsyncReadExt::read(&mut peer.stream, &mut hello).await;
        })
        .await;
        let error =
            connect(trusting(world.ca_file()), &format!("https://127.0.0.1:{}", closes.port)).await.unwrap_err();
        assert!(error.to_string().contains("does this port speak TLS? If not, write http://"), "{error}");
    })
    .await;
}

#[test]
fn files_that_do_not_fit_are_found_before_anything_is_dialled() {
    let world = World::new("home");
    let (certificate, key) = world.signed(&["worker"]);
    let cert = world.file("cert.pem", &certificate.pem());
    let key = world.file("key.pem", &key.serialize_pem());
    let other_key = world.file("other.pem", &KeyPair::generate().unwrap().serialize_pem());
    let text = world.file("text.pem", "hello");
    let broken = world.file("broken.pem", "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n");
    let hollow = world.file("hollow.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    let missing = world.dir.path().join("missing.pem");
    let client = |cert: &PathBuf, key: &PathBuf| TlsOptions {
        client_cert: Some(cert.clone()),
        client_key: Some(key.clone()),
        ..TlsOptions::default()
    };
    let with_ca = |path: &PathBuf| trusting(path.clone());
    let cases = [
        (with_ca(&missing), "missing.pem`, given by --cacert: no such file"),
        (with_ca(&text), "text.pem`, given by --cacert, holds no certificate in PEM form"),
        (with_ca(&broken), "broken.pem`, given by --cacert, holds no certificate in PEM form"),
        (with_ca(&hollow), "hollow.pem`, given by --cacert, holds no usable certificate in PEM form"),
        (with_ca(&key), "key.pem`, given by --cacert, holds no certificate in PEM form"),
        (client(&missing, &key), "missing.pem`, given by --cert: no such file"),
        (client(&cert, &missing), "missing.pem`, given by --key: no such file"),
        (client(&cert, &cert), "cert.pem`, given by --key, holds no private key in PEM form"),
        (client(&cert, &other_key), "(--key) cannot be used together"),
        (TlsOptions { client_key: None, ..client(&cert, &key) }, "--cert was given without --key"),
        (TlsOptions { client_cert: None, ..client(&cert, &key) }, "--key was given without --cert"),
        (TlsOptions { insecure: true, ..with_ca(&missing) }, "missing.pem`, given by --cacert: no such file"),
    ];
    for (mut options, message) in cases {
        // Without a root of its own, the case would depend on what this machine trusts.
        options.ca_cert.get_or_insert_with(|| world.ca_file());
        // Found on a plain endpoint too: a flag that is given is meant.
        let error = open(options, "http://127.0.0.1:1").unwrap_err().to_string();
        assert!(error.contains(message), "{error} should contain {message}");
    }
}
