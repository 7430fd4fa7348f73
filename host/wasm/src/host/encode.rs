//! `encode`: native encoders and compressors. Their time is the operation's `encode` span, whoever calls them.

use std::sync::Arc;
use std::time::Instant;

use benchhost_data::{EncodeError, LineProtocol, Payload, TimeUnit};
use wasmtime::Result;
use wasmtime::component::Resource;

use super::{HeldPayload, LentBatch};
use crate::bindings::encode;
use crate::bindings::types::{Error as GuestError, ErrorKind};
use crate::convert;
use crate::state::State;

pub(super) type Encoded = Result<Result<Resource<HeldPayload>, GuestError>>;

impl State {
    pub(super) fn encoded(&mut self, started: Instant, outcome: Result<Payload, EncodeError>) -> Encoded {
        self.effort.encode += started.elapsed();
        match outcome {
            Ok(payload) => Ok(Ok(self.give_payload(payload)?)),
            Err(error) => {
                let kind = match error {
                    EncodeError::Unsupported { .. } => ErrorKind::Unsupported,
                    EncodeError::Codec { .. } => ErrorKind::Internal,
                    _ => ErrorKind::Invalid,
                };
                Ok(Err(convert::guest_error(kind, error.to_string())))
            }
        }
    }
}

impl encode::Host for State {
    fn gzip(&mut self, payload: Resource<HeldPayload>, level: Option<u8>) -> Encoded {
        let started = Instant::now();
        let outcome = benchhost_data::gzip(&self.table.get(&payload)?.0, level);
        self.encoded(started, outcome)
    }
}

impl encode::HostLineProtocol for State {
    fn new(&mut self, precision: encode::TimeUnit) -> Result<Resource<LineProtocol>> {
        self.give(LineProtocol::new(match precision {
            encode::TimeUnit::Second => TimeUnit::Second,
            encode::TimeUnit::Millisecond => TimeUnit::Millisecond,
            encode::TimeUnit::Microsecond => TimeUnit::Microsecond,
            encode::TimeUnit::Nanosecond => TimeUnit::Nanosecond,
        }))
    }

    fn double_backslashes(&mut self, encoder: Resource<LineProtocol>) -> Result<()> {
        self.table.get_mut(&encoder)?.double_backslashes();
        Ok(())
    }

    fn encode(&mut self, encoder: Resource<LineProtocol>, batch: Resource<LentBatch>) -> Encoded {
        let batch = Arc::clone(self.batch(&batch)?);
        let encoder = self.table.get_mut(&encoder)?;
        let started = Instant::now();
        let outcome = encoder.encode(&batch);
        self.encoded(started, outcome)
    }

    fn drop(&mut self, encoder: Resource<LineProtocol>) -> Result<()> {
        self.take(encoder).map(drop)
    }
}
