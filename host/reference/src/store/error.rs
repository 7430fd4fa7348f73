//! What the store refuses, in GreptimeDB's words and codes.

use thiserror::Error;

/// The sort of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// There is no such table.
    TableNotFound,
    /// There is such a table already.
    TableExists,
    /// There is no such database.
    DatabaseNotFound,
    /// There is such a database already.
    DatabaseExists,
    /// A query names what is not there, or cannot be planned.
    Plan,
    /// What was sent does not fit: a type, a name, an option.
    Invalid,
    /// The statement is none that this server has.
    Unsupported,
    /// The statement cannot be read.
    Syntax,
    /// A query fails while it runs.
    Execution,
    /// The memory that the store may use is used.
    Full,
    /// A fault of the server, injected or its own.
    Internal,
}

/// A refusal. Nothing of what was asked for has been done.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub(crate) struct StoreError {
    /// The sort.
    pub(crate) kind: ErrorKind,
    /// What is wrong, for the client.
    pub(crate) message: String,
}

impl StoreError {
    /// A refusal in these words.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// What was sent does not fit.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// There is no such database.
    pub(crate) fn no_database(name: &str) -> Self {
        Self::new(ErrorKind::DatabaseNotFound, format!("Failed to find schema, schema info: {name}"))
    }

    /// There is no such table.
    pub(crate) fn no_table(database: &str, table: &str) -> Self {
        Self::new(ErrorKind::TableNotFound, format!("Table not found: greptime.{database}.{table}"))
    }

    /// A statement that cannot be read.
    pub(crate) fn syntax(mut problem: String) -> Self {
        problem.insert_str(0, "Invalid SQL, error: ");
        Self { kind: ErrorKind::Syntax, message: problem }
    }

    /// The status code of GreptimeDB, as in `x-greptime-err-code`.
    pub(crate) fn greptime_code(&self) -> u32 {
        match self.kind {
            ErrorKind::Unsupported => 1001,
            ErrorKind::Internal => 1003,
            ErrorKind::Invalid | ErrorKind::DatabaseExists => 1004,
            ErrorKind::Syntax => 2000,
            ErrorKind::Plan => 3000,
            ErrorKind::Execution => 3001,
            ErrorKind::TableExists => 4000,
            ErrorKind::TableNotFound => 4001,
            ErrorKind::DatabaseNotFound => 4004,
            ErrorKind::Full => 6000,
        }
    }
}

/// What there is no reason for: the columns were checked before Arrow was asked.
impl From<arrow::error::ArrowError> for StoreError {
    fn from(error: arrow::error::ArrowError) -> Self {
        Self::new(ErrorKind::Internal, error.to_string())
    }
}
