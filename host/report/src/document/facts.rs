//! Facts around the figures: phases, cost, dataset, components, machine.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::PluginRole;
use super::step::Cost;

/// A phase that took place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Which one.
    pub name: String,
    /// How long it took.
    pub seconds: f64,
    /// Rows that it made, wrote or counted; absent where rows do not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
}

/// What the run cost this machine.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Client {
    /// The cost of the headline step.
    #[serde(flatten)]
    pub cost: Cost,
    /// The most resident memory that the process ever had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rss_bytes: Option<u64>,
    /// What the kernel counted on the connections to the server; absent where it does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// Memory of the batches that were made ahead of the clock; absent when there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_bytes: Option<u64>,
}

impl Network {
    /// That of both.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            connections: self.connections + other.connections,
            segments_sent: self.segments_sent + other.segments_sent,
            retransmits: self.retransmits + other.retransmits,
            max_rtt_ns: self.max_rtt_ns.max(other.max_rtt_ns),
        }
    }
}

/// What the kernel counted on the connections of the whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Network {
    /// Connections that it told of.
    pub connections: u64,
    /// TCP segments sent, those sent again included.
    pub segments_sent: u64,
    /// TCP segments sent again: packets were lost, or late.
    pub retransmits: u64,
    /// The longest of the connections' smoothed round-trip times: the network's own share of every wait.
    pub max_rtt_ns: u64,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dataset {
    /// Name of the dataset.
    pub name: String,
    /// Its settings, defaults included.
    pub settings: BTreeMap<String, String>,
    /// Its seed.
    pub seed: u64,
    /// Rows generated; absent while they are being generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Distinct series; absent until the run has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<u64>,
    /// Names of the tables.
    pub tables: Vec<String>,
    /// Identifies the rows, whatever the target and the batch size; absent when not all were generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Whether batches were made as the run went, because they would not have fitted in the memory budget or because
    /// time decided how many were needed.
    pub streamed: bool,
}

/// A component that took part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginFacts {
    /// What it did.
    pub role: PluginRole,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of the file, hex.
    pub sha256: String,
}

/// The machine that the load came from. Facts that the system does not tell are absent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct HostFacts {
    /// Operating system: `linux`.
    pub os: String,
    /// Processor architecture: `x86_64`.
    pub arch: String,
    /// Version of the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Model of the processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_model: Option<String>,
    /// Processors that the process may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_cpus: Option<u32>,
    /// Memory of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Processor cores, without their hardware threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub physical_cpus: Option<u32>,
    /// What decides about the processor's speed: `performance`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_governor: Option<String>,
    /// Processors' worth of time that the process may use, where a container limits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_quota: Option<f64>,
    /// What the system reads time from: `tsc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_source: Option<String>,
    /// What reading the clock costs, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_read_ns: Option<f64>,
}
