//! `run.json` against its schema, and against the names that scripts rely on.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

// The schema's validator turns on features of crates that the engine uses too; kept out of the host's own tests, it does not make the
// engine compile twice.
#[path = "../../host/report/tests/all/common/mod.rs"]
mod common;

use benchhost_core::Ending;
use benchhost_report::{Document, SCHEMA};
use serde_json::{Value, json};

fn validator() -> jsonschema::Validator {
    let schema = serde_json::from_str(SCHEMA).unwrap();
    jsonschema::options().with_draft(jsonschema::Draft::Draft202012).build(&schema).unwrap()
}

fn value(result: &benchhost_core::RunResult) -> Value {
    serde_json::from_str(&common::document(result).to_json()).unwrap()
}

#[test]
fn every_kind_of_run_gives_a_document_that_the_schema_allows() {
    let validator = validator();
    for (name, result) in common::all() {
        let document = value(&result);
        let errors: Vec<String> =
            validator.iter_errors(&document).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
    }
}

#[test]
fn the_schema_allows_the_document_of_a_run_that_goes_on_and_of_merged_ones() {
    use common::bundles::{intervals, measured, tell, whole, writer};

    let top = tempfile::tempdir().unwrap();
    let mut going_on = writer(&top.path().join("run"), &common::scheduled());
    let allowed = |document: &Document, name: &str| {
        let value = serde_json::to_value(document).unwrap();
        let errors: Vec<String> =
            validator().iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
        undescribed(&serde_json::from_str(SCHEMA).unwrap(), &serde_json::from_str(SCHEMA).unwrap(), &value, name);
    };
    allowed(&benchhost_report::show(&top.path().join("run")).unwrap(), "before the first interval");
    tell(&mut going_on, &measured(intervals(&[100], Some(1_000))));
    allowed(&benchhost_report::show(&top.path().join("run")).unwrap(), "after it");

    let folders = ["a", "b"].map(|name| top.path().join(name));
    for folder in &folders {
        whole(folder, &mut common::complete(), &measured(intervals(&[100, 50], None)));
    }
    allowed(&benchhost_report::merge(&folders).unwrap().document, "merged");
}

#[test]
fn the_schema_refuses_what_is_wrong() {
    let validator = validator();
    let good = value(&common::complete());
    let broken: [(&str, Value); 8] = [
        ("/verdict/status", json!("fine")),
        ("/counts/rows/sent", json!("1000000")),
        ("/counts/rows/sent", json!(-1)),
        ("/counts/rows/stored", Value::Null),
        ("/latency/service/write/p99_ns", json!(1.5)),
        ("/started_at", json!("yesterday")),
        ("/plan/hash", json!("")),
        ("/ended", json!("interrupted")),
    ];
    for (path, wrong) in broken {
        let mut document = good.clone();
        *document.pointer_mut(path).unwrap() = wrong.clone();
        assert!(!validator.is_valid(&document), "{path} = {wrong} was allowed");
    }
    for name in ["verdict", "counts", "plan", "errors", "dataset"] {
        let mut document = good.clone();
        document.as_object_mut().unwrap().remove(name).unwrap();
        assert!(!validator.is_valid(&document), "{name} may be missing");
    }
}

#[test]
fn the_schema_lets_more_stand_beside_its_names() {
    let mut document = value(&common::complete());
    document["later"] = json!({"anything": 1});
    document["counts"]["rows"]["later"] = json!(1);
    assert!(validator().is_valid(&document));
}

#[test]
fn every_name_in_a_document_is_in_the_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    for (name, result) in common::all() {
        undescribed(&schema, &schema, &value(&result), name);
    }
}

/// Fails for a name that stands in a document without being described.
fn undescribed(root: &Value, schema: &Value, value: &Value, path: &str) {
    let schema = match schema["$ref"].as_str() {
        Some(reference) => root.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    };
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let described = schema["properties"].get(name).or_else(|| schema.get("additionalProperties"));
                let path = format!("{path}.{name}");
                assert!(described.is_some(), "{path} is not in the schema");
                undescribed(root, described.unwrap(), member, &path);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| undescribed(root, &schema["items"], item, path)),
        _ => {}
    }
}

#[test]
fn the_names_that_scripts_rely_on_are_there() {
    let document = value(&common::complete());
    let figures = ["count", "min_ns", "mean_ns", "p50_ns", "p90_ns", "p95_ns", "p99_ns", "max_ns"];
    let measured = ["/latency/service/write", "/spans/encode/write", "/spans/wait/write", "/spans/plugin/write"];
    let figures = measured.iter().flat_map(|of| figures.map(|name| format!("{of}/{name}")));
    let names = "
        /schema_version /benchhost_version /plan/hash /started_at /verdict/status /verdict/reasons
        /counts/rows/sent /counts/rows/acknowledged /counts/rows/unknown /counts/rows/stored
        /counts/operations/ok /counts/operations/failed /counts/operations/timed_out /counts/operations/retried
        /throughput/rows_per_s /throughput/values_per_s /throughput/operations_per_s /throughput/raw_bytes_per_s
        /throughput/wire_bytes_per_s /client/cpu_seconds /client/cpu_seconds_per_million_rows /client/max_rss_bytes
        /phases/0/name /phases/0/seconds /phases/1/rows /errors /server/product
        /dataset/name /dataset/settings /dataset/seed /dataset/rows /dataset/series /dataset/fingerprint
        /plugins/0/role /plugins/0/name /plugins/0/version /plugins/0/sha256
        /headline_step /steps/0/measured /steps/0/workers /steps/0/seconds /steps/0/start_seconds
        /steps/0/throughput/rows_per_s /steps/0/latency/service/write/p99_ns /steps/0/spans/wait/write/p99_ns
        /steps/0/counts/rows/acknowledged /steps/0/client/cpu_seconds /steps/0/client/cpu_seconds_per_million_rows
        /steps/0/client/busiest_thread_percent /steps/0/client/in_flight /steps/0/client/client_share_percent";
    for name in names.split_whitespace().map(str::to_owned).chain(figures) {
        assert!(document.pointer(&name).is_some(), "{name} is missing");
    }
    let troubled = value(&common::troubled());
    for name in ["/verdict/reasons/0/code", "/verdict/reasons/0/text", "/verdict/reasons/0/advice", "/errors/0/example"]
    {
        assert!(troubled.pointer(name).is_some(), "{name} is missing");
    }
    assert!(value(&common::streamed()).pointer("/latency/service/write/p999_ns").is_some());
    let scheduled = value(&common::scheduled());
    for name in "/latency/response/write/p99_ns /latency/lag/write/p99_ns /steps/0/schedule/offered_per_s
        /steps/0/schedule/achieved_per_s /steps/0/schedule/max_queue /steps/0/schedule/unsent /warmup/throughput
        /objectives/0/text /objectives/0/kept /objectives/0/found /headroom
        /server_usage/max_cpu_percent /server_usage/max_memory_bytes /server_usage/samples/0/at_seconds"
        .split_whitespace()
    {
        assert!(scheduled.pointer(name).is_some(), "{name} is missing");
    }
}

#[test]
fn the_top_level_figures_are_those_of_the_fastest_step() {
    let ladder = value(&common::ladder());
    assert_eq!(ladder["headline_step"], 1);
    for name in ["throughput", "latency", "spans"] {
        assert_eq!(ladder[name], ladder["steps"][1][name], "{name}");
    }
    assert_ne!(ladder["throughput"], ladder["steps"][2]["throughput"]);
    assert_eq!(ladder["client"]["cpu_seconds"], ladder["steps"][1]["client"]["cpu_seconds"]);
}

#[test]
fn the_warm_up_is_in_the_counts_and_in_no_other_figure() {
    let document = value(&common::scheduled());
    assert_eq!(document["warmup"]["measured"], false);
    assert_eq!(document["steps"][0]["measured"], true);
    let rows = |of: &Value| of["counts"]["rows"]["acknowledged"].as_u64().unwrap();
    assert_eq!(rows(&document), rows(&document["warmup"]) + rows(&document["steps"][0]));
    assert_eq!(document["latency"], document["steps"][0]["latency"]);
    assert_eq!(document["latency"]["response"]["write"]["count"], 9_000);
}

#[test]
fn what_was_not_measured_is_absent_and_never_null() {
    let interrupted = value(&common::interrupted());
    for name in ["/throughput", "/counts/rows/stored", "/client/cpu_seconds", "/dataset/fingerprint", "/server"] {
        assert_eq!(interrupted.pointer(name), None, "{name}");
    }
    assert_eq!(interrupted["latency"], json!({}));
    assert_eq!(interrupted["partial"], json!(true));
    assert_eq!(value(&common::complete()).get("partial"), None);
    assert_eq!(value(&common::unverifiable()).pointer("/counts/rows/stored"), None);
    assert_eq!(value(&common::streamed()).pointer("/client/batch_bytes"), None);
    for (name, result) in common::all() {
        assert!(!common::document(&result).to_json().contains("null,"), "{name}");
    }
}

#[test]
fn failed_and_timed_out_operations_have_latencies_of_their_own() {
    let document = value(&common::troubled());
    assert_eq!(document["latency"]["service"]["write"]["count"], 393);
    assert_eq!(document["latency"]["failed"]["write"]["count"], 5);
    assert_eq!(document["latency"]["failed"]["write"]["saturated"], 1);
    assert_eq!(document["latency"]["timed_out"]["write"]["count"], 2);
    assert_eq!(value(&common::complete())["latency"].as_object().unwrap().len(), 1);
}

#[test]
fn every_ending_has_a_word_of_its_own_and_only_a_complete_run_is_not_partial() {
    let words = [
        (Ending::Complete, "complete"),
        (Ending::Interrupted, "interrupted"),
        (Ending::QueueBound, "queue_bound"),
        (Ending::ErrorBudget, "error_budget"),
        (Ending::CrashBudget, "crash_budget"),
        (Ending::DatasetFailed, "dataset_failed"),
    ];
    for (ending, word) in words {
        let document = value(&benchhost_core::RunResult { ending, ..common::complete() });
        assert_eq!(document["ended"], word);
        assert_eq!(document.get("partial").is_some(), ending != Ending::Complete, "{word}");
        assert!(validator().is_valid(&document), "{word}");
    }
}

#[test]
fn a_document_is_read_back_as_it_was() {
    for (name, result) in common::all() {
        let document = common::document(&result);
        let json = document.to_json();
        let read: Document = serde_json::from_str(&json).unwrap();
        assert_eq!(read, document, "{name}");
        assert_eq!(read.to_json(), json, "{name}");
        assert!(json.ends_with("}\n") && !json.ends_with("\n\n"), "{name}");
    }
}

#[test]
fn a_document_of_a_later_writer_is_read_without_what_is_new() {
    let document = common::document(&common::complete());
    let mut value = serde_json::to_value(&document).unwrap();
    value["later"] = json!(1);
    value["latency"]["service"]["write"]["p9999_ns"] = json!(1);
    assert_eq!(serde_json::from_value::<Document>(value).unwrap(), document);
}

#[test]
fn the_plan_is_kept_whole() {
    for (name, result) in common::all() {
        let mut plan = serde_json::to_value(&result.plan).unwrap();
        plan.as_object_mut().unwrap().retain(|_, part| !part.is_null());
        assert_eq!(value(&result)["plan"], plan, "{name}");
    }
}
