//! What can go wrong between here and a server, in words that say what to do next.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::endpoint::{EndpointError, escaped};
use crate::grpc::{status_name, status_retryable};

/// Why TLS cannot be used at all: a file or a choice is wrong. Found before anything is dialled.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read `{}`, given by {flag}: {reason}", path.display())]
    Unreadable {
        /// The flag that named it.
        flag: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        reason: String,
    },
    /// A file does not hold what the flag asks for.
    #[error("`{}`, given by {flag}, holds no {wanted} in PEM form: {advice}", path.display())]
    NotPem {
        /// The flag that named it.
        flag: &'static str,
        /// The file.
        path: PathBuf,
        /// What was looked for.
        wanted: &'static str,
        /// How to make it fit.
        advice: &'static str,
    },
    /// Certificate without key, or the other way round.
    #[error("{given} was given without {missing}: a client certificate needs both")]
    Half {
        /// The flag that is there.
        given: &'static str,
        /// The flag that is not.
        missing: &'static str,
    },
    /// The certificate and the key do not make an identity.
    #[error("the certificate `{}` (--cert) and the key `{}` (--key) cannot be used together: {reason}", cert.display(), key.display())]
    Identity {
        /// The certificate file.
        cert: PathBuf,
        /// The key file.
        key: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The machine trusts nobody.
    #[error(
        "this machine has no trusted certificates ({reason}): name some by --cacert FILE, or skip the check by --insecure"
    )]
    NoRoots {
        /// What was found instead.
        reason: String,
    },
    /// The TLS library refused its own set-up.
    #[error("TLS cannot be set up: {reason}")]
    Library {
        /// Its reason.
        reason: String,
    },
}

/// Why a connection was not made or a request not answered.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NetError {
    /// The base URL is no endpoint.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The endpoint is spoken to in another way.
    #[error("{endpoint} is not how this plugin speaks to a server: write {wanted}")]
    Scheme {
        /// The endpoint.
        endpoint: String,
        /// The schemes that fit.
        wanted: &'static str,
    },
    /// What was asked of a connection cannot be done, whatever the server does.
    #[error("{problem}")]
    Asked {
        /// What and why.
        problem: &'static str,
    },
    /// The user did not name this endpoint.
    #[error("{endpoint} was not granted: allow it by `--allow-net {host_port}`, or name it by `--endpoint {endpoint}`")]
    Denied {
        /// The endpoint.
        endpoint: String,
        /// What a grant for it would name.
        host_port: String,
    },
    /// The name lookup gave no address.
    #[error(
        "cannot find the host `{host}` of {endpoint}: {reason}: is the name right, and does this machine's DNS know it?"
    )]
    Resolve {
        /// The endpoint.
        endpoint: String,
        /// The name.
        host: String,
        /// The lookup's reason.
        reason: String,
    },
    /// No TCP connection.
    #[error("cannot connect to {endpoint}: {reason}: {advice}")]
    Connect {
        /// The endpoint.
        endpoint: String,
        /// Short name of the reason for scripts, such as `connection-refused`.
        code: &'static str,
        /// The reason.
        reason: String,
        /// What to look at.
        advice: &'static str,
    },
    /// Making the connection took too long.
    #[error(
        "cannot connect to {endpoint}: no connection within {limit:?}: is the host up, and does a firewall drop packets?"
    )]
    ConnectTimedOut {
        /// The endpoint.
        endpoint: String,
        /// The limit that passed.
        limit: Duration,
    },
    /// No TLS session.
    #[error("no TLS session with {endpoint}: {reason}: {advice}")]
    Tls {
        /// The endpoint.
        endpoint: String,
        /// What one side did not accept.
        reason: String,
        /// What to change.
        advice: &'static str,
    },
    /// TLS cannot be used at all.
    #[error(transparent)]
    TlsSetup(#[from] TlsError),
    /// No complete answer within the limit.
    #[error("{endpoint} gave no complete answer within {limit:?}: raise --timeout, or look why the server stalls")]
    TimedOut {
        /// The endpoint.
        endpoint: String,
        /// The limit that passed.
        limit: Duration,
    },
    /// The connection ended before a complete answer.
    #[error("the connection to {endpoint} broke before a complete answer: {reason}: does the server still run?")]
    Broken {
        /// The endpoint.
        endpoint: String,
        /// How it ended.
        reason: String,
    },
    /// What came back is not HTTP/1.1.
    #[error("{endpoint} did not answer in HTTP/1.1 ({reason}): is the port right, and is it http or https?")]
    NotHttp {
        /// The endpoint.
        endpoint: String,
        /// What does not fit.
        reason: String,
    },
    /// The answer's body is larger than the limit.
    #[error("the answer of {endpoint} is larger than the limit of {limit} bytes: ask for less")]
    TooLarge {
        /// The endpoint.
        endpoint: String,
        /// The limit, in bytes.
        limit: usize,
    },
    /// What came back is not gRPC over HTTP/2.
    #[error("{endpoint} did not answer in gRPC over HTTP/2 ({reason}): is the port right, and is it http or https?")]
    NotGrpc {
        /// The endpoint.
        endpoint: String,
        /// What does not fit.
        reason: String,
    },
    /// The server ended a stream with a status other than OK.
    #[error(
        "{endpoint} ended the stream with {}{}: {}{}",
        status_name(*status),
        code_in_brackets(err_code.as_deref()),
        words(message),
        unknown(*unanswered)
    )]
    Status {
        /// The endpoint.
        endpoint: String,
        /// The gRPC status code.
        status: u32,
        /// The server's words.
        message: String,
        /// The server's own number of the error (`x-greptime-err-code`).
        err_code: Option<String>,
        /// The batch was handed over: whether it is stored is not known.
        unanswered: bool,
    },
    /// The server ended a stream in order, without an answer to this message.
    #[error("{endpoint} ended the stream without an answer to this message: see the server's log{}", unknown(*unanswered))]
    StreamEnded {
        /// The endpoint.
        endpoint: String,
        /// The message was handed over: whether the server acted on it is not known.
        unanswered: bool,
    },
    /// The request cannot be written as HTTP.
    #[error("{what} {problem}")]
    Malformed {
        /// Method, path or header; a header's value and a path's query are never shown.
        what: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Answers are replayed, and there is none for this request.
    #[error("{endpoint} has not answered such a request yet, so there is nothing to replay")]
    NothingToReplay {
        /// The server.
        endpoint: String,
    },
}

impl NetError {
    /// Whether the same request may succeed when it is sent again.
    #[must_use]
    pub fn retryable(&self) -> bool {
        match self {
            Self::Connect { .. }
            | Self::ConnectTimedOut { .. }
            | Self::TimedOut { .. }
            | Self::Broken { .. }
            | Self::StreamEnded { .. } => true,
            Self::Status { status, .. } => status_retryable(*status),
            _ => false,
        }
    }

    /// A short name for scripts: `connection-refused`, `dns`, `tls`, `timeout`, `reset` and so on; of a gRPC status its name, such as
    /// `UNAVAILABLE`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Endpoint(_) | Self::Scheme { .. } => "endpoint",
            Self::Asked { .. } => "malformed",
            Self::Denied { .. } => "denied",
            Self::Resolve { .. } => "dns",
            Self::Connect { code, .. } => code,
            Self::ConnectTimedOut { .. } => "connect-timeout",
            Self::Tls { .. } | Self::TlsSetup(_) => "tls",
            Self::TimedOut { .. } => "timeout",
            Self::Broken { .. } => "reset",
            Self::NotHttp { .. } => "not-http",
            Self::NotGrpc { .. } => "not-grpc",
            Self::Status { status, .. } => status_name(*status),
            Self::StreamEnded { .. } => "stream-ended",
            Self::TooLarge { .. } => "too-large",
            Self::Malformed { .. } => "malformed",
            Self::NothingToReplay { .. } => "nothing-to-replay",
        }
    }

    /// From what the operating system said while dialling.
    pub(crate) fn connect(endpoint: String, error: &io::Error) -> Self {
        let (code, advice) = match error.kind() {
            io::ErrorKind::ConnectionRefused => {
                ("connection-refused", "is the server running there, and is the port right?")
            }
            io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
                ("unreachable", "is the address right, and is there a route to it?")
            }
            _ if error.raw_os_error() == Some(TOO_MANY_OPEN_FILES) => {
                ("open-files", "raise the limit (`ulimit -n`), or use fewer workers or --connections")
            }
            _ => ("connect-failed", "is the server running there, and is the port right?"),
        };
        Self::Connect { endpoint, code, reason: plain(error), advice }
    }
}

/// What is added to an error after which nobody knows what the server did.
fn unknown(unanswered: bool) -> &'static str {
    if unanswered { " (unanswered: its rows may or may not be stored)" } else { "" }
}

fn code_in_brackets(code: Option<&str>) -> String {
    code.map(|code| format!(" ({})", escaped(code))).unwrap_or_default()
}

/// A server's words as a part of ours.
fn words(message: &str) -> String {
    if message.is_empty() { "it gave no reason, see its log".to_owned() } else { escaped(message) }
}

/// `EMFILE`, which has no error kind of its own: the usual end of a run with very many workers.
const TOO_MANY_OPEN_FILES: i32 = 24;

/// An I/O error in the field's words, without the operating system's number.
pub(crate) fn plain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        io::ErrorKind::ConnectionReset => "connection reset".to_owned(),
        io::ErrorKind::BrokenPipe => "connection closed by the server".to_owned(),
        io::ErrorKind::UnexpectedEof => "connection closed by the server".to_owned(),
        io::ErrorKind::HostUnreachable => "no route to host".to_owned(),
        io::ErrorKind::NetworkUnreachable => "network unreachable".to_owned(),
        io::ErrorKind::TimedOut => "connection timed out".to_owned(),
        io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => {
            let text = error.to_string();
            let end = text.find(" (os error").unwrap_or(text.len());
            let mut text = text[..end].to_owned();
            if let Some(first) = text.get_mut(..1) {
                first.make_ascii_lowercase();
            }
            text
        }
    }
}
