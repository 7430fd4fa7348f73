//! What a client must see of a server whose injection is known. Pure: no clock, no socket.
//!
//! The time of a single request is [`Distribution::quantile`](crate::calibration::Distribution::quantile). Where requests meet each other, in a
//! stall, a rate limit or a queue for workers, a run is simulated, by the very arithmetic that the server holds requests with.

mod simulation;

pub use simulation::{Client, ClosedLoop, MAX_OPERATIONS, OpenLoop, Simulated};
