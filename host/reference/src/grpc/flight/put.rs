//! One `DoPut` stream: a schema, then batches, one strictly after the other.

use std::sync::Arc;
use std::time::Instant;

use arrow::datatypes::SchemaRef;
use tonic::Streaming;

use super::ack::{Metadata, ack};
use super::plan::Plan;
use super::{Fault, batch, schema};
use crate::admit::{self, Denied};
use crate::grpc::connection::Scissors;
use crate::messages::arrow::flight::protocol::flight_descriptor::DescriptorType;
use crate::messages::arrow::flight::protocol::{FlightData, PutResult};
use crate::shared::Shared;
use crate::store::{Extra, Missing};

/// A stream as far as it has come.
pub(super) struct Put {
    shared: Arc<Shared>,
    database: String,
    scissors: Option<Scissors>,
    messages: Streaming<FlightData>,
    target: Option<Target>,
}

/// What the first message says.
struct Target {
    table: String,
    schema: SchemaRef,
    plan: Arc<Plan>,
}

impl Put {
    /// A stream into a table of `database`.
    pub(super) fn new(
        shared: Arc<Shared>,
        database: String,
        scissors: Option<Scissors>,
        messages: Streaming<FlightData>,
    ) -> Self {
        Self { shared, database, scissors, messages, target: None }
    }

    /// The acknowledgement of the next batch; none when the client has no more. After a fault the stream is over.
    pub(super) async fn next(&mut self) -> Result<Option<PutResult>, Fault> {
        loop {
            let message = self.messages.message().await;
            let Some(message) = message.map_err(|status| Fault::new(status.message()))? else { return Ok(None) };
            match &mut self.target {
                // The schema has no acknowledgement of its own.
                None => self.target = Some(self.open(&message)?),
                Some(target) => {
                    let taken = take(&self.shared, &self.database, target, message).await;
                    return taken.map(Some).map_err(|failure| match failure {
                        Failure::Fault(fault) => fault,
                        Failure::Denied(denied) => self.fail(denied),
                    });
                }
            }
        }
    }

    fn open(&self, message: &FlightData) -> Result<Target, Fault> {
        let descriptor = message.flight_descriptor.as_ref();
        let path = descriptor.filter(|descriptor| descriptor.r#type() == DescriptorType::Path);
        let [table] = path.map_or(&[][..], |descriptor| &descriptor.path) else {
            return Err(Fault::new("the descriptor must be a path of one element, the table's name"));
        };
        let schema = Arc::new(schema::read(&message.data_header)?);
        let found = self.shared.store.schema(&self.database, table);
        let plan = Plan::new(found.map_err(|error| Fault::new(error.message))?, &schema)?;
        Ok(Target { table: table.clone(), schema, plan: Arc::new(plan) })
    }

    fn fail(&self, denied: Denied) -> Fault {
        Fault(crate::grpc::call::denied(denied, self.scissors.as_ref()))
    }
}

enum Failure {
    Fault(Fault),
    Denied(Denied),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

async fn take(shared: &Shared, database: &str, target: &mut Target, message: FlightData) -> Result<PutResult, Failure> {
    let began = Instant::now();
    let metadata = Metadata::read(&message.app_metadata);
    let store = &shared.store;
    let affected = if let Some(times) = metadata.times().filter(|_| store.count_only()) {
        // The header says how many rows there are, and the client between which times: the body is never looked at.
        let rows = batch::rows(&message.data_header)?;
        drop(message);
        admit::write(shared, rows, |accepted| store.count(database, &target.table, accepted, times)).await
    } else {
        let batch = batch::decode(&message.data_header, message.data_body, Arc::clone(&target.schema))?;
        let table = store.schema(database, &target.table).map_err(|error| Fault::new(error.message))?;
        if !target.plan.is_for(&table) {
            target.plan = Arc::new(Plan::new(table, &target.schema)?);
        }
        let rows = vec![target.plan.rows(&target.table, &batch)?];
        let write = |accepted| store.write(database, admit::first(rows, accepted), &Missing::Refuse, Extra::Ignore);
        admit::write(shared, batch.num_rows() as u64, write).await
    };
    let affected = affected.map_err(Failure::Denied)?;
    Ok(ack(metadata.request_id, affected, began.elapsed().as_secs_f64()))
}
