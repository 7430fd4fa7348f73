//! What the end-to-end tests share: running the program as a user does, starting real servers, and asking those servers with the tests' own
//! client what they hold. Nothing here looks inside the program: only its exit code, its output, its result and the server count.
//!
//! Everything stays on loopback, and nothing waits for ever: a program that does not end in time is killed and the test fails.

mod clients;
mod decoder;
mod document;
mod invocation;
mod log_reader;
mod program;
mod project;
mod reference;
mod rows;
mod series;
mod servers;
mod serving;
mod stored;
mod tls;

pub mod influx;
pub mod otlp;
pub mod questdb;
pub mod redis;
pub mod victoriametrics;

pub use clients::{Written, clients, run_client};
pub use decoder::{Decoder, expect_decoded};
pub use document::{Document, Rows};
pub use invocation::{Finished, Invocation, benchhost};
pub use log_reader::{Tagged, read_log};
pub use program::{Live, Outcome};
pub use project::{LANGUAGES, Project};
pub use reference::Reference;
pub use rows::{Row, expect_row, generated, same, sample};
pub use series::Series;
pub use servers::{Shared, start};
pub use serving::addresses;
pub use stored::{Stored, quoted, sql};
pub use tls::TlsFront;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Waits until `condition` holds, at most `limit`.
///
/// # Errors
///
/// It does not hold in time, which `what` describes, or it cannot be told.
pub fn wait_for(what: &str, limit: Duration, mut condition: impl FnMut() -> Result<bool>) -> Result<()> {
    let deadline = Instant::now() + limit;
    while !condition()? {
        if Instant::now() > deadline {
            bail!("{what} did not happen within {} s", limit.as_secs());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// A port of loopback that nobody listens on now.
///
/// # Errors
///
/// There is none.
pub fn free_port() -> Result<u16> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// Whether this is a quick run, which leaves out what takes minutes to get.
pub(crate) fn quick() -> bool {
    std::env::var_os("BENCHHOST_QUICK").is_some_and(|value| value == "1")
}
