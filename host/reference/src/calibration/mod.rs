//! The calibration server: a native server whose service times are known, because it makes them. A measurement of it can be held
//! against the truth, which no real server tells.
//!
//! [`Server::start`] listens on 127.0.0.1, on a port that the system chooses, and speaks the part of InfluxDB 1 that a run needs:
//! `/ping`, `/write`, and `/query` with `CREATE DATABASE`, `DROP MEASUREMENT` and a count over a range of time. An [`Injection`]
//! says how long every `/write` is held, when the server stalls, and how many answers a second it gives. What it truly did is
//! counted, and read as [`Truth`] from [`Running::truth`] or `GET /truth`. The module [`truth`] says what a client must see:
//! quantiles of every distribution, and a simulation of whole runs.
//!
//! **How exact it is.** Each connection has a thread of its own that blocks in its socket, so nothing stands between the last byte
//! of a request and the clock. A hold is slept with the kernel's least timer slack; a short one is spun for its last moments.
//! A machine that wakes threads up late adds to what a client sees before the clock starts and after the hold: with
//! [`ServerOptions::spin`] the thread of a busy connection never sleeps.
//! Whatever is missed all the same is in the truth: it is made of clock readings, not of what was asked for.
//!
//! **What it stores.** Times and numbers of rows, no values: enough to be counted. Every row that was acknowledged counts, so rows
//! of the same series and time count twice, where InfluxDB would merge them; and a field counts as many values as there are rows.
//!
//! **Memory is bounded.** 32 MB for the samples of the truth; 24 MB for the store (a batch whose rows are evenly spaced in time is
//! one entry of 24 bytes, of at most a million); and for each connection a body of at most 25 MB while it is read, 1 MB between
//! requests. A request beyond a bound is refused in words.
//!
//! The crate prints nothing and reaches nothing outside of the machine.

mod connection;
mod distribution;
mod hold;
mod http;
mod influx;
mod injection;
mod options;
mod random;
mod record;
mod samples;
mod server;
mod timeline;
pub mod truth;
mod wire;

pub use distribution::{Distribution, MAX_HOLD};
pub use injection::{Injection, InjectionError, Stall};
pub use options::{MAX_CONNECTIONS, ServerOptions};
#[cfg(feature = "inject")]
pub(crate) use random::unit;
pub use record::{MAX_SAMPLES, Truth};
pub use samples::{Percentiles, Samples};
pub use server::{Running, Server, StartError};
