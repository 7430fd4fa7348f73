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
    /// The answer's body passed the cap.
    TooLarge,
    /// The request's time was over.
    TimedOut,
}

/// The user's error for `failure`; `limit` and `cap` are the ones that applied.
pub(crate) fn explain(endpoint: &Endpoint, failure: Failure, limit: Duration, cap: usize) -> NetError {
    let to = endpoint.to_string();
    let error = match failure {
        Failure::TooLarge => return NetError::TooLarge { endpoint: to, limit: cap },
        Failure::TimedOut => return NetError::TimedOut { endpoint: to, limit },
        Failure::Http(error) => error,
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
