//! How a call ended, with its message.

use bytes::Bytes;
use hyper::body::{Body, Incoming};
use hyper::http::response::Parts;
use hyper::{HeaderMap, Request, Response};
use std::future::poll_fn;
use std::pin::Pin;

use super::body::Outgoing;
use super::compression::MessageCompression;
use super::deframe::Deframer;
use super::http2::Sender;
use super::status::{conclude, is_grpc};
use crate::failure::Failure;

/// How a call ended. Any status is a reply.
#[derive(Debug, Clone)]
pub struct GrpcReply {
    /// The gRPC status code; 0 is OK.
    pub status: u32,
    /// The server's words; empty when all is well.
    pub message: String,
    /// The message, unpacked; empty when there is none, as with most errors.
    pub body: Bytes,
    head: HeaderMap,
    trailers: HeaderMap,
}

impl GrpcReply {
    /// The first field of that name in the trailers, or else in the head, in any case; `None` too when its value is not visible ASCII.
    #[must_use]
    pub fn metadata(&self, name: &str) -> Option<&str> {
        let value = self.trailers.get(name).or_else(|| self.head.get(name))?;
        value.to_str().ok()
    }

    fn new(head: Parts, trailers: HeaderMap, body: Bytes) -> Self {
        let (status, message) = conclude(&head, &trailers);
        Self { status, message, body, head: head.headers, trailers }
    }
}

/// An answer as it comes: its messages, and at the end how it ended.
pub(crate) struct Answer {
    head: Parts,
    body: Incoming,
    trailers: HeaderMap,
    deframer: Deframer,
    /// Whether the body holds messages. That of another server, or of a proxy, is not looked at.
    grpc: bool,
}

impl Answer {
    /// Begins to read.
    pub(crate) fn new(response: Response<Incoming>, limit: usize) -> Self {
        let (head, body) = response.into_parts();
        let encoding = head.headers.get("grpc-encoding").and_then(|name| MessageCompression::named(name.as_bytes()));
        let grpc = is_grpc(&head);
        Self { head, body, trailers: HeaderMap::new(), deframer: Deframer::new(limit, encoding), grpc }
    }

    /// The next message; none at the end.
    ///
    /// # Errors
    ///
    /// `Http2`, `TooLarge`, `NotGrpc`.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        loop {
            if self.grpc
                && let Some(message) = self.deframer.next()?
            {
                return Ok(Some(message));
            }
            if self.body.is_end_stream() {
                break;
            }
            match poll_fn(|cx| Pin::new(&mut self.body).poll_frame(cx)).await {
                None => break,
                Some(Err(error)) => return Err(Failure::http2(&error)),
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(piece) if self.grpc => self.deframer.push(&piece),
                    Ok(_) => {}
                    Err(frame) => _ = frame.into_trailers().map(|trailers| self.trailers = trailers),
                },
            }
        }
        if self.deframer.cut() {
            return Err(Failure::NotGrpc("the answer ends within a message".to_owned()));
        }
        Ok(None)
    }

    /// The reply, once the messages have been read.
    pub(crate) fn end(self, body: Bytes) -> GrpcReply {
        GrpcReply::new(self.head, self.trailers, body)
    }
}

/// Makes a call that is answered with one message of at most `limit` bytes.
pub(crate) async fn ask(mut sender: Sender, request: Request<Outgoing>, limit: usize) -> Result<GrpcReply, Failure> {
    let response = sender.send_request(request).await.map_err(|error| Failure::http2(&error))?;
    drop(sender);
    let mut answer = Answer::new(response, limit);
    let body = answer.next().await?;
    if body.is_some() && answer.next().await?.is_some() {
        return Err(Failure::NotGrpc("the answer has several messages instead of one".to_owned()));
    }
    Ok(answer.end(body.unwrap_or_default()))
}
