//! A client of one server: requests in, answers out, with the books kept.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use tokio::time::timeout;

use crate::connection::Connection;
use crate::dial::dial;
use crate::endpoint::Endpoint;
use crate::error::NetError;
use crate::exchange::Exchange;
use crate::failure::{self, Failure};
use crate::options::HttpOptions;
use crate::request::{PreparedRequest, Template};
use crate::response::HttpResponse;
use crate::tcp_facts::TcpFacts;
use crate::transport::{SharedConnection, Transport};

/// Where a client's connection is.
pub(crate) enum Link {
    /// In the client.
    Own(Option<Connection>),
    /// Shared with other clients, one exchange at a time.
    Shared(SharedConnection),
}

/// A client of one server, made by [`Transport::connect`]. It belongs to one worker.
pub struct HttpClient {
    transport: Arc<Transport>,
    endpoint: Endpoint,
    link: Link,
    template: Template,
    exchange: Exchange,
}

impl HttpClient {
    /// Dials, unless the connection is shared and already there.
    pub(crate) async fn connect(transport: Arc<Transport>, endpoint: Endpoint, link: Link) -> Result<Self, NetError> {
        let template = Template::new(&endpoint)?;
        let mut client = Self { transport, endpoint, link, template, exchange: Exchange::default() };
        let Self { transport, endpoint, link, exchange, .. } = &mut client;
        match link {
            Link::Own(slot) => {
                connected(transport, endpoint, slot, exchange).await?;
            }
            Link::Shared(shared) => {
                connected(transport, endpoint, &mut *shared.lock().await, exchange).await?;
            }
        }
        Ok(client)
    }

    /// Sends `name: value` with every request of this client from now on, in place of an earlier value of that name.
    ///
    /// # Errors
    ///
    /// `Malformed` for a name or value that cannot stand in a header, and for the fields that frame a message, which are written
    /// here. The value is never in the error.
    pub fn set_header(&mut self, name: &str, value: &str) -> Result<(), NetError> {
        self.template.set_header(name, value)
    }

    /// Checks and copies a request that will be sent many times, with the headers that the client has now. `headers` take the place of
    /// those of [`HttpClient::set_header`] with the same names.
    ///
    /// # Errors
    ///
    /// `Malformed`, naming the part and never a header's value.
    pub fn prepare(
        &self,
        method: &str,
        path_and_query: &str,
        headers: &[(String, String)],
    ) -> Result<PreparedRequest, NetError> {
        self.template.prepare(method, path_and_query, headers)
    }

    /// [`HttpClient::prepare`] and [`HttpClient::send_prepared`] in one, for a request that is sent once.
    ///
    /// # Errors
    ///
    /// Those of the two.
    pub async fn send(
        &mut self,
        method: &str,
        path_and_query: &str,
        headers: &[(String, String)],
        body: Option<Bytes>,
    ) -> Result<HttpResponse, NetError> {
        let prepared = self.prepare(method, path_and_query, headers)?;
        self.send_prepared(&prepared, body).await
    }

    fn nothing_to_replay(&self) -> NetError {
        NetError::NothingToReplay { endpoint: self.endpoint.to_string() }
    }

    /// Sends a request that this client has prepared, and reads the whole answer; any status is an answer.
    ///
    /// A connection that is gone is replaced first; one that breaks before a byte of the request was written is replaced once.
    /// After that a request is never sent twice. Dropping the future gives the request up: its connection is closed, and the
    /// exchange says whether it is unanswered. With shared connections the turn is waited for without limit; that time is part
    /// of the service time, not of [`Exchange::wait`].
    ///
    /// # Errors
    ///
    /// What [`Transport::connect`] returns, when a new connection is needed; `TimedOut`, `Broken`, `NotHttp`, `TooLarge`, after each
    /// of which the connection is closed and the next request makes a new one.
    pub async fn send_prepared(
        &mut self,
        request: &PreparedRequest,
        body: Option<Bytes>,
    ) -> Result<HttpResponse, NetError> {
        if self.transport.replays() {
            // A worker that has written nothing itself is answered as the others were.
            let kept = request.kept().or_else(|| self.transport.answer_of(&request.kind()));
            return kept.ok_or_else(|| self.nothing_to_replay());
        }
        let Self { transport, endpoint, link, exchange, .. } = self;
        let response = match link {
            Link::Own(slot) => send(transport, endpoint, slot, exchange, request, body).await,
            Link::Shared(shared) => send(transport, endpoint, &mut *shared.lock().await, exchange, request, body).await,
        }?;
        if request.keep(&response) {
            transport.keep(request.kind(), &response);
        }
        Ok(response)
    }

    /// Time and bytes since the last call, or since the client was made; failed and dropped requests included.
    pub fn take_exchange(&mut self) -> Exchange {
        std::mem::take(&mut self.exchange)
    }

    /// What the kernel knows of the connection: how long its packets take, and how many had to be sent again. It costs some microseconds
    /// and no traffic. None without an open connection, where the kernel does not tell, and while another client uses a shared one.
    #[must_use]
    pub fn tcp_info(&self) -> Option<TcpFacts> {
        match &self.link {
            Link::Own(slot) => slot.as_ref()?.tcp_info(),
            Link::Shared(shared) => shared.try_lock().ok()?.as_ref()?.tcp_info(),
        }
    }

    /// The server.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }
}

impl fmt::Debug for HttpClient {
    /// Headers hold credentials, so they are not shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

/// The connection in `slot`, made anew when there is none that can be used; and whether it was there before.
async fn connected<'a>(
    transport: &Transport,
    endpoint: &Endpoint,
    slot: &'a mut Option<Connection>,
    exchange: &mut Exchange,
) -> Result<(&'a mut Connection, bool), NetError> {
    if let Some(connection) = slot
        && !connection.usable(Instant::now()).await
    {
        connection.settle(exchange);
        *slot = None;
    }
    match slot {
        Some(connection) => Ok((connection, true)),
        None => {
            // Boxed, because it is seldom needed and large: every request's future would be as large otherwise, and plugins run on small
            // stacks.
            let connection = slot.insert(Box::pin(dial(transport, endpoint)).await?);
            connection.settle(exchange);
            Ok((connection, false))
        }
    }
}

/// Sends one request over the connection in `slot`, which is made or replaced where needed.
async fn send(
    transport: &Transport,
    endpoint: &Endpoint,
    slot: &mut Option<Connection>,
    exchange: &mut Exchange,
    prepared: &PreparedRequest,
    body: Option<Bytes>,
) -> Result<HttpResponse, NetError> {
    let HttpOptions { request_timeout: limit, max_response_bytes: cap, .. } = *transport.options();
    let mut second_chance = true;
    loop {
        let (connection, kept) = connected(transport, endpoint, slot, exchange).await?;
        let mut attempt = Attempt { connection, exchange, answered: false };
        let failure = match attempt.run(prepared.request(body.clone()), limit, cap).await {
            Ok(response) => return Ok(response),
            Err(failure) => failure,
        };
        let stale = kept && !attempt.connection.wrote() && matches!(failure, Failure::Http(_));
        if !(stale && second_chance) {
            return Err(failure::explain(endpoint, failure, limit, cap));
        }
        second_chance = false;
    }
}

/// One try of one request. However it ends, by an answer, an error, a time-out or by being dropped while it waits, dropping it
/// settles the books, and leaves the connection open only if the answer was complete.
struct Attempt<'a> {
    connection: &'a mut Connection,
    exchange: &'a mut Exchange,
    answered: bool,
}

impl Attempt<'_> {
    async fn run(
        &mut self,
        request: Request<Full<Bytes>>,
        limit: Duration,
        cap: usize,
    ) -> Result<HttpResponse, Failure> {
        // Pinned here and lent to the time-out: moving it in would copy it, and it is large.
        let exchange = pin!(self.connection.exchange(request, cap));
        let response = timeout(limit, exchange).await.map_err(|_| Failure::TimedOut)??;
        self.answered = true;
        Ok(response)
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        self.connection.finish(self.exchange, self.answered);
    }
}
