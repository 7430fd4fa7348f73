//! `benchhost suite`: what is shown, what is run and in which order, what is kept, and how it answers.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{Sandbox, plugins};

const SUITE: &str = r#"
name = "demo"
runs = 2

[defaults]
plugin = "null"
dataset = "cpu"
rows = "20k"
headroom = "0s"
[defaults.param]
hosts = 3

[[run]]
name = "small"
batch-rows = 100

[[run]]
name = "large"
batch-rows = 5000
"#;

/// The record of the only suite that ran.
fn record(sandbox: &Sandbox) -> (String, Value) {
    let folders: Vec<_> = std::fs::read_dir(sandbox.path("results")).unwrap().collect();
    assert_eq!(folders.len(), 1);
    let folder = folders[0].as_ref().unwrap().path();
    let record = std::fs::read_to_string(folder.join("suite.json")).unwrap();
    (folder.to_str().unwrap().to_owned(), serde_json::from_str(&record).unwrap())
}

#[test]
fn every_run_is_repeated_in_turns_and_has_a_bundle_of_its_own() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("demo.toml", SUITE);
    let found = sandbox.run_with_plugins(&["suite", "run", &file, "-o", "results", "--format", "json"]);
    found.succeeds();
    let (folder, record) = record(&sandbox);
    assert_eq!(serde_json::from_str::<Value>(&found.stdout).unwrap(), record);
    assert_eq!(record["ended"], "complete");
    let mut starts = Vec::new();
    for (entry, batch) in record["entries"].as_array().unwrap().iter().zip([100, 5000]) {
        let repetitions = entry["repetitions"].as_array().unwrap();
        assert_eq!(repetitions.len(), 2);
        for repetition in repetitions {
            let bundle = Path::new(&folder).join(repetition["folder"].as_str().unwrap()).join("run.json");
            let run: Value = serde_json::from_str(&std::fs::read_to_string(bundle).unwrap()).unwrap();
            assert_eq!(run["plan"]["batch_rows"], batch);
            assert_eq!(run["dataset"]["settings"]["hosts"], "3");
            assert_eq!(repetition["acknowledged_rows"], 20_000);
            assert_eq!(repetition["rows_per_s"], run["throughput"]["rows_per_s"]);
            assert_eq!(repetition["outcome"], run["verdict"]["status"]);
        }
        let started = |index: usize| repetitions[index]["started_at"].as_str().unwrap().to_owned();
        starts.push([started(0), started(1)]);
    }
    let order = [&starts[0][0], &starts[1][0], &starts[0][1], &starts[1][1]];
    assert!(order.is_sorted(), "{order:?}");
    for line in ["run 1 of 4: small-1\n", "run 2 of 4: large-1\n", "run 3 of 4: small-2\n", "run 4 of 4: large-2\n"] {
        assert!(found.stderr.contains(line), "{line} is missing:\n{}", found.stderr);
    }
}

#[test]
fn the_command_line_chooses_runs_and_goes_before_the_file() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("demo.toml", SUITE);
    let words = ["--only", "large", "--runs", "1", "--rows", "7k", "-P", "cpu.hosts=5", "--progress", "none"];
    let found = sandbox.run_with_plugins(&[&["suite", "run", &file, "-o", "results"], &words[..]].concat());
    found.succeeds();
    assert!(found.stdout.starts_with("demo  1 repetition of each run, in turns\n\nrun    rows/s"), "{}", found.stdout);
    assert!(found.stdout.contains("\nlarge  "), "{}", found.stdout);
    let (folder, record) = record(&sandbox);
    assert_eq!(record["entries"].as_array().unwrap().len(), 1);
    let run = std::fs::read_to_string(Path::new(&folder).join("large-1/run.json")).unwrap();
    let run: Value = serde_json::from_str(&run).unwrap();
    assert_eq!(run["counts"]["rows"]["acknowledged"], 7000);
    assert_eq!(run["dataset"]["settings"]["hosts"], "5");
}

#[test]
fn a_run_without_result_is_shown_and_decides_about_the_exit_code() {
    let sandbox = Sandbox::new();
    let wrong = "\n[[run]]\nname = \"wrong\"\n[run.param]\nformat = \"parquet\"\n";
    let file = sandbox.file("demo.toml", format!("{SUITE}{wrong}"));
    let words = ["suite", "run", &file, "-o", "results", "--runs", "1", "--rows", "1k"];
    let found = sandbox.run_with_plugins(&words);
    assert_eq!(found.code, Some(2), "{}", found.stderr);
    assert!(found.stdout.contains("1 WITHOUT RESULT\n"), "{}", found.stdout);
    assert!(found.stdout.contains("\nNO RESULT  wrong 1: it ended with exit code 2; its own words stand above\n"));
    assert!(found.stderr.contains("parquet"), "{}", found.stderr);
    let (_, record) = record(&sandbox);
    assert_eq!(record["ended"], "complete");
    assert_eq!(record["entries"][2]["repetitions"][0]["exit_code"], 2);
    assert_eq!(record["entries"][2]["verdicts"]["no_result"], 1);
    assert_eq!(record["entries"][0]["repetitions"][0]["exit_code"], 0);
}

#[test]
fn an_interrupt_ends_the_run_that_goes_on_and_the_suite_with_it() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("demo.toml", SUITE);
    // More rows than a machine makes while the test looks away.
    let words = ["suite", "run", &file, "-o", "results", "--rows", "100g", "--progress", "plain", "--format", "json"];
    let mut command = sandbox.command(&words);
    command.env("BENCHHOST_PLUGIN_PATH", plugins()).env("BENCHHOST_MEMORY", "1MiB");
    let mut suite = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(suite.stderr.take().unwrap()).lines();
    assert!(stderr.by_ref().any(|line| line.unwrap().starts_with("open: ")));
    kill_process(Pid::from_child(&suite), Signal::INT).unwrap();
    let rest = std::thread::spawn(move || stderr.map(|line| line.unwrap() + "\n").collect::<String>());
    let output = suite.wait_with_output().unwrap();
    let stderr = rest.join().unwrap();
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    let (_, record) = record(&sandbox);
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), record);
    assert_eq!(record["ended"], "interrupted");
    assert_eq!(record["entries"][0]["repetitions"][0]["outcome"], "invalid");
    assert_eq!(record["entries"][0]["repetitions"][0]["exit_code"], 130);
    assert_eq!(record["entries"][0].get("median"), None);
    assert_eq!(record["entries"][1]["repetitions"], serde_json::json!([]));
}

#[test]
fn a_dry_run_shows_everything_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("demo.toml", SUITE);
    let found = sandbox.run(&["suite", "run", &file, "-o", "results", "--dry-run", "--endpoint", "http://h:1"]);
    found.succeeds();
    assert!(found.stdout.contains("\n  with --endpoint http://h:1\n"), "{}", found.stdout);
    assert!(found.stdout.ends_with("\norder  small-1 large-1 small-2 large-2\n"), "{}", found.stdout);
    assert_eq!(sandbox.entries(), ["demo.toml"]);
    let shown = sandbox.run(&["suite", "show", &file, "--format", "json"]);
    shown.succeeds();
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(shown["entries"][1]["config"]["batch-rows"], 5000);
    assert_eq!(shown["entries"][1]["config"]["param"]["hosts"], "3");
    assert_eq!(shown["entries"][1]["config"]["existing"], "drop");
}

#[test]
fn what_cannot_be_is_refused_before_anything_runs() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("demo.toml", SUITE);
    sandbox.run(&["suite", "run", &file, "--runs", "0"]).fails(2, "--runs 0 would run nothing");
    sandbox
        .run(&["suite", "run", &file, "--only", "smal"])
        .fails(2, "--only smal: the suite has no such run; its runs are `small`, `large`\nhint: did you mean `small`?");
    sandbox.run(&["suite", "run", &file, "-P", "nul.x=1"]).fails(2, "no run of this suite has a plugin `nul`");
    sandbox.run(&["suite", "run", &file, "-o", "none"]).fails(2, "a suite keeps its results");
    sandbox.run(&["suite", "run", "/no/such.toml"]).fails(2, "cannot read the suite /no/such.toml");
    assert_eq!(sandbox.entries(), ["demo.toml"]);
}

#[test]
fn the_suites_that_come_with_the_source_can_be_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/suites");
    let mut names: Vec<String> = Vec::new();
    for file in std::fs::read_dir(&folder).unwrap() {
        let file = file.unwrap().path();
        let shown = Sandbox::new().run(&["suite", "show", file.to_str().unwrap(), "--format", "json"]);
        shown.succeeds();
        let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
        assert_eq!(shown["name"].as_str(), file.file_stem().unwrap().to_str());
        names.push(shown["name"].as_str().unwrap().to_owned());
    }
    names.sort();
    assert_eq!(names, ["encode-only", "greptime-1m-series", "greptime-cpu", "greptime-single-client"]);
}
