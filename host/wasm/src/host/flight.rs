//! `flight`: record batches, and `DoPut` streams that workers share.

use std::sync::Arc;
use std::time::Instant;

use benchhost_data::{BodyCompression, FlightEncoder, flight_schema_message};
use benchhost_net::PutStream;
use wasmtime::Result;
use wasmtime::component::Resource;

use super::encode::Encoded;
use super::grpc::HeldChannel;
use super::wire::Held;
use super::{Broken, HeldPayload, LentBatch};
use crate::bindings::flight;
use crate::bindings::types::{Error as GuestError, Table};
use crate::convert;
use crate::state::State;

/// A stream that a guest has a handle to.
#[allow(unreachable_pub, reason = "the generated bindings re-export it")]
pub type HeldPutStream = Held<PutStream>;

impl flight::Host for State {}

impl flight::HostEncoder for State {
    fn new(&mut self, compression: flight::BodyCompression) -> Result<Resource<FlightEncoder>> {
        self.give(FlightEncoder::new(match compression {
            flight::BodyCompression::None => BodyCompression::None,
            flight::BodyCompression::Lz4Frame => BodyCompression::Lz4Frame,
            flight::BodyCompression::Zstd => BodyCompression::Zstd,
        }))
    }

    fn encode(&mut self, encoder: Resource<FlightEncoder>, batch: Resource<LentBatch>) -> Encoded {
        let batch = Arc::clone(self.batch(&batch)?);
        let encoder = self.table.get_mut(&encoder)?;
        let started = Instant::now();
        let outcome = encoder.encode(&batch);
        self.encoded(started, outcome)
    }

    fn drop(&mut self, encoder: Resource<FlightEncoder>) -> Result<()> {
        self.take(encoder).map(drop)
    }
}

impl flight::HostPutStream for State {
    fn new(
        &mut self,
        channel: Resource<HeldChannel>,
        path: Vec<String>,
        table: Table,
        max_in_flight: u32,
    ) -> Result<Resource<HeldPutStream>> {
        let table = convert::table_from_guest(table)
            .map_err(|error| Broken(format!("put-stream: its table breaks a rule: {error}")))?;
        let schema = flight_schema_message(&table, &path).into();
        let stream = self.table.get(&channel)?.with(|channel| channel.put_stream(schema, max_in_flight as usize))?;
        let held = self.held(stream)?;
        self.give(held)
    }

    async fn put(
        &mut self,
        stream: Resource<HeldPutStream>,
        batch: Resource<HeldPayload>,
    ) -> Result<Result<flight::PutAck, GuestError>> {
        let stream = self.table.get(&stream)?.clone();
        let rows = self.table.get(&batch)?.0.rows().into();
        let batch = self.body(&batch)?;
        let put = self.wait_for(stream, move |stream| Box::pin(stream.put(batch, rows))).await?;
        Ok(put.map(|ack| flight::PutAck {
            rows: ack.rows,
            server_time_ns: ack.server_time.map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)),
        }))
    }

    fn drop(&mut self, stream: Resource<HeldPutStream>) -> Result<()> {
        self.take(stream).map(drop)
    }
}
