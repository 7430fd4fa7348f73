#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use super::Suite;

const SUITE: &str = r#"
name = "demo"
about = "two of a kind"
runs = 5

[defaults]
plugin = "null"
dataset = "cpu"
rows = "10k"
workers = 4
[defaults.param]
hosts = 7
format = "none"
[defaults.tag]
place = "here"

[[run]]
name = "plain"

[[run]]
name = "text"
about = "line protocol"
rows = 500
[run.param]
format = "line-protocol"
[run.param.target]
x = 1
"#;

fn suite(text: &str) -> Suite {
    Suite::interpret(Path::new("s.toml"), text).unwrap()
}

/// The message about a file that is no suite.
#[track_caller]
fn refused(text: &str) -> String {
    Suite::interpret(Path::new("s.toml"), text).unwrap_err().chain().join(": ")
}

/// A suite of one run with these lines.
fn with_run(lines: &str) -> String {
    format!("name = \"s\"\n[defaults]\nplugin = \"null\"\ndataset = \"cpu\"\n[[run]]\n{lines}\n")
}

#[test]
fn a_run_replaces_keys_of_the_defaults_and_merges_pairs_by_name() {
    let suite = suite(SUITE);
    assert_eq!((suite.name.as_str(), suite.runs, suite.entries.len()), ("demo", 5, 2));
    assert_eq!(suite.about.as_deref(), Some("two of a kind"));
    let plain = r#"
        plugin = "null"
        dataset = "cpu"
        rows = "10k"
        workers = 4
        existing = "drop"
        param = { hosts = "7", format = "none" }
        tag = { place = "here" }
    "#;
    assert_eq!(suite.entries[0].config, plain.parse().unwrap());
    let text = r#"
        plugin = "null"
        dataset = "cpu"
        rows = 500
        workers = 4
        existing = "drop"
        param = { hosts = "7", format = "line-protocol", "target.x" = "1" }
        tag = { place = "here" }
    "#;
    assert_eq!(suite.entries[1].config, text.parse().unwrap());
    assert_eq!(suite.entries[1].about.as_deref(), Some("line protocol"));
}

#[test]
fn what_a_run_gets_can_be_read_back() {
    let config = &suite(SUITE).entries[1].config;
    assert_eq!(config.to_string().parse::<toml::Table>().unwrap(), *config);
}

#[test]
fn tables_are_dropped_unless_the_file_says_otherwise() {
    assert_eq!(
        suite(&with_run("name = \"a\"\nexisting = \"refuse\"")).entries[0].config["existing"].as_str(),
        Some("refuse")
    );
    assert_eq!(suite(&with_run("name = \"a\"")).entries[0].config["existing"].as_str(), Some("drop"));
}

#[test]
fn three_repetitions_are_usual() {
    assert_eq!(suite(&with_run("name = \"a\"")).runs, 3);
}

#[test]
fn an_unknown_key_is_refused_with_the_nearest_and_the_run() {
    assert_eq!(refused("nmae = \"x\""), "s.toml: unknown key `nmae`; did you mean `name`?");
    assert_eq!(refused("rows = 3"), "s.toml: unknown key `rows`; keys of runs belong to [defaults] or to a [[run]]");
    assert_eq!(
        refused(&with_run("name = \"a\"\nbatch_rows = 10")),
        "in the run `a`: s.toml: unknown key `batch_rows`; did you mean `batch-rows`?"
    );
    assert_eq!(
        refused("name = \"s\"\n[defaults]\nwrokers = 3\n[[run]]\nname = \"a\""),
        "in [defaults]: s.toml: unknown key `wrokers`; did you mean `workers`?"
    );
}

#[test]
fn a_value_that_the_flag_would_not_take_is_refused() {
    assert_eq!(
        refused(&with_run("name = \"a\"\nrows = \"many\"")),
        "in the run `a`: s.toml: `rows`: `many` is not a count: write 250, 1_000_000, 10k, 1.5m or 2g"
    );
    for runs in ["0", "-1", "\"3\"", "1.5"] {
        let message = refused(&format!("name = \"s\"\nruns = {runs}\n"));
        assert_eq!(message, "s.toml: `runs` must be a number of repetitions, at least 1");
    }
    assert!(refused("name = ").contains("s.toml is not TOML"));
}

#[test]
fn what_the_runner_sets_is_refused() {
    for key in ["output = \"x\"", "format = \"json\"", "progress = \"none\"", "verbose = true"] {
        let message = refused(&with_run(&format!("name = \"a\"\n{key}")));
        assert!(message.contains("belongs to the command line of `benchhost suite run`"), "{message}");
    }
    assert!(refused(&with_run("name = \"a\"\nconfig = \"x\"")).contains("unknown key `config`"));
}

#[test]
fn names_are_needed_differ_and_make_good_folders() {
    assert_eq!(refused(&with_run("rows = 1")), "s.toml: `run[0].name` must be a name");
    assert_eq!(refused("[[run]]\nname = \"a\""), "s.toml: `name` must be a name");
    for name in ["", "..", "a/b", "a b", "-a", "\u{e9}", &"x".repeat(65)] {
        let message = refused(&with_run(&format!("name = \"{name}\"")));
        assert!(message.contains("cannot be a name"), "{message}");
    }
    let twice = with_run("name = \"a\"\n[[run]]\nname = \"a\"");
    assert_eq!(refused(&twice), "s.toml: two runs are named `a`; rename one");
}

#[test]
fn a_suite_has_runs_and_a_run_has_plugins() {
    for text in ["name = \"s\"", "name = \"s\"\nrun = []", "name = \"s\"\nrun = 3", "name = \"s\"\nrun = [1]"] {
        assert_eq!(refused(text), "s.toml: `run` must be one table or more: [[run]]");
    }
    assert_eq!(
        refused("name = \"s\"\n[[run]]\nname = \"a\"\nplugin = \"null\""),
        "s.toml: the run `a` has no `dataset`; set it there or in [defaults]"
    );
    assert_eq!(refused("name = \"s\"\ndefaults = 3"), "s.toml: `defaults` must be a table: [defaults]");
}
