//! `bench`: the benchmarks behind the figures in the README.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};

use super::build;
use crate::steps::Steps;
use crate::workspace::{self, cargo};

/// Builds what the benchmarks load, then runs them; without arguments their program says which there are.
pub(crate) fn run(arguments: &[OsString]) -> Result<ExitCode> {
    let mut bench = cargo(["run", "--release", "--quiet", "-p", "benchhost-bench", "--"]);
    if !arguments.is_empty() {
        let built = build::build(&mut Steps::new(), "release")?;
        bench.env("BENCHHOST_BIN", built.program).env("BENCHHOST_PLUGIN_PATH", built.plugins);
    }
    if arguments.first().is_some_and(|name| name == "flight") {
        bench.env("BENCHHOST_OFFICIAL_CLIENT", official_client()?);
    }
    let status = bench.args(arguments).status().context("cannot run cargo")?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Builds the official GreptimeDB client, which is a project of its own: it takes two minutes the first time.
fn official_client() -> Result<PathBuf> {
    let folder = workspace::root().join("benches/official-client");
    let target = workspace::target().join("official-client");
    let mut build = cargo(["build", "--release", "--locked"]);
    build.current_dir(&folder).arg("--target-dir").arg(&target);
    let status = build.status().context("cannot run cargo")?;
    ensure!(status.success(), "the official client does not build: its project is {}", folder.display());
    Ok(target.join("release/official-client"))
}
