//! A target plugin as the core drives it.

use std::sync::Arc;
use std::time::Duration;

use benchhost_core::{Ack, CONTROL_SESSION, CallError, Crash, Effort, ErrorKind, OpError, StopToken, Target, Targets};
use benchhost_data::{Batch, Interner, Payload, Table};
use benchhost_net::Transport;
use wasmtime::Store;

use crate::bindings::types::Setting;
use crate::bindings::{ingest, session, streaming};
use crate::convert;
use crate::log::{Log, cut};
use crate::plugin::{Plugin, TargetExports};
use crate::redact::Redactor;
use crate::session::Session;
use crate::settings::Settings;
use crate::state::{Net, State, Wiring};

/// The facts of a server that are kept, and the longest name and value of one, in bytes.
const MAX_FACTS: usize = 100;
const MAX_FACT_NAME: usize = 128;
const MAX_FACT_VALUE: usize = 4 * 1024;

/// What a target gets from the run.
#[derive(Clone)]
pub struct TargetWiring {
    /// The way to the network, with the user's grants.
    pub transport: Arc<Transport>,
    /// When it says "cancelled", requests in flight are given up.
    pub stop: StopToken,
}

/// Opens sessions of a target plugin.
pub struct WasmTargets {
    plugin: Plugin,
    exports: TargetExports,
    settings: Vec<Setting>,
    redactor: Arc<Redactor>,
    wiring: TargetWiring,
    interner: Arc<Interner>,
}

impl WasmTargets {
    pub(crate) fn new(plugin: Plugin, exports: TargetExports, settings: &Settings, wiring: TargetWiring) -> Self {
        let redactor = Arc::new(Redactor::new(settings.secrets()));
        let settings = settings.to_guest();
        Self { plugin, exports, settings, redactor, wiring, interner: Arc::new(Interner::new()) }
    }
}

impl Targets for WasmTargets {
    type Session = WasmTarget;

    async fn open(&self, worker: u32) -> Result<WasmTarget, CallError> {
        let options = self.plugin.options();
        let number = (worker != CONTROL_SESSION).then_some(worker);
        let wiring = Wiring {
            log: Log::new(Arc::clone(&options.log), self.plugin.short_name(), number, Arc::clone(&self.redactor)),
            stream: u64::from(worker) + 1,
            seed: options.seed,
            net: Some(Net { transport: Arc::clone(&self.wiring.transport), slot: number }),
            stop: Some(self.wiring.stop.clone()),
            interner: Arc::clone(&self.interner),
        };
        let mut session = Session::start(&self.plugin, wiring).await?;
        let exports = session.load("session", |store, instance| self.exports.session.load(store, instance))?;
        let ingest = match &self.exports.ingest {
            Some(indices) => Some(session.load("ingest", |store, instance| indices.load(store, instance))?),
            None => None,
        };
        let streaming = match &self.exports.streaming {
            Some(indices) => Some(session.load("streaming", |store, instance| indices.load(store, instance))?),
            None => None,
        };
        session
            .try_call("session.open", async |store: &mut Store<State>| {
                exports.call_open(store, &self.settings, number).await
            })
            .await?;
        Ok(WasmTarget { session, exports, ingest, streaming })
    }

    fn replay(&self, on: bool) -> bool {
        self.wiring.transport.replay(on);
        true
    }
}

/// A session of a target plugin: one store, one instance, one worker.
pub struct WasmTarget {
    session: Session,
    exports: session::Guest,
    ingest: Option<ingest::Guest>,
    streaming: Option<streaming::Guest>,
}

impl WasmTarget {
    fn no_ingest() -> CallError {
        OpError::new(ErrorKind::Unsupported, "the plugin exports no `ingest`: it cannot be written to").into()
    }
}

impl Target for WasmTarget {
    async fn server(&mut self) -> Result<Vec<(String, String)>, CallError> {
        let Self { session, exports, .. } = self;
        let facts = session.try_call("session.server", async |store| exports.call_server(store).await).await?;
        // They go into every report: enough for a server's own words, not for a book.
        let short = |text: &str, most| cut(session.clean(text), most);
        Ok(facts
            .iter()
            .take(MAX_FACTS)
            .map(|(name, value)| (short(name, MAX_FACT_NAME), short(value, MAX_FACT_VALUE)))
            .collect())
    }

    async fn create_table(&mut self, table: &Table) -> Result<(), CallError> {
        let Self { session, exports, .. } = self;
        let table = convert::table_to_guest(table);
        session.try_call("session.create-table", async |store| exports.call_create_table(store, &table).await).await
    }

    async fn drop_table(&mut self, table: &Table) -> Result<(), CallError> {
        let Self { session, exports, .. } = self;
        let table = convert::table_to_guest(table);
        session.try_call("session.drop-table", async |store| exports.call_drop_table(store, &table).await).await
    }

    async fn count_rows(&mut self, table: &Table, start_ns: i64, end_ns: i64) -> Result<u64, CallError> {
        let Self { session, exports, .. } = self;
        let table = convert::table_to_guest(table);
        session
            .try_call("session.count-rows", async |store| {
                exports.call_count_rows(store, &table, start_ns, end_ns).await
            })
            .await
    }

    async fn encode(&mut self, batch: &Arc<Batch>) -> Result<Payload, CallError> {
        const CALL: &str = "ingest.encode";
        let Self { session, ingest, .. } = self;
        let Some(ingest) = ingest else { return Err(Self::no_ingest()) };
        let payload = session
            .try_call(CALL, async |store| {
                let lent = store.data_mut().lend_batch(Arc::clone(batch))?;
                let answer = ingest.call_encode(&mut *store, lent).await?;
                store.data_mut().end_batch_loan()?;
                match answer {
                    Ok(payload) => Ok(Ok(store.data_mut().take_payload(payload)?)),
                    Err(error) => Ok(Err(error)),
                }
            })
            .await?;
        // Rows are counted by what payloads say; one that says something else would make every count a lie.
        if payload.rows() != batch.rows() {
            let reason =
                format!("its payload says that it holds {} rows, but the batch has {}", payload.rows(), batch.rows());
            return Err(session.broke(CALL, reason).into());
        }
        Ok(payload)
    }

    async fn send(&mut self, payload: &Payload) -> Result<Ack, CallError> {
        const CALL: &str = "ingest.send";
        let Self { session, ingest, streaming, .. } = self;
        let Some(ingest) = ingest else { return Err(Self::no_ingest()) };
        let ack = session
            .try_call(CALL, async |store| {
                let lent = store.data_mut().lend_payload(payload.clone())?;
                let answer = ingest.call_send(&mut *store, lent).await?;
                store.data_mut().end_payload_loan()?;
                Ok(answer)
            })
            .await?;
        if ack.pending && streaming.is_none() {
            let reason = "it says that rows are pending, but exports no `streaming` that could tell of them".to_owned();
            return Err(session.broke(CALL, reason).into());
        }
        Ok(Ack { pending: ack.pending, rows: ack.rows, server_time: ack.server_time_ns.map(Duration::from_nanos) })
    }

    async fn finish(&mut self) -> Result<Option<u64>, CallError> {
        let Self { session, streaming, .. } = self;
        // Nothing can be pending then.
        let Some(streaming) = streaming else { return Ok(None) };
        session.try_call("streaming.finish", async |store| streaming.call_finish(store).await).await
    }

    fn take_effort(&mut self) -> Effort {
        self.session.take_effort()
    }

    async fn close(&mut self) {
        let Self { session, exports, .. } = self;
        // A session that dies while it is closed has nothing left to lose.
        let _: Result<(), Crash> = session.call("session.close", async |store| exports.call_close(store).await).await;
    }
}
