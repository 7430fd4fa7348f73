//! A call that takes many messages and answers once.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use hyper::Uri;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::body::{Item, Outgoing};
use super::call::Template;
use super::compression::MessageCompression;
use super::http2::Http2;
use super::link::Http2Link;
use super::message::Message;
use super::reply::{GrpcReply, ask};
use crate::endpoint::Endpoint;
use crate::error::NetError;
use crate::exchange::Exchange;
use crate::failure::{self, Failure};
use crate::transport::Transport;

type Asking = Pin<Box<dyn Future<Output = Result<GrpcReply, Failure>> + Send>>;

/// A call that takes many messages and answers once, made by [`GrpcChannel::open_stream`](crate::GrpcChannel::open_stream). Dropping it
/// before the end of [`GrpcStream::finish`] resets the call.
pub struct GrpcStream {
    transport: Arc<Transport>,
    endpoint: Endpoint,
    link: Arc<Http2Link>,
    path: String,
    compression: Option<MessageCompression>,
    /// None once it is over, and where answers are replayed.
    open: Option<Open>,
    early: Option<GrpcReply>,
    exchange: Exchange,
    /// A message was handed over since the books were looked at last, or one that is not answered yet.
    sent: bool,
}

struct Open {
    items: mpsc::Sender<Item>,
    asking: Asking,
}

/// How a call ended; none when it goes on, because the connection has taken an item.
type Step = Option<Result<GrpcReply, Failure>>;

impl Open {
    /// Hands `item` over and waits until the connection has taken it, or until the call is over.
    async fn step(&mut self, item: Item, sent: &mut bool) -> Step {
        let Self { items, asking } = self;
        let giving = async {
            let room = items.reserve().await.ok()?;
            *sent |= matches!(item, Item::Message(_));
            room.send(item);
            // There is room for one: when there is room again, it has been taken.
            items.reserve().await.ok().map(drop)
        };
        tokio::select! {
            biased;
            over = &mut *asking => return Some(over),
            taken = giving => if taken.is_some() {
                return None;
            }
        }
        // The connection takes no more, so the call is over and its end is about to come.
        Some(asking.await)
    }
}

impl GrpcStream {
    /// A call that is not begun.
    pub(crate) fn new(
        transport: &Arc<Transport>,
        endpoint: &Endpoint,
        link: &Arc<Http2Link>,
        path: &str,
        compression: Option<MessageCompression>,
    ) -> Self {
        Self {
            transport: Arc::clone(transport),
            endpoint: endpoint.clone(),
            link: Arc::clone(link),
            path: path.to_owned(),
            compression,
            open: None,
            early: None,
            exchange: Exchange::default(),
            sent: false,
        }
    }

    /// Begins it on `connection`.
    pub(crate) fn begin(mut self, connection: &Http2, template: &Template, uri: Uri) -> Self {
        let (items, receiver) = mpsc::channel(1);
        let request = template.call(uri, None, Outgoing::Many(receiver));
        let cap = self.transport.options().max_response_bytes;
        let asking = Box::pin(ask(connection.sender.clone(), request, cap));
        self.open = Some(Open { items, asking });
        self
    }

    /// Hands one message over. It returns when the connection has taken the message, which may mean waiting for the server to read;
    /// nothing has been answered then. The time-out of requests holds for each message.
    ///
    /// # Errors
    ///
    /// After each the stream is over, and what was handed over may or may not have been acted on. `StreamEnded` when the server has
    /// answered already: [`GrpcStream::early_reply`] says how. `TimedOut`, `Broken`, `NotGrpc`, `TooLarge`; `Malformed` for a message
    /// that cannot be sent, which leaves the stream as it was.
    pub async fn send(&mut self, message: Bytes) -> Result<(), NetError> {
        if self.transport.replays() {
            return Ok(());
        }
        let message = Message::new(&[], message, self.compression)?;
        match self.step(Item::Message(message), false).await? {
            None => Ok(()),
            Some(reply) => {
                self.early = Some(reply);
                Err(self.over())
            }
        }
    }

    /// The reply, if the server has ended the stream before it was finished.
    #[must_use]
    pub fn early_reply(&self) -> Option<&GrpcReply> {
        self.early.as_ref()
    }

    /// Says that there is no more, and waits for the answer; any status is one. The time-out of requests holds. The stream is over then.
    ///
    /// # Errors
    ///
    /// `TimedOut`, `Broken`, `NotGrpc`, `TooLarge`; `StreamEnded` when it was over already.
    pub async fn finish(&mut self) -> Result<GrpcReply, NetError> {
        if self.transport.replays() {
            return self.transport.replied(&self.endpoint, &self.path);
        }
        let Some(reply) = self.step(Item::End, true).await? else { return Err(self.over()) };
        self.transport.keep_reply(&self.path, &reply);
        Ok(reply)
    }

    fn over(&self) -> NetError {
        NetError::StreamEnded { endpoint: self.endpoint.to_string(), unanswered: false }
    }

    /// Hands one item over, within the time, and with `to_the_end` waits for the reply too. A reply, or an error, ends the stream.
    async fn step(&mut self, item: Item, to_the_end: bool) -> Result<Option<GrpcReply>, NetError> {
        let options = self.transport.options();
        let (limit, cap) = (options.request_timeout, options.max_response_bytes);
        // Taken out meanwhile, so that a future that is dropped takes the call with it.
        let mut open = self.open.take().ok_or_else(|| self.over())?;
        let mut waiting =
            Waiting { exchange: &mut self.exchange, start: Instant::now(), sent: &mut self.sent, settled: false };
        let outcome = timeout(limit, async {
            match open.step(item, waiting.sent).await {
                None if to_the_end => Some((&mut open.asking).await),
                step => step,
            }
        })
        .await
        .unwrap_or(Some(Err(Failure::TimedOut)));
        match outcome {
            None => {
                waiting.settled = true;
                self.open = Some(open);
                Ok(None)
            }
            Some(Ok(reply)) => {
                waiting.settled = true;
                *waiting.sent = false;
                Ok(Some(reply))
            }
            Some(Err(failure)) => {
                drop(waiting);
                Err(failure::explain(&self.endpoint, failure, limit, cap))
            }
        }
    }

    /// Time and bytes since the last call, or since it was made; see [`GrpcChannel::take_exchange`](crate::GrpcChannel::take_exchange).
    /// The time is that of handing messages over and of waiting for the answer.
    pub fn take_exchange(&mut self) -> Exchange {
        self.link.settle(&mut self.exchange);
        std::mem::take(&mut self.exchange)
    }
}

/// The wait of one step. However it ends, dropping it settles the books.
struct Waiting<'a> {
    exchange: &'a mut Exchange,
    start: Instant,
    sent: &'a mut bool,
    settled: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.exchange.wait += self.start.elapsed();
        self.exchange.unanswered |= *self.sent && !self.settled;
    }
}

impl fmt::Debug for GrpcStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GrpcStream").field("endpoint", &self.endpoint).field("path", &self.path).finish_non_exhaustive()
    }
}
