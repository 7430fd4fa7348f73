//! InfluxDB line protocol over HTTP: what every database that takes it has in common.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Ack, Batch, Client, Header, LineProtocol, Payload, Query, Request, Response, Result, TimeUnit, gzip};

/// The unit of timestamps on the wire. It is a setting and not taken from the data, because a session may have to send
/// what another one has encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// Seconds.
    S,
    /// Milliseconds.
    Ms,
    /// Microseconds.
    Us,
    /// Nanoseconds.
    Ns,
}

impl Precision {
    /// The unit.
    #[must_use]
    pub fn unit(self) -> TimeUnit {
        match self {
            Self::S => TimeUnit::Second,
            Self::Ms => TimeUnit::Millisecond,
            Self::Us => TimeUnit::Microsecond,
            Self::Ns => TimeUnit::Nanosecond,
        }
    }

    /// The unit as settings and reports spell it. Servers differ: `us` is `u` to some.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::S => "s",
            Self::Ms => "ms",
            Self::Us => "us",
            Self::Ns => "ns",
        }
    }
}

/// Writes batches to one path.
#[derive(Debug)]
pub struct Writer {
    encoder: LineProtocol,
    request: Request,
    gzip: bool,
}

impl Writer {
    /// A writer to `path`, whose query must tell the server of `precision` in the server's own spelling. It sends what the client has
    /// of headers by now, so credentials come first.
    ///
    /// # Errors
    ///
    /// `invalid` for a path that no request can have.
    pub fn new(client: &Client, path: &Query, precision: Precision, gzip: bool) -> Result<Self> {
        let mut headers = vec![Header::new("content-type", "text/plain; charset=utf-8")];
        if gzip {
            headers.push(Header::new("content-encoding", "gzip"));
        }
        let request = client.prepare("POST", path.as_str(), &headers)?;
        Ok(Self { encoder: LineProtocol::new(precision.unit()), request, gzip })
    }

    /// For a server that reads two backslashes of a tag value as one.
    #[must_use]
    pub fn doubling_backslashes(self) -> Self {
        self.encoder.double_backslashes();
        self
    }

    /// The batch as a request body.
    ///
    /// # Errors
    ///
    /// Those of the encoder.
    pub fn encode(&self, batch: &Batch) -> Result<Payload> {
        let plain = self.encoder.encode(batch)?;
        if self.gzip { gzip(&plain, None) } else { Ok(plain) }
    }

    /// Posts a body, and gives back the answer of a server that did not take it: any status but 2xx.
    ///
    /// # Errors
    ///
    /// Those of the connection.
    pub fn post(&self, payload: &Payload) -> Result<Option<Response>> {
        Ok(self.request.send(payload)?.filter(|answer| !answer.is_success()))
    }

    /// Posts a body to a server that takes all of it or nothing.
    ///
    /// # Errors
    ///
    /// Those of the connection, and [`Response::error`].
    pub fn send(&self, payload: &Payload) -> Result<Ack> {
        match self.post(payload)? {
            None => Ok(SILENT),
            Some(answer) => Err(answer.error("write")),
        }
    }
}

/// The acknowledgement of line protocol: it names neither rows nor time.
pub const SILENT: Ack = Ack::silent();
