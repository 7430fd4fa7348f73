//! What a store holds besides the guest: its handles, limits, log, time accounts, and its way to the network.

use std::sync::Arc;

use benchhost_core::{Effort, StopToken};
use benchhost_data::{Batch, Interner, Payload};
use benchhost_net::Transport;
use wasmtime::component::Resource;
use wasmtime::{Engine, Error, Result, Store};
use wasmtime_wasi::{ResourceTable, ResourceTableError, WasiCtx, WasiCtxView, WasiView};

use crate::host::{Broken, HeldPayload, LentBatch};
use crate::leaks::Leaks;
use crate::limits::{Limits, bytes};
use crate::log::{Log, LogLevel};
use crate::options::HostOptions;
use crate::output::Lines;
use crate::outside::Outside;
use crate::random::Seeded;
use crate::watchdog::{self, Ticks, Watchdog};

/// The way to the network of one session.
pub(crate) struct Net {
    pub(crate) transport: Arc<Transport>,
    /// The worker's number: picks one of the shared connections. None: a connection of its own.
    pub(crate) slot: Option<u32>,
}

/// What tells the store of one session from that of another one.
pub(crate) struct Wiring {
    pub(crate) log: Log,
    /// Tells the random numbers of one worker from those of another.
    pub(crate) stream: u64,
    pub(crate) seed: u64,
    pub(crate) net: Option<Net>,
    /// When it says "cancelled", waits are given up.
    pub(crate) stop: Option<StopToken>,
    pub(crate) interner: Arc<Interner>,
}

/// The data of a store.
pub(crate) struct State {
    pub(crate) table: ResourceTable,
    wasi: WasiCtx,
    pub(crate) limits: Limits,
    pub(crate) watchdog: Watchdog,
    pub(crate) leaks: Leaks,
    pub(crate) effort: Effort,
    pub(crate) log: Arc<Log>,
    pub(crate) stderr: Lines,
    /// The last message of level `error`: the last words of a guest without stderr.
    pub(crate) last_error: Option<String>,
    pub(crate) net: Option<Net>,
    pub(crate) stop: Option<StopToken>,
    pub(crate) outside: Outside,
    pub(crate) interner: Arc<Interner>,
    /// The batch and the payload that a call lends to the guest lie at the same places of the table in every call: nothing is
    /// allocated for them.
    batch: Resource<LentBatch>,
    payload: Resource<HeldPayload>,
    handles: usize,
    held_bytes: usize,
    max_held_bytes: usize,
}

/// A new store with its limits and its watchdog.
pub(crate) fn new_store(engine: &Engine, ticks: Ticks, options: &HostOptions, wiring: Wiring) -> Result<Store<State>> {
    let mut store = Store::new(engine, State::new(ticks, options, wiring)?);
    store.limiter(|state| &mut state.limits);
    store.set_hostcall_fuel(options.hostcall_bytes);
    store.set_max_component_handles(options.handles);
    watchdog::guard(&mut store);
    Ok(store)
}

impl State {
    fn new(ticks: Ticks, options: &HostOptions, wiring: Wiring) -> Result<Self> {
        let mut table = ResourceTable::new();
        // The two that are lent belong to the host, not to the guest's share.
        table.set_max_capacity(options.handles.saturating_add(2));
        let batch = table.push(LentBatch(None))?;
        let payload = table.push(HeldPayload(Payload::new(Vec::new(), 0)))?;
        let log = Arc::new(wiring.log);
        let stderr = Lines::new(Arc::clone(&log), LogLevel::Info);
        let mut seed = Seeded::new(wiring.seed, wiring.stream);
        let insecure = u128::from(seed.next()) << 64 | u128::from(seed.next());
        let wasi = WasiCtx::builder()
            .stdout(Lines::new(Arc::clone(&log), LogLevel::Info))
            .stderr(stderr.clone())
            .secure_random(Seeded::new(seed.next(), 0))
            .insecure_random(Seeded::new(seed.next(), 1))
            .insecure_random_seed(insecure)
            .build();
        Ok(Self {
            table,
            wasi,
            limits: Limits::new(options.memory_bytes, options.table_elements),
            watchdog: Watchdog::new(ticks, options.guest_time),
            leaks: Leaks::new(),
            effort: Effort::default(),
            log,
            stderr,
            last_error: None,
            net: wiring.net,
            stop: wiring.stop,
            outside: Outside::new(),
            interner: wiring.interner,
            batch,
            payload,
            handles: options.handles,
            held_bytes: 0,
            max_held_bytes: options.memory_bytes,
        })
    }

    /// Lends `batch` for the next call.
    pub(crate) fn lend_batch(&mut self, batch: Arc<Batch>) -> Result<Resource<LentBatch>> {
        self.table.get_mut(&self.batch)?.0 = Some(batch);
        Ok(Resource::new_borrow(self.batch.rep()))
    }

    /// Lends `payload` for the next call.
    pub(crate) fn lend_payload(&mut self, payload: Payload) -> Result<Resource<HeldPayload>> {
        self.table.get_mut(&self.payload)?.0 = payload;
        Ok(Resource::new_borrow(self.payload.rep()))
    }

    /// The call has ended: the batch that was lent is the host's alone again.
    pub(crate) fn end_batch_loan(&mut self) -> Result<()> {
        self.table.get_mut(&self.batch)?.0 = None;
        Ok(())
    }

    /// The call has ended: so is the payload.
    pub(crate) fn end_payload_loan(&mut self) -> Result<()> {
        self.table.get_mut(&self.payload)?.0 = Payload::new(Vec::new(), 0);
        Ok(())
    }

    /// Gives the guest a handle to `entry`.
    pub(crate) fn give<T: Send + 'static>(&mut self, entry: T) -> Result<Resource<T>> {
        let handle = self.table.push(entry).map_err(|error| match error {
            ResourceTableError::Full => Error::from(Broken(format!(
                "it holds {} handles, which is the limit: it must drop those it no longer needs",
                self.handles
            ))),
            other => other.into(),
        })?;
        self.leaks.given();
        Ok(handle)
    }

    /// Takes back what a handle of the guest stood for.
    pub(crate) fn take<T: 'static>(&mut self, handle: Resource<T>) -> Result<T> {
        let entry = self.table.delete(handle)?;
        self.leaks.returned();
        Ok(entry)
    }

    /// Gives the guest a payload that it may keep. All that it keeps together has a limit.
    pub(crate) fn give_payload(&mut self, payload: Payload) -> Result<Resource<HeldPayload>> {
        self.hold(payload.bytes().len())?;
        self.give(HeldPayload(payload))
    }

    /// Takes a payload that the guest made.
    pub(crate) fn take_payload(&mut self, handle: Resource<HeldPayload>) -> Result<Payload> {
        let HeldPayload(payload) = self.take(handle)?;
        self.release(payload.bytes().len());
        Ok(payload)
    }

    /// Counts bytes that live in the host because the guest holds a handle to them.
    pub(crate) fn hold(&mut self, size: usize) -> Result<()> {
        let after = self.held_bytes.saturating_add(size);
        if after > self.max_held_bytes {
            return Err(Broken(format!(
                "it holds more than {} of payloads in the host: it must drop those it no longer needs",
                bytes(self.max_held_bytes)
            ))
            .into());
        }
        self.held_bytes = after;
        Ok(())
    }

    /// They are gone.
    pub(crate) fn release(&mut self, size: usize) {
        self.held_bytes = self.held_bytes.saturating_sub(size);
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}
