//! An error on its way to the terminal: what happened, what the process will answer, and what to do next. It never prints.

use std::error::Error;
use std::fmt;

use crate::exit::ExitStatus;

/// Why a command ended without a result.
#[derive(Debug)]
pub(crate) struct Failure {
    status: ExitStatus,
    error: anyhow::Error,
    hint: Option<String>,
}

impl Failure {
    /// A failure of that class.
    pub(crate) fn new(status: ExitStatus, error: impl Into<anyhow::Error>) -> Self {
        Self { status, error: error.into(), hint: None }
    }

    /// The user asked for something that cannot be.
    pub(crate) fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self::new(ExitStatus::Usage, error)
    }

    /// Nobody did anything wrong, but it does not work.
    pub(crate) fn internal(error: impl Into<anyhow::Error>) -> Self {
        Self::new(ExitStatus::Internal, error)
    }

    /// Says what to do next. The error itself says what and where.
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says what was being done.
    pub(crate) fn context(mut self, what: impl fmt::Display + Send + Sync + 'static) -> Self {
        self.error = self.error.context(what);
        self
    }

    /// What the process answers.
    pub(crate) fn status(&self) -> ExitStatus {
        self.status
    }

    /// What to do next, where there is something.
    pub(crate) fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The error and its causes, the outermost first. A cause whose words the line above it already holds is left out.
    pub(crate) fn chain(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for cause in self.error.chain() {
            let text = cause.to_string();
            if !lines.last().is_some_and(|above| above.contains(&text)) {
                lines.push(text);
            }
        }
        lines
    }
}

/// Gives an error its class where it is first seen.
pub(crate) trait Classify<T> {
    /// It is the user's to mend.
    fn or_usage(self) -> Result<T, Failure>;
    /// It is nobody's fault.
    fn or_internal(self) -> Result<T, Failure>;
}

impl<T, E: Error + Send + Sync + 'static> Classify<T> for Result<T, E> {
    fn or_usage(self) -> Result<T, Failure> {
        self.map_err(Failure::usage)
    }

    fn or_internal(self) -> Result<T, Failure> {
        self.map_err(Failure::internal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("no connection: {0}")]
    struct Outer(#[source] Inner);

    #[derive(Debug, thiserror::Error)]
    #[error("refused")]
    struct Inner;

    #[test]
    fn a_cause_that_the_line_above_already_tells_is_not_repeated() {
        let failure = Failure::usage(Outer(Inner)).context("cannot open a session");
        assert_eq!(failure.chain(), ["cannot open a session", "no connection: refused"]);
    }
}
