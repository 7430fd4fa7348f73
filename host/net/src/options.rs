//! What the user chose about connections: time-outs, caps, trust, sharing.

use std::path::PathBuf;
use std::time::Duration;

/// How connections are made and how long they are waited for.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Limit for making a connection: name lookup, TCP and TLS together. Default 5 s.
    pub connect_timeout: Duration,
    /// Limit for one exchange, from the moment the connection is ready to the last byte of the answer. Default 30 s.
    pub request_timeout: Duration,
    /// The largest answer body that is read, in bytes. A larger one is an error, and its connection is closed. Default 64 MiB.
    pub max_response_bytes: usize,
    /// Whom to trust, and as whom to appear, on `https` endpoints.
    pub tls: TlsOptions,
    /// How many connections all workers share per endpoint; worker `n` uses connection `n % connections`. `None`, the default:
    /// one per client. `Some(0)` counts as `Some(1)`.
    pub connections: Option<usize>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            request_timeout: Duration::from_secs(30),
            max_response_bytes: 64 << 20,
            tls: TlsOptions::default(),
            connections: None,
        }
    }
}

/// The four usual TLS choices. The default trusts the authorities that this machine trusts and shows no certificate.
#[derive(Debug, Clone, Default)]
pub struct TlsOptions {
    /// PEM file with the authorities to trust instead of the machine's own (`--cacert`).
    pub ca_cert: Option<PathBuf>,
    /// PEM file with the certificate chain to show to the server (`--cert`); needs `client_key`.
    pub client_cert: Option<PathBuf>,
    /// PEM file with the private key of `client_cert` (`--key`).
    pub client_key: Option<PathBuf>,
    /// Accept any certificate (`--insecure`): the connection is encrypted, but anyone in between can be the server.
    pub insecure: bool,
}

impl TlsOptions {
    /// Whether the user chose anything, so that a wrong choice is worth finding before the first connection.
    pub(crate) fn any(&self) -> bool {
        self.insecure || self.ca_cert.is_some() || self.client_cert.is_some() || self.client_key.is_some()
    }
}
