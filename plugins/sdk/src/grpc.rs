//! What targets over gRPC share: the reading of replies into errors.

use crate::text::shorten;
use crate::{Error, ErrorKind, Reply, Result};

/// Bytes of a server's words that go into an error message.
const WORDS: usize = 500;

impl Reply {
    /// Whether the call succeeded.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.status() == 0
    }

    /// Itself, if the call succeeded; `doing` says what the call was for ("write").
    ///
    /// # Errors
    ///
    /// [`Reply::error`] otherwise.
    pub fn success(self, doing: &str) -> Result<Self> {
        if self.is_ok() { Ok(self) } else { Err(self.error(doing)) }
    }

    /// What a call that failed means, with the server's own words; `doing` says what the call was for ("write").
    ///
    /// `UNAVAILABLE` and `CANCELLED` are `unavailable`, `DEADLINE_EXCEEDED` `timed-out`, `RESOURCE_EXHAUSTED` `throttled`; these and `ABORTED` are
    /// retryable, except that a message which is too large stays so. `UNIMPLEMENTED` is `unsupported`. Anything else is `rejected` for good. The
    /// status' name is the code. `grpc-retry-pushback-ms` counts.
    #[must_use]
    pub fn error(&self, doing: &str) -> Error {
        let status = self.status();
        let words = self.message();
        let (kind, retryable) = class(status, &words);
        let name = status_name(status);
        let mut message = format!("{doing}: gRPC {name}");
        if !words.trim().is_empty() {
            let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
            message = format!("{message}: {}", shorten(&words, WORDS));
        }
        let retry_after_ms = self.metadata("grpc-retry-pushback-ms").and_then(|ms| ms.trim().parse().ok());
        Error { retryable, retry_after_ms, ..Error::new(kind, message).with_code(name) }
    }
}

/// The kind of a status, and whether it is worth trying again.
fn class(status: u32, words: &str) -> (ErrorKind, bool) {
    match status {
        0 => (ErrorKind::Internal, false),
        1 | 14 => (ErrorKind::Unavailable, true),
        4 => (ErrorKind::TimedOut, true),
        // Many servers refuse a large message with this status.
        8 if words.contains("larger than") || words.contains("too large") => (ErrorKind::Rejected, false),
        8 => (ErrorKind::Throttled, true),
        10 => (ErrorKind::Rejected, true),
        12 => (ErrorKind::Unsupported, false),
        _ => (ErrorKind::Rejected, false),
    }
}

/// A status as the gRPC specification spells it.
#[must_use]
pub fn status_name(status: u32) -> String {
    const NAMES: [&str; 17] = [
        "OK",
        "CANCELLED",
        "UNKNOWN",
        "INVALID_ARGUMENT",
        "DEADLINE_EXCEEDED",
        "NOT_FOUND",
        "ALREADY_EXISTS",
        "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED",
        "FAILED_PRECONDITION",
        "ABORTED",
        "OUT_OF_RANGE",
        "UNIMPLEMENTED",
        "INTERNAL",
        "UNAVAILABLE",
        "DATA_LOSS",
        "UNAUTHENTICATED",
    ];
    NAMES.get(status as usize).map_or_else(|| format!("status {status}"), |name| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_its_name_and_a_kind() {
        assert_eq!(status_name(16), "UNAUTHENTICATED");
        assert_eq!(status_name(17), "status 17");
        assert_eq!(class(14, ""), (ErrorKind::Unavailable, true));
        assert_eq!(class(8, "slow down"), (ErrorKind::Throttled, true));
        assert_eq!(class(8, "received message larger than max"), (ErrorKind::Rejected, false));
        assert_eq!(class(3, ""), (ErrorKind::Rejected, false));
        assert_eq!(class(12, ""), (ErrorKind::Unsupported, false));
    }
}
