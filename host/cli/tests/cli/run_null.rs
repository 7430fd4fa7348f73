//! `benchhost run` against the target that drops everything: what goes to stdout, stderr and the result folder.

use crate::support::Sandbox;
use serde_json::Value;

fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["run", "--plugin", "null", "--dataset", "cpu", "-P", "hosts=10"];
    if !more.contains(&"--rows") {
        words.extend(["--rows", "10k"]);
    }
    words.extend(more);
    words
}

#[test]
fn stdout_is_the_document_of_the_result_folder() {
    let sandbox = Sandbox::new();
    let found = sandbox.run_with_plugins(&run(&["--format", "json", "-o", "result", "--tag", "why=test"]));
    found.succeeds();
    let printed: Value = serde_json::from_str(&found.stdout).unwrap();
    let kept = std::fs::read_to_string(sandbox.path("result/run.json")).unwrap();
    assert_eq!(printed, serde_json::from_str::<Value>(&kept).unwrap());
    assert_eq!(printed["counts"]["rows"]["acknowledged"], 10_000);
    assert_eq!(printed["dataset"]["settings"]["hosts"], "10");
    assert!(found.stderr.ends_with("result: result/run.json\n"), "{}", found.stderr);
}

#[test]
fn the_tail_batch_is_written_once() {
    let sandbox = Sandbox::new();
    for (rows, batch) in [("10", "1000"), ("1001", "1000"), ("7", "3")] {
        let words = run(&["--rows", rows, "--batch-rows", batch, "--format", "json", "-o", "none"]);
        let found = sandbox.run_with_plugins(&words);
        found.succeeds();
        let printed: Value = serde_json::from_str(&found.stdout).unwrap();
        assert_eq!(printed["counts"]["rows"]["acknowledged"].to_string(), rows);
    }
    assert_eq!(sandbox.entries(), [""; 0]);
}

#[test]
fn the_default_folder_is_named_after_time_target_and_dataset() {
    let sandbox = Sandbox::new();
    let found = sandbox.run_with_plugins(&run(&["--progress", "none"]));
    found.succeeds();
    let folders: Vec<_> = std::fs::read_dir(sandbox.path("benchhost-results")).unwrap().collect();
    let name = folders[0].as_ref().unwrap().file_name().into_string().unwrap();
    assert_eq!(folders.len(), 1);
    assert!(name.ends_with("Z-null-cpu"), "{name}");
    assert!(!found.stdout.contains('\u{1b}'), "colours in a pipe: {}", found.stdout);
}

#[test]
fn plain_progress_tells_the_phases_on_stderr() {
    let found = Sandbox::new().run_with_plugins(&run(&["-o", "none"]));
    found.succeeds();
    for phase in ["prepare: ", "generate: 10,000 rows in ", "measure: 10,000 rows in "] {
        assert!(found.stderr.contains(phase), "{phase} is missing:\n{}", found.stderr);
    }
    let silent = Sandbox::new().run_with_plugins(&run(&["-o", "none", "--progress", "none"]));
    assert_eq!(silent.stderr, "");
}
