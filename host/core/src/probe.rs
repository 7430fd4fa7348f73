//! The seam to what the database server uses of its machine.

use std::error::Error;
use std::time::Duration;

/// What a server has used so far. What cannot be told is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processor time, user and system, since some moment in the past.
    pub cpu: Option<Duration>,
    /// Memory that it holds now.
    pub memory_bytes: Option<u64>,
    /// Bytes read from disks since some moment in the past.
    pub disk_read_bytes: Option<u64>,
    /// Bytes written to disks, likewise.
    pub disk_written_bytes: Option<u64>,
    /// Bytes received from the network, likewise.
    pub network_received_bytes: Option<u64>,
    /// Bytes sent to the network, likewise.
    pub network_sent_bytes: Option<u64>,
}

/// Why a sample could not be taken. The room that takes it has its own error; its text is what is kept of it.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ProbeError(Box<dyn Error + Send + Sync>);

impl ProbeError {
    /// An error of the room that takes the samples.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}

/// Something that tells what the server uses.
pub trait Probe: Send {
    /// What it looks at, as the user named it: `name:postgres`.
    fn name(&self) -> String;

    /// What the server has used until now. Blocks for a moment; it is called on a thread of its own.
    ///
    /// # Errors
    ///
    /// When nothing could be learnt this time. The next call may succeed.
    fn sample(&mut self) -> Result<Usage, ProbeError>;
}
