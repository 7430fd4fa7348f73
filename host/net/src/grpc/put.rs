//! Flight `DoPut` with acknowledgements that are told apart by number.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::timeout;

use super::ack::{Numbered, PutAck};
use super::acks::{Acks, End, Ticket, read};
use super::body::{Item, Outgoing};
use super::call::{Attempt, Template};
use super::link::Http2Link;
use super::message::Message;
use crate::endpoint::Endpoint;
use crate::error::NetError;
use crate::exchange::Exchange;
use crate::failure::{self, Failure};
use crate::transport::Transport;

const DO_PUT: &str = "/arrow.flight.protocol.FlightService/DoPut";

/// What makes two put streams of one connection the same.
#[derive(Debug, PartialEq)]
pub(crate) struct PutKey {
    pub(crate) template: Template,
    pub(crate) schema: Bytes,
    pub(crate) max_in_flight: usize,
}

/// A put stream as all workers of a connection share it.
#[derive(Debug)]
pub(crate) struct SharedPut {
    pub(crate) key: PutKey,
    turns: Semaphore,
    open: tokio::sync::Mutex<Option<Open>>,
}

/// A stream as it is open now.
#[derive(Debug, Clone)]
struct Open {
    items: mpsc::Sender<Item>,
    acks: Arc<Acks>,
}

impl SharedPut {
    fn new(key: PutKey) -> Self {
        let turns = Semaphore::new(key.max_in_flight.min(Semaphore::MAX_PERMITS));
        Self { key, turns, open: tokio::sync::Mutex::default() }
    }

    /// The open stream, and whether it was there before.
    async fn opened(
        &self,
        transport: &Transport,
        endpoint: &Endpoint,
        link: &Http2Link,
    ) -> Result<(Open, bool), NetError> {
        let mut slot = self.open.lock().await;
        if let Some(open) = slot.as_ref().filter(|open| !open.acks.ended()) {
            return Ok((open.clone(), true));
        }
        *slot = None;
        let PutKey { template, schema, .. } = &self.key;
        let uri = template.uri(DO_PUT)?;
        let schema = Message::new(&[], schema.clone(), template.compression())?;
        let (connection, kept) = link.ready(transport, endpoint).await?;
        let (items, receiver) = mpsc::channel(1);
        // It goes out at once, whether the server answers before it has come or after.
        _ = items.try_send(Item::Message(schema));
        let request = template.call(uri, None, Outgoing::Shared(receiver));
        let acks = Arc::new(Acks::default());
        let cap = transport.options().max_response_bytes;
        connection.runtime.spawn(read(connection.sender, request, Arc::clone(&acks), cap));
        let open = slot.insert(Open { items, acks });
        Ok((open.clone(), kept))
    }
}

/// A Flight `DoPut` stream, made by [`GrpcChannel::put_stream`](crate::GrpcChannel::put_stream): one worker's hold on it. The stream
/// itself may be shared. It is opened by the first put, and again after it broke; it is closed in order when no worker holds it.
pub struct PutStream {
    transport: Arc<Transport>,
    endpoint: Endpoint,
    link: Arc<Http2Link>,
    shared: Arc<SharedPut>,
    exchange: Exchange,
}

impl PutStream {
    pub(crate) fn new(transport: &Arc<Transport>, endpoint: &Endpoint, link: &Arc<Http2Link>, key: PutKey) -> Self {
        let shared = link.put(key, SharedPut::new);
        let (transport, link) = (Arc::clone(transport), Arc::clone(link));
        Self { transport, endpoint: endpoint.clone(), link, shared, exchange: Exchange::default() }
    }

    /// Sends one batch, an encoded `FlightData` without `app_metadata`, and waits for its own acknowledgement, whatever else is in
    /// flight. `rows` is only what a replayed acknowledgement says.
    ///
    /// The turn is waited for without limit, and after it the time-out of requests holds. A batch whose time is over, or whose future is
    /// dropped, leaves the stream to the others and makes room for the next; its late acknowledgement is ignored. A stream that breaks, or
    /// ends without the acknowledgement, fails each batch that was in flight, once; a batch that had not been handed over by then goes out
    /// on a new stream.
    ///
    /// # Errors
    ///
    /// `Status` when the server ended the stream with one, `StreamEnded` when it did so in order; `TimedOut`, `Broken`, `NotGrpc`,
    /// `TooLarge`, and those of making a connection. [`Exchange::unanswered`] says whether the rows may be stored nevertheless.
    pub async fn put(&mut self, payload: Bytes, rows: u64) -> Result<PutAck, NetError> {
        if self.transport.replays() {
            return Ok(PutAck { rows: Some(rows), server_time: None });
        }
        let Self { transport, endpoint, link, shared, exchange } = self;
        let (limit, cap) = (transport.options().request_timeout, transport.options().max_response_bytes);
        let _turn = shared.turns.acquire().await.map_err(|_| End::Closed.error(endpoint, false, cap))?;
        let mut second_chance = true;
        loop {
            let (open, kept) = shared.opened(transport, endpoint, link).await?;
            let mut attempt = Attempt::new(exchange);
            let outcome = match open.acks.register() {
                Err(end) => Some(Err(end)),
                Ok(mut ticket) => {
                    let number = Numbered::new(ticket.id);
                    let compression = shared.key.template.compression();
                    let message = Message::new(number.bytes(), payload.clone(), compression)?;
                    timeout(limit, hand_over(&open, &mut ticket, message, &mut attempt)).await.ok()
                }
            };
            match outcome {
                Some(Ok(ack)) => {
                    attempt.answered();
                    return Ok(ack);
                }
                None => return Err(failure::explain(endpoint, Failure::TimedOut, limit, cap)),
                Some(Err(_)) if !attempt.sent() && kept && second_chance => second_chance = false,
                Some(Err(end)) => return Err(end.error(endpoint, attempt.sent(), cap)),
            }
        }
    }

    /// Time and bytes since the last call, or since it was made; see [`GrpcChannel::take_exchange`](crate::GrpcChannel::take_exchange).
    /// The time is from handing a batch over to its acknowledgement.
    pub fn take_exchange(&mut self) -> Exchange {
        self.link.settle(&mut self.exchange);
        std::mem::take(&mut self.exchange)
    }
}

/// Gives the message to the connection as soon as it takes one, and waits for what it is told.
async fn hand_over(
    open: &Open,
    ticket: &mut Ticket,
    message: Message,
    attempt: &mut Attempt<'_>,
) -> Result<PutAck, End> {
    let told = tokio::select! {
        biased;
        told = &mut ticket.told => told,
        room = open.items.reserve() => {
            // Without room the call is over, and its reader is about to say how.
            if let Ok(room) = room {
                attempt.handed_over();
                room.send(Item::Message(message));
            }
            (&mut ticket.told).await
        }
    };
    told.unwrap_or(Err(End::Closed))
}

impl fmt::Debug for PutStream {
    /// Metadata holds credentials, so it is not shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PutStream").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}
