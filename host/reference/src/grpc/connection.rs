//! Connections that can be cut in the middle of a call, as a server that dies would.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::transport::server::Connected;

/// How long to wait when a connection cannot be accepted, which is when there are too many files open.
const BREATH: Duration = Duration::from_millis(10);

/// Cuts one connection.
#[derive(Debug, Clone)]
pub(super) struct Scissors(CancellationToken);

impl Scissors {
    /// Cuts it: nothing more is read or written, and the client sees a reset.
    pub(super) fn cut(&self) {
        self.0.cancel();
    }
}

/// A connection to a client.
pub(super) struct Connection {
    stream: TcpStream,
    scissors: Scissors,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Connection {
    /// A connection that is also cut when `all` is.
    fn new(stream: TcpStream, all: &CancellationToken) -> Self {
        let token = all.child_token();
        Self { stream, cut: Box::pin(token.clone().cancelled_owned()), scissors: Scissors(token) }
    }

    /// An error once it is cut; until then the task is woken when that happens.
    fn poll_cut(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if self.cut.as_mut().poll(context).is_pending() {
            return Ok(());
        }
        // Closing now sends a reset. Where that cannot be had, the client sees an end without an answer.
        let _ = self.stream.set_zero_linger();
        Err(io::Error::new(io::ErrorKind::ConnectionReset, "the connection is cut"))
    }
}

/// Takes connections in.
pub(super) struct Listener {
    listener: TcpListener,
    all: CancellationToken,
}

impl Listener {
    /// Takes in what `listener` is offered; `all` cuts every connection.
    pub(super) fn new(listener: TcpListener, all: CancellationToken) -> Self {
        Self { listener, all }
    }

    /// The next connection.
    pub(super) async fn next(&self) -> Connection {
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => {
                    // Without it small answers wait; where it fails the connection is already gone, which is seen when it is read.
                    let _ = stream.set_nodelay(true);
                    return Connection::new(stream, &self.all);
                }
                Err(_) => tokio::time::sleep(BREATH).await,
            }
        }
    }
}

impl Connected for Connection {
    type ConnectInfo = Scissors;

    fn connect_info(&self) -> Scissors {
        self.scissors.clone()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.poll_cut(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_cut(context)?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_cut(context)?;
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
