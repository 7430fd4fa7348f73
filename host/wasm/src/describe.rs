//! Asks a plugin what it is. It runs without any right, and not for long: `plugin inspect` must be safe for any file.

use std::sync::Arc;

use benchhost_core::Crash;
use benchhost_data::Interner;
use tokio::time::timeout;
use wasmtime::Store;
use wasmtime::component::InstancePre;

use crate::bindings::about;
use crate::engine::Runtime;
use crate::log::Log;
use crate::options::HostOptions;
use crate::redact::Redactor;
use crate::session;
use crate::state::{State, Wiring};

/// What the plugin at hand is called before it has said its name.
pub(crate) struct Unnamed<'a> {
    pub(crate) label: &'a str,
    pub(crate) runtime: &'a Runtime,
    pub(crate) options: &'a HostOptions,
}

/// Calls `describe` in an instance of its own, which is dropped afterwards.
pub(crate) fn describe(
    unnamed: &Unnamed<'_>,
    pre: &InstancePre<State>,
    indices: &about::GuestIndices,
) -> Result<about::Description, Crash> {
    // The caller may be in a runtime, in which one cannot block, or in none: a thread of its own has neither problem.
    std::thread::scope(|scope| {
        let describe = || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
            match runtime {
                Ok(runtime) => runtime.block_on(ask(unnamed, pre, indices)),
                Err(error) => Err(unnamed.crash(format!("no thread can be made for it: {error}"))),
            }
        };
        let thread = std::thread::Builder::new().name("benchhost-describe".to_owned()).spawn_scoped(scope, describe);
        match thread {
            Ok(thread) => thread.join().unwrap_or_else(|_| Err(unnamed.crash("the host failed in it".to_owned()))),
            Err(error) => Err(unnamed.crash(format!("no thread can be made for it: {error}"))),
        }
    })
}

async fn ask(
    unnamed: &Unnamed<'_>,
    pre: &InstancePre<State>,
    indices: &about::GuestIndices,
) -> Result<about::Description, Crash> {
    let Unnamed { label, runtime, options } = unnamed;
    let wiring = Wiring {
        log: Log::new(Arc::clone(&options.log), Arc::from(*label), None, Arc::new(Redactor::default())),
        stream: 0,
        seed: options.seed,
        net: None,
        stop: None,
        interner: Arc::new(Interner::new()),
    };
    let store = crate::state::new_store(&runtime.engine, runtime.ticks.clone(), options, wiring);
    let mut store = store.map_err(|error| unnamed.crash(error.to_string()))?;
    // The watchdog stops a guest that computes, this one that sleeps.
    let answer = match timeout(options.guest_time, call(&mut store, pre, indices)).await {
        Ok(answer) => answer,
        Err(_) => return Err(unnamed.crash(format!("it did not return within {:?}", options.guest_time))),
    };
    answer.map_err(|error| session::crash(label, options, &store, "about.describe", &error))
}

async fn call(
    store: &mut Store<State>,
    pre: &InstancePre<State>,
    indices: &about::GuestIndices,
) -> wasmtime::Result<about::Description> {
    let instance = pre.instantiate_async(&mut *store).await?;
    let about = indices.load(&mut *store, &instance)?;
    about.call_describe(store).await
}

impl Unnamed<'_> {
    fn crash(&self, reason: String) -> Crash {
        let call = "about.describe".to_owned();
        Crash { plugin: self.label.to_owned(), call, reason, stderr: String::new() }
    }
}
