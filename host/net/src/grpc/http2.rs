//! One HTTP/2 connection, driven by a task in the runtime that dialled it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::runtime::Handle;

use super::body::Outgoing;
use super::socket::Socket;
use crate::dial::reach;
use crate::endpoint::Endpoint;
use crate::error::NetError;
use crate::failure::{self, Failure};
use crate::meter::Meter;
use crate::tcp_facts::{Ends, TcpFacts};
use crate::transport::Transport;

/// What a server may send on one call before it is read, in bytes. Answers are read at once, so this only has to cover what is under way.
const STREAM_WINDOW: u32 = 4 << 20;

/// Likewise for all calls of a connection.
const CONNECTION_WINDOW: u32 = 16 << 20;

/// The largest frame that is taken, in bytes: fewer frames for large answers. What is sent goes by what the server takes.
const FRAME: u32 = 256 << 10;

/// The longest head or trailers that are read, in bytes as HTTP/2 counts them. A status message can be long.
const HEAD: u32 = 64 << 10;

/// After a pause of this length the runtime is given the chance to see that the server has closed the connection.
const QUIET: Duration = Duration::from_millis(1);

/// Begins calls on a connection, from any thread.
pub(crate) type Sender = SendRequest<Outgoing>;

/// An open connection. It is closed when nobody holds it and its calls have ended.
#[derive(Clone, Debug)]
pub(crate) struct Http2 {
    pub(crate) sender: Sender,
    /// Where its task lives. What has to live as long as the connection is put there too.
    pub(crate) runtime: Handle,
    pub(crate) meter: Arc<Meter>,
    ends: Option<Ends>,
}

impl Http2 {
    /// Dials and speaks HTTP/2, over TLS if the endpoint says so.
    ///
    /// # Errors
    ///
    /// Those of dialling.
    pub(crate) async fn open(transport: &Transport, endpoint: &Endpoint) -> Result<Self, NetError> {
        let reached = reach(transport, endpoint, || transport.tls_http2()).await?;
        let socket = Socket::new(reached.stream, reached.ends, transport.tally());
        let (sender, driver) = Builder::new(TokioExecutor::new())
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_frame_size(FRAME)
            .max_header_list_size(HEAD)
            .handshake(TokioIo::new(socket))
            .await
            .map_err(|error| failure::explain(endpoint, Failure::http2(&error), Duration::ZERO, 0))?;
        let runtime = Handle::current();
        // Its own error is not looked at: the calls that it ends have it.
        runtime.spawn(async move { _ = driver.await });
        Ok(Self { sender, runtime, meter: reached.meter, ends: reached.ends })
    }

    /// Whether another call can be made. Sees a close that the server sent meanwhile, as far as it has arrived.
    pub(crate) async fn usable(&self) -> bool {
        if Instant::now().saturating_duration_since(self.meter.last_read()) > QUIET {
            tokio::task::yield_now().await;
        }
        !self.sender.is_closed()
    }

    /// What the kernel knows of it; none once it is closed.
    pub(crate) fn tcp_info(&self) -> Option<TcpFacts> {
        if self.sender.is_closed() { None } else { TcpFacts::of(self.ends?) }
    }
}
