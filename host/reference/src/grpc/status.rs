//! How failures are said over gRPC: as a status, with GreptimeDB's own code beside it.

use std::time::Duration;

use tonic::metadata::{MetadataMap, MetadataValue};
use tonic::{Code, Status};

use crate::rpc;
use crate::store::{ErrorKind, StoreError};

/// The trailer with GreptimeDB's code.
const ERROR_CODE: &str = "x-greptime-err-code";
/// GreptimeDB's code of arguments that do not fit.
const INVALID_ARGUMENTS: u32 = 1004;

/// What was sent does not fit.
#[expect(clippy::needless_pass_by_value, reason = "it is a function to map errors by")]
pub(super) fn invalid(message: impl ToString) -> Status {
    coded(Code::InvalidArgument, INVALID_ARGUMENTS, message.to_string())
}

/// A failure with GreptimeDB's code beside it.
pub(super) fn coded(code: Code, greptime: u32, message: String) -> Status {
    let mut metadata = MetadataMap::new();
    metadata.insert(ERROR_CODE, MetadataValue::from(greptime));
    Status::with_metadata(code, message, metadata)
}

/// What the store refuses. A database or table that is missing is an invalid argument here, unlike in SQL.
pub(super) fn refused(error: StoreError) -> Status {
    let code = match error.kind {
        ErrorKind::Full => Code::ResourceExhausted,
        ErrorKind::Internal => Code::Internal,
        ErrorKind::Unsupported => Code::Unimplemented,
        ErrorKind::TableExists | ErrorKind::DatabaseExists => Code::AlreadyExists,
        _ => Code::InvalidArgument,
    };
    let greptime = if error.kind == ErrorKind::DatabaseNotFound { INVALID_ARGUMENTS } else { error.greptime_code() };
    coded(code, greptime, error.message)
}

/// An injected fault of the server.
pub(super) fn injected() -> Status {
    coded(Code::Internal, 1003, "Internal error: 1003 (injected)".to_owned())
}

/// An injected cut: what the client sees if it sees anything.
pub(super) fn cut() -> Status {
    Status::unavailable("the connection is cut (injected)")
}

/// Tells the client to come again after a while: in the details, as OTLP wants it, and beside them, as gRPC's own retries do.
pub(super) fn throttled(after: Duration) -> Status {
    let message = "Too many requests (injected)";
    let details = rpc::status(Code::ResourceExhausted as i32, message, Some(after));
    let mut metadata = MetadataMap::new();
    let pushback = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
    metadata.insert("grpc-retry-pushback-ms", MetadataValue::from(pushback));
    Status::with_details_and_metadata(Code::ResourceExhausted, message, details.into(), metadata)
}
