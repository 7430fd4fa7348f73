//! What the server used while the load ran.

use benchhost_core::{ServerSample, ServerUsage};
use serde::{Deserialize, Serialize};

/// Summary over the measured steps, and the series. What the probe cannot see is absent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerUsageFigures {
    /// What was looked at: `pid:4711`.
    pub probe: String,
    /// The highest processor use between two samples; 100 is one processor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cpu_percent: Option<f64>,
    /// The mean processor use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_cpu_percent: Option<f64>,
    /// The most resident memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_memory_bytes: Option<u64>,
    /// The mean resident memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_memory_bytes: Option<u64>,
    /// Bytes read from disks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_read_bytes: Option<u64>,
    /// Bytes written to disks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_written_bytes: Option<u64>,
    /// Bytes received from the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_received_bytes: Option<u64>,
    /// Bytes sent to the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_sent_bytes: Option<u64>,
    /// Processor time that observing took on this machine.
    pub observer_cpu_seconds: f64,
    /// Samples that failed.
    pub failed: u64,
    /// Why the first of them failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_failure: Option<String>,
    /// The series, warm-up and pauses included.
    pub samples: Vec<ServerSampleEntry>,
}

/// One sample. Processor, disk and network are of the time since the sample before.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerSampleEntry {
    /// When, on the run's clock.
    pub at_seconds: f64,
    /// Processor use; 100 is one processor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_percent: Option<f64>,
    /// Resident memory at that moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Bytes read from disks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_read_bytes: Option<u64>,
    /// Bytes written to disks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_written_bytes: Option<u64>,
    /// Bytes received from the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_received_bytes: Option<u64>,
    /// Bytes sent to the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_sent_bytes: Option<u64>,
}

impl From<&ServerUsage> for ServerUsageFigures {
    fn from(usage: &ServerUsage) -> Self {
        Self {
            probe: usage.probe.clone(),
            max_cpu_percent: usage.max_cpu_percent,
            mean_cpu_percent: usage.mean_cpu_percent,
            max_memory_bytes: usage.max_memory_bytes,
            mean_memory_bytes: usage.mean_memory_bytes,
            disk_read_bytes: usage.disk_read_bytes,
            disk_written_bytes: usage.disk_written_bytes,
            network_received_bytes: usage.network_received_bytes,
            network_sent_bytes: usage.network_sent_bytes,
            observer_cpu_seconds: usage.observer_cpu.as_secs_f64(),
            failed: usage.failed,
            first_failure: usage.first_failure.clone(),
            samples: usage.samples.iter().map(ServerSampleEntry::from).collect(),
        }
    }
}

impl From<&ServerSample> for ServerSampleEntry {
    fn from(sample: &ServerSample) -> Self {
        Self {
            at_seconds: sample.at.as_secs_f64(),
            cpu_percent: sample.cpu_percent,
            memory_bytes: sample.memory_bytes,
            disk_read_bytes: sample.disk_read_bytes,
            disk_written_bytes: sample.disk_written_bytes,
            network_received_bytes: sample.network_received_bytes,
            network_sent_bytes: sample.network_sent_bytes,
        }
    }
}
