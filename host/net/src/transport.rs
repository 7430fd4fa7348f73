//! What all connections of a run share: options, grants, TLS, and the connections themselves where they are shared.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hyper::{Method, Uri};
use rustls::ClientConfig;

use crate::client::{HttpClient, Link};
use crate::connection::Connection;
use crate::endpoint::{Endpoint, Host, Scheme};
use crate::error::{NetError, TlsError};
use crate::grants::Grants;
use crate::grpc::{GrpcChannel, GrpcReply, Http2Link};
use crate::options::HttpOptions;
use crate::response::HttpResponse;
use crate::tcp::TcpConnection;
use crate::tcp_facts::{Tally, TcpTotals};
use crate::{tls, trust};

/// Kinds of requests whose answers are kept.
const KINDS: usize = 64;

/// A connection that several clients take turns with.
pub(crate) type SharedConnection = Arc<tokio::sync::Mutex<Option<Connection>>>;

/// Makes clients. Built once per run and shared by all workers.
pub struct Transport {
    options: HttpOptions,
    grants: Grants,
    tls: OnceLock<Arc<ClientConfig>>,
    /// The same with HTTP/2 as the protocol to agree on.
    tls_http2: OnceLock<Arc<ClientConfig>>,
    shared: Mutex<HashMap<Server, Vec<SharedConnection>>>,
    links: Mutex<HashMap<Server, Vec<Arc<Http2Link>>>>,
    replays: AtomicBool,
    /// The first answer to each kind of request, for replays.
    answers: Mutex<HashMap<(Method, Uri), HttpResponse>>,
    /// Likewise of gRPC methods, by their path.
    replies: Mutex<HashMap<String, GrpcReply>>,
    tally: Arc<Tally>,
}

/// What shared connections are told apart by.
type Server = (Scheme, Host, u16);

/// An endpoint that HTTP can be spoken to.
fn web(base_url: &str) -> Result<Endpoint, NetError> {
    let endpoint: Endpoint = base_url.parse()?;
    if endpoint.scheme().is_http() {
        return Ok(endpoint);
    }
    Err(NetError::Scheme { endpoint: endpoint.to_string(), wanted: "http:// or https://" })
}

fn server(endpoint: &Endpoint) -> Server {
    (endpoint.scheme(), endpoint.host_ref().clone(), endpoint.port())
}

impl Transport {
    /// A transport that dials what `grants` names. When an `https` or `tls` endpoint is among them, or a TLS option was chosen, the TLS
    /// files are read now, so that a wrong one is found before the run starts; otherwise at the first encrypted connection.
    ///
    /// # Errors
    ///
    /// A TLS file that cannot be read or does not fit, named with its flag.
    pub fn new(options: HttpOptions, grants: Grants) -> Result<Self, TlsError> {
        let transport = Self {
            options,
            grants,
            tls: OnceLock::new(),
            tls_http2: OnceLock::new(),
            shared: Mutex::default(),
            links: Mutex::default(),
            replays: AtomicBool::new(false),
            answers: Mutex::default(),
            replies: Mutex::default(),
            tally: Arc::default(),
        };
        if transport.grants.any_encrypted() || transport.options.tls.any() {
            transport.tls()?;
        }
        Ok(transport)
    }

    /// Makes a client of the server at `base_url` and connects it: looks the name up, checks the grant on the address, dials and
    /// shakes hands. `slot` is the worker's number; with shared connections it picks the one that this client
    /// uses. Without a slot, the client has a connection of its own in any case.
    ///
    /// It needs a tokio runtime with I/O and time. A connection is served by the runtime in which it was dialled: it breaks when
    /// that runtime ends, and whoever uses it next makes a new one. Workers that share connections should therefore live in one
    /// runtime, or in runtimes that end together.
    ///
    /// # Errors
    ///
    /// `Endpoint`, `Denied`, `Resolve`, `Connect`, `ConnectTimedOut`, `Tls`, `TlsSetup`.
    pub async fn connect(self: &Arc<Self>, base_url: &str, slot: Option<u32>) -> Result<HttpClient, NetError> {
        let endpoint = web(base_url)?;
        let link = match self.options.connections.zip(slot) {
            None => Link::Own(None),
            Some((connections, slot)) => Link::Shared(self.shared(&endpoint, connections.max(1), slot)),
        };
        HttpClient::connect(Arc::clone(self), endpoint, link).await
    }

    /// Makes a gRPC channel to the server at `base_url` and connects it, by TLS and ALPN for `https` and otherwise by HTTP/2 without
    /// asking. `slot` is as with [`Transport::connect`], and so is what is said there of runtimes; but a shared connection is used by its
    /// channels at the same time, without taking turns.
    ///
    /// # Errors
    ///
    /// Those of [`Transport::connect`]. That the server does not speak HTTP/2 is seen here only with TLS, otherwise by the first call.
    pub async fn channel(self: &Arc<Self>, base_url: &str, slot: Option<u32>) -> Result<GrpcChannel, NetError> {
        let endpoint = web(base_url)?;
        let link = match self.options.connections.zip(slot) {
            None => Arc::default(),
            Some((connections, slot)) => self.link(&endpoint, connections.max(1), slot),
        };
        GrpcChannel::connect(Arc::clone(self), endpoint, link).await
    }

    /// Makes a connection for a protocol of the caller's own to `tcp://host:port` or `tls://host:port`. It is never shared.
    ///
    /// # Errors
    ///
    /// Those of [`Transport::connect`].
    pub async fn stream(self: &Arc<Self>, endpoint: &str) -> Result<TcpConnection, NetError> {
        let endpoint: Endpoint = endpoint.parse()?;
        if endpoint.scheme().is_http() {
            return Err(NetError::Scheme { endpoint: endpoint.to_string(), wanted: "tcp:// or tls://" });
        }
        TcpConnection::connect(Arc::clone(self), endpoint).await
    }

    /// With `true`, no request leaves any more: each is answered at once with what the server answered it first, when that was a
    /// success. So the client's own part of a request can be measured alone.
    pub fn replay(&self, on: bool) {
        self.replays.store(on, Ordering::Relaxed);
    }

    /// Keeps an answer of a kind of request, unless there is one already.
    pub(crate) fn keep(&self, kind: (Method, Uri), answer: &HttpResponse) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        // A plugin that asks for another path every time must not fill the memory.
        if answers.len() < KINDS {
            answers.entry(kind).or_insert_with(|| answer.clone());
        }
    }

    /// The answer that was kept of a kind of request.
    pub(crate) fn answer_of(&self, kind: &(Method, Uri)) -> Option<HttpResponse> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).get(kind).cloned()
    }

    /// Keeps the first reply of a method that says that all is well.
    pub(crate) fn keep_reply(&self, path: &str, reply: &GrpcReply) {
        if reply.status != 0 {
            return;
        }
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        if replies.len() < KINDS && !replies.contains_key(path) {
            replies.insert(path.to_owned(), reply.clone());
        }
    }

    /// The reply that was kept of a method.
    ///
    /// # Errors
    ///
    /// `NothingToReplay`.
    pub(crate) fn replied(&self, endpoint: &Endpoint, path: &str) -> Result<GrpcReply, NetError> {
        let kept = self.replies.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        kept.ok_or_else(|| NetError::NothingToReplay { endpoint: endpoint.to_string() })
    }

    /// Whether requests are answered without the server.
    pub(crate) fn replays(&self) -> bool {
        self.replays.load(Ordering::Relaxed)
    }

    /// What the kernel counted on connections that this side has closed, and on shared ones that are open and not in use. One that the
    /// server closed took its count with it.
    #[must_use]
    pub fn tcp_totals(&self) -> TcpTotals {
        let mut totals = self.tally.totals();
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        for connection in shared.values().flatten() {
            if let Some(facts) = connection.try_lock().ok().and_then(|open| open.as_ref()?.tcp_info()) {
                totals.add(facts);
            }
        }
        let links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.values().flatten().filter_map(|link| link.tcp_info()).for_each(|facts| totals.add(facts));
        totals
    }

    /// Where connections tell what the kernel counted.
    pub(crate) fn tally(&self) -> Arc<Tally> {
        Arc::clone(&self.tally)
    }

    /// The user's choices.
    pub(crate) fn options(&self) -> &HttpOptions {
        &self.options
    }

    /// What may be dialled.
    pub(crate) fn grants(&self) -> &Grants {
        &self.grants
    }

    /// The TLS configuration, built at the first call.
    pub(crate) fn tls(&self) -> Result<Arc<ClientConfig>, TlsError> {
        if let Some(config) = self.tls.get() {
            return Ok(Arc::clone(config));
        }
        let config = Arc::new(trust::client_config(&self.options.tls)?);
        // When two workers come here at once, both use the one that was first: it holds the session tickets.
        Ok(Arc::clone(self.tls.get_or_init(|| config)))
    }

    /// That configuration for HTTP/2.
    pub(crate) fn tls_http2(&self) -> Result<Arc<ClientConfig>, TlsError> {
        if let Some(config) = self.tls_http2.get() {
            return Ok(Arc::clone(config));
        }
        let mut config = ClientConfig::clone(&*self.tls()?);
        config.alpn_protocols = vec![tls::H2.to_vec()];
        Ok(Arc::clone(self.tls_http2.get_or_init(|| Arc::new(config))))
    }

    fn link(&self, endpoint: &Endpoint, connections: usize, slot: u32) -> Arc<Http2Link> {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let all = links.entry(server(endpoint)).or_insert_with(|| (0..connections).map(|_| Arc::default()).collect());
        Arc::clone(&all[slot as usize % connections])
    }

    fn shared(&self, endpoint: &Endpoint, connections: usize, slot: u32) -> SharedConnection {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let all = shared
            .entry(server(endpoint))
            .or_insert_with(|| (0..connections).map(|_| SharedConnection::default()).collect());
        Arc::clone(&all[slot as usize % connections])
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transport")
            .field("options", &self.options)
            .field("grants", &self.grants)
            .finish_non_exhaustive()
    }
}
