//! `bench`: the benchmarks behind the figures in the README.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Context as _, Result};

use super::build;
use crate::steps::Steps;
use crate::workspace::cargo;

/// Builds what the benchmarks load, then runs them; without arguments their program says which there are.
pub(crate) fn run(arguments: &[OsString]) -> Result<ExitCode> {
    let mut bench = cargo(["run", "--release", "--quiet", "-p", "benchhost-bench", "--"]);
    if !arguments.is_empty() {
        let built = build::build(&mut Steps::new(), "release")?;
        bench.env("BENCHHOST_BIN", built.program).env("BENCHHOST_PLUGIN_PATH", built.plugins);
    }
    let status = bench.args(arguments).status().context("cannot run cargo")?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
