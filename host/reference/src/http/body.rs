//! Bodies, unpacked.

use std::io::Read;

use axum::body::Body;
use axum::http::header::CONTENT_ENCODING;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use flate2::read::{MultiGzDecoder, ZlibDecoder};

use super::reply;

/// What a body may have, packed and unpacked.
pub(crate) const MOST: usize = 64 << 20;

/// Why there is no body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// It is larger than it may be.
    TooLarge,
    /// It cannot be unpacked, or the client went away.
    Broken(String),
}

impl BodyError {
    /// As GreptimeDB says it.
    pub(crate) fn greptime(&self) -> Response {
        let (status, why) = match self {
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "length limit exceeded"),
            Self::Broken(why) => (StatusCode::BAD_REQUEST, why.as_str()),
        };
        reply::text(status, format!("Failed to buffer the request body: {why}"))
    }

    /// For a server that answers errors in a form of its own.
    pub(crate) fn status_and_words(&self) -> (StatusCode, String) {
        match self {
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large".into()),
            Self::Broken(why) => (StatusCode::BAD_REQUEST, format!("the body cannot be read: {why}")),
        }
    }
}

/// The body of a request, of at most `most` bytes, without the compression that its headers name.
///
/// # Errors
///
/// A body that is too large, or is not what its headers say.
pub(crate) async fn read(headers: &HeaderMap, body: Body, most: usize) -> Result<Bytes, BodyError> {
    let packed = axum::body::to_bytes(body, most).await.map_err(|error| {
        let words = error.to_string();
        if words.contains("length limit") { BodyError::TooLarge } else { BodyError::Broken(words) }
    })?;
    let coding =
        headers.get(CONTENT_ENCODING).map(|value| value.to_str().unwrap_or_default().trim().to_ascii_lowercase());
    match coding.as_deref() {
        None | Some("" | "identity") => Ok(packed),
        Some("gzip") if !packed.starts_with(&[0x1f, 0x8b]) => Err(BodyError::Broken("Invalid gzip header".into())),
        Some("gzip") => unpack(MultiGzDecoder::new(&packed[..]), most),
        Some("deflate") => unpack(ZlibDecoder::new(&packed[..]), most),
        Some(other) => Err(BodyError::Broken(format!("the content encoding `{other}` is not supported: use gzip"))),
    }
}

fn unpack(decoder: impl Read, most: usize) -> Result<Bytes, BodyError> {
    let mut plain = Vec::new();
    let mut limited = decoder.take(most as u64 + 1);
    limited.read_to_end(&mut plain).map_err(|error| BodyError::Broken(error.to_string()))?;
    if plain.len() > most { Err(BodyError::TooLarge) } else { Ok(plain.into()) }
}
