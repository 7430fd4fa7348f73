//! Default, file, environment, flag: the later one counts.

use serde_json::Value;

use crate::support::{Sandbox, outcome, plugins};

const FILE: &str = r#"
plugin = "null"
dataset = "cpu"
rows = "2k"
workers = 3
output = "none"
format = "json"

[param]
hosts = 7

[tag]
place = "file"
"#;

/// The result's document, from the file, these variables and these flags.
fn document(variables: &[(&str, &str)], flags: &[&str]) -> Value {
    let sandbox = Sandbox::new();
    let file = sandbox.file("run.toml", FILE);
    let mut words = vec!["run", "--config", &file];
    words.extend(flags);
    let mut command = sandbox.command(&words);
    let found = outcome(command.env("BENCHHOST_PLUGIN_PATH", plugins()).envs(variables.iter().copied()));
    found.succeeds();
    serde_json::from_str(&found.stdout).unwrap()
}

#[test]
fn a_file_gives_what_nothing_else_says() {
    let printed = document(&[], &[]);
    assert_eq!(printed["counts"]["rows"]["acknowledged"], 2000);
    assert_eq!(printed["dataset"]["settings"]["hosts"], "7");
    assert_eq!(printed["plan"]["workers"], serde_json::json!([3]));
    assert_eq!(printed["plan"]["tags"]["place"], "file");
}

#[test]
fn a_variable_goes_before_the_file_and_a_flag_before_the_variable() {
    let variables = [("BENCHHOST_WORKERS", "5"), ("BENCHHOST_PARAM", "hosts=8"), ("BENCHHOST_TAG", "who=me")];
    let printed = document(&variables, &[]);
    assert_eq!(printed["plan"]["workers"], serde_json::json!([5]));
    assert_eq!(printed["dataset"]["settings"]["hosts"], "8");
    assert_eq!(printed["plan"]["tags"]["place"], "file");
    assert_eq!(printed["plan"]["tags"]["who"], "me");
    let printed = document(&variables, &["-c", "2", "-P", "hosts=9"]);
    assert_eq!(printed["plan"]["workers"], serde_json::json!([2]));
    assert_eq!(printed["dataset"]["settings"]["hosts"], "9");
}

#[test]
fn a_secret_in_a_variable_that_the_target_has_no_use_for_is_left_alone() {
    document(&[("BENCHHOST_PASSWORD", "hunter2")], &[]);
}
