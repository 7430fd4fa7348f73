//! Arrow Flight as GreptimeDB's bulk path has it: batches into one table that is there, acknowledged by number.
//!
//! As a real 1.0.2 was seen to do: the first acknowledgement, of number 0, comes as the stream opens; the schema gets none of its own; batches
//! are acted on strictly in order; and whatever goes wrong, the client is told nothing but "Execute gRPC request error" and the
//! stream is over, while earlier batches stay. Injected faults alone say what they are.

mod ack;
mod batch;
mod plan;
mod put;
mod schema;

use std::pin::Pin;
use std::sync::Arc;

use futures_util::{Stream, StreamExt, stream};
use tonic::metadata::MetadataValue;
use tonic::{Request, Response, Status, Streaming};

use super::call::{authenticate_call, database_of, scissors};
use crate::messages::arrow::flight::protocol::flight_service_server::FlightService;
use crate::messages::arrow::flight::protocol::{FlightData, PutResult};
use crate::shared::Shared;
use put::Put;

/// Acknowledgements that wait for a client of a server that drops those beyond.
const KEPT_ACKS: usize = 32;

/// The trailer that tells those who look why a stream is over: real servers only write it to their log, and no client knows it.
const REASON: &str = "x-benchhost-reason";

/// Why a stream is over.
#[derive(Debug)]
struct Fault(Status);

impl Fault {
    /// A failure that the client is told nothing about.
    fn new(reason: impl AsRef<str>) -> Self {
        let mut status = Status::unknown("Execute gRPC request error");
        if let Ok(reason) = MetadataValue::try_from(reason.as_ref()) {
            status.metadata_mut().insert(REASON, reason);
        }
        Self(status)
    }
}

/// `arrow.flight.protocol.FlightService`.
pub(super) struct Flight {
    shared: Arc<Shared>,
}

impl Flight {
    /// Over a store.
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }
}

type Acks = Pin<Box<dyn Stream<Item = Result<PutResult, Status>> + Send>>;

#[tonic::async_trait]
impl FlightService for Flight {
    type DoPutStream = Acks;

    async fn do_put(&self, request: Request<Streaming<FlightData>>) -> Result<Response<Acks>, Status> {
        let headers = request.metadata().as_ref();
        authenticate_call(&self.shared, headers)?;
        let database = database_of(headers).to_owned();
        let scissors = scissors(request.extensions());
        let put = Put::new(Arc::clone(&self.shared), database, scissors, request.into_inner());
        let acks = if self.shared.options.drop_acks { dropping(put) } else { waiting(put) };
        let opened = stream::iter([Ok(ack::ack(0, 0, 0.0))]);
        Ok(Response::new(Box::pin(opened.chain(acks))))
    }
}

/// Acts on a batch when the acknowledgement of the one before has been taken, so none is lost.
fn waiting(put: Put) -> Acks {
    Box::pin(stream::try_unfold(put, |mut put| async move {
        let ack = put.next().await.map_err(|fault| fault.0)?;
        Ok(ack.map(|ack| (ack, put)))
    }))
}

/// Acts on batches whether or not anybody takes the acknowledgements, and drops those that find no room: as real servers do.
fn dropping(mut put: Put) -> Acks {
    let (sender, receiver) = tokio::sync::mpsc::channel(KEPT_ACKS);
    tokio::spawn(async move {
        loop {
            match put.next().await {
                Ok(Some(ack)) => drop(sender.try_send(Ok(ack))),
                Ok(None) => return,
                // The end is told in any case; if the client is gone, there is nobody to tell.
                Err(fault) => return drop(sender.send(Err(fault.0)).await),
            }
        }
    });
    Box::pin(stream::unfold(receiver, |mut receiver| async move { Some((receiver.recv().await?, receiver)) }))
}
