//! Where the figures come from: what they cost this machine, which rows, which components.

use super::page::{Page, list};
use crate::document::{Client, Cost, Document, HostFacts, Network};
use crate::units::{bytes, count, counted, nanoseconds, seconds, share, three_digits};

/// Hex digits of a component's hash that are shown: enough to tell builds apart.
const HASH_DIGITS: usize = 12;

pub(super) fn write(page: &mut Page, document: &Document) {
    page.blank();
    page.heading(&title(document));
    if let Some(text) = processor(document) {
        page.field("processor", &text);
    }
    if let Some(text) = effort(&document.client.cost) {
        page.field("effort", &text);
    }
    if let Some(headroom) = document.headroom {
        let times = three_digits(headroom);
        page.field("headroom", &format!("{times} times this throughput against a server that costs nothing"));
    }
    if let Some(counted) = &document.client.network {
        page.field("network", &network(counted));
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
    let cpu = document.client.cost.cpu_seconds?;
    let mut parts = vec![match document.client.cost.cpu_seconds_per_million_rows {
        Some(each) => format!("{} CPU-seconds per million rows", three_digits(each)),
        None => format!("{} of CPU time", seconds(cpu)),
    }];
    let measured = document.headline().map(|step| step.seconds);
    if let (Some(wall), Some(cpus)) = (measured.filter(|wall| *wall > 0.0), document.host.logical_cpus) {
        let part = share(cpu / wall / f64::from(cpus));
        parts.push(format!("{part} of {} while measuring", counted(cpus.into(), "CPU", "CPUs")));
    }
    Some(list(parts))
}

/// With several steps, the cost is that of one of them.
fn title(document: &Document) -> String {
    match document.headline() {
        Some(_) if document.search.is_some() => "Client, at the found rate".to_owned(),
        Some(step) if document.steps.len() > 1 => {
            format!("Client, with {}", counted(step.workers.into(), "worker", "workers"))
        }
        _ => "Client".to_owned(),
    }
}

/// How near the client was to its own limits.
fn effort(cost: &Cost) -> Option<String> {
    let percent = |percent: f64| share(percent / 100.0);
    let parts = [
        cost.in_flight.map(|mean| format!("{} operations in flight", three_digits(mean))),
        cost.busiest_thread_percent.map(|busy| format!("busiest thread {}", percent(busy))),
        cost.client_share_percent.map(|part| format!("{} of service time", percent(part))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| list(parts))
}

/// What the network did to the connections.
fn network(network: &Network) -> String {
    let again = match (network.retransmits, network.segments_sent) {
        (0, _) => "no segment sent twice".to_owned(),
        (again, 0) => format!("{} sent again", counted(again, "segment", "segments")),
        (again, sent) => {
            format!("{} of {} sent again", count(again), counted(sent, "segment", "segments"))
        }
    };
    let connections = counted(network.connections, "connection", "connections");
    list([connections, again, format!("round trip at most {}", nanoseconds(network.max_rtt_ns as f64))])
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
    // Both decide about speed, and neither can be seen in the model.
    parts.extend(host.cpu_governor.as_ref().map(|governor| format!("governor {governor}")));
    parts.extend(host.cpu_quota.map(|quota| format!("limited to {} CPUs", three_digits(quota))));
    parts.extend(host.memory_bytes.map(|memory| format!("{} memory", bytes(memory as f64))));
    list(parts)
}
