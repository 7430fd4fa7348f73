//! Makers of [`Error`]. What a kind means is said at [`ErrorKind`]; no message may hold a secret.

use crate::{Error, ErrorKind};

/// A result whose error goes to the host.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of `kind` that is not worth trying again.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, code: None, message: message.into(), retryable: false, retry_after_ms: None, rows_accepted: None }
    }

    /// The plugin cannot do what was asked.
    #[must_use]
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, message)
    }

    /// The settings or the data are wrong.
    #[must_use]
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// The server answered and said no.
    #[must_use]
    pub fn rejected(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Rejected, message)
    }

    /// The server took `rows_accepted` rows and refused others; none where it does not say how many.
    #[must_use]
    pub fn partial(message: impl Into<String>, rows_accepted: Option<u64>) -> Self {
        Self { rows_accepted, ..Self::new(ErrorKind::Partial, message) }
    }

    /// A bug in the plugin, or an answer that it does not understand.
    #[must_use]
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// The same with the server's own code.
    #[must_use]
    pub fn with_code(self, code: impl Into<String>) -> Self {
        Self { code: Some(code.into()), ..self }
    }

    /// The same, worth trying again after `after_ms` milliseconds, or after the host's back-off.
    #[must_use]
    pub fn retry_after(self, after_ms: Option<u64>) -> Self {
        Self { retryable: true, retry_after_ms: after_ms, ..self }
    }

    /// The same with `advice` added to its message: what to do next.
    #[must_use]
    pub fn advise(self, advice: &str) -> Self {
        Self { message: format!("{}: {advice}", self.message), ..self }
    }

    /// [`advise`](Self::advise), if the server did not let the user in: its code is 401 or 403, or the name that gRPC has for one of them.
    #[must_use]
    pub fn advise_if_refused(self, advice: &str) -> Self {
        match self.code.as_deref() {
            Some("401" | "403" | "UNAUTHENTICATED" | "PERMISSION_DENIED") => self.advise(advice),
            _ => self,
        }
    }
}
