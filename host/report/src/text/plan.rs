//! What was asked for, of which server, and how long each phase of it took.

use std::collections::BTreeMap;
use std::time::Duration;

use super::page::{Page, list, unbroken};
use crate::document::{Document, Plan};
use crate::units::{bytes, counted, seconds};

pub(super) fn write(page: &mut Page, document: &Document) {
    let plan = &document.plan;
    page.blank();
    page.heading("Plan");
    page.field("target", &target(plan));
    settings(page, &plan.target.settings);
    if !document.server.is_empty() {
        page.field("server", &server(&document.server));
    }
    page.field("dataset", &dataset(document));
    settings(page, &plan.dataset.settings);
    page.field("load", &load(plan));
    page.field("limits", &limits(plan));
    if document.dataset.streamed {
        page.field("streamed", &streamed(plan));
    }
    match plan.existing.as_str() {
        "drop" => page.field("before", "the table was dropped, if there was one"),
        "append" => page.field("before", "rows that were there stayed, and are not counted as stored"),
        _ => {}
    }
    if !plan.tags.is_empty() {
        page.field("tags", &pairs(&plan.tags));
    }
    page.field("phases", &phases(document));
}

fn target(plan: &Plan) -> String {
    let name = format!("{} {}", plan.target.name, plan.target.version);
    match &plan.endpoint {
        Some(endpoint) => format!("{name} at {endpoint}"),
        None => name,
    }
}

/// All of them, defaults too: a setting that nobody thought of decides many a benchmark.
fn settings(page: &mut Page, settings: &BTreeMap<String, String>) {
    if !settings.is_empty() {
        page.field("", &pairs(settings));
    }
}

fn pairs(map: &BTreeMap<String, String>) -> String {
    map.iter().map(|(name, value)| unbroken(&format!("{name}={value}"))).collect::<Vec<_>>().join(" ")
}

/// Product and version first, as one name; then the other facts.
fn server(facts: &BTreeMap<String, String>) -> String {
    let named = ["product", "version"];
    let name: Vec<&str> = named.iter().filter_map(|fact| facts.get(*fact)).map(String::as_str).collect();
    let mut parts = Vec::new();
    if !name.is_empty() {
        parts.push(name.join(" "));
    }
    let others = facts.iter().filter(|(fact, _)| !named.contains(&fact.as_str()));
    parts.extend(others.map(|(fact, value)| format!("{fact}={value}")));
    list(parts)
}

fn dataset(document: &Document) -> String {
    let plan = &document.plan;
    list([
        format!("{} {}", plan.dataset.name, plan.dataset.version),
        format!("seed {}", plan.seed),
        format!("{} in {}", counted(plan.rows, "row", "rows"), counted(document.dataset.series, "series", "series")),
    ])
}

fn load(plan: &Plan) -> String {
    let connections = match plan.connections {
        Some(1) => "one connection for all".to_owned(),
        Some(shared) => format!("{shared} connections for all"),
        None => "a connection each".to_owned(),
    };
    list([
        format!("{}, {connections}", counted(plan.workers.into(), "worker", "workers")),
        format!("{} a batch", counted(plan.batch_rows.into(), "row", "rows")),
        "closed loop".to_owned(),
        counted(plan.threads.into(), "thread", "threads"),
    ])
}

fn limits(plan: &Plan) -> String {
    let budget = |most: u64, one: &str, many: &str| match most {
        u64::MAX => format!("any number of {many}"),
        most => counted(most, one, many),
    };
    list([
        format!("time-out {}", as_typed(plan.timeout_seconds)),
        counted(plan.retries.into(), "retry", "retries"),
        format!(
            "{} and {} tolerated",
            budget(plan.max_errors, "failed operation", "failed operations"),
            budget(plan.max_crashes, "crash", "crashes")
        ),
    ])
}

/// Unlike a measured time, one that was asked for is shown exactly, in the form of the flags.
fn as_typed(seconds: f64) -> String {
    Duration::try_from_secs_f64(seconds)
        .map_or_else(|_| crate::units::seconds(seconds), |time| humantime::format_duration(time).to_string())
}

fn streamed(plan: &Plan) -> String {
    format!(
        "batches were made as the run went, because all of them do not fit the memory budget of {}; making them shares the \
         processors with the load",
        unbroken(&bytes(plan.memory_budget_bytes as f64))
    )
}

fn phases(document: &Document) -> String {
    list(document.phases.iter().map(|phase| format!("{} {}", phase.name, seconds(phase.seconds))))
}
