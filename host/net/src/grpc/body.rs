//! What a call sends: one message, or many as they come.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll};

use hyper::body::{Body, Frame};
use tokio::sync::mpsc;

use super::message::Message;

/// What a caller hands to a stream.
#[derive(Debug)]
pub(crate) enum Item {
    /// The next message.
    Message(Message),
    /// There is no more.
    End,
}

/// Whether the connection has begun to send a call.
pub(crate) type Begun = Arc<AtomicBool>;

/// The body of a call.
#[derive(Debug)]
pub(crate) enum Outgoing {
    /// One message, and a mark that is set when it is taken.
    One(Option<Message>, Begun),
    /// Messages from a caller. When the caller is gone without [`Item::End`], the call is given up.
    Many(mpsc::Receiver<Item>),
    /// Likewise, but the call then ends in order.
    Shared(mpsc::Receiver<Item>),
}

/// The caller has dropped the stream: the call is reset.
#[derive(Debug)]
pub(crate) struct GivenUp;

impl fmt::Display for GivenUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the stream was given up")
    }
}

impl std::error::Error for GivenUp {}

impl Body for Outgoing {
    type Data = Message;
    type Error = GivenUp;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Message>, GivenUp>>> {
        let (receiver, shared) = match self.get_mut() {
            Self::One(message, begun) => {
                begun.store(true, Relaxed);
                return Poll::Ready(message.take().map(|message| Ok(Frame::data(message))));
            }
            Self::Many(receiver) => (receiver, false),
            Self::Shared(receiver) => (receiver, true),
        };
        receiver.poll_recv(cx).map(|item| match item {
            Some(Item::Message(message)) => Some(Ok(Frame::data(message))),
            Some(Item::End) => None,
            None if shared => None,
            None => Some(Err(GivenUp)),
        })
    }

    /// So that the only message carries the end of the stream with it.
    fn is_end_stream(&self) -> bool {
        matches!(self, Self::One(None, _))
    }
}
