//! Who waits for which acknowledgement on an open put stream, and the task that reads them.
//!
//! Servers drop acknowledgements that are not read in time, so a task reads them at all times, whether anybody waits or not. It lives
//! where the connection does: when that runtime ends, everybody is told.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use hyper::Request;
use tokio::sync::oneshot;

use super::ack::{self, PutAck};
use super::body::Outgoing;
use super::http2::Sender;
use super::reply::Answer;
use crate::endpoint::Endpoint;
use crate::error::NetError;
use crate::failure::Failure;

/// Field in which GreptimeDB gives its own number of an error.
const ERR_CODE: &str = "x-greptime-err-code";

/// How a stream ended.
#[derive(Debug, Clone)]
pub(crate) enum End {
    /// In order, as far as the server is concerned.
    Closed,
    /// With a status other than OK.
    Status { status: u32, message: String, err_code: Option<String> },
    /// With its connection, or by a reset.
    Broken(String),
    /// By an answer that is not gRPC.
    NotGrpc(String),
    /// By an answer over the limit.
    TooLarge,
}

impl End {
    /// The error for a batch. `sent`: it was handed over, and nobody knows whether it is stored.
    pub(crate) fn error(self, endpoint: &Endpoint, sent: bool, cap: usize) -> NetError {
        let to = endpoint.to_string();
        match self {
            Self::Closed => NetError::StreamEnded { endpoint: to, unanswered: sent },
            Self::Status { status, message, err_code } => {
                NetError::Status { endpoint: to, status, message, err_code, unanswered: sent }
            }
            Self::Broken(reason) => NetError::Broken { endpoint: to, reason },
            Self::NotGrpc(reason) => NetError::NotGrpc { endpoint: to, reason },
            Self::TooLarge => NetError::TooLarge { endpoint: to, limit: cap },
        }
    }
}

impl From<Failure> for End {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Http2(reason) => Self::Broken(reason),
            Failure::NotGrpc(reason) => Self::NotGrpc(reason),
            Failure::TooLarge => Self::TooLarge,
            Failure::Http(error) => Self::Broken(error.to_string()),
            // A stream has no time of its own, its batches have.
            Failure::TimedOut => Self::Closed,
        }
    }
}

/// What a batch is told.
pub(crate) type Told = Result<PutAck, End>;

/// The batches in flight of one open stream.
#[derive(Debug, Default)]
pub(crate) struct Acks(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    last: u64,
    waiting: HashMap<u64, oneshot::Sender<Told>>,
    ended: Option<End>,
}

impl Acks {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next number, from 1, and where its acknowledgement will come; how the stream ended, if it has.
    pub(crate) fn register(self: &Arc<Self>) -> Result<Ticket, End> {
        let mut state = self.state();
        if let Some(end) = &state.ended {
            return Err(end.clone());
        }
        state.last += 1;
        let id = state.last;
        let (tell, told) = oneshot::channel();
        state.waiting.insert(id, tell);
        Ok(Ticket { acks: Arc::clone(self), id, told })
    }

    /// Whether the stream is over.
    pub(crate) fn ended(&self) -> bool {
        self.state().ended.is_some()
    }

    fn acknowledge(&self, id: u64, ack: PutAck) {
        let waiting = self.state().waiting.remove(&id);
        // Nobody waits for number 0, and for one that was given up.
        if let Some(tell) = waiting {
            _ = tell.send(Ok(ack));
        }
    }

    fn end(&self, end: &End) {
        let waiting = {
            let mut state = self.state();
            state.ended.get_or_insert_with(|| end.clone());
            std::mem::take(&mut state.waiting)
        };
        for tell in waiting.into_values() {
            _ = tell.send(Err(end.clone()));
        }
    }
}

/// One batch that waits. Dropping it stops waiting: a late acknowledgement is ignored.
#[derive(Debug)]
pub(crate) struct Ticket {
    acks: Arc<Acks>,
    pub(crate) id: u64,
    pub(crate) told: oneshot::Receiver<Told>,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.acks.state().waiting.remove(&self.id);
    }
}

/// Tells everybody at its end, also when its runtime ends first.
struct Ending(Arc<Acks>, End);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.end(&self.1);
    }
}

/// Makes the call and reads acknowledgements to its end.
pub(crate) async fn read(sender: Sender, request: Request<Outgoing>, acks: Arc<Acks>, cap: usize) {
    let gone = "the worker that had made the connection has ended".to_owned();
    let mut ending = Ending(acks, End::Broken(gone));
    ending.1 = drain(sender, request, &ending.0, cap).await.unwrap_or_else(End::from);
}

async fn drain(mut sender: Sender, request: Request<Outgoing>, acks: &Acks, cap: usize) -> Result<End, Failure> {
    let response = sender.send_request(request).await.map_err(|error| Failure::http2(&error))?;
    // Held no longer: the connection may close when all that use it are gone.
    drop(sender);
    let mut answer = Answer::new(response, cap);
    while let Some(result) = answer.next().await? {
        match ack::read(&result) {
            Some(Some((id, ack))) => acks.acknowledge(id, ack),
            Some(None) => {}
            None => return Err(Failure::NotGrpc("an acknowledgement cannot be read".to_owned())),
        }
    }
    let reply = answer.end(Bytes::new());
    Ok(match reply.status {
        0 => End::Closed,
        status => {
            let err_code = reply.metadata(ERR_CODE).map(str::to_owned);
            End::Status { status, message: reply.message, err_code }
        }
    })
}
