//! Two servers that a run can be held against, and that claim to be no database to compare with.
//!
//! - [`calibration`]: a native server whose service times are known, because it makes them; it judges the tool.
//! - the reference server: speaks as InfluxDB 1, 2 and 3 and as GreptimeDB 1.0.2 do, stores what it gets as Arrow and answers SQL, so that
//!   every protocol can be run, and its rows read back, where no real server can be installed.
//!
//! Besides them, a [`relay`]: the way to any server, that fails on command.
//!
//! The crate prints nothing and reaches nothing outside of the machine.

#[cfg(feature = "database")]
mod admit;
#[cfg(feature = "database")]
mod auth;
pub mod calibration;
#[cfg(feature = "database")]
mod grpc;
#[cfg(feature = "database")]
mod hints;
#[cfg(feature = "database")]
mod http;
#[cfg(feature = "inject")]
mod inject;
#[cfg(feature = "database")]
mod line;
#[cfg(feature = "database")]
mod messages;
#[cfg(feature = "database")]
mod options;
#[cfg(feature = "database")]
mod otlp;
#[cfg(feature = "database")]
mod reference;
pub mod relay;
#[cfg(feature = "database")]
mod rpc;
#[cfg(feature = "database")]
mod shared;
#[cfg(feature = "database")]
mod sql;
#[cfg(feature = "database")]
mod store;

pub use calibration::truth;
pub use calibration::{
    Distribution, Injection, InjectionError, MAX_CONNECTIONS, MAX_HOLD, MAX_SAMPLES, Percentiles, Running, Samples,
    Server, ServerOptions, Stall, StartError, Truth,
};
#[cfg(feature = "inject")]
pub use inject::{Inject, InjectError};
#[cfg(feature = "database")]
pub use options::{MAX_BYTES, ReferenceOptions};
#[cfg(feature = "database")]
pub use reference::{ReferenceError, ReferenceServer, RunningReference};
