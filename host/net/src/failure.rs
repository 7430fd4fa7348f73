//! From what ended an exchange to what the user is told.

use std::error::Error;
use std::io;
use std::time::Duration;

use crate::endpoint::Endpoint;
use crate::error::{NetError, plain};
use crate::tls;

/// How an exchange failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The protocol library's error, an I/O error inside it included.
    Http(hyper::Error),
    /// The same of an HTTP/2 connection, which several calls are told of: its words.
    Http2(String),
    /// What came back is not gRPC.
    NotGrpc(String),
    /// The answer's body passed the cap.
    TooLarge,
    /// The request's time was over.
    TimedOut,
}

impl Failure {
    /// From what ended a call: the words at the bottom of the chain, which are the transport's or the other side's.
    pub(crate) fn http2(error: &hyper::Error) -> Self {
        let mut bottom: &dyn Error = error;
        while let Some(cause) = bottom.source() {
            bottom = cause;
        }
        let reason = match bottom.downcast_ref::<io::Error>() {
            Some(error) => plain(error),
            None => bottom.to_string(),
        };
        // The library's mark of what this side found wrong in the framing: the other side speaks something else.
        if reason.contains("error detected") { Self::NotGrpc(reason) } else { Self::Http2(reason) }
    }
}

/// The user's error for `failure`; `limit` and `cap` are the ones that applied.
pub(crate) fn explain(endpoint: &Endpoint, failure: Failure, limit: Duration, cap: usize) -> NetError {
    let to = endpoint.to_string();
    let error = match failure {
        Failure::TooLarge => return NetError::TooLarge { endpoint: to, limit: cap },
        Failure::TimedOut => return NetError::TimedOut { endpoint: to, limit },
        Failure::Http(error) => error,
        Failure::Http2(reason) => return NetError::Broken { endpoint: to, reason },
        Failure::NotGrpc(reason) => return NetError::NotGrpc { endpoint: to, reason },
    };
    if let Some(cause) = io_cause(&error) {
        if let Some(failure) = tls::failure(endpoint, cause) {
            return failure;
        }
        return match cause.kind() {
            // The kinds by which the library says that the framing of a body is wrong.
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                NetError::NotHttp { endpoint: to, reason: plain(cause) }
            }
            _ => NetError::Broken { endpoint: to, reason: plain(cause) },
        };
    }
    if error.is_parse() {
        return NetError::NotHttp { endpoint: to, reason: error.to_string() };
    }
    NetError::Broken { endpoint: to, reason: "connection closed by the server".to_owned() }
}

/// The I/O error at the bottom of a chain of errors.
fn io_cause(error: &hyper::Error) -> Option<&io::Error> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            return Some(io);
        }
        cause = error.source();
    }
    None
}
