//! What Ctrl-C and a request to terminate do: the first lets operations in flight end, the second ends the process.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use benchhost_core::{StopLevel, StopToken};

use crate::console::Console;
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};

/// Operations in flight have at most this long to end by themselves.
pub(crate) const GRACE: Duration = Duration::from_secs(10);

/// From now on, a signal raises `stop` instead of ending the process: first to `Draining`, after `grace` to `Cancelled`. The second
/// signal ends the process at once, without a result.
///
/// # Errors
///
/// When the system does not let signals be handled.
pub(crate) fn watch(stop: StopToken, grace: Duration, console: Console) -> Result<(), Failure> {
    let seen = AtomicU32::new(0);
    ctrlc::set_handler(move || match seen.fetch_add(1, Ordering::Relaxed) {
        0 => {
            stop.raise(StopLevel::Draining);
            console.line("stopping: waiting for operations in flight; press Ctrl-C again to stop at once");
            let stop = stop.clone();
            // Ends by itself, or with the process.
            thread::spawn(move || {
                thread::sleep(grace);
                stop.raise(StopLevel::Cancelled);
            });
        }
        _ => kill(),
    })
    .or_internal()
    .map_err(|failure| failure.context("cannot handle signals"))
}

/// Nothing is waited for and nothing written: the user asked twice.
#[expect(clippy::exit, reason = "the only way to end a process whose threads do not answer")]
fn kill() {
    std::process::exit(ExitStatus::Interrupted as i32);
}
