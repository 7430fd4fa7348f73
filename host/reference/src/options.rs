//! What a reference server is started with.

use std::net::SocketAddr;
use std::time::Duration;

use crate::inject::Inject;

/// Bytes of rows that a server holds by default: 4 GiB.
pub const MAX_BYTES: u64 = 4 << 30;

/// How a reference server behaves.
#[derive(Clone)]
pub struct ReferenceOptions {
    /// Where HTTP is spoken; port 0 is one of the system's choice, none: nowhere.
    pub http: Option<SocketAddr>,
    /// Where gRPC is spoken.
    pub grpc: Option<SocketAddr>,
    /// Seed of the injected faults.
    pub seed: u64,
    /// What goes wrong on purpose.
    pub inject: Vec<Inject>,
    /// Bytes of rows that it may hold; a write beyond is refused and stores nothing.
    pub max_bytes: u64,
    /// Counts rows and drops their values, to measure a client at full speed.
    pub count_only: bool,
    /// InfluxDB 3 acknowledges a write at its next flush: the time between two; none: at once.
    pub flush_interval: Option<Duration>,
    /// The only user; none: anybody may do anything.
    pub user: Option<String>,
    /// The user's password.
    pub password: Option<String>,
    /// Drops acknowledgements of Flight that a client does not read in time, as GreptimeDB 1.0.2 does past 32; otherwise they wait.
    pub drop_acks: bool,
    /// What `/ping` says: clients tell by it which InfluxDB they speak to.
    pub influx_version: String,
}

impl Default for ReferenceOptions {
    fn default() -> Self {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        Self {
            http: Some(any),
            grpc: Some(any),
            seed: 42,
            inject: Vec::new(),
            max_bytes: MAX_BYTES,
            count_only: false,
            flush_interval: None,
            user: None,
            password: None,
            drop_acks: false,
            influx_version: "1.8.10".into(),
        }
    }
}

// By hand, so that the password is shown nowhere.
impl std::fmt::Debug for ReferenceOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReferenceOptions")
            .field("http", &self.http)
            .field("grpc", &self.grpc)
            .field("seed", &self.seed)
            .field("inject", &self.inject)
            .field("max_bytes", &self.max_bytes)
            .field("count_only", &self.count_only)
            .field("flush_interval", &self.flush_interval)
            .field("user", &self.user)
            .field("drop_acks", &self.drop_acks)
            .field("influx_version", &self.influx_version)
            .finish_non_exhaustive()
    }
}
