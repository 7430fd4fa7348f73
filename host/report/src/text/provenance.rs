//! Where the figures come from: what they cost this machine, which rows, which components.

use super::page::{Page, list};
use crate::document::{Client, Document, HostFacts};
use crate::units::{bytes, counted, seconds, share, three_digits};

/// Hex digits of a component's hash that are shown: enough to tell builds apart.
const HASH_DIGITS: usize = 12;

pub(super) fn write(page: &mut Page, document: &Document) {
    page.blank();
    page.heading("Client");
    if let Some(text) = processor(document) {
        page.field("processor", &text);
    }
    if let Some(text) = memory(&document.client) {
        page.field("memory", &text);
    }
    page.field("machine", &machine(&document.host));

    page.blank();
    page.heading("Provenance");
    for plugin in &document.plugins {
        let hash: String = plugin.sha256.chars().take(HASH_DIGITS).collect();
        let name = format!("{} {}", plugin.name, plugin.version);
        page.field(plugin.role.as_str(), &list([name, format!("sha256 {hash}")]));
    }
    if let Some(fingerprint) = &document.dataset.fingerprint {
        page.field("rows", &format!("fingerprint {fingerprint}"));
    }
    page.field("plan", &format!("hash {}", document.plan.hash));
    page.field("started", &list([&document.started_at, &format!("benchhost {}", document.benchhost_version)]));
}

fn processor(document: &Document) -> Option<String> {
    let cpu = document.client.cpu_seconds?;
    let mut parts = vec![match document.client.cpu_seconds_per_million_rows {
        Some(each) => format!("{} CPU-seconds per million rows", three_digits(each)),
        None => format!("{} of CPU time", seconds(cpu)),
    }];
    let measured = document.phases.iter().find(|phase| phase.name == "measure").map(|phase| phase.seconds);
    if let (Some(wall), Some(cpus)) = (measured.filter(|wall| *wall > 0.0), document.host.logical_cpus) {
        let part = share(cpu / wall / f64::from(cpus));
        parts.push(format!("{part} of {} while measuring", counted(cpus.into(), "CPU", "CPUs")));
    }
    Some(list(parts))
}

fn memory(client: &Client) -> Option<String> {
    let mut parts = vec![format!("{} at most", bytes(client.max_rss_bytes? as f64))];
    parts.extend(client.batch_bytes.map(|batches| format!("{} of batches made ahead", bytes(batches as f64))));
    Some(list(parts))
}

fn machine(host: &HostFacts) -> String {
    let system = [Some(&host.os), host.kernel.as_ref(), Some(&host.arch)];
    let mut parts = vec![system.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ")];
    match (&host.cpu_model, host.logical_cpus) {
        (Some(model), Some(cpus)) => parts.push(format!("{cpus} × {model}")),
        (Some(model), None) => parts.push(model.clone()),
        (None, Some(cpus)) => parts.push(counted(cpus.into(), "CPU", "CPUs")),
        (None, None) => {}
    }
    parts.extend(host.memory_bytes.map(|memory| format!("{} memory", bytes(memory as f64))));
    list(parts)
}
