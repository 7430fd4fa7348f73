//! `lint`: what a reviewer should not have to look for.

use std::process::{Command, ExitCode};

use anyhow::Result;

use super::build::for_plugins;
use crate::cargo_tools;
use crate::steps::Steps;
use crate::workspace::{self, cargo};

/// The version of cargo-deny that `deny.toml` is written for.
const DENY: &str = "0.20.2";

pub(crate) fn run() -> Result<ExitCode> {
    let mut steps = Steps::new();
    lint(&mut steps)?;
    eprint!("{}", steps.table());
    Ok(ExitCode::SUCCESS)
}

/// The steps of this command, which `test` begins with.
pub(crate) fn lint(steps: &mut Steps) -> Result<()> {
    steps.run("format", &mut cargo(["fmt", "--all", "--check"]))?;
    // In the release profile, so that build scripts and macros are compiled once for this and for the tests.
    let mut host = cargo(["clippy", "--workspace", "--all-targets", "--release", "--", "-D", "warnings"]);
    steps.run("clippy", &mut host)?;
    workspace::ensure_plugin_target()?;
    let mut plugins = for_plugins("clippy", &[workspace::plugins()?, workspace::guests()?].concat());
    steps.run("clippy for plugins", plugins.args(["--", "-D", "warnings"]))?;
    let mut doc = cargo(["doc", "--workspace", "--no-deps", "--release"]);
    steps.run("documentation", doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    licences(steps)
}

/// Licences, sources and bans of everything that we depend on.
fn licences(steps: &mut Steps) -> Result<()> {
    let deny = cargo_tools::install(steps, "cargo-deny", DENY)?;
    let mut check = Command::new(deny);
    steps.run(
        "licences and sources",
        check.args(["check", "bans", "licenses", "sources"]).current_dir(workspace::root()),
    )
}
