//! A way to one server, for one worker.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use bytes::Bytes;
use tokio::time::timeout;

use super::body::{Begun, Outgoing};
use super::call::{Attempt, Template};
use super::compression::MessageCompression;
use super::link::Http2Link;
use super::message::Message;
use super::put::{PutKey, PutStream};
use super::reply::{GrpcReply, ask};
use super::stream::GrpcStream;
use crate::endpoint::Endpoint;
use crate::error::NetError;
use crate::exchange::Exchange;
use crate::failure::{self, Failure};
use crate::tcp_facts::TcpFacts;
use crate::transport::Transport;

/// A way to one server, made by [`Transport::channel`]. It belongs to one worker; its connection may be shared.
pub struct GrpcChannel {
    transport: Arc<Transport>,
    endpoint: Endpoint,
    link: Arc<Http2Link>,
    template: Template,
    exchange: Exchange,
}

impl GrpcChannel {
    /// Dials, unless the connection is there already.
    pub(crate) async fn connect(
        transport: Arc<Transport>,
        endpoint: Endpoint,
        link: Arc<Http2Link>,
    ) -> Result<Self, NetError> {
        link.ready(&transport, &endpoint).await?;
        let template = Template::new(&endpoint);
        Ok(Self { transport, endpoint, link, template, exchange: Exchange::default() })
    }

    /// Sends `name: value` with every call from now on, in place of an earlier value of that name; streams that are open keep theirs.
    ///
    /// # Errors
    ///
    /// `Malformed` for a name or value that cannot stand in a header, and for the fields of the protocol. The value is never in the error.
    pub fn set_metadata(&mut self, name: &str, value: &str) -> Result<(), NetError> {
        self.template.set_metadata(name, value)
    }

    /// Compresses messages from now on, also in streams that are opened later.
    pub fn compress(&mut self, compression: MessageCompression) {
        self.template.compress(compression);
    }

    /// Sends one message to `/package.Service/Method` and waits for the answer; any status is an answer.
    ///
    /// The time-out of requests holds, and the server is told of it. A connection that is gone is replaced first; one that breaks before
    /// the message was begun is replaced once. After that a message is never sent twice. Dropping the future resets the call and leaves
    /// the connection to the others.
    ///
    /// # Errors
    ///
    /// What [`Transport::channel`] returns, when a new connection is needed; `Malformed` for the path; `TimedOut`, `Broken`, `NotGrpc`,
    /// `TooLarge` (after decompression).
    pub async fn unary(&mut self, path: &str, message: Bytes) -> Result<GrpcReply, NetError> {
        let uri = self.template.uri(path)?;
        if self.transport.replays() {
            return self.transport.replied(&self.endpoint, path);
        }
        let options = self.transport.options();
        let (limit, cap) = (options.request_timeout, options.max_response_bytes);
        let message = Message::new(&[], message, self.template.compression())?;
        let mut second_chance = true;
        loop {
            let (connection, kept) = self.link.ready(&self.transport, &self.endpoint).await?;
            let begun: Begun = Arc::new(AtomicBool::new(false));
            let body = Outgoing::One(Some(message.clone()), Arc::clone(&begun));
            let request = self.template.call(uri.clone(), Some(limit), body);
            let mut attempt = Attempt::new(&mut self.exchange);
            attempt.handed_over();
            let outcome = timeout(limit, ask(connection.sender, request, cap)).await;
            let failure = match outcome.unwrap_or(Err(Failure::TimedOut)) {
                Ok(reply) => {
                    attempt.answered();
                    self.transport.keep_reply(path, &reply);
                    return Ok(reply);
                }
                Err(failure) => failure,
            };
            if !begun.load(Relaxed) {
                attempt.take_back();
                if kept && second_chance && matches!(failure, Failure::Http2(_)) {
                    second_chance = false;
                    continue;
                }
            }
            return Err(failure::explain(&self.endpoint, failure, limit, cap));
        }
    }

    /// Opens a call that takes many messages and answers once. Nothing is answered yet when it returns.
    ///
    /// # Errors
    ///
    /// What [`Transport::channel`] returns, when a new connection is needed; `Malformed` for the path.
    pub async fn open_stream(&mut self, path: &str) -> Result<GrpcStream, NetError> {
        let uri = self.template.uri(path)?;
        let stream = GrpcStream::new(&self.transport, &self.endpoint, &self.link, path, self.template.compression());
        if self.transport.replays() {
            return Ok(stream);
        }
        let (connection, _) = self.link.ready(&self.transport, &self.endpoint).await?;
        Ok(stream.begin(&connection, &self.template, uri))
    }

    /// A Flight `DoPut` stream, whose first message is `schema`: a whole `FlightData` with the descriptor. Nothing is sent before the
    /// first put. Channels that share the connection, and have the same metadata, share the stream too when schema and `max_in_flight`
    /// are the same. At most `max_in_flight` batches of it, at least 1, wait for their acknowledgement at a time.
    #[must_use]
    pub fn put_stream(&self, schema: Bytes, max_in_flight: usize) -> PutStream {
        let key = PutKey { template: self.template.clone(), schema, max_in_flight: max_in_flight.max(1) };
        PutStream::new(&self.transport, &self.endpoint, &self.link, key)
    }

    /// Time and bytes since the last call, or since the channel was made; failed and dropped calls included. Of a shared connection,
    /// whoever asks is told of all bytes that nobody was told of before.
    pub fn take_exchange(&mut self) -> Exchange {
        self.link.settle(&mut self.exchange);
        std::mem::take(&mut self.exchange)
    }

    /// What the kernel knows of the connection. None without an open one, and where the kernel does not tell.
    #[must_use]
    pub fn tcp_info(&self) -> Option<TcpFacts> {
        self.link.tcp_info()
    }

    /// The server.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }
}

impl fmt::Debug for GrpcChannel {
    /// Metadata holds credentials, so it is not shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GrpcChannel").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}
