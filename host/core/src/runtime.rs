//! One thread, one event loop.

use std::future::Future;

use tokio::runtime::{Builder, Runtime};

use crate::run_error::RunError;

/// An event loop for the thread that asks. Connections belong to the loop that they were made on.
pub(crate) fn event_loop() -> Result<Runtime, RunError> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| RunError::internal(format!("cannot start an event loop: {source}")))
}

/// Runs a future to its end on an event loop of its own.
pub(crate) fn block_on<F: Future>(future: F) -> Result<F::Output, RunError> {
    Ok(event_loop()?.block_on(future))
}
