//! The socket under an HTTP/2 connection, which tells at its end what the kernel counted.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::stream::Stream;
use crate::tcp_facts::{Ends, Tally, TcpFacts};

/// A stream that is owned by the protocol library to its end.
#[derive(Debug)]
pub(crate) struct Socket {
    stream: Stream,
    ends: Option<Ends>,
    tally: Arc<Tally>,
}

impl Socket {
    /// `stream`, whose ends the kernel is asked about before it is closed.
    pub(crate) fn new(stream: Stream, ends: Option<Ends>, tally: Arc<Tally>) -> Self {
        Self { stream, ends, tally }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Some(facts) = self.ends.and_then(TcpFacts::of) {
            self.tally.add(facts);
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}
