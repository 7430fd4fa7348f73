//! What the user, or the plan, decides about the sandbox.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::log::LogSink;

/// Limits and wiring of a [`Host`](crate::Host). The defaults fit any plugin that was seen so far.
#[derive(Clone)]
pub struct HostOptions {
    /// Where compiled plugins are kept. `None`, the default: `benchhost/aot` in the user's cache folder. It must be private to the
    /// user, because what it holds is run as native code; otherwise plugins are compiled at every start.
    pub cache_dir: Option<PathBuf>,
    /// Memory of one instance, in bytes. Default 256 MiB.
    pub memory_bytes: usize,
    /// Handles that one instance may hold at once: payloads, responses, dictionaries. Default 10,000.
    pub handles: usize,
    /// Elements of all tables of an instance together: function pointers, mostly. Default 100,000.
    pub table_elements: usize,
    /// How long a call may compute without returning or waiting in the host, before it is interrupted. Default 10 s.
    pub guest_time: Duration,
    /// Bytes that a guest may hand over in one call, lists and strings together. Default 128 MiB.
    pub hostcall_bytes: usize,
    /// Instances that will live at once, all plugins together: the pool is made for them. Default 64.
    pub instances: u32,
    /// Seed of the random numbers that guests get from WASI. Default 0.
    pub seed: u64,
    /// Takes what plugins say. Default: it is dropped.
    pub log: LogSink,
}

impl Default for HostOptions {
    fn default() -> Self {
        Self {
            cache_dir: None,
            memory_bytes: 256 << 20,
            handles: 10_000,
            table_elements: 100_000,
            guest_time: Duration::from_secs(10),
            hostcall_bytes: 128 << 20,
            instances: 64,
            seed: 0,
            log: Arc::new(|_| ()),
        }
    }
}
