//! Dialling: name lookup, TCP, TLS, within one time-out.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, timeout, timeout_at};

use crate::connection::Connection;
use crate::endpoint::{Endpoint, Host, Scheme};
use crate::error::{NetError, TlsError};
use crate::meter::{Meter, Metered};
use crate::stream::Stream;
use crate::tcp_facts::Ends;
use crate::tls;
use crate::transport::Transport;

/// Stands for "no limit": the clock cannot count to the end of every duration that can be written.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// The addresses of a host; an address needs no lookup.
///
/// # Errors
///
/// The lookup's reason. A lookup that gives no address is one.
pub(crate) async fn resolve(host: &Host, port: u16) -> Result<Vec<SocketAddr>, String> {
    let name = match host {
        Host::Ip(ip) => return Ok(vec![SocketAddr::new(*ip, port)]),
        Host::Name(name) => name,
    };
    match lookup_host((name.as_str(), port)).await {
        Ok(addresses) => {
            let addresses: Vec<_> = addresses.collect();
            if addresses.is_empty() { Err("it has no address".to_owned()) } else { Ok(addresses) }
        }
        Err(error) => {
            let text = error.to_string();
            let text = text.rsplit(": ").next().unwrap_or_default();
            Err(text.to_ascii_lowercase())
        }
    }
}

/// A byte stream that leads to a server.
pub(crate) struct Reached {
    pub(crate) stream: Stream,
    pub(crate) meter: Arc<Meter>,
    pub(crate) ends: Option<Ends>,
}

/// Makes an HTTP/1.1 connection to `endpoint`.
///
/// # Errors
///
/// Those of [`reach`].
pub(crate) async fn dial(transport: &Transport, endpoint: &Endpoint) -> Result<Connection, NetError> {
    let Reached { stream, meter, ends } = reach(transport, endpoint, || transport.tls()).await?;
    // No byte is waited for here, so it needs no time of its own.
    Connection::open(endpoint, stream, meter, ends, transport.tally()).await
}

/// Leads to `endpoint`: checks the grant, tries its addresses in order, shakes hands by `tls` if its scheme is encrypted.
///
/// # Errors
///
/// `Denied`, `Resolve`, `Connect`, `ConnectTimedOut`, `Tls`, `TlsSetup`.
pub(crate) async fn reach(
    transport: &Transport,
    endpoint: &Endpoint,
    tls: impl FnOnce() -> Result<Arc<ClientConfig>, TlsError>,
) -> Result<Reached, NetError> {
    let limit = transport.options().connect_timeout.min(LONGEST);
    let deadline = Instant::now() + limit;
    let connecting = async {
        let addresses = transport.grants().addresses(endpoint).await?;
        let meter = Arc::new(Meter::new());
        let tcp = first_that_answers(endpoint, &addresses, deadline, limit).await?;
        let ends = Ends::of(&tcp);
        let tcp = Metered::new(tcp, Arc::clone(&meter));
        let stream = match endpoint.scheme() {
            Scheme::Http | Scheme::Tcp => Stream::Plain(tcp),
            Scheme::Https | Scheme::Tls => tls::handshake(endpoint, tls()?, tcp).await?,
        };
        Ok(Reached { stream, meter, ends })
    };
    match timeout_at(deadline, connecting).await {
        Ok(outcome) => outcome,
        Err(_) => Err(NetError::ConnectTimedOut { endpoint: endpoint.to_string(), limit }),
    }
}

/// Tries the addresses in order. Each gets its share of what is left of the time, so that one that swallows packets does not
/// keep the next from being tried; the last one that failed names the reason.
async fn first_that_answers(
    endpoint: &Endpoint,
    addresses: &[SocketAddr],
    deadline: Instant,
    limit: Duration,
) -> Result<TcpStream, NetError> {
    let mut last = io::Error::from(io::ErrorKind::NotConnected);
    for (tried, address) in addresses.iter().enumerate() {
        let left = u32::try_from(addresses.len() - tried).unwrap_or(u32::MAX);
        let share = deadline.saturating_duration_since(Instant::now()) / left;
        match timeout(share, TcpStream::connect(address)).await {
            Ok(Ok(tcp)) => match tcp.set_nodelay(true) {
                Ok(()) => return Ok(tcp),
                Err(error) => last = error,
            },
            Ok(Err(error)) => last = error,
            Err(_) => last = io::ErrorKind::TimedOut.into(),
        }
    }
    let endpoint = endpoint.to_string();
    Err(match last.kind() {
        io::ErrorKind::TimedOut => NetError::ConnectTimedOut { endpoint, limit },
        _ => NetError::connect(endpoint, &last),
    })
}
