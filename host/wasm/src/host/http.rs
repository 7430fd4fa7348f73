//! `http`: requests over the host's own connections. Here a session's time on the wire and its bytes are counted, and here a
//! cancelled run gives up waiting.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use benchhost_data::Payload;
use benchhost_net::{HttpClient, HttpResponse, PreparedRequest};
use bytes::Bytes;
use wasmtime::Result;
use wasmtime::component::Resource;

use super::wire::{cancelled, net_error};
use super::{Broken, HeldPayload, HeldResponse};
use crate::bindings::http;
use crate::bindings::types::Error as GuestError;
use crate::cancel::Cancel;
use crate::state::State;

/// A client that a guest has a handle to, and that its prepared requests keep alive.
#[derive(Clone)]
#[allow(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct HeldClient(Arc<Slot>);

/// The client, unless a request of it is under way, and the request that it sent last.
struct Slot {
    line: Mutex<Option<Box<Line>>>,
    /// A plugin that prepares nothing sends the same request over and over all the same.
    last: Mutex<Option<(Asked, Arc<PreparedRequest>)>>,
}

/// Method, path and headers of a request.
type Asked = (String, String, Vec<(String, String)>);

/// A request that a guest has a handle to.
#[allow(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct HeldRequest {
    client: HeldClient,
    prepared: Arc<PreparedRequest>,
}

/// A client, and what ends its waits.
struct Line {
    client: HttpClient,
    cancel: Cancel,
}

impl HeldClient {
    /// Asks the client for something that does not wait.
    fn with<T>(&self, ask: impl FnOnce(&mut HttpClient) -> T) -> Result<T> {
        let mut slot = self.0.line.lock().unwrap_or_else(PoisonError::into_inner);
        slot.as_mut().map(|line| ask(&mut line.client)).ok_or_else(in_use)
    }

    fn new(line: Box<Line>) -> Self {
        Self(Arc::new(Slot { line: Mutex::new(Some(line)), last: Mutex::default() }))
    }

    /// The request, checked, or found to be the last one again.
    fn prepared(&self, asked: Asked) -> Result<Result<Arc<PreparedRequest>, GuestError>> {
        let mut last = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, prepared)) = last.as_ref().filter(|(before, _)| *before == asked) {
            return Ok(Ok(Arc::clone(prepared)));
        }
        let (method, path_and_query, headers) = &asked;
        Ok(match self.with(|client| client.prepare(method, path_and_query, headers))? {
            Ok(prepared) => {
                let prepared = Arc::new(prepared);
                *last = Some((asked, Arc::clone(&prepared)));
                Ok(prepared)
            }
            Err(error) => Err(net_error(&error)),
        })
    }

    /// Headers have changed: so have all requests.
    fn forget(&self) {
        *self.0.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn take(&self) -> Result<Box<Line>> {
        self.0.line.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(in_use)
    }

    fn put_back(&self, line: Box<Line>) {
        *self.0.line.lock().unwrap_or_else(PoisonError::into_inner) = Some(line);
    }
}

/// A guest runs one call at a time, so this is not reached by any that the contract allows.
fn in_use() -> wasmtime::Error {
    Broken("it uses a client that has a request under way".to_owned()).into()
}

impl http::Host for State {}

impl http::HostClient for State {
    async fn connect(&mut self, base_url: String) -> Result<Result<Resource<HeldClient>, GuestError>> {
        let (transport, slot, mut cancel) = match self.network(&base_url) {
            Ok(network) => network,
            Err(denied) => return Ok(Err(denied)),
        };
        let outcome = self.outside.run(async move {
            let connecting = pin!(transport.connect(&base_url, slot));
            let outcome = cancel.race(connecting).await;
            outcome.map(|connected| connected.map(|client| Box::new(Line { client, cancel })))
        });
        let outcome = outcome.await;
        self.watchdog.restart();
        match outcome {
            Some(Ok(line)) => Ok(Ok(self.give(HeldClient::new(line))?)),
            Some(Err(error)) => Ok(Err(net_error(&error))),
            None => Ok(Err(cancelled())),
        }
    }

    fn set_header(
        &mut self,
        client: Resource<HeldClient>,
        name: String,
        value: String,
    ) -> Result<Result<(), GuestError>> {
        let client = self.table.get(&client)?;
        client.forget();
        let outcome = client.with(|client| client.set_header(&name, &value))?;
        Ok(outcome.map_err(|error| net_error(&error)))
    }

    async fn send(
        &mut self,
        client: Resource<HeldClient>,
        method: String,
        path_and_query: String,
        headers: Vec<http::Header>,
        body: Option<Resource<HeldPayload>>,
    ) -> Result<Result<Resource<HeldResponse>, GuestError>> {
        let body = match &body {
            Some(handle) => Some(self.body(handle)?),
            None => None,
        };
        let client = self.table.get(&client)?.clone();
        match client.prepared((method, path_and_query, pairs(headers)))? {
            Ok(prepared) => match self.exchange(client, prepared, body).await? {
                Ok(response) => Ok(Ok(self.give_response(response)?)),
                Err(error) => Ok(Err(error)),
            },
            Err(error) => Ok(Err(error)),
        }
    }

    fn prepare(
        &mut self,
        client: Resource<HeldClient>,
        method: String,
        path_and_query: String,
        headers: Vec<http::Header>,
    ) -> Result<Result<Resource<HeldRequest>, GuestError>> {
        let client = self.table.get(&client)?.clone();
        let headers = pairs(headers);
        match client.with(|client| client.prepare(&method, &path_and_query, &headers))? {
            Ok(prepared) => Ok(Ok(self.give(HeldRequest { client, prepared: Arc::new(prepared) })?)),
            Err(error) => Ok(Err(net_error(&error))),
        }
    }

    fn drop(&mut self, client: Resource<HeldClient>) -> Result<()> {
        self.take(client).map(drop)
    }
}

impl http::HostRequest for State {
    async fn send(
        &mut self,
        request: Resource<HeldRequest>,
        body: Resource<HeldPayload>,
    ) -> Result<Result<Option<Resource<HeldResponse>>, GuestError>> {
        let HeldRequest { client, prepared } = self.table.get(&request)?;
        let (client, prepared) = (client.clone(), Arc::clone(prepared));
        let body = self.body(&body)?;
        match self.exchange(client, prepared, Some(body)).await? {
            Ok(response) if response.body.is_empty() && (200..300).contains(&response.status) => Ok(Ok(None)),
            Ok(response) => Ok(Ok(Some(self.give_response(response)?))),
            Err(error) => Ok(Err(error)),
        }
    }

    fn drop(&mut self, request: Resource<HeldRequest>) -> Result<()> {
        self.take(request).map(drop)
    }
}

impl State {
    pub(super) fn body(&self, payload: &Resource<HeldPayload>) -> Result<Bytes> {
        Ok(self.table.get(payload)?.0.bytes().clone())
    }

    /// One request and its answer, with the books kept.
    async fn exchange(
        &mut self,
        client: HeldClient,
        prepared: Arc<PreparedRequest>,
        body: Option<Bytes>,
    ) -> Result<Result<HttpResponse, GuestError>> {
        let mut line = client.take()?;
        let exchanged = self.outside.run(async move {
            let Line { client, cancel } = &mut *line;
            let outcome = cancel.race(pin!(client.send_prepared(&prepared, body))).await;
            // Also of a request that failed or was given up: whether it was answered decides what its rows count as.
            let exchange = client.take_exchange();
            (line, outcome, exchange)
        });
        let (line, outcome, exchange) = exchanged.await;
        client.put_back(line);
        self.account(exchange);
        Ok(match outcome {
            Some(outcome) => outcome.map_err(|error| net_error(&error)),
            None => Err(cancelled()),
        })
    }

    fn give_response(&mut self, response: HttpResponse) -> Result<Resource<HeldResponse>> {
        self.hold(response.body.len())?;
        self.give(HeldResponse(response))
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

fn pairs(headers: Vec<http::Header>) -> Vec<(String, String)> {
    headers.into_iter().map(|header| (header.name, header.value)).collect()
}
