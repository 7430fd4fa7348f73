//! `benchhost generate`, as a user meets it.

use crate::support::Sandbox;

fn generate<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["generate", "--dataset", "cpu", "-P", "hosts=10", "--progress", "none"];
    words.extend(more);
    words
}

/// The word after `fingerprint` on stderr.
fn fingerprint(stderr: &str) -> String {
    let (_, rest) = stderr.split_once("fingerprint ").unwrap();
    rest.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn stdout_holds_the_rows_and_nothing_else() {
    let found = Sandbox::new().run_with_plugins(&generate(&["--rows", "25", "--as", "line-protocol", "-o", "-"]));
    found.succeeds();
    assert_eq!(found.stdout.lines().count(), 25);
    assert!(found.stdout.lines().all(|line| line.starts_with("cpu,")), "{}", found.stdout);
    assert!(found.stderr.starts_with("25 rows, "), "{}", found.stderr);
}

#[test]
fn every_format_makes_a_file_of_the_same_rows() {
    let sandbox = Sandbox::new();
    let mut prints = Vec::new();
    for format in ["line-protocol", "csv", "jsonl", "arrow", "parquet"] {
        let found = sandbox.run_with_plugins(&generate(&["--rows", "1k", "--as", format, "-o", format]));
        found.succeeds();
        assert_eq!(found.stdout, "");
        assert!(std::fs::metadata(sandbox.path(format)).unwrap().len() > 0);
        prints.push(fingerprint(&found.stderr));
    }
    prints.dedup();
    assert_eq!(prints.len(), 1, "{prints:?}");
}

#[test]
fn the_seed_decides_the_rows() {
    let sandbox = Sandbox::new();
    let of = |seed| {
        fingerprint(
            &sandbox.run_with_plugins(&generate(&["--rows", "100", "--as", "csv", "-o", "-", "--seed", seed])).stderr,
        )
    };
    assert_eq!(of("1"), of("1"));
    assert_ne!(of("1"), of("2"));
}

#[test]
fn a_file_that_is_there_stays_unless_it_is_forced() {
    let sandbox = Sandbox::new();
    sandbox.file("rows.csv", "mine");
    let words = generate(&["--rows", "10", "--as", "csv", "-o", "rows.csv"]);
    sandbox.run_with_plugins(&words).fails(2, "error: rows.csv exists: give another name, or --force to replace it\n");
    assert_eq!(std::fs::read_to_string(sandbox.path("rows.csv")).unwrap(), "mine");
    let words = generate(&["--rows", "10", "--as", "csv", "-o", "rows.csv", "--force"]);
    sandbox.run_with_plugins(&words).succeeds();
    assert_ne!(std::fs::read_to_string(sandbox.path("rows.csv")).unwrap(), "mine");
    assert_eq!(sandbox.entries(), ["rows.csv"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let sandbox = Sandbox::new();
    let words = generate(&["--rows", "200k", "--as", "csv", "-o", "-"]);
    let mut command = sandbox.command(&words);
    command.env("BENCHHOST_PLUGIN_PATH", crate::support::plugins());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn precision_applies_to_line_protocol_only() {
    let sandbox = Sandbox::new();
    let found =
        sandbox.run_with_plugins(&generate(&["--rows", "1", "--as", "line-protocol", "--precision", "s", "-o", "-"]));
    found.succeeds();
    let seconds = found.stdout.trim().rsplit(' ').next().unwrap();
    assert_eq!(seconds.len(), 10, "{}", found.stdout);
    let words = generate(&["--rows", "1", "--as", "csv", "--precision", "s", "-o", "-"]);
    sandbox.run_with_plugins(&words).fails(2, "error: --precision applies to line protocol only, not to csv\n");
}

#[test]
fn what_is_missing_is_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.run(&["generate", "--dataset", "cpu", "-o", "-"]).fails(2, "error: no format is given: choose one by --as");
    sandbox
        .run(&["generate", "--dataset", "cpu", "--as", "csv"])
        .fails(2, "error: no file is given: name one by -o FILE");
    sandbox.run(&["generate", "--as", "csv", "-o", "-"]).fails(2, "error: no dataset is given: name one by --dataset");
}
