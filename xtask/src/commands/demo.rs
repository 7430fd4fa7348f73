//! `demo`: from a fresh checkout to a verified report, on the embedded reference server.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};

use super::build;
use crate::steps::{Steps, show};
use crate::workspace;

/// What `demo` runs unless told otherwise: each flag with its value. The user's own flag of the same name takes its place.
const FLAGS: [(&[&str], &str); 6] = [
    (&["--plugin"], "greptime"),
    (&["--dataset"], "cpu"),
    (&["-P", "--param"], "hosts=100"),
    (&["--rows"], "10m"),
    (&["--batch-rows"], "1000"),
    (&["-c", "--workers"], "8"),
];

/// Builds, then turns into the benchmark: Ctrl-C and the exit code are its own.
pub(crate) fn run(extra: &[OsString]) -> Result<ExitCode> {
    let built = build::build(&mut Steps::new(), "release")?;
    let folder = workspace::root().join("benchhost-results").join(format!("demo-{}", seconds_since_1970()));
    let mut benchmark = Command::new(built.program);
    benchmark.args(arguments(&folder, extra));
    eprintln!("{}\n", show(&benchmark));
    Err(benchmark.exec()).with_context(|| format!("cannot run {}", Path::new(benchmark.get_program()).display()))
}

fn arguments(folder: &Path, extra: &[OsString]) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["run".into()];
    for (names, value) in FLAGS {
        if !given(extra, names) {
            arguments.extend([names[0], value].map(OsString::from));
        }
    }
    if !given(extra, &["-o", "--output"]) {
        arguments.extend(["-o".into(), folder.into()]);
    }
    arguments.extend(extra.iter().cloned());
    arguments
}

/// Whether one of these flags is there, in any of the forms `--rows 5`, `--rows=5`, `-c 5` and `-c5`.
fn given(words: &[OsString], names: &[&str]) -> bool {
    words.iter().map(|word| word.to_string_lossy()).any(|word| {
        names.iter().any(|name| match word.strip_prefix(name) {
            Some(rest) => rest.is_empty() || rest.starts_with('=') || !name.starts_with("--"),
            None => false,
        })
    })
}

fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(extra: &[&str]) -> String {
        let extra: Vec<_> = extra.iter().map(OsString::from).collect();
        let words = arguments(Path::new("/r"), &extra);
        words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_demo_runs_the_command_of_the_readme() {
        assert_eq!(
            line(&[]),
            "run --plugin greptime --dataset cpu -P hosts=100 --rows 10m --batch-rows 1000 -c 8 -o /r"
        );
    }

    #[test]
    fn own_flags_take_the_place_of_the_demos() {
        assert_eq!(
            line(&["--rows=5k", "-c2", "--output", "/x", "-P", "hosts=3"]),
            "run --plugin greptime --dataset cpu --batch-rows 1000 --rows=5k -c2 --output /x -P hosts=3"
        );
        assert!(line(&["--batch-rows-per-file", "5"]).contains("--batch-rows 1000"));
    }
}
