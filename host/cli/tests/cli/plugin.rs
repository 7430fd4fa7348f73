//! `benchhost plugin`, help and version.

use serde_json::Value;

use crate::support::{Sandbox, outcome};

#[test]
fn a_plugin_is_inspected_as_text_and_json() {
    let sandbox = Sandbox::new();
    let found = sandbox.run_with_plugins(&["plugin", "inspect", "influx"]);
    found.succeeds();
    assert!(found.stdout.contains("endpoint (--endpoint): string"), "{}", found.stdout);
    let found = sandbox.run_with_plugins(&["plugin", "inspect", "cpu", "--format", "json"]);
    found.succeeds();
    let sheet: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!((&sheet["name"], &sheet["role"]), (&"cpu".into(), &"dataset".into()));
    assert_eq!(sheet["contract_version"], "0.1.0");
    assert!(sheet["settings"].as_array().unwrap().iter().any(|setting| setting["name"] == "hosts"));
}

#[test]
fn all_plugins_are_listed_with_their_roles() {
    let found = Sandbox::new().run_with_plugins(&["plugin", "list", "--format", "json"]);
    found.succeeds();
    let list: Value = serde_json::from_str(&found.stdout).unwrap();
    let role =
        |name: &str| list.as_array().unwrap().iter().find(|entry| entry["name"] == name).unwrap()["role"].clone();
    assert_eq!(role("influx"), "target");
    assert_eq!(role("null"), "target");
    assert_eq!(role("cpu"), "dataset");
}

#[test]
fn a_broken_plugin_is_listed_with_its_error() {
    let sandbox = Sandbox::new();
    sandbox.file("broken.wasm", "just some text");
    let mut command = sandbox.command(&["plugin", "list"]);
    let found = outcome(command.env("BENCHHOST_PLUGIN_PATH", sandbox.path("")));
    found.succeeds();
    assert!(found.stdout.contains("broken") && found.stdout.contains("is not WebAssembly"), "{}", found.stdout);
}

#[test]
fn help_and_version_go_to_stdout() {
    let sandbox = Sandbox::new();
    let found = sandbox.run(&["--version"]);
    found.succeeds();
    assert_eq!(found.stdout, format!("benchhost {}\n", env!("CARGO_PKG_VERSION")));
    let found = sandbox.run(&["run", "--help"]);
    found.succeeds();
    assert!(found.stdout.contains("--batch-rows") && found.stderr.is_empty());
    let found = sandbox.run(&[]);
    assert_eq!(found.code, Some(2));
    assert!(found.stderr.contains("Usage: benchhost <COMMAND>"), "{}", found.stderr);
}
