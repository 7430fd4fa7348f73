//! Byte streams for protocols that only a plugin knows.
//!
//! While it writes it also takes in what the server answers, so that a server which answers before it has read everything cannot block both sides.
//! A call that fails or is given up in the middle leaves a conversation that nobody can pick up, so the connection is over then.

mod answer;
mod attempt;
mod pump;

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use memchr::memmem;
use tokio::time::timeout;

use crate::dial::{Reached, reach};
use crate::endpoint::Endpoint;
use crate::error::{NetError, plain};
use crate::exchange::Exchange;
use crate::meter::Meter;
use crate::stream::Stream;
use crate::tcp_facts::{Ends, Tally, TcpFacts};
use crate::tls;
use crate::transport::Transport;
use answer::Answer;
use attempt::Attempt;

/// A connection to one server, made by [`Transport::stream`]. It belongs to one session.
pub struct TcpConnection {
    transport: Arc<Transport>,
    endpoint: Endpoint,
    /// None once it is over.
    stream: Option<Stream>,
    meter: Arc<Meter>,
    ends: Option<Ends>,
    tally: Arc<Tally>,
    /// What has come and was not asked for yet.
    inbox: BytesMut,
    /// The other side has said that nothing more comes.
    ended: bool,
    /// Something was written since something was last read: what the server made of it is not known.
    asking: bool,
    /// Bytes sent and received that an [`Exchange`] already holds.
    settled: (u64, u64),
    exchange: Exchange,
    answer: Answer,
}

/// Why a call failed.
enum Failure {
    Io(io::Error),
    Ended,
    TooLarge(usize),
    TimedOut,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl TcpConnection {
    pub(crate) async fn connect(transport: Arc<Transport>, endpoint: Endpoint) -> Result<Self, NetError> {
        // Boxed, as in `client.rs`: it is seldom needed and large.
        let Reached { stream, meter, ends } = Box::pin(reach(&transport, &endpoint, || transport.tls())).await?;
        let tally = transport.tally();
        let mut connection = Self {
            transport,
            endpoint,
            stream: Some(stream),
            meter,
            ends,
            tally,
            inbox: BytesMut::new(),
            ended: false,
            asking: false,
            settled: (0, 0),
            exchange: Exchange::default(),
            answer: Answer::default(),
        };
        // The bytes of a TLS handshake.
        connection.settle();
        Ok(connection)
    }

    /// Writes all of `bytes`; returns when the system has taken them.
    ///
    /// # Errors
    ///
    /// `Broken`, `TimedOut`; `TooLarge` when more answers than [`max_response_bytes`](crate::HttpOptions::max_response_bytes) wait to be read. The
    /// connection is over then, also when the future is dropped before it is ready.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), NetError> {
        if bytes.is_empty() {
            return Ok(());
        }
        if !self.asking {
            self.answer.ask(self.transport.replays());
        }
        if self.transport.replays() {
            self.asking = true;
            return Ok(());
        }
        let cap = self.transport.options().max_response_bytes;
        let limit = self.transport.options().request_timeout;
        let mut attempt = Attempt::of(self, true)?;
        let (stream, inbox, ended) = attempt.parts();
        let mut left = bytes;
        let work = poll_fn(|cx| pump::poll_write_all(stream, cx, &mut left, inbox, ended, cap));
        let outcome = timeout(limit, work).await.unwrap_or(Err(Failure::TimedOut));
        attempt.end(outcome, limit)
    }

    /// What is there to be read, at most `max` bytes, once there is something; empty at the end of the stream.
    ///
    /// # Errors
    ///
    /// As with [`TcpConnection::write`].
    pub async fn read(&mut self, max: usize) -> Result<Bytes, NetError> {
        if self.transport.replays() {
            return self.replayed(|rest| Some(rest.len().min(max)));
        }
        if self.inbox.is_empty() {
            self.gather(|inbox, ended| Ok((ended || !inbox.is_empty()).then_some(()))).await?;
        }
        let count = self.inbox.len().min(max);
        Ok(self.hand_out(count))
    }

    /// Exactly `count` bytes.
    ///
    /// # Errors
    ///
    /// As with [`TcpConnection::write`]; `Broken` when the stream ends before.
    pub async fn read_exact(&mut self, count: usize) -> Result<Bytes, NetError> {
        if self.transport.replays() {
            return self.replayed(|rest| (rest.len() >= count).then_some(count));
        }
        if self.inbox.len() < count {
            self.gather(|inbox, ended| match (inbox.len() >= count, ended) {
                (true, _) => Ok(Some(())),
                (false, true) => Err(Failure::Ended),
                (false, false) => Ok(None),
            })
            .await?;
        }
        Ok(self.hand_out(count))
    }

    /// Everything up to the end of the first `delimiter`, at most `max` bytes.
    ///
    /// # Errors
    ///
    /// As with [`TcpConnection::write`]; `Broken` when the stream ends before, `TooLarge` when `max` bytes do not hold it, `Asked` for an empty
    /// delimiter, which costs the connection nothing.
    pub async fn read_until(&mut self, delimiter: &[u8], max: usize) -> Result<Bytes, NetError> {
        if delimiter.is_empty() {
            return Err(NetError::Asked { problem: "the delimiter is empty, and every stream would end at once" });
        }
        let finder = memmem::Finder::new(delimiter);
        let end = |bytes: &[u8], from: usize| Some(from + finder.find(bytes.get(from..)?)? + delimiter.len());
        if self.transport.replays() {
            return self.replayed(|rest| end(rest, 0).filter(|&count| count <= max));
        }
        if let Some(count) = end(&self.inbox, 0).filter(|&count| count <= max) {
            return Ok(self.hand_out(count));
        }
        let mut searched = 0;
        let mut found = 0;
        self.gather(|inbox, ended| {
            if let Some(count) = end(inbox, searched) {
                found = count;
                return if count <= max { Ok(Some(())) } else { Err(Failure::TooLarge(max)) };
            }
            // What has been looked at may end in the first bytes of a delimiter.
            searched = inbox.len().saturating_sub(delimiter.len() - 1);
            match (inbox.len() >= max, ended) {
                (true, _) => Err(Failure::TooLarge(max)),
                (false, true) => Err(Failure::Ended),
                (false, false) => Ok(None),
            }
        })
        .await?;
        Ok(self.hand_out(found))
    }

    /// Time and bytes since the last call, or since the connection was made; failed and dropped calls included.
    pub fn take_exchange(&mut self) -> Exchange {
        std::mem::take(&mut self.exchange)
    }

    /// The server.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Reads on until `enough` says so of what has come, told whether the stream has ended.
    async fn gather(
        &mut self,
        mut enough: impl FnMut(&[u8], bool) -> Result<Option<()>, Failure>,
    ) -> Result<(), NetError> {
        let limit = self.transport.options().request_timeout;
        let mut attempt = Attempt::of(self, false)?;
        let (stream, inbox, ended) = attempt.parts();
        let work = poll_fn(|cx| {
            loop {
                match enough(inbox, *ended) {
                    Ok(None) => {}
                    Ok(Some(())) => return Poll::Ready(Ok(())),
                    Err(failure) => return Poll::Ready(Err(failure)),
                }
                match pump::poll_take_in(stream, cx, inbox, ended) {
                    Poll::Ready(Ok(_)) => {}
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error.into())),
                    Poll::Pending => return Poll::Pending,
                }
            }
        });
        let outcome = timeout(limit, work).await.unwrap_or(Err(Failure::TimedOut));
        attempt.end(outcome, limit)
    }

    fn hand_out(&mut self, count: usize) -> Bytes {
        let bytes = self.inbox.split_to(count).freeze();
        if bytes.is_empty() {
            // The end of the stream: what was asked for is never answered.
            self.exchange.unanswered |= self.asking;
        }
        self.asking = false;
        self.answer.keep(&bytes);
        bytes
    }

    fn replayed(&mut self, pick: impl FnOnce(&[u8]) -> Option<usize>) -> Result<Bytes, NetError> {
        self.asking = false;
        let picked = self.answer.replay(pick);
        picked.ok_or_else(|| NetError::NothingToReplay { endpoint: self.endpoint.to_string() })
    }

    /// Adds to the books what has crossed the wire since the last time.
    fn settle(&mut self) {
        let (sent, received) = (self.meter.sent(), self.meter.received());
        self.exchange.bytes_sent += sent - self.settled.0;
        self.exchange.bytes_received += received - self.settled.1;
        self.settled = (sent, received);
    }

    fn explain(&self, failure: Failure, limit: Duration) -> NetError {
        let endpoint = self.endpoint.to_string();
        match failure {
            Failure::TimedOut => NetError::TimedOut { endpoint, limit },
            Failure::TooLarge(limit) => NetError::TooLarge { endpoint, limit },
            Failure::Ended => NetError::Broken { endpoint, reason: "connection closed by the server".to_owned() },
            Failure::Io(error) => tls::failure(&self.endpoint, &error)
                .unwrap_or_else(|| NetError::Broken { endpoint, reason: plain(&error) }),
        }
    }

    /// Tells what the kernel counted, which goes with the socket.
    fn tell(&self) {
        if let Some(facts) = self.ends.and_then(TcpFacts::of) {
            self.tally.add(facts);
        }
    }
}

impl Drop for TcpConnection {
    fn drop(&mut self) {
        if self.stream.is_some() {
            self.tell();
        }
    }
}

impl fmt::Debug for TcpConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TcpConnection").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}
