//! `demo`: from a fresh checkout to a verified report, with a real InfluxDB.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use xtask::servers::{Options, Server};

use super::{build, servers};
use crate::arguments::DEMO_RUN;
use crate::steps::{Steps, show};
use crate::workspace;

/// What `demo` runs unless told otherwise: each flag with its value. The user's own flag of the same name takes its place.
const FLAGS: [(&[&str], &str); 6] = [
    (&["--database"], "bench"),
    (&["--dataset"], "cpu"),
    (&["-P", "--param"], "hosts=100"),
    (&["--rows"], "1m"),
    (&["--batch-rows"], "1000"),
    (&["-c", "--workers"], "8"),
];

/// Gets the server and builds, then turns into the second half.
pub(crate) fn run(extra: &[OsString]) -> Result<ExitCode> {
    let mut steps = Steps::new();
    let again = format!("cargo xtask servers {}", Server::Influx1.name());
    steps.work("get InfluxDB", &again, || servers::get(&[Server::Influx1], &mut std::io::stderr()))?;
    build::build(&mut steps, "release")?;
    // From here on Ctrl-C is for the benchmark alone: it drains and writes what it has, and this program has to keep the server up for
    // that. A shell can turn the signal off for the program that it becomes, and `benchhost` turns it on again for itself.
    let this = env::current_exe().context("cannot tell where this program is")?;
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' INT; exec \"$@\"", "sh"]).arg(this).arg(DEMO_RUN).args(extra);
    Err(shell.exec()).context("cannot run sh")
}

/// Starts the server, runs the benchmark against it and stops it. Its exit code is that of the benchmark.
pub(crate) fn measure(extra: &[OsString]) -> Result<ExitCode> {
    let installed = Server::Influx1.install()?;
    let running = installed.start(&Options::default())?;
    eprintln!("{} runs at {}, process {}", running.server(), running.endpoint(), running.pid());
    let folder = workspace::root().join("benchhost-results").join(format!("demo-{}", seconds_since_1970()));
    let mut benchmark = Command::new(workspace::target().join("release/benchhost"));
    benchmark.args(arguments(running.endpoint(), running.pid(), &folder, extra));
    eprintln!("{}\n", show(&benchmark));
    let status =
        benchmark.status().with_context(|| format!("cannot run {}", Path::new(benchmark.get_program()).display()))?;
    running.stop()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

fn arguments(endpoint: &str, server: u32, folder: &Path, extra: &[OsString]) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = ["run", "--plugin", "influx", "--endpoint", endpoint].map(OsString::from).into();
    for (names, value) in FLAGS {
        if !given(extra, names) {
            arguments.extend([names[0], value].map(OsString::from));
        }
    }
    if !given(extra, &["--observe"]) {
        arguments.extend(["--observe".into(), format!("pid:{server}").into()]);
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
        let words = arguments("http://127.0.0.1:1", 7, Path::new("/r"), &extra);
        words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_demo_runs_the_command_of_the_readme() {
        assert_eq!(
            line(&[]),
            "run --plugin influx --endpoint http://127.0.0.1:1 --database bench --dataset cpu -P hosts=100 --rows 1m \
             --batch-rows 1000 -c 8 --observe pid:7 -o /r"
        );
    }

    #[test]
    fn own_flags_take_the_place_of_the_demos() {
        assert_eq!(
            line(&["--rows=5k", "-c2", "--output", "/x", "-P", "hosts=3"]),
            "run --plugin influx --endpoint http://127.0.0.1:1 --database bench --dataset cpu --batch-rows 1000 \
             --observe pid:7 --rows=5k -c2 --output /x -P hosts=3"
        );
        assert!(line(&["--rows-per-file", "5"]).contains("--rows 1m"));
    }
}
