//! Whether two bundles are parts of one load: the same rows in the same way, from whatever seed, to whatever endpoint.

use serde_json::Value;

use super::{MergeError, Source};
use crate::document::OfferedPlan;

/// Parts of a plan that say nothing of the load: identities, and what each machine decides for itself.
const OWN: [&str; 15] = [
    "/hash",
    "/seed",
    "/endpoint",
    "/tags",
    "/target/sha256",
    "/target/settings/endpoint",
    "/target/settings/password",
    "/target/settings/token",
    "/dataset/sha256",
    "/generator_threads",
    "/memory_budget_bytes",
    "/max_errors",
    "/max_crashes",
    "/existing",
    "/verify_timeout_seconds",
];

/// Refuses what is no part of the same load, by the first difference.
pub(super) fn check(first: &Source, other: &Source) -> Result<(), MergeError> {
    let searched =
        [first, other].into_iter().find(|source| matches!(source.document.plan.offered, OfferedPlan::Search { .. }));
    if let Some(source) = searched {
        return Err(MergeError::Search { name: source.name.clone() });
    }
    let plan = |source: &Source| serde_json::to_value(&source.document.plan).unwrap_or_default();
    match difference("", &plan(first), &plan(other)) {
        None => Ok(()),
        Some((path, here, there)) => Err(MergeError::Different {
            first: first.name.clone(),
            other: other.name.clone(),
            part: format!("plan{}", path.replace('/', ".")),
            here,
            there,
        }),
    }
}

fn difference(path: &str, here: &Value, there: &Value) -> Option<(String, String, String)> {
    if OWN.contains(&path) || here == there {
        return None;
    }
    if let (Value::Object(a), Value::Object(b)) = (here, there) {
        let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
        let member = |of: &serde_json::Map<String, Value>, name: &str| of.get(name).cloned().unwrap_or_default();
        return names
            .into_iter()
            .find_map(|name| difference(&format!("{path}/{name}"), &member(a, name), &member(b, name)));
    }
    Some((path.to_owned(), shown(here), shown(there)))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "absent".to_owned(),
        Value::String(text) => format!("`{text}`"),
        other => other.to_string(),
    }
}
