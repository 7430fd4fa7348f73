//! One instance of a plugin in its own store: entered by one call at a time, until it ends or dies.

use benchhost_core::{CallError, Crash, Effort, OpError};
use wasmtime::component::Instance;
use wasmtime::{Error, Result, Store};

use crate::bindings::types::Error as GuestError;
use crate::convert;
use crate::crash::{self, Circumstances};
use crate::log::LogLevel;
use crate::options::HostOptions;
use crate::outside::Outside;
use crate::plugin::Plugin;
use crate::state::{self, State, Wiring};

/// A live or dead session.
pub(crate) struct Session {
    plugin: Plugin,
    /// `None` after the session has died: the store's memory is given back at once.
    store: Option<Store<State>>,
    instance: Instance,
    outside: Outside,
    crash: Option<Crash>,
    /// The call that the guest is in. Still set when the next one comes, if its future was dropped halfway.
    inside: Option<&'static str>,
    /// What a dead session had done: its rows may or may not be stored.
    last_effort: Effort,
}

impl Session {
    /// Makes a store and an instance of the plugin in it.
    pub(crate) async fn start(plugin: &Plugin, wiring: Wiring) -> Result<Self, Crash> {
        let failed = |error: &Error| Crash {
            plugin: plugin.label(),
            call: "start".to_owned(),
            reason: format!("no instance can be made: {}", error.root_cause()),
            stderr: String::new(),
        };
        let runtime = plugin.runtime();
        let mut store = state::new_store(&runtime.engine, runtime.ticks.clone(), plugin.options(), wiring)
            .map_err(|error| failed(&error))?;
        let outside = store.data().outside.clone();
        // Also while it is made, a guest may call the host.
        match outside.beside(plugin.pre().instantiate_async(&mut store)).await {
            Ok(instance) => Ok(Self {
                plugin: plugin.clone(),
                store: Some(store),
                instance,
                outside,
                crash: None,
                inside: None,
                last_effort: Effort::default(),
            }),
            Err(error)
                if error.downcast_ref::<wasmtime::Trap>().is_none() && store.data().limits.refused().is_none() =>
            {
                Err(failed(&error))
            }
            Err(error) => Err(describe(plugin, &store, "start", &error)),
        }
    }

    /// Looks up exports; a type that does not fit the contract is a crash.
    pub(crate) fn load<G>(
        &mut self,
        interface: &'static str,
        load: impl FnOnce(&mut Store<State>, &Instance) -> Result<G>,
    ) -> Result<G, Crash> {
        let (store, instance) = self.live(interface)?;
        match load(store, &instance) {
            Ok(exports) => Ok(exports),
            Err(error) => {
                let reason = format!("its `{interface}` is not that of the contract: {error:#}");
                Err(self.die(Crash {
                    plugin: String::new(),
                    call: interface.to_owned(),
                    reason,
                    stderr: String::new(),
                }))
            }
        }
    }

    /// Enters the guest. An error kills the session; so does dropping the future before it is done.
    pub(crate) async fn call<T>(
        &mut self,
        call: &'static str,
        enter: impl AsyncFnOnce(&mut Store<State>) -> Result<T>,
    ) -> Result<T, Crash> {
        let (store, _) = self.live(call)?;
        store.data_mut().watchdog.restart();
        self.inside = Some(call);
        // The borrow of the store must not include `inside`, so it is taken anew.
        let Some(store) = &mut self.store else { return Err(self.dead(call)) };
        let outcome = self.outside.beside(enter(store)).await;
        self.inside = None;
        match outcome {
            Ok(value) => {
                if let Some(each) = store.data_mut().leaks.after_call() {
                    let text = format!(
                        "it leaks about {each:.1} handles in each call of `{call}`: drop what is no longer needed"
                    );
                    store.data().log.host(LogLevel::Warn, text);
                }
                Ok(value)
            }
            Err(error) => {
                let crash = describe(&self.plugin, store, call, &error);
                Err(self.die(crash))
            }
        }
    }

    /// As [`Session::call`], for a function that answers with an error value.
    pub(crate) async fn try_call<T>(
        &mut self,
        call: &'static str,
        enter: impl AsyncFnOnce(&mut Store<State>) -> Result<Result<T, GuestError>>,
    ) -> Result<T, CallError> {
        match self.call(call, enter).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(self.op_error(error).into()),
            Err(crash) => Err(crash.into()),
        }
    }

    /// Ends the session because the guest broke a rule that no host function saw.
    pub(crate) fn broke(&mut self, call: &'static str, reason: String) -> Crash {
        let stderr = self.store.as_ref().map(|store| store.data().stderr.last_words()).unwrap_or_default();
        self.die(Crash { plugin: String::new(), call: call.to_owned(), reason, stderr })
    }

    /// What the host did since the last call of this.
    pub(crate) fn take_effort(&mut self) -> Effort {
        match &mut self.store {
            Some(store) => std::mem::take(&mut store.data_mut().effort),
            None => std::mem::take(&mut self.last_effort),
        }
    }

    /// Text of the guest without what it must not say.
    pub(crate) fn clean(&self, text: &str) -> String {
        match &self.store {
            Some(store) => store.data().log.redactor().clean(text),
            None => String::new(),
        }
    }

    fn op_error(&self, error: GuestError) -> OpError {
        match &self.store {
            Some(store) => convert::op_error(error, store.data().log.redactor()),
            None => OpError::new(benchhost_core::ErrorKind::Internal, "the session is gone"),
        }
    }

    fn live(&mut self, call: &str) -> Result<(&mut Store<State>, Instance), Crash> {
        if let Some(earlier) = self.inside.take() {
            let reason = "the call was given up halfway, and what is left of the session cannot be used".to_owned();
            self.die(Crash { plugin: String::new(), call: earlier.to_owned(), reason, stderr: String::new() });
        }
        match &mut self.store {
            Some(store) => Ok((store, self.instance)),
            None => Err(dead(&self.plugin, self.crash.as_ref(), call)),
        }
    }

    fn dead(&self, call: &str) -> Crash {
        dead(&self.plugin, self.crash.as_ref(), call)
    }

    /// Drops the store and remembers why; every further call answers the same.
    fn die(&mut self, mut crash: Crash) -> Crash {
        crash.plugin = self.plugin.label();
        if let Some(store) = self.store.take() {
            crash.reason = store.data().log.redactor().clean(&crash.reason);
            self.last_effort = store.data().effort;
        }
        self.crash = Some(crash.clone());
        crash
    }
}

fn dead(plugin: &Plugin, crash: Option<&Crash>, call: &str) -> Crash {
    crash.cloned().unwrap_or_else(|| Crash {
        plugin: plugin.label(),
        call: call.to_owned(),
        reason: "the session is closed".to_owned(),
        stderr: String::new(),
    })
}

/// A crash from what wasmtime says and what the store knows.
fn describe(plugin: &Plugin, store: &Store<State>, call: &str, error: &Error) -> Crash {
    crash(&plugin.label(), plugin.options(), store, call, error)
}

/// As [`describe`], for a plugin that may not have said its name yet.
pub(crate) fn crash(label: &str, options: &HostOptions, store: &Store<State>, call: &str, error: &Error) -> Crash {
    let state = store.data();
    let mut stderr = state.stderr.last_words();
    if stderr.is_empty()
        && let Some(said) = &state.last_error
    {
        stderr.clone_from(said);
    }
    let reason = crash::reason(
        error,
        &Circumstances {
            refused: state.limits.refused(),
            stderr: &stderr,
            guest_time: options.guest_time,
            hostcall_bytes: options.hostcall_bytes,
            handles: options.handles,
        },
    );
    let reason = state.log.redactor().clean(&reason);
    Crash { plugin: label.to_owned(), call: call.to_owned(), reason, stderr }
}
