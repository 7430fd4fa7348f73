//! One HTTP/1.1 connection, driven by whoever waits for its answer.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http_body_util::Full;
use hyper::Request;
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;

use crate::endpoint::Endpoint;
use crate::error::NetError;
use crate::exchange::Exchange;
use crate::failure::{self, Failure};
use crate::meter::Meter;
use crate::response::HttpResponse;
use crate::stream::Stream;
use crate::tcp_facts::{Ends, Tally, TcpFacts};

/// A connection that was quiet for longer than this is looked at more closely before its next use. Servers close idle
/// connections after seconds; in a closed loop the pause is microseconds, and the closer look would cost a system call.
const QUIET: Duration = Duration::from_millis(1);

/// The most memory that is set aside for a body on the word of its announced length, in bytes; a longer one grows as it comes.
const AT_ONCE: usize = 8 << 20;

/// An open connection.
pub(crate) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    /// The socket with hyper's state; `None` once it is closed.
    driver: Option<Box<Driver>>,
    meter: Arc<Meter>,
    /// None where the socket did not tell.
    ends: Option<Ends>,
    /// Where it is told, at its end, what the kernel counted.
    tally: Arc<Tally>,
    /// Bytes sent and received that an [`Exchange`] already holds.
    settled: (u64, u64),
}

type Driver = http1::Connection<TokioIo<Stream>, Full<Bytes>>;

impl Connection {
    /// Speaks HTTP over `stream`. No byte is written yet.
    ///
    /// # Errors
    ///
    /// `Broken`, should the library refuse the stream.
    pub(crate) async fn open(
        endpoint: &Endpoint,
        stream: Stream,
        meter: Arc<Meter>,
        ends: Option<Ends>,
        tally: Arc<Tally>,
    ) -> Result<Self, NetError> {
        let (sender, driver) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| failure::explain(endpoint, Failure::Http(error), Duration::ZERO, 0))?;
        Ok(Self { sender, driver: Some(Box::new(driver)), meter, ends, tally, settled: (0, 0) })
    }

    /// Whether another request can be sent. Sees a close that the server sent meanwhile, as far as it has arrived.
    pub(crate) async fn usable(&mut self, now: Instant) -> bool {
        if now.saturating_duration_since(self.meter.last_read()) > QUIET {
            // The runtime learns of a close from its I/O driver, which runs when tasks give way.
            tokio::task::yield_now().await;
        }
        // Nobody has to be woken: whatever happens next is asked for by the next request. It also leaves hyper without a waker
        // of this task, which the request's own hand-over would wake, at the cost of a scheduler round.
        drive(&mut self.driver, &mut Context::from_waker(Waker::noop()));
        self.driver.is_some() && self.sender.is_ready()
    }

    /// Sends `request` and reads the whole answer, of at most `cap` bytes of body.
    ///
    /// Not cancel safe: a connection whose exchange did not end in `Ok` must not be used again.
    pub(crate) async fn exchange(
        &mut self,
        request: Request<Full<Bytes>>,
        cap: usize,
    ) -> Result<HttpResponse, Failure> {
        self.meter.arm();
        let mut answer = pin!(self.sender.send_request(request));
        let driver = &mut self.driver;
        let response = poll_fn(|cx| {
            drive(driver, cx);
            // It becomes ready only by driving the connection, which just happened: it needs no waker of its own.
            answer.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        })
        .await
        .map_err(Failure::Http)?;
        let (head, body) = response.into_parts();
        let body = if body.is_end_stream() { Bytes::new() } else { self.read(body, cap).await? };
        Ok(HttpResponse::new(head.status.as_u16(), head.headers, body))
    }

    /// Reads a body to its end. A body of one piece, as small ones are, is handed on as it is.
    async fn read(&mut self, mut body: Incoming, cap: usize) -> Result<Bytes, Failure> {
        let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        if announced > cap {
            return Err(Failure::TooLarge);
        }
        let mut first = Bytes::new();
        let mut rest = BytesMut::new();
        while let Some(piece) = poll_fn(|cx| self.poll_piece(&mut body, cx)).await? {
            if first.len().max(rest.len()) + piece.len() > cap {
                return Err(Failure::TooLarge);
            }
            if first.is_empty() && rest.is_empty() {
                first = piece;
            } else {
                if rest.is_empty() {
                    rest.reserve(announced.min(AT_ONCE).max(first.len() + piece.len()));
                    rest.extend_from_slice(&first);
                }
                rest.extend_from_slice(&piece);
            }
            if body.is_end_stream() {
                break;
            }
        }
        Ok(if rest.is_empty() { first } else { rest.freeze() })
    }

    /// The next data of a body; trailers carry none.
    fn poll_piece(&mut self, body: &mut Incoming, cx: &mut Context<'_>) -> Poll<Result<Option<Bytes>, Failure>> {
        loop {
            // Asking first is what makes the driver read on.
            let mut frame = Pin::new(&mut *body).poll_frame(cx);
            if frame.is_pending() {
                drive(&mut self.driver, cx);
                frame = Pin::new(&mut *body).poll_frame(cx);
            }
            match frame {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => return Poll::Ready(Ok(None)),
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(Failure::Http(error))),
                Poll::Ready(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        return Poll::Ready(Ok(Some(data)));
                    }
                }
            }
        }
    }

    /// Whether a byte of the current request was handed to the socket.
    pub(crate) fn wrote(&self) -> bool {
        self.meter.first_write().is_some()
    }

    /// What the kernel knows of it; none once it is closed.
    pub(crate) fn tcp_info(&self) -> Option<TcpFacts> {
        self.driver.as_ref()?;
        TcpFacts::of(self.ends?)
    }

    /// Adds to `exchange` what has crossed the wire since the last time.
    pub(crate) fn settle(&mut self, exchange: &mut Exchange) {
        let (sent, received) = (self.meter.sent(), self.meter.received());
        exchange.bytes_sent += sent - self.settled.0;
        exchange.bytes_received += received - self.settled.1;
        self.settled = (sent, received);
    }

    /// Ends the current request: adds what it cost to `exchange`, and closes the connection unless the answer was complete.
    pub(crate) fn finish(&mut self, exchange: &mut Exchange, answered: bool) {
        self.settle(exchange);
        if let Some(start) = self.meter.first_write() {
            let end = if answered { self.meter.last_read() } else { Instant::now() };
            exchange.wait += end.saturating_duration_since(start);
            exchange.unanswered |= !answered;
        }
        if !answered {
            self.close();
        }
    }

    /// Closes it. What the kernel counted goes with it, so it is asked now.
    fn close(&mut self) {
        if let Some(facts) = self.tcp_info() {
            self.tally.add(facts);
        }
        self.driver = None;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.close();
    }
}

/// Polls the connection, and closes it when it has ended. Its own error is not looked at: hyper hands it to the answer or the
/// body first, and what is left is about a connection that nobody waits for.
fn drive(driver: &mut Option<Box<Driver>>, cx: &mut Context<'_>) {
    if driver.as_mut().is_some_and(|driver| Pin::new(driver).poll(cx).is_ready()) {
        *driver = None;
    }
}
