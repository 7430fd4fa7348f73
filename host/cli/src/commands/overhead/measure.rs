//! The turns of a plugin and of the null target, one worker on one thread.

use std::sync::Arc;
use std::time::Duration;

use benchhost_core::{Clock as _, Generator, Generators, MonotonicClock, Target, Targets};
use benchhost_data::Batch;
use benchhost_wasm::{WasmGenerators, WasmTarget, WasmTargets};

use crate::failure::Failure;
use crate::plugins::call_failed;

/// Turns of each side. Their median is the figure, so a disturbance of one or two of them does not show.
pub(super) const TURNS: u32 = 5;

/// What one turn cost.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Turn {
    pub operations: u64,
    /// Processor time of the thread.
    pub cpu: Duration,
    /// Wall time of the calls of the plugin.
    pub service: Duration,
    /// The part of it in the host's encoders.
    pub encode: Duration,
}

/// A target and the batches that it writes over and over.
pub(super) struct Writer {
    session: WasmTarget,
    batches: Vec<Arc<Batch>>,
    next: usize,
}

impl Writer {
    /// Opens a worker's session and writes every batch once to the server, so that each has an answer to replay.
    pub(super) async fn open(targets: &WasmTargets, batches: &[Arc<Batch>]) -> Result<Self, Failure> {
        let session = targets.open(0).await.map_err(|error| call_failed("open the worker's session", error))?;
        let mut writer = Self { session, batches: batches.to_vec(), next: 0 };
        for _ in 0..batches.len() {
            writer.write().await?;
        }
        Ok(writer)
    }

    /// Writes for as long as that.
    pub(super) async fn turn(&mut self, length: Duration) -> Result<Turn, Failure> {
        let clock = MonotonicClock::start();
        let mut turn = Turn::default();
        self.session.take_effort();
        let cpu = clock.thread_cpu();
        while turn.operations == 0 || clock.now() < length {
            self.write().await?;
            turn.operations += 1;
        }
        turn.cpu = clock.thread_cpu() - cpu;
        turn.service = clock.now();
        turn.encode = self.session.take_effort().encode;
        Ok(turn)
    }

    async fn write(&mut self) -> Result<(), Failure> {
        let Some(batch) = self.batches.get(self.next) else { return Ok(()) };
        self.next = (self.next + 1) % self.batches.len();
        let payload = self.session.encode(batch).await.map_err(|error| call_failed("encode", error))?;
        let ack = self.session.send(&payload).await.map_err(|error| call_failed("send", error))?;
        if ack.pending {
            self.session.finish().await.map_err(|error| call_failed("finish", error))?;
        }
        Ok(())
    }

    pub(super) async fn close(mut self) {
        self.session.close().await;
    }
}

/// Fills batches of the first table for as long as that. The sink is nothing: each batch is dropped.
pub(super) async fn fill(generators: &WasmGenerators, rows: u32, length: Duration) -> Result<Turn, Failure> {
    let open = async || generators.open().await.map_err(|error| call_failed("open the dataset", error));
    let mut session = open().await?;
    let end = session.facts().rows.unwrap_or(u64::MAX);
    let clock = MonotonicClock::start();
    let mut turn = Turn::default();
    let mut first = 0;
    let cpu = clock.thread_cpu();
    while turn.operations == 0 || clock.now() < length {
        if first > 0 && end - first < u64::from(rows) {
            // A dataset that ends is begun again, in a new instance since it may go forward only.
            session = open().await?;
            first = 0;
        }
        session.fill(0, first, rows).await.map_err(|error| call_failed("generate rows", error))?;
        first += u64::from(rows);
        turn.operations += 1;
    }
    turn.cpu = clock.thread_cpu() - cpu;
    turn.service = clock.now();
    Ok(turn)
}
