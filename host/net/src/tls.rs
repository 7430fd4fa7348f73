//! TLS handshakes, and what their failures mean to the user.

use std::io;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{AlertDescription, CertificateError, ClientConfig, InvalidMessage};
use tokio_rustls::TlsConnector;

use crate::endpoint::{Endpoint, Host};
use crate::error::NetError;
use crate::meter::Metered;
use crate::stream::Stream;

/// The name by which TLS agrees on HTTP/2.
pub(crate) const H2: &[u8] = b"h2";

/// Makes a TLS session over `tcp`. The name that the certificate must carry is the endpoint's host, an address included.
///
/// # Errors
///
/// `Tls`, with what one side did not accept; `Connect` when the connection broke meanwhile.
pub(crate) async fn handshake(
    endpoint: &Endpoint,
    config: Arc<ClientConfig>,
    tcp: Metered,
) -> Result<Stream, NetError> {
    let name = match endpoint.host_ref() {
        Host::Ip(ip) => ServerName::from(*ip),
        Host::Name(name) => ServerName::try_from(name.clone()).map_err(|_| NetError::Tls {
            endpoint: endpoint.to_string(),
            reason: format!("`{name}` is no name that a certificate can carry"),
            advice: "use the host's DNS name or its address",
        })?,
    };
    let wanted = config.alpn_protocols.first().cloned();
    match TlsConnector::from(config).connect(name, tcp).await {
        // HTTP/1.1 needs no agreement, being what a server without one speaks.
        Ok(stream) if wanted.as_deref() == Some(H2) && stream.get_ref().1.alpn_protocol() != Some(H2) => {
            Err(NetError::Tls {
                endpoint: endpoint.to_string(),
                reason: "the server does not offer HTTP/2 (`h2`)".to_owned(),
                advice: "is this its gRPC port? A proxy in front of it must speak HTTP/2 too",
            })
        }
        Ok(stream) => Ok(Stream::Tls(Box::new(stream))),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(NetError::Tls {
            endpoint: endpoint.to_string(),
            reason: "the server closed the connection during the handshake".to_owned(),
            advice: if wanted.as_deref() == Some(H2) {
                "does this port speak TLS, and HTTP/2 over it? If it speaks no TLS, write http://"
            } else {
                "does this port speak TLS? If not, write http://"
            },
        }),
        Err(error) => Err(failure(endpoint, &error).unwrap_or_else(|| NetError::connect(endpoint.to_string(), &error))),
    }
}

/// The TLS failure inside `error`, if that is what it is.
pub(crate) fn failure(endpoint: &Endpoint, error: &io::Error) -> Option<NetError> {
    let cause = error.get_ref()?.downcast_ref::<rustls::Error>()?;
    let (reason, advice) = explain(cause);
    Some(NetError::Tls { endpoint: endpoint.to_string(), reason, advice })
}

const ASK_INSECURE: &str = "give the right certificate by --cacert FILE, or skip the check by --insecure";

fn explain(error: &rustls::Error) -> (String, &'static str) {
    use rustls::Error;
    match error {
        Error::InvalidCertificate(problem) => explain_certificate(problem),
        Error::AlertReceived(AlertDescription::CertificateRequired) => {
            ("the server asks for a client certificate".to_owned(), "give one by --cert FILE and --key FILE")
        }
        Error::AlertReceived(AlertDescription::HandshakeFailure) => (
            "the server refused the handshake".to_owned(),
            "does it ask for a client certificate (--cert FILE and --key FILE), or for an old version of TLS?",
        ),
        Error::AlertReceived(
            alert @ (AlertDescription::UnknownCA
            | AlertDescription::BadCertificate
            | AlertDescription::CertificateUnknown
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateRevoked
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::AccessDenied
            | AlertDescription::DecryptError),
        ) => (
            format!("the server did not accept the client certificate ({alert:?})"),
            "give one that it trusts by --cert FILE and --key FILE",
        ),
        Error::AlertReceived(AlertDescription::NoApplicationProtocol) => (
            "the server does not speak the protocol that is asked for".to_owned(),
            "is the port right? gRPC asks for HTTP/2",
        ),
        Error::AlertReceived(alert) => (format!("the server ended the session ({alert:?})"), "see the server's log"),
        Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            ("the server does not speak TLS on this port".to_owned(), "is it a plain port? Then write http://")
        }
        other => (lower(other.to_string()), "does this port speak TLS 1.2 or 1.3?"),
    }
}

fn explain_certificate(problem: &CertificateError) -> (String, &'static str) {
    use CertificateError as C;
    match problem {
        C::UnknownIssuer => (
            "the server's certificate comes from an authority that is not trusted here".to_owned(),
            "name the authority's certificate by --cacert FILE, or skip the check by --insecure",
        ),
        C::BadSignature => (
            "the server's certificate is not signed by the authority of that name that is trusted here".to_owned(),
            ASK_INSECURE,
        ),
        C::NotValidForName | C::NotValidForNameContext { .. } => (
            lower(problem.to_string()),
            "write the name that the certificate carries into the endpoint, or skip the check by --insecure",
        ),
        C::Expired | C::ExpiredContext { .. } | C::NotValidYet | C::NotValidYetContext { .. } => {
            (lower(problem.to_string()), "renew it, or set this machine's clock, or skip the check by --insecure")
        }
        C::Other(other) => (format!("the server's certificate cannot be used: {other:?}"), ASK_INSECURE),
        _ => (lower(problem.to_string()), ASK_INSECURE),
    }
}

fn lower(mut text: String) -> String {
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    text
}
