//! `google.rpc.Status`, in which gRPC and OTLP over HTTP say what went wrong.

use std::time::Duration;

use prost::Message;

/// The status `code` (as gRPC numbers them) in words; a client may come again after `retry`.
pub(crate) fn status(code: i32, message: &str, retry: Option<Duration>) -> Vec<u8> {
    let info = |after: Duration| {
        let seconds = i64::try_from(after.as_secs()).unwrap_or(i64::MAX);
        let delay = Delay { seconds, nanos: after.subsec_nanos().cast_signed() };
        Any {
            type_url: "type.googleapis.com/google.rpc.RetryInfo".to_owned(),
            value: RetryInfo { retry_delay: Some(delay) }.encode_to_vec(),
        }
    };
    Status { code, message: message.to_owned(), details: retry.map(info).into_iter().collect() }.encode_to_vec()
}

/// `google.rpc.Status`.
#[derive(Clone, PartialEq, Message)]
struct Status {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
    #[prost(message, repeated, tag = "3")]
    details: Vec<Any>,
}

/// `google.protobuf.Any`.
#[derive(Clone, PartialEq, Message)]
struct Any {
    #[prost(string, tag = "1")]
    type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    value: Vec<u8>,
}

/// `google.rpc.RetryInfo`.
#[derive(Clone, PartialEq, Message)]
struct RetryInfo {
    #[prost(message, optional, tag = "1")]
    retry_delay: Option<Delay>,
}

/// `google.protobuf.Duration`.
#[derive(Clone, Copy, PartialEq, Message)]
struct Delay {
    #[prost(int64, tag = "1")]
    seconds: i64,
    #[prost(int32, tag = "2")]
    nanos: i32,
}
