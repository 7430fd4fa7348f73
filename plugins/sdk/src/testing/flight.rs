//! The handles of a Flight stream. The encoder is the real one; the stream ends at the scripted server.

use std::rc::Rc;

use super::channel::Channel;
use super::grpc::{Put, State};
use crate::{Payload, PutAck, Result, Table};

/// A Flight stream into a [`GrpcServer`](super::GrpcServer), as in the contract's `flight.put-stream`.
#[derive(Debug)]
pub struct PutStream {
    server: Rc<State>,
    template: Put,
}

#[allow(missing_docs, clippy::missing_errors_doc, reason = "described in wit/flight.wit")]
impl PutStream {
    pub fn new(channel: &Channel, path: &[String], table: &Table, max_in_flight: u32) -> Self {
        let metadata = channel.metadata.borrow().clone();
        let (path, table, batch) = (path.to_vec(), table.clone(), Vec::new());
        let template = Put { path, table, max_in_flight, metadata, batch, rows: 0 };
        Self { server: Rc::clone(&channel.server), template }
    }
    pub fn put(&self, batch: &Payload) -> Result<PutAck> {
        self.server.put(Put { batch: batch.bytes(), rows: batch.rows(), ..self.template.clone() })
    }
}
