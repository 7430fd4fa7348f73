//! How a call ended: the code, its name, and the words.

use hyper::HeaderMap;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::http::response::Parts;

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

const UNKNOWN: u32 = 2;
const DEADLINE_EXCEEDED: u32 = 4;
const PERMISSION_DENIED: u32 = 7;
const RESOURCE_EXHAUSTED: u32 = 8;
const ABORTED: u32 = 10;
const UNIMPLEMENTED: u32 = 12;
const INTERNAL: u32 = 13;
const UNAVAILABLE: u32 = 14;
const UNAUTHENTICATED: u32 = 16;

/// The name of a status code, in capitals; `UNKNOWN` for one that has none.
pub(crate) fn name(status: u32) -> &'static str {
    usize::try_from(status).ok().and_then(|at| NAMES.get(at)).unwrap_or(&NAMES[2])
}

/// Whether the same call may succeed when it is made again.
pub(crate) fn retryable(status: u32) -> bool {
    [UNAVAILABLE, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED].contains(&status)
}

/// Whether the head is that of a gRPC answer, whose body holds messages.
pub(crate) fn is_grpc(head: &Parts) -> bool {
    head.status == 200
        && head.headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"))
}

/// The status and the words that an answer ended with. An answer without a status, as a proxy gives it, has the one that gRPC
/// maps its HTTP status to.
pub(crate) fn conclude(head: &Parts, trailers: &HeaderMap) -> (u32, String) {
    for fields in [trailers, &head.headers] {
        if let Some(status) = fields.get("grpc-status") {
            let status = status.to_str().ok().and_then(|text| text.parse().ok()).unwrap_or(UNKNOWN);
            return (status, fields.get("grpc-message").map(decoded).unwrap_or_default());
        }
    }
    let status = match head.status.as_u16() {
        400 => INTERNAL,
        401 => UNAUTHENTICATED,
        403 => PERMISSION_DENIED,
        404 => UNIMPLEMENTED,
        429 | 502..=504 => UNAVAILABLE,
        _ => UNKNOWN,
    };
    let kind = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("no content type");
    (status, format!("the answer has no gRPC status: HTTP {}, {kind}", head.status.as_u16()))
}

/// `grpc-message` without its percent-encoding. What is not well encoded is kept as it came.
fn decoded(value: &HeaderValue) -> String {
    let raw = value.as_bytes();
    let mut text = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((&byte, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|&digit| char::from(digit).to_digit(16));
        match (byte, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                text.push((high * 16 + low) as u8);
                rest = &after[2..];
            }
            _ => {
                text.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use hyper::Response;

    use super::*;

    fn head(status: u16, fields: &[(&'static str, &'static str)]) -> Parts {
        let mut response = Response::builder().status(status);
        for (name, value) in fields {
            response = response.header(*name, *value);
        }
        response.body(()).unwrap().into_parts().0
    }

    #[test]
    fn the_trailers_status_counts_before_the_heads() {
        let head = head(200, &[("grpc-status", "13"), ("grpc-message", "head")]);
        let mut trailers = HeaderMap::new();
        assert_eq!(conclude(&head, &trailers), (13, "head".to_owned()));
        trailers.insert("grpc-status", HeaderValue::from_static("3"));
        assert_eq!(conclude(&head, &trailers), (3, String::new()));
        trailers.insert("grpc-status", HeaderValue::from_static("many"));
        assert_eq!(conclude(&head, &trailers).0, UNKNOWN);
    }

    #[test]
    fn without_a_status_the_http_status_says_it() {
        for (http, status) in [(400, 13), (401, 16), (403, 7), (404, 12), (429, 14), (503, 14), (500, 2), (200, 2)] {
            let (found, words) = conclude(&head(http, &[("content-type", "text/html")]), &HeaderMap::new());
            assert_eq!(found, status, "HTTP {http}");
            assert!(words.contains(&http.to_string()) && words.contains("text/html"), "{words}");
        }
    }

    #[test]
    fn messages_are_decoded_and_broken_ones_kept() {
        for (raw, text) in
            [("a%20b%C3%A9", "a b\u{e9}"), ("100%", "100%"), ("%4", "%4"), ("%zz%41", "%zzA"), ("%ff", "\u{fffd}")]
        {
            assert_eq!(decoded(&HeaderValue::from_static(raw)), text);
        }
    }

    #[test]
    fn codes_have_their_names() {
        assert_eq!(
            [name(0), name(2), name(14), name(16), name(17), name(u32::MAX)],
            ["OK", "UNKNOWN", "UNAVAILABLE", "UNAUTHENTICATED", "UNKNOWN", "UNKNOWN"]
        );
        let again: Vec<_> = (0..20).filter(|&status| retryable(status)).collect();
        assert_eq!(again, [4, 8, 10, 14]);
    }
}
