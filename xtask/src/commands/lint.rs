//! `lint`: what a reviewer should not have to look for.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};

use super::build::for_plugins;
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
    let deny = install_deny(steps)?;
    let mut check = Command::new(deny);
    steps.run(
        "licences and sources",
        check.args(["check", "bans", "licenses", "sources"]).current_dir(workspace::root()),
    )
}

/// Gets cargo-deny once per machine; where it is.
fn install_deny(steps: &mut Steps) -> Result<PathBuf> {
    let root = xtask::cache_folder()?.join("tools").join(format!("cargo-deny-{DENY}"));
    let program = root.join("bin").join("cargo-deny");
    if !program.is_file() {
        // Not optimised: it takes 90 s of CPU time instead of 290, and each check 2 s instead of 1.
        let mut install = cargo(["install", "--locked", "--debug", "--root"]);
        install.env("CARGO_PROFILE_DEV_DEBUG", "0");
        install.arg(&root).arg("--target-dir").arg(root.join("build")).arg(format!("cargo-deny@{DENY}"));
        steps.run("get cargo-deny", &mut install)?;
        let build = root.join("build");
        fs::remove_dir_all(&build).with_context(|| format!("cannot remove {}", build.display()))?;
    }
    Ok(program)
}
