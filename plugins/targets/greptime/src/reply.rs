//! What GreptimeDB means when it answers over gRPC.

use benchhost_plugin::proto::read::{Value, field};
use benchhost_plugin::{Error, Reply, Result};

/// Rows that an answer says are stored.
///
/// # Errors
///
/// What the server said, with its own code behind the name of the status: `INVALID_ARGUMENT 1004`.
pub(crate) fn affected_rows(reply: &Reply, doing: &str) -> Result<u64> {
    if !reply.is_ok() {
        return Err(refusal(reply, doing));
    }
    let body = reply.body().bytes();
    // Nothing has been seen to put an error here, but this is where the messages have room for one.
    if let Some((code, words)) = status_in_header(&body)? {
        return Err(Error::rejected(format!("{doing}: {words}")).with_code(code.to_string()));
    }
    let affected = field(&body, 2)?.and_then(Value::as_bytes).unwrap_or_default();
    Ok(field(affected, 1)?.and_then(Value::as_varint).unwrap_or(0))
}

/// The error of a call that failed.
pub(crate) fn refusal(reply: &Reply, doing: &str) -> Error {
    let error = reply.error(doing).advise_if_refused("check `user` and `password`");
    match reply.metadata("x-greptime-err-code") {
        Some(own) => {
            let code = format!("{} {own}", error.code.as_deref().unwrap_or_default());
            error.with_code(code)
        }
        None => error,
    }
}

/// `GreptimeResponse.header.status`, if it says something else than success.
fn status_in_header(body: &[u8]) -> Result<Option<(u64, String)>> {
    let header = field(body, 1)?.and_then(Value::as_bytes).unwrap_or_default();
    let status = field(header, 1)?.and_then(Value::as_bytes).unwrap_or_default();
    let code = field(status, 1)?.and_then(Value::as_varint).unwrap_or(0);
    let words = field(status, 2)?.and_then(Value::as_bytes).unwrap_or_default();
    Ok((code != 0).then(|| (code, String::from_utf8_lossy(words).into_owned())))
}
