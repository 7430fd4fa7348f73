//! What the server used, as it was observed.

use super::page::{Page, list};
use crate::document::{Document, ServerUsageFigures};
use crate::units::{bytes, count, counted, seconds, share};

pub(super) fn write(page: &mut Page, document: &Document) {
    let Some(usage) = &document.server_usage else { return };
    page.blank();
    page.heading("Server");
    let cpu = |percent: f64| share(percent / 100.0);
    field(
        page,
        "processor",
        [
            usage.max_cpu_percent.map(|most| format!("{} of a CPU at most", cpu(most))),
            usage.mean_cpu_percent.map(|mean| format!("{} on average", cpu(mean))),
        ],
    );
    let amount = |value: Option<u64>, word: &str| value.map(|value| format!("{} {word}", bytes(value as f64)));
    field(page, "memory", [amount(usage.max_memory_bytes, "at most"), amount(usage.mean_memory_bytes, "on average")]);
    field(page, "disk", [amount(usage.disk_read_bytes, "read"), amount(usage.disk_written_bytes, "written")]);
    field(
        page,
        "network",
        [amount(usage.network_received_bytes, "received"), amount(usage.network_sent_bytes, "sent")],
    );
    page.field("observed", &observed(usage));
}

/// Nothing for what the probe cannot see.
fn field(page: &mut Page, label: &str, parts: [Option<String>; 2]) {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if !parts.is_empty() {
        page.field(label, &list(parts));
    }
}

fn observed(usage: &ServerUsageFigures) -> String {
    let mut parts = vec![
        usage.probe.clone(),
        counted(usage.samples.len() as u64, "sample", "samples"),
        format!("{} of CPU time on this machine", seconds(usage.observer_cpu_seconds)),
    ];
    if usage.failed > 0 {
        let why = usage.first_failure.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        parts.push(format!("{} failed{why}", count(usage.failed)));
    }
    list(parts)
}
