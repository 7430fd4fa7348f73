//! `http`: requests over the host's own connections. Here a session's time on the wire and its bytes are counted, and here a
//! cancelled run gives up waiting.

use benchhost_data::Payload;
use benchhost_net::{HttpClient, NetError};
use wasmtime::Result;
use wasmtime::component::Resource;

use super::{HeldPayload, HeldResponse};
use crate::bindings::http;
use crate::bindings::types::{Error as GuestError, ErrorKind};
use crate::cancel::Cancel;
use crate::convert;
use crate::state::State;

impl http::Host for State {}

impl http::HostClient for State {
    async fn connect(&mut self, base_url: String) -> Result<Result<Resource<HttpClient>, GuestError>> {
        let Some(net) = &self.net else {
            let message = format!(
                "{base_url} cannot be reached from here: a plugin that describes itself or generates data has no network"
            );
            return Ok(Err(convert::guest_error(ErrorKind::Denied, message)));
        };
        let outcome = race(self.cancel.as_mut(), net.transport.connect(&base_url, net.slot)).await;
        self.watchdog.restart();
        match outcome {
            Some(Ok(client)) => Ok(Ok(self.give(client)?)),
            Some(Err(error)) => Ok(Err(net_error(&error))),
            None => Ok(Err(cancelled())),
        }
    }

    fn set_header(
        &mut self,
        client: Resource<HttpClient>,
        name: String,
        value: String,
    ) -> Result<Result<(), GuestError>> {
        let client = self.table.get_mut(&client)?;
        Ok(client.set_header(&name, &value).map_err(|error| net_error(&error)))
    }

    async fn send(
        &mut self,
        client: Resource<HttpClient>,
        method: String,
        path_and_query: String,
        headers: Vec<http::Header>,
        body: Option<Resource<HeldPayload>>,
    ) -> Result<Result<Resource<HeldResponse>, GuestError>> {
        let body = match &body {
            Some(handle) => Some(self.table.get(handle)?.0.clone()),
            None => None,
        };
        let raw_bytes = body.as_ref().map_or(0, Payload::raw_size);
        let body = body.map(|payload| payload.bytes().clone());
        let headers: Vec<(String, String)> = headers.into_iter().map(|header| (header.name, header.value)).collect();

        let client = self.table.get_mut(&client)?;
        let request = client.send(&method, &path_and_query, &headers, body);
        let outcome = race(self.cancel.as_mut(), request).await;
        // Also of a request that failed or was given up: whether it was answered decides what its rows count as.
        let exchange = client.take_exchange();
        self.effort.wait += exchange.wait;
        self.effort.sent_bytes += exchange.bytes_sent;
        self.effort.received_bytes += exchange.bytes_received;
        self.effort.unanswered |= exchange.unanswered;
        if exchange.bytes_sent > 0 {
            self.effort.raw_bytes += raw_bytes;
        }
        self.watchdog.restart();
        match outcome {
            Some(Ok(response)) => {
                self.hold(response.body.len())?;
                Ok(Ok(self.give(HeldResponse(response))?))
            }
            Some(Err(error)) => Ok(Err(net_error(&error))),
            None => Ok(Err(cancelled())),
        }
    }

    fn drop(&mut self, client: Resource<HttpClient>) -> Result<()> {
        self.take(client).map(drop)
    }
}

impl http::HostResponse for State {
    fn status(&mut self, response: Resource<HeldResponse>) -> Result<u16> {
        Ok(self.table.get(&response)?.0.status)
    }

    fn header(&mut self, response: Resource<HeldResponse>, name: String) -> Result<Option<String>> {
        Ok(self.table.get(&response)?.0.header(&name).map(str::to_owned))
    }

    fn body(&mut self, response: Resource<HeldResponse>) -> Result<Resource<HeldPayload>> {
        let body = self.table.get(&response)?.0.body.clone();
        self.give_payload(Payload::new(body, 0))
    }

    fn drop(&mut self, response: Resource<HeldResponse>) -> Result<()> {
        let HeldResponse(response) = self.take(response)?;
        self.release(response.body.len());
        Ok(())
    }
}

async fn race<T>(cancel: Option<&mut Cancel>, work: impl Future<Output = T>) -> Option<T> {
    match cancel {
        Some(cancel) => cancel.race(work).await,
        None => Some(work.await),
    }
}

fn cancelled() -> GuestError {
    convert::guest_error(ErrorKind::Cancelled, "the run is stopping".to_owned())
}

fn net_error(error: &NetError) -> GuestError {
    let kind = match error {
        NetError::Denied { .. } | NetError::TooLarge { .. } => ErrorKind::Denied,
        NetError::TimedOut { .. } | NetError::ConnectTimedOut { .. } => ErrorKind::TimedOut,
        NetError::Endpoint(_) | NetError::Malformed { .. } | NetError::TlsSetup(_) => ErrorKind::Invalid,
        _ => ErrorKind::Unavailable,
    };
    GuestError {
        code: Some(error.code().to_owned()),
        retryable: error.retryable(),
        ..convert::guest_error(kind, error.to_string())
    }
}
