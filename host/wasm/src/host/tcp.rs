//! `tcp`: byte streams for protocols of a plugin's own.

use std::pin::pin;

use benchhost_net::TcpConnection;
use bytes::Bytes;
use wasmtime::Result;
use wasmtime::component::Resource;

use super::HeldPayload;
use super::wire::{Held, Waiting, cancelled, net_error};
use crate::bindings::tcp;
use crate::bindings::types::{Error as GuestError, ErrorKind};
use crate::convert::guest_error;
use crate::state::State;
use crate::trace::crossed;

/// A connection that a guest has a handle to.
#[allow(unreachable_pub, reason = "the generated bindings re-export it")]
pub type HeldTcp = Held<TcpConnection>;

type Outcome<T> = Result<Result<T, GuestError>>;

/// The most that one call hands to a guest, in bytes.
const AT_ONCE: u32 = 16 << 20;

impl tcp::Host for State {}

impl State {
    async fn conversation<R: Send + 'static>(
        &mut self,
        handle: &Resource<HeldTcp>,
        work: impl for<'a> FnOnce(&'a mut TcpConnection) -> Waiting<'a, R> + Send + 'static,
    ) -> Outcome<R> {
        let connection = self.table.get(handle)?.clone();
        self.wait_for(connection, work).await
    }

    async fn reading(
        &mut self,
        handle: &Resource<HeldTcp>,
        work: impl for<'a> FnOnce(&'a mut TcpConnection) -> Waiting<'a, Bytes> + Send + 'static,
    ) -> Outcome<Vec<u8>> {
        let outcome = self.conversation(handle, work).await?.map(Vec::from);
        outcome.as_ref().map(crossed).unwrap_or_default();
        Ok(outcome)
    }
}

impl tcp::HostConnection for State {
    async fn connect(&mut self, endpoint: String) -> Outcome<Resource<HeldTcp>> {
        let (transport, _, mut cancel) = match self.network(&endpoint) {
            Ok(network) => network,
            Err(denied) => return Ok(Err(denied)),
        };
        let connected = self.outside.run(async move {
            let connecting = pin!(transport.stream(&endpoint));
            cancel.race(connecting).await
        });
        let connected = connected.await;
        self.watchdog.restart();
        match connected {
            Some(Ok(connection)) => {
                let held = self.held(connection)?;
                Ok(Ok(self.give(held)?))
            }
            Some(Err(error)) => Ok(Err(net_error(&error))),
            None => Ok(Err(cancelled())),
        }
    }

    async fn write(&mut self, connection: Resource<HeldTcp>, bytes: Vec<u8>) -> Outcome<()> {
        crossed(&bytes);
        self.conversation(&connection, |connection| Box::pin(async move { connection.write(&bytes).await })).await
    }

    async fn write_payload(&mut self, connection: Resource<HeldTcp>, payload: Resource<HeldPayload>) -> Outcome<()> {
        let bytes = self.body(&payload)?;
        self.conversation(&connection, |connection| Box::pin(async move { connection.write(&bytes).await })).await
    }

    async fn read(&mut self, connection: Resource<HeldTcp>, max: u32) -> Outcome<Vec<u8>> {
        let max = max.min(AT_ONCE) as usize;
        self.reading(&connection, move |connection| Box::pin(connection.read(max))).await
    }

    async fn read_exact(&mut self, connection: Resource<HeldTcp>, count: u32) -> Outcome<Vec<u8>> {
        if count > AT_ONCE {
            let most = format!("a read of {count} bytes is too much: at most {AT_ONCE} at a time");
            return Ok(Err(guest_error(ErrorKind::Invalid, most)));
        }
        self.reading(&connection, move |connection| Box::pin(connection.read_exact(count as usize))).await
    }

    async fn read_until(&mut self, connection: Resource<HeldTcp>, delimiter: Vec<u8>, max: u32) -> Outcome<Vec<u8>> {
        let max = max.min(AT_ONCE) as usize;
        self.reading(&connection, move |connection| {
            Box::pin(async move { connection.read_until(&delimiter, max).await })
        })
        .await
    }

    async fn drop(&mut self, connection: Resource<HeldTcp>) -> Result<()> {
        self.take(connection).map(drop)
    }
}
