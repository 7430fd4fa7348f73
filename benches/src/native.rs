//! The load loop's target written natively: what a component is compared with. It does what the `influx` plugin does, with the same
//! encoder and the same transport, and nothing in between.

use std::sync::Arc;
use std::time::Instant;

use benchhost_core::{Ack, CallError, Effort, ErrorKind, OpError, Target, Targets};
use benchhost_data::{Batch, LineProtocol, Payload, Table, TimeUnit};
use benchhost_net::{HttpClient, PreparedRequest, Transport};

/// Opens native sessions.
pub(crate) struct NativeTargets {
    pub(crate) transport: Arc<Transport>,
    pub(crate) endpoint: String,
}

/// A native session.
pub(crate) struct NativeTarget {
    client: HttpClient,
    write: PreparedRequest,
    encoder: LineProtocol,
    effort: Effort,
}

fn error(error: impl std::fmt::Display) -> CallError {
    OpError::new(ErrorKind::Unavailable, error.to_string()).into()
}

impl Targets for NativeTargets {
    type Session = NativeTarget;

    async fn open(&self, worker: u32) -> Result<NativeTarget, CallError> {
        let mut client = self.transport.connect(&self.endpoint, Some(worker)).await.map_err(error)?;
        client.set_header("content-type", "text/plain; charset=utf-8").map_err(error)?;
        let write = client.prepare("POST", "/write?db=bench&precision=ms", &[]).map_err(error)?;
        Ok(NativeTarget { client, write, encoder: LineProtocol::new(TimeUnit::Millisecond), effort: Effort::default() })
    }
}

impl Target for NativeTarget {
    async fn server(&mut self) -> Result<Vec<(String, String)>, CallError> {
        Ok(Vec::new())
    }

    async fn create_table(&mut self, _: &Table) -> Result<(), CallError> {
        Ok(())
    }

    async fn drop_table(&mut self, _: &Table) -> Result<(), CallError> {
        Ok(())
    }

    async fn count_rows(&mut self, _: &Table, _: i64, _: i64) -> Result<u64, CallError> {
        Ok(0)
    }

    async fn encode(&mut self, batch: &Arc<Batch>) -> Result<Payload, CallError> {
        let before = Instant::now();
        let payload = self.encoder.encode(batch).map_err(error)?;
        self.effort.encode += before.elapsed();
        Ok(payload)
    }

    async fn send(&mut self, payload: &Payload) -> Result<Ack, CallError> {
        let answer = self.client.send_prepared(&self.write, Some(payload.bytes().clone())).await.map_err(error)?;
        let exchange = self.client.take_exchange();
        self.effort.wait += exchange.wait;
        self.effort.sent_bytes += exchange.bytes_sent;
        self.effort.received_bytes += exchange.bytes_received;
        self.effort.unanswered |= exchange.unanswered;
        if answer.status == 204 { Ok(Ack::default()) } else { Err(error(format!("status {}", answer.status))) }
    }

    async fn finish(&mut self) -> Result<Option<u64>, CallError> {
        Ok(None)
    }

    fn take_effort(&mut self) -> Effort {
        std::mem::take(&mut self.effort)
    }

    async fn close(&mut self) {}
}
