//! One call that waits.

use std::time::{Duration, Instant};

use bytes::BytesMut;

use super::{Failure, TcpConnection};
use crate::error::NetError;
use crate::stream::Stream;

/// It has the socket while it lasts and gives it back only if the call succeeded; however it ends, also by being dropped, the books are settled.
pub(super) struct Attempt<'a> {
    connection: &'a mut TcpConnection,
    stream: Option<Stream>,
    started: Instant,
    writes: bool,
    sound: bool,
}

impl<'a> Attempt<'a> {
    /// A call that writes, or one that only reads.
    ///
    /// # Errors
    ///
    /// `Broken` when the connection is over.
    pub(super) fn of(connection: &'a mut TcpConnection, writes: bool) -> Result<Self, NetError> {
        let Some(stream) = connection.stream.take() else {
            let endpoint = connection.endpoint.to_string();
            return Err(NetError::Broken { endpoint, reason: "an earlier call on it failed".to_owned() });
        };
        Ok(Self { connection, stream: Some(stream), started: Instant::now(), writes, sound: false })
    }

    /// The socket, what has come, and whether nothing more comes. The socket is there until the attempt ends.
    pub(super) fn parts(&mut self) -> (&mut Option<Stream>, &mut BytesMut, &mut bool) {
        (&mut self.stream, &mut self.connection.inbox, &mut self.connection.ended)
    }

    pub(super) fn end(mut self, outcome: Result<(), Failure>, limit: Duration) -> Result<(), NetError> {
        self.sound = outcome.is_ok();
        outcome.map_err(|failure| self.connection.explain(failure, limit))
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        let Self { connection, stream, started, writes, sound } = self;
        connection.exchange.wait += started.elapsed();
        // Only what left can have been acted on.
        connection.asking |= *writes && connection.meter.sent() > connection.settled.0;
        connection.settle();
        if *sound {
            connection.stream = stream.take();
        } else {
            connection.exchange.unanswered |= connection.asking;
            connection.tell();
        }
    }
}
