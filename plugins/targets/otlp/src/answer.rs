//! What a server means when it answers an export.

use benchhost_plugin::proto::read::{Value, field};
use benchhost_plugin::{Ack, Error, Response, Result, log, text};

/// Bytes of the server's words in a message.
const WORDS: usize = 500;

/// The acknowledgement in an `ExportLogsServiceResponse` to `rows` records.
///
/// # Errors
///
/// `partial` when the server has rejected records; `internal` when the answer is no message.
pub(crate) fn acknowledged(body: &[u8], rows: u32) -> Result<Ack> {
    let partial = field(body, 1)?.and_then(Value::as_bytes).unwrap_or_default();
    let rejected = field(partial, 1)?.and_then(Value::as_varint).unwrap_or(0);
    let words = field(partial, 2)?.and_then(Value::as_bytes).unwrap_or_default();
    let words = text::shorten(&String::from_utf8_lossy(words), WORDS);
    if rejected == 0 {
        // The specification has servers warn this way.
        if !words.is_empty() {
            log::warn(&format!("the server took all records and warns: {words}"));
        }
        return Ok(Ack::silent());
    }
    let accepted = u64::from(rows).saturating_sub(rejected);
    Err(Error::partial(format!("write: {rejected} of {rows} records were rejected: {words}"), Some(accepted)))
}

/// The error of an export over HTTP that failed. Servers say why in a protobuf `Status`, or in whatever they like.
pub(crate) fn refusal(answer: &Response) -> Error {
    let mut error = answer.error("write");
    if answer.header("content-type").is_some_and(|kind| kind.contains("protobuf"))
        && let Ok(Some(Value::Bytes(words))) = field(&answer.body().bytes(), 2)
    {
        let words = text::shorten(&String::from_utf8_lossy(words), WORDS);
        error.message = format!("write: HTTP {}: {words}", answer.status());
    }
    let error = error.advise_if_refused("check `token`, or `user` and `password`");
    match answer.status() {
        404 => error.advise("check `path` and `dialect`"),
        413 => error.advise("set a smaller --batch-rows"),
        _ => error,
    }
}
