#![allow(clippy::unwrap_used, reason = "tests")]

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use super::interpret;
use crate::args::{self, ArgsError, Command, Invocation, RunArgs};
use crate::pairs::Pair;

/// What `run` makes of a file and flags.
fn run(file: &str, flags: &[&str]) -> Result<(RunArgs, Invocation), ArgsError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.toml");
    std::fs::write(&path, file).unwrap();
    let mut words: Vec<OsString> = vec!["benchhost".into(), "run".into(), "--config".into(), path.into()];
    words.extend(flags.iter().map(OsString::from));
    let mut invocation = args::parse(words)?;
    let placeholder = args::parse(["benchhost", "plugin", "list"].map(OsString::from)).unwrap().cli;
    match std::mem::replace(&mut invocation.cli, placeholder).command {
        Command::Run(run) => Ok((*run, invocation)),
        other => panic!("not a run: {other:?}"),
    }
}

/// The message about a file that cannot be used.
fn refused(file: &str) -> String {
    match run(file, &[]) {
        Err(ArgsError::File(failure)) => failure.chain().join(": "),
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn a_key_replaces_the_default_and_a_flag_replaces_the_key() {
    let file = "rows = \"10k\"\nworkers = 16\ntimeout = \"2s\"\ninsecure = true\nallow-net = [\"a:1\", \"b:2\"]\n";
    let (args, _) = run(file, &["-c", "4"]).unwrap();
    assert_eq!(args.rows, Some(10_000));
    assert_eq!(args.load.workers, [4]);
    assert_eq!(args.load.timeout, Duration::from_secs(2));
    assert_eq!(args.load.batch_rows, 1000);
    assert!(args.server.insecure);
    assert_eq!(args.server.allow_net, ["a:1", "b:2"]);
}

#[test]
fn tables_of_pairs_are_kept_apart_for_merging_by_name() {
    let file = "[param]\nhosts = 100\ngzip = true\n[param.target]\nprecision = \"s\"\n[tag]\nwhy = \"test\"\n";
    let (args, invocation) = run(file, &["-P", "hosts=7"]).unwrap();
    assert_eq!(args.params, [Pair::new("hosts", "7")]);
    let mut params = invocation.file.params;
    params.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(params, [Pair::new("gzip", "true"), Pair::new("hosts", "100"), Pair::new("target.precision", "s")]);
    assert_eq!(invocation.file.tags, [Pair::new("why", "test")]);
}

#[test]
fn a_key_that_is_no_flag_is_refused_with_the_nearest() {
    assert!(refused("batch_rows = 10").ends_with("unknown key `batch_rows`; did you mean `batch-rows`?"));
    assert!(refused("params = 10").ends_with("unknown key `params`; did you mean `param`?"));
    assert!(refused("config = \"other.toml\"").contains("unknown key `config`"));
}

#[test]
fn a_value_that_the_flag_would_not_take_is_refused_by_file_and_key() {
    let message = refused("rows = \"many\"");
    assert!(message.contains("run.toml: `rows`: `many` is not a count"), "{message}");
    let message = refused("existing = \"replace\"");
    assert!(message.contains("`existing`: `replace` is none of refuse, drop, append"), "{message}");
    assert!(refused("insecure = 1").ends_with("`insecure` must be true or false"));
    assert!(refused("allow-net = { a = 1 }").ends_with("`allow-net` must be a list of strings or numbers"));
    assert!(refused("workers = [[1]]").ends_with("`workers` must be a list of strings or numbers"));
    assert!(refused("rows = [1]").ends_with("`rows` must be a string or a number"));
    assert!(refused("rows = ").contains("run.toml is not TOML"));
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let words = ["benchhost", "run", "--config", "/no/such/run.toml"].map(OsString::from);
    match args::parse(words) {
        Err(ArgsError::File(failure)) => {
            assert_eq!(failure.chain()[0], "cannot read the configuration file /no/such/run.toml");
        }
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn keys_of_another_command_are_unknown_to_this_one() {
    let command = clap::Command::new("generate").arg(clap::Arg::new("rows").long("rows"));
    assert!(interpret(Path::new("f"), "workers = 3", &command).is_err());
    assert!(interpret(Path::new("f"), "rows = 3", &command).is_ok());
}
