//! Stops a guest that computes and never comes back.
//!
//! The engine counts epochs, 10 ms each; a store asks [`Watchdog::remaining`] when its deadline has passed and is given so many more.
//! Time counts from the moment that a call enters the guest or that a waiting host function returned to it, so waiting is free and
//! a deadline is usually moved before it is reached: the check costs a store one callback per allowance.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use wasmtime::{Engine, EngineWeak, Result, Store, UpdateDeadline};

use crate::state::State;

/// Length of an epoch.
const TICK: Duration = Duration::from_millis(10);

/// Counts the epochs of one engine: wasmtime keeps its own count to itself.
#[derive(Clone)]
pub(crate) struct Ticks(Arc<AtomicU64>);

impl Ticks {
    /// Starts a thread that drives the engine's epochs and ends by itself when the engine is gone.
    pub(crate) fn start(engine: &Engine) -> std::io::Result<Self> {
        let ticks = Self(Arc::new(AtomicU64::new(0)));
        let (engine, count) = (engine.weak(), ticks.clone());
        std::thread::Builder::new().name("benchhost-epoch".to_owned()).spawn(move || drive(&engine, &count))?;
        Ok(ticks)
    }

    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

fn drive(engine: &EngineWeak, ticks: &Ticks) {
    loop {
        std::thread::sleep(TICK);
        let Some(engine) = engine.upgrade() else { return };
        ticks.0.fetch_add(1, Ordering::Relaxed);
        engine.increment_epoch();
    }
}

/// The deadline of one store.
pub(crate) struct Watchdog {
    ticks: Ticks,
    allowance: u64,
    deadline: u64,
}

impl Watchdog {
    /// Allows `guest_time` of computing, rounded up to whole epochs.
    pub(crate) fn new(ticks: Ticks, guest_time: Duration) -> Self {
        let whole = guest_time.as_nanos().div_ceil(TICK.as_nanos());
        // One more, because the present epoch is already under way.
        let allowance = u64::try_from(whole).unwrap_or(u64::MAX / 4).min(u64::MAX / 4) + 1;
        let deadline = ticks.now() + allowance;
        Self { ticks, allowance, deadline }
    }

    /// The guest computes from now on.
    pub(crate) fn restart(&mut self) {
        self.deadline = self.ticks.now() + self.allowance;
    }

    fn remaining(&self) -> u64 {
        self.deadline.saturating_sub(self.ticks.now())
    }
}

/// Puts a store under its own watchdog.
pub(crate) fn guard(store: &mut Store<State>) {
    let remaining = store.data().watchdog.remaining();
    store.set_epoch_deadline(remaining.max(1));
    store.epoch_deadline_callback(|store| -> Result<UpdateDeadline> {
        match store.data().watchdog.remaining() {
            0 => Ok(UpdateDeadline::Interrupt),
            ticks => Ok(UpdateDeadline::Continue(ticks)),
        }
    });
}
