//! Bytes out and in.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::BytesMut;
use tokio::io::AsyncWrite;
use tokio_util::io::poll_read_buf;

use super::Failure;
use crate::stream::Stream;

/// Bytes that one read of the socket can take.
const PIECE: usize = 64 << 10;

/// Writes what is `left`. When the other side takes nothing at the moment, what it says is taken in, up to `cap` bytes.
pub(super) fn poll_write_all(
    stream: &mut Option<Stream>,
    cx: &mut Context<'_>,
    left: &mut &[u8],
    inbox: &mut BytesMut,
    ended: &mut bool,
    cap: usize,
) -> Poll<Result<(), Failure>> {
    loop {
        let Some(open) = stream.as_mut() else { return Poll::Ready(Err(Failure::Ended)) };
        let wrote = if left.is_empty() {
            match Pin::new(open).poll_flush(cx) {
                Poll::Ready(done) => return Poll::Ready(done.map_err(Failure::Io)),
                Poll::Pending => Poll::Pending,
            }
        } else {
            Pin::new(open).poll_write(cx, left)
        };
        match wrote {
            Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::Error::from(io::ErrorKind::WriteZero).into())),
            Poll::Ready(Ok(count)) => *left = left.get(count..).unwrap_or_default(),
            Poll::Ready(Err(error)) => return Poll::Ready(Err(error.into())),
            Poll::Pending => {
                // A side that has said its last word may still listen.
                if *ended {
                    return Poll::Pending;
                }
                ready!(poll_take_in(stream, cx, inbox, ended))?;
                if inbox.len() > cap {
                    return Poll::Ready(Err(Failure::TooLarge(cap)));
                }
            }
        }
    }
}

/// Reads once into `inbox`; notes the end of the stream.
pub(super) fn poll_take_in(
    stream: &mut Option<Stream>,
    cx: &mut Context<'_>,
    inbox: &mut BytesMut,
    ended: &mut bool,
) -> Poll<io::Result<()>> {
    let Some(open) = stream.as_mut() else { return Poll::Ready(Err(io::ErrorKind::NotConnected.into())) };
    inbox.reserve(PIECE);
    let count = ready!(poll_read_buf(Pin::new(open), cx, inbox))?;
    *ended |= count == 0;
    Poll::Ready(Ok(()))
}
