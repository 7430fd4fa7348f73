//! WASI, as far as a plugin sees it: an empty world with a clock. Standard libraries of every language import it, so it is linked
//! whole; the context behind it holds no file, no variable, no argument and no socket.
//!
//! The two functions that wait are replaced by ones that know the watchdog and the stop signal: a guest may sleep, but not through
//! the end of the run.

use std::pin::pin;

use wasmtime::component::{Linker, Resource};
use wasmtime::{Error, Result, StoreContextMut};
use wasmtime_wasi::p2::DynPollable;
use wasmtime_wasi::p2::bindings::io::poll::{Host as _, HostPollable as _};

use super::Broken;
use crate::cancel::Cancel;
use crate::state::State;

/// The interface that waits, as wasmtime-wasi names it. A newer version there would bring its own two functions back, which the test
/// on sleeping guests would show.
const POLL: &str = "wasi:io/poll@0.2.12";

pub(super) fn add_to_linker(linker: &mut Linker<State>) -> Result<()> {
    wasmtime_wasi::p2::add_to_linker_async(linker)?;
    linker.allow_shadowing(true);
    let mut poll = linker.instance(POLL)?;
    poll.func_wrap_async(
        "poll",
        |mut store: StoreContextMut<'_, State>, (pollables,): (Vec<Resource<DynPollable>>,)| {
            Box::new(async move {
                let state = store.data_mut();
                let cancel = state.stop.clone().map(Cancel::new);
                let ready = until_stopped(cancel, state.table.poll(pollables)).await??;
                state.watchdog.restart();
                Ok((ready,))
            })
        },
    )?;
    poll.func_wrap_async(
        "[method]pollable.block",
        |mut store: StoreContextMut<'_, State>, (pollable,): (Resource<DynPollable>,)| {
            Box::new(async move {
                let state = store.data_mut();
                let cancel = state.stop.clone().map(Cancel::new);
                until_stopped(cancel, state.table.block(pollable)).await??;
                state.watchdog.restart();
                Ok(())
            })
        },
    )?;
    linker.allow_shadowing(false);
    Ok(())
}

async fn until_stopped<T>(cancel: Option<Cancel>, wait: impl Future<Output = T>) -> Result<T> {
    match cancel {
        Some(mut cancel) => cancel.race(pin!(wait)).await.ok_or_else(stopped),
        None => Ok(wait.await),
    }
}

fn stopped() -> Error {
    Broken("it slept when the run was stopped: wait for a server in `http`, whose calls end with the run".to_owned())
        .into()
}
