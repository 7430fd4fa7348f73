//! What all interfaces with a network share: a thing that waits for a server, lent to one call at a time, with its time and bytes counted
//! and its waits given up when the run is cancelled.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use benchhost_net::{Exchange, GrpcChannel, GrpcStream, NetError, PutStream, TcpConnection, Transport};
use wasmtime::Result;

use super::Broken;
use crate::bindings::types::{Error as GuestError, ErrorKind};
use crate::cancel::Cancel;
use crate::convert;
use crate::state::State;
use crate::trace;

/// Work that waits for a server on behalf of a `T`.
pub(super) type Waiting<'a, R> = Pin<Box<dyn Future<Output = Result<R, NetError>> + Send + 'a>>;

/// What keeps books of its time and bytes.
#[allow(unreachable_pub, reason = "it bounds what the generated bindings re-export")]
pub trait Books: Send + 'static {
    /// What was counted since it was last asked.
    fn take_exchange(&mut self) -> Exchange;
}

impl Books for GrpcChannel {
    fn take_exchange(&mut self) -> Exchange {
        Self::take_exchange(self)
    }
}

impl Books for GrpcStream {
    fn take_exchange(&mut self) -> Exchange {
        Self::take_exchange(self)
    }
}

impl Books for PutStream {
    fn take_exchange(&mut self) -> Exchange {
        Self::take_exchange(self)
    }
}

impl Books for TcpConnection {
    fn take_exchange(&mut self) -> Exchange {
        Self::take_exchange(self)
    }
}

/// Something that waits for a server, and what ends its waits.
struct Line<T> {
    inner: T,
    cancel: Cancel,
}

/// It, unless a call of it is under way.
#[allow(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct Held<T>(Arc<Mutex<Option<Box<Line<T>>>>>);

impl<T> Clone for Held<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Books> Held<T> {
    /// Asks it for something that does not wait.
    pub(super) fn with<R>(&self, ask: impl FnOnce(&mut T) -> R) -> Result<R> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slot.as_mut().map(|line| ask(&mut line.inner)).ok_or_else(in_use)
    }

    fn take(&self) -> Result<Box<Line<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(in_use)
    }

    fn put_back(&self, line: Box<Line<T>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(line);
    }
}

/// A guest runs one call at a time, so this is not reached by any that the contract allows.
fn in_use() -> wasmtime::Error {
    Broken("it uses something that has a call under way".to_owned()).into()
}

impl State {
    /// The way to the network.
    pub(super) fn network(&self, to: &str) -> Result<(Arc<Transport>, Option<u32>, Cancel), GuestError> {
        match (&self.net, &self.stop) {
            (Some(net), Some(stop)) => Ok((Arc::clone(&net.transport), net.slot, Cancel::new(stop.clone()))),
            _ => Err(convert::guest_error(
                ErrorKind::Denied,
                format!(
                    "{to} cannot be reached from here: a plugin that describes itself or generates data has no network"
                ),
            )),
        }
    }

    /// `inner`, as a guest can hold it.
    pub(super) fn held<T: Books>(&self, inner: T) -> Result<Held<T>> {
        let stop = self.stop.clone().ok_or_else(|| Broken("it has no network".to_owned()))?;
        Ok(Held(Arc::new(Mutex::new(Some(Box::new(Line { inner, cancel: Cancel::new(stop) }))))))
    }

    /// Waits outside of the guest's fiber, with the books kept: also of work that failed or was given up, because whether it was answered
    /// decides what its rows count as.
    pub(super) async fn wait_for<T: Books, R: Send + 'static>(
        &mut self,
        held: Held<T>,
        work: impl for<'a> FnOnce(&'a mut T) -> Waiting<'a, R> + Send + 'static,
    ) -> Result<Result<R, GuestError>> {
        let mut line = held.take()?;
        let waited = self.outside.run(async move {
            let Line { inner, cancel } = &mut *line;
            let mut work = work(inner);
            let outcome = cancel.race(Pin::new(&mut work)).await;
            drop(work);
            let exchange = line.inner.take_exchange();
            (line, outcome, exchange)
        });
        let (line, outcome, exchange) = waited.await;
        held.put_back(line);
        self.account(exchange);
        Ok(match outcome {
            Some(outcome) => outcome.map_err(|error| net_error(&error)),
            None => Err(cancelled()),
        })
    }

    /// Adds to the session's account what the wire cost.
    pub(super) fn account(&mut self, exchange: Exchange) {
        trace::wire(&exchange);
        self.effort.wait += exchange.wait;
        self.effort.sent_bytes += exchange.bytes_sent;
        self.effort.received_bytes += exchange.bytes_received;
        self.effort.unanswered |= exchange.unanswered;
        self.watchdog.restart();
    }
}

/// The run gave up waiting.
pub(super) fn cancelled() -> GuestError {
    convert::guest_error(ErrorKind::Cancelled, "the run is stopping".to_owned())
}

/// An error of the network in the contract's words.
pub(super) fn net_error(error: &NetError) -> GuestError {
    let kind = match error {
        NetError::Denied { .. } | NetError::TooLarge { .. } => ErrorKind::Denied,
        NetError::TimedOut { .. } | NetError::ConnectTimedOut { .. } => ErrorKind::TimedOut,
        NetError::Endpoint(_)
        | NetError::Scheme { .. }
        | NetError::Asked { .. }
        | NetError::Malformed { .. }
        | NetError::TlsSetup(_) => ErrorKind::Invalid,
        NetError::Status { status, .. } => match status {
            4 => ErrorKind::TimedOut,
            8 => ErrorKind::Throttled,
            14 => ErrorKind::Unavailable,
            _ => ErrorKind::Rejected,
        },
        _ => ErrorKind::Unavailable,
    };
    let code = match error {
        NetError::Status { err_code: Some(code), .. } => code.clone(),
        other => other.code().to_owned(),
    };
    GuestError { code: Some(code), retryable: error.retryable(), ..convert::guest_error(kind, error.to_string()) }
}
