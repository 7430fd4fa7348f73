//! What was asked for, of which server, and how long each phase of it took.

use std::collections::BTreeMap;
use std::time::Duration;

use super::leading;
use super::page::{Page, list, unbroken};
use crate::document::{Document, OfferedPlan, Part, Plan, StagePlan, StepFigures};
use crate::units::{bytes, counted, nanoseconds, quantity, seconds};

pub(super) fn write(page: &mut Page, document: &Document) {
    let plan = &document.plan;
    page.blank();
    page.heading("Plan");
    page.field("target", &target(plan));
    settings(page, &plan.target.settings);
    if document.embedded_server {
        page.field(
            "embedded",
            "no --endpoint was given, so benchhost started its own reference server: no database to compare with",
        );
    }
    if !document.server.is_empty() {
        page.field("server", &server(&document.server));
    }
    page.field("dataset", &dataset(document));
    settings(page, &plan.dataset.settings);
    page.field("load", &load(plan));
    if let OfferedPlan::Open { profile, .. } = &plan.offered {
        page.field("schedule", &schedule(plan, &profile.stages));
    }
    if let OfferedPlan::Search { probe_seconds, start_per_s, .. } = plan.offered {
        page.field("search", &search(probe_seconds, start_per_s, &plan.objectives));
    }
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
    if let Some(warmup) = &document.warmup {
        page.field("warm-up", &warm(warmup));
    }
    if !document.parts.is_empty() {
        page.field("merged", &list(document.parts.iter().map(part)));
    }
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
    let mut parts = vec![format!("{} {}", plan.dataset.name, plan.dataset.version), format!("seed {}", plan.seed)];
    let facts = [
        document.dataset.rows.map(|rows| counted(rows, "row", "rows")),
        document.dataset.series.map(|series| counted(series, "series", "series")),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    if !facts.is_empty() {
        parts.push(facts.join(" in "));
    }
    list(parts)
}

fn load(plan: &Plan) -> String {
    let connections = match plan.connections {
        Some(1) => "one connection for all".to_owned(),
        Some(shared) => format!("{shared} connections for all"),
        None => "a connection each".to_owned(),
    };
    let workers = match plan.workers.as_slice() {
        [workers] => counted((*workers).into(), "worker", "workers"),
        steps => {
            let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
            format!("{} workers in turn", steps.join(", "))
        }
    };
    let mut parts = vec![format!("{workers}, {connections}")];
    parts.extend(amount(plan));
    parts.push(format!("{} a batch", counted(plan.batch_rows.into(), "row", "rows")));
    parts.push(match &plan.offered {
        OfferedPlan::Closed => "closed loop".to_owned(),
        OfferedPlan::Open { arrival, .. } | OfferedPlan::Search { arrival, .. } if arrival == "poisson" => {
            "open loop, Poisson arrivals".to_owned()
        }
        OfferedPlan::Open { arrival, .. } | OfferedPlan::Search { arrival, .. } => {
            format!("open loop, {arrival} arrivals")
        }
    });
    let threads = counted(plan.threads.into(), "thread", "threads");
    parts.push(if plan.spin { format!("{threads} that never sleep") } else { threads });
    list(parts)
}

/// How much each step writes, where that is not the whole dataset.
fn amount(plan: &Plan) -> Option<String> {
    let several = plan.workers.len() > 1;
    let rows =
        plan.rows.filter(|_| several || plan.duration_seconds.is_some()).map(|rows| counted(rows, "row", "rows"));
    let amount: Vec<String> = [rows, plan.duration_seconds.map(as_typed)].into_iter().flatten().collect();
    (!amount.is_empty()).then(|| format!("{}{}", amount.join(" or "), if several { " each" } else { "" }))
}

/// A single rate that the rows bring to its end has no length worth telling.
fn schedule(plan: &Plan, stages: &[StagePlan]) -> String {
    match stages {
        [only] if plan.rows.is_some() && plan.duration_seconds.is_none() && only.from_per_s >= only.to_per_s => {
            format!("{} operations/s until the rows are written", quantity(only.to_per_s))
        }
        stages => list(stages.iter().map(stage)),
    }
}

fn stage(stage: &StagePlan) -> String {
    let StagePlan { seconds, from_per_s, to_per_s } = *stage;
    let length = as_typed(seconds);
    if from_per_s.total_cmp(&to_per_s).is_eq() {
        format!("{length} at {} operations/s", quantity(from_per_s))
    } else {
        format!("{length} from {} to {} operations/s", quantity(from_per_s), quantity(to_per_s))
    }
}

fn search(probe_seconds: f64, start_per_s: Option<f64>, objectives: &[String]) -> String {
    let mut parts = vec![format!("each rate for {} or longer", as_typed(probe_seconds))];
    parts.push(match start_per_s {
        Some(rate) => format!("from {} operations/s on", quantity(rate)),
        None => "from a quarter of what a closed loop reached".to_owned(),
    });
    parts.extend((!objectives.is_empty()).then(|| format!("held while {}", objectives.join(", "))));
    list(parts)
}

fn warm(step: &StepFigures) -> String {
    let mut parts = vec![seconds(step.seconds)];
    parts.extend(step.throughput.map(|rates| format!("{} rows/s", quantity(rates.rows_per_s))));
    if let Some((clock, ns)) = leading(&step.latency).and_then(|(clock, of)| Some((clock, of.p99_ns?))) {
        parts.push(format!("p99 {clock} time {}", nanoseconds(ns as f64)));
    }
    parts.push("in the counts below, not in the rates and times".to_owned());
    list(parts)
}

fn part(part: &Part) -> String {
    let Part { name, status, rows_per_s, .. } = part;
    let rate = rows_per_s.map(|rate| format!(" at {} rows/s", quantity(rate))).unwrap_or_default();
    format!("{name}: {}{rate}", status.as_str())
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
    let why = match plan.rows {
        Some(_) => {
            let budget = unbroken(&bytes(plan.memory_budget_bytes as f64));
            format!("because all of them do not fit the memory budget of {budget}")
        }
        None => "because time decides how many are needed".to_owned(),
    };
    format!("batches were made as the run went, {why}; making them shares the processors with the load")
}

fn phases(document: &Document) -> String {
    list(document.phases.iter().map(|phase| format!("{} {}", phase.name, seconds(phase.seconds))))
}
