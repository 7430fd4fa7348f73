//! TLS in front of a plain server: the servers of the tests speak plain HTTP, and the way to a real one is often encrypted.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;

use anyhow::{Context as _, Result};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::{ServerConfig, crypto};
use xtask::servers::Running;

/// A port that decrypts and passes on. It lives as long as the process.
#[derive(Debug)]
pub struct TlsFront {
    /// `https://127.0.0.1:PORT`.
    pub endpoint: String,
    /// The certificate, which is its own authority, in PEM form.
    pub certificate: String,
}

impl TlsFront {
    /// Listens on a free port in front of a server.
    ///
    /// # Errors
    ///
    /// There is no free port, or no certificate can be made.
    pub fn start(server: &Running) -> Result<Self> {
        let behind: SocketAddr = server.endpoint().trim_start_matches("http://").parse()?;
        let own = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()])?;
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(own.signing_key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![own.cert.der().clone()], key)?;
        let acceptor = TlsAcceptor::from(Arc::new(config));

        let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = event_loop.block_on(TcpListener::bind("127.0.0.1:0")).context("no free port")?;
        let endpoint = format!("https://{}", listener.local_addr()?);
        thread::spawn(move || {
            event_loop.block_on(async {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(pass(acceptor.clone(), stream, behind));
                }
            });
        });
        Ok(Self { endpoint, certificate: own.cert.pem() })
    }
}

/// One connection, until either side ends it. A client that does not like the certificate ends it early.
async fn pass(acceptor: TlsAcceptor, stream: TcpStream, behind: SocketAddr) {
    let Ok(mut client) = acceptor.accept(stream).await else { return };
    let Ok(mut server) = TcpStream::connect(behind).await else { return };
    // Whoever ended it, there is nobody to tell.
    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
}
