//! A connection that channels and streams use together, made anew when it is gone, and the count of its bytes.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::http2::Http2;
use super::put::{PutKey, SharedPut};
use crate::endpoint::Endpoint;
use crate::error::NetError;
use crate::exchange::Exchange;
use crate::meter::Meter;
use crate::tcp_facts::TcpFacts;
use crate::transport::Transport;

/// Where a connection is, or will be.
#[derive(Debug, Default)]
pub(crate) struct Http2Link {
    open: tokio::sync::Mutex<Option<Http2>>,
    ledger: Mutex<Vec<Account>>,
    puts: Mutex<Vec<Weak<SharedPut>>>,
}

/// The bytes of one connection, past ones included until their last is counted.
#[derive(Debug)]
struct Account {
    meter: Arc<Meter>,
    sent: u64,
    received: u64,
}

impl Http2Link {
    /// The connection, and whether it was there before.
    ///
    /// # Errors
    ///
    /// Those of dialling.
    pub(crate) async fn ready(&self, transport: &Transport, endpoint: &Endpoint) -> Result<(Http2, bool), NetError> {
        let mut open = self.open.lock().await;
        if let Some(connection) = &*open
            && connection.usable().await
        {
            return Ok((connection.clone(), true));
        }
        *open = None;
        // Boxed, because it is seldom needed and large: every call's future would be as large otherwise.
        let connection = Box::pin(Http2::open(transport, endpoint)).await?;
        let meter = Arc::clone(&connection.meter);
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner).push(Account { meter, sent: 0, received: 0 });
        Ok((open.insert(connection).clone(), false))
    }

    /// Adds to `exchange` what has crossed the wire since anybody asked last. So of calls that run side by side nobody knows whose
    /// bytes they were, but their sum is that of the socket.
    pub(crate) fn settle(&self, exchange: &mut Exchange) {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner).retain_mut(|account| {
            // Asked before reading: a meter that nobody else holds does not move any more.
            let live = Arc::strong_count(&account.meter) > 1;
            let (sent, received) = (account.meter.sent(), account.meter.received());
            exchange.bytes_sent += sent - account.sent;
            exchange.bytes_received += received - account.received;
            (account.sent, account.received) = (sent, received);
            live
        });
    }

    /// The put stream of that kind, made by `make` unless somebody holds one.
    pub(crate) fn put(&self, key: PutKey, make: impl FnOnce(PutKey) -> SharedPut) -> Arc<SharedPut> {
        let mut puts = self.puts.lock().unwrap_or_else(PoisonError::into_inner);
        puts.retain(|put| put.strong_count() > 0);
        if let Some(put) = puts.iter().filter_map(Weak::upgrade).find(|put| put.key == key) {
            return put;
        }
        let put = Arc::new(make(key));
        puts.push(Arc::downgrade(&put));
        put
    }

    /// What the kernel knows of the connection; none without one, and while it is being made.
    pub(crate) fn tcp_info(&self) -> Option<TcpFacts> {
        self.open.try_lock().ok()?.as_ref()?.tcp_info()
    }
}
