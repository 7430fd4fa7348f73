//! Rows in a stream that is acknowledged at its end.

use benchhost_plugin::{Ack, Channel, ClientStream, Error, Payload, Result};

use crate::reply::{affected_rows, refusal};

const PATH: &str = "/greptime.v1.GreptimeDatabase/HandleRequests";

/// A stream that is opened when it is needed, and again after it broke.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    open: Option<ClientStream>,
    /// Rows that the open stream has taken.
    handed_over: u64,
    lost: Option<Lost>,
}

/// Rows that a stream had taken when it broke.
#[derive(Debug)]
struct Lost {
    rows: u64,
    /// What broke the first one.
    why: String,
}

impl Stream {
    /// Hands one message over.
    pub(crate) fn send(&mut self, channel: &Channel, payload: &Payload) -> Result<Ack> {
        let stream = match self.open.take() {
            Some(open) => open,
            None => channel.open_stream(PATH)?,
        };
        match stream.send(payload) {
            Ok(()) => {
                self.open = Some(stream);
                self.handed_over += u64::from(payload.rows());
                Ok(Ack::handed_over())
            }
            Err(error) => {
                // The connection knows only that it is over; why, the server may have said.
                let error = match stream.early_reply() {
                    Some(reply) if !reply.is_ok() => refusal(&reply, "write"),
                    _ => error,
                };
                self.lose(&error);
                Err(error)
            }
        }
    }

    /// Ends the stream and waits for the rows that the server says it stored.
    pub(crate) fn finish(&mut self) -> Result<Option<u64>> {
        let stored = match self.open.take() {
            None => 0,
            Some(stream) => match stream.finish().and_then(|reply| affected_rows(&reply, "write")) {
                Ok(stored) => {
                    self.handed_over = 0;
                    stored
                }
                Err(error) if self.lost.is_none() => {
                    self.handed_over = 0;
                    return Err(error);
                }
                Err(error) => {
                    self.lose(&error);
                    0
                }
            },
        };
        match self.lost.take() {
            None => Ok(Some(stored)),
            Some(Lost { rows, why }) => Err(Error::partial(
                format!("a stream broke with {rows} rows handed over, which may or may not be stored; {why}"),
                Some(stored),
            )),
        }
    }

    /// Remembers what the stream had taken.
    fn lose(&mut self, error: &Error) {
        let rows = std::mem::take(&mut self.handed_over);
        if rows == 0 {
            return;
        }
        match &mut self.lost {
            Some(lost) => lost.rows += rows,
            None => self.lost = Some(Lost { rows, why: error.message.clone() }),
        }
    }
}
