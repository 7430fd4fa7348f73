//! TLS set-up: whom to trust and as whom to appear, from files that the user named.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::error::{TlsError, plain};
use crate::options::TlsOptions;

/// Builds the one TLS configuration of a run.
///
/// # Errors
///
/// A file that cannot be read or does not fit, named with its flag.
pub(crate) fn client_config(options: &TlsOptions) -> Result<ClientConfig, TlsError> {
    // Named here instead of installed for the process: a library must not choose for everyone.
    let provider = Arc::new(ring::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = if options.insecure {
        // The file is still read: a wrong --cacert is not made right by --insecure beside it.
        if let Some(path) = &options.ca_cert {
            named_roots(path)?;
        }
        Arc::new(AnyCertificate { provider: Arc::clone(&provider) })
    } else {
        let roots = match &options.ca_cert {
            Some(path) => named_roots(path)?,
            None => machine_roots()?,
        };
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .build()
            .map_err(|error| TlsError::Library { reason: error.to_string() })?
    };
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::Library { reason: error.to_string() })?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match (&options.client_cert, &options.client_key) {
        (None, None) => builder.with_no_client_auth(),
        (Some(_), None) => return Err(TlsError::Half { given: "--cert", missing: "--key" }),
        (None, Some(_)) => return Err(TlsError::Half { given: "--key", missing: "--cert" }),
        (Some(cert), Some(key)) => builder
            .with_client_auth_cert(certificates("--cert", cert)?, private_key(key)?)
            .map_err(|error| TlsError::Identity { cert: cert.clone(), key: key.clone(), reason: error.to_string() })?,
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

fn named_roots(path: &Path) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates("--cacert", path)? {
        roots.add(certificate).map_err(|_| TlsError::NotPem {
            flag: "--cacert",
            path: path.to_owned(),
            wanted: "usable certificate",
            advice: "one of its certificates cannot be parsed",
        })?;
    }
    Ok(roots)
}

fn machine_roots() -> Result<RootCertStore, TlsError> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    // Machines carry a few certificates that no TLS library of today accepts; the others are what counts.
    let (usable, _) = roots.add_parsable_certificates(found.certs);
    if usable == 0 {
        let reason = found.errors.first().map_or_else(|| "none found".to_owned(), ToString::to_string);
        return Err(TlsError::NoRoots { reason });
    }
    Ok(roots)
}

fn certificates(flag: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let none = || TlsError::NotPem {
        flag,
        path: path.to_owned(),
        wanted: "certificate",
        advice: "it must have a `-----BEGIN CERTIFICATE-----` block; `openssl x509 -inform der` converts a DER file",
    };
    let all = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unreadable(flag, path, &error).unwrap_or_else(none))?;
    if all.is_empty() { Err(none()) } else { Ok(all) }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    PrivateKeyDer::from_pem_file(path).map_err(|error| {
        unreadable("--key", path, &error).unwrap_or_else(|| TlsError::NotPem {
            flag: "--key",
            path: path.to_owned(),
            wanted: "private key",
            advice: "it must have a `-----BEGIN PRIVATE KEY-----` block (or RSA, EC), not an encrypted one",
        })
    })
}

fn unreadable(flag: &'static str, path: &Path, error: &pem::Error) -> Option<TlsError> {
    match error {
        pem::Error::Io(error) => Some(TlsError::Unreadable { flag, path: path.to_owned(), reason: plain(error) }),
        _ => None,
    }
}

/// Accepts every certificate: what `--insecure` asks for.
///
/// The handshake's signatures are still checked, so the peer does own the certificate it shows; but nobody vouches for it, and
/// whoever sits in between can show one of their own. It is for test servers with certificates made by hand.
#[derive(Debug)]
struct AnyCertificate {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
