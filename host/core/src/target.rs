//! The seam to a database: what the load loop asks of it. One session serves one worker.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use benchhost_data::{Batch, Payload, Table};

use crate::error::CallError;

/// What a server said of a write that succeeded whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ack {
    /// The rows were handed over, and nothing has been said of them yet: [`Target::finish`] will tell.
    pub pending: bool,
    /// Rows that it says it stored; none where the protocol is silent.
    pub rows: Option<u64>,
    /// Time that it says it took.
    pub server_time: Option<Duration>,
}

/// What the host did on behalf of a session since it was last asked: the spans of an operation, and its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Time in native encoders and compressors.
    pub encode: Duration,
    /// Time from the first byte handed to the socket to the last byte read.
    pub wait: Duration,
    /// Bytes written to the network, headers and TLS included.
    pub sent_bytes: u64,
    /// Bytes read from the network.
    pub received_bytes: u64,
    /// Whether a request went out that no complete answer came for: its rows may or may not be stored.
    pub unanswered: bool,
}

/// A session with a database.
pub trait Target {
    /// Facts for the report, name to value.
    fn server(&mut self) -> impl Future<Output = Result<Vec<(String, String)>, CallError>>;
    /// Makes the table ready for writing; it is no error that it exists.
    fn create_table(&mut self, table: &Table) -> impl Future<Output = Result<(), CallError>>;
    /// Removes the table with its rows; it is no error that there is none.
    fn drop_table(&mut self, table: &Table) -> impl Future<Output = Result<(), CallError>>;
    /// Rows from `start_ns` (inclusive) to `end_ns` (exclusive) that a reader sees now.
    fn count_rows(&mut self, table: &Table, start_ns: i64, end_ns: i64)
    -> impl Future<Output = Result<u64, CallError>>;
    /// The batch in the server's own format; does not reach the server.
    fn encode(&mut self, batch: &Arc<Batch>) -> impl Future<Output = Result<Payload, CallError>>;
    /// Sends a payload and waits for its acknowledgement, unless that is pending.
    fn send(&mut self, payload: &Payload) -> impl Future<Output = Result<Ack, CallError>>;
    /// Waits for the acknowledgement of all that is pending: the rows that the server says it stored of it; none where it is silent.
    fn finish(&mut self) -> impl Future<Output = Result<Option<u64>, CallError>>;
    /// What the host did since the last call of this function.
    fn take_effort(&mut self) -> Effort;
    /// Ends the session.
    fn close(&mut self) -> impl Future<Output = ()>;
}

/// The number of the control session, which creates, counts and drops. It is nobody's worker: it lives on another thread, so it must
/// not share a connection with any.
pub const CONTROL_SESSION: u32 = u32::MAX;

/// Opens sessions; shared by all threads.
pub trait Targets: Send + Sync {
    /// The session that it opens.
    type Session: Target;
    /// A session for worker number `worker`, or the [`CONTROL_SESSION`].
    fn open(&self, worker: u32) -> impl Future<Output = Result<Self::Session, CallError>>;

    /// With `true`, requests of open sessions are answered at once from now on, with what the server answered last, and none leaves the
    /// client: what is left is what the client costs. False when that cannot be had.
    fn replay(&self, on: bool) -> bool {
        let _ = on;
        false
    }
}
