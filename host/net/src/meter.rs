//! The meter at the socket: counts bytes and stamps the first write and the last read.
//!
//! It sits below TLS, so that records and handshakes count as what they are: bytes on the wire. hyper owns the stream for as
//! long as the connection lives, so the readings are shared with the connection's owner through atomics. One task at a time
//! drives a connection, hence plain loads and stores suffice, which cost nothing, where an atomic addition would.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// No write yet.
const NEVER: u64 = u64::MAX;

/// The readings of one connection.
#[derive(Debug)]
pub(crate) struct Meter {
    origin: Instant,
    sent: AtomicU64,
    received: AtomicU64,
    first_write: AtomicU64,
    last_read: AtomicU64,
}

impl Meter {
    /// A meter that reads zero.
    pub(crate) fn new() -> Self {
        Self {
            origin: Instant::now(),
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
            first_write: AtomicU64::new(NEVER),
            last_read: AtomicU64::new(0),
        }
    }

    /// Bytes given to the socket since it was opened.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Relaxed)
    }

    /// Bytes taken from the socket since it was opened.
    pub(crate) fn received(&self) -> u64 {
        self.received.load(Relaxed)
    }

    /// Forgets the first write: the next one is that of a new request.
    pub(crate) fn arm(&self) {
        self.first_write.store(NEVER, Relaxed);
    }

    /// When the first byte since [`Meter::arm`] was handed to the socket, if one was.
    pub(crate) fn first_write(&self) -> Option<Instant> {
        match self.first_write.load(Relaxed) {
            NEVER => None,
            nanos => Some(self.origin + Duration::from_nanos(nanos)),
        }
    }

    /// When the socket was last read from, the end of the stream included.
    pub(crate) fn last_read(&self) -> Instant {
        self.origin + Duration::from_nanos(self.last_read.load(Relaxed))
    }

    /// Nanoseconds on this meter's clock; 584 years fit.
    fn now(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(NEVER - 1)
    }

    /// Runs one write. The stamp is taken before the bytes leave, and taken back when none did.
    fn write(&self, write: impl FnOnce() -> Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        let first = self.first_write.load(Relaxed) == NEVER;
        let before = if first { self.now() } else { 0 };
        let outcome = write();
        if let Poll::Ready(Ok(bytes @ 1..)) = outcome {
            if first {
                self.first_write.store(before, Relaxed);
            }
            self.sent.store(self.sent() + bytes as u64, Relaxed);
        }
        outcome
    }

    /// Notes one read.
    fn read(&self, bytes: usize) {
        self.last_read.store(self.now(), Relaxed);
        self.received.store(self.received() + bytes as u64, Relaxed);
    }
}

/// A TCP stream with a meter.
#[derive(Debug)]
pub(crate) struct Metered {
    tcp: TcpStream,
    meter: Arc<Meter>,
}

impl Metered {
    /// Puts `meter` at `tcp`.
    pub(crate) fn new(tcp: TcpStream, meter: Arc<Meter>) -> Self {
        Self { tcp, meter }
    }
}

impl AsyncRead for Metered {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        let outcome = Pin::new(&mut this.tcp).poll_read(cx, buf);
        if let Poll::Ready(Ok(())) = outcome {
            this.meter.read(buf.filled().len() - before);
        }
        outcome
    }
}

impl AsyncWrite for Metered {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let tcp = Pin::new(&mut this.tcp);
        this.meter.write(|| tcp.poll_write(cx, buf))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let tcp = Pin::new(&mut this.tcp);
        this.meter.write(|| tcp.poll_write_vectored(cx, bufs))
    }

    /// Head and body leave in one system call, without copying the body behind the head.
    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().tcp).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().tcp).poll_shutdown(cx)
    }
}
