//! `build`: the program, and beside it the folder `plugins` with every plugin of this repository, where the program looks for them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};

use crate::steps::Steps;
use crate::workspace::{self, PLUGIN_PROFILE, PLUGIN_TARGET, PluginCrate, cargo};

/// What was built.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) program: PathBuf,
    pub(crate) plugins: PathBuf,
}

pub(crate) fn run(dist: bool) -> Result<ExitCode> {
    let mut steps = Steps::new();
    let built = build(&mut steps, if dist { "dist" } else { "release" })?;
    eprint!("{}", steps.table());
    println!("{}\n{}", built.program.display(), built.plugins.display());
    Ok(ExitCode::SUCCESS)
}

/// Builds the program with a profile, and the plugins with theirs.
pub(crate) fn build(steps: &mut Steps, profile: &str) -> Result<Built> {
    let mut command = cargo(["build", "--bins", "--profile", profile]);
    build_with(steps, profile, command.args(workspace::package_flags(&workspace::host()?)), &[])
}

/// The same, by another command that builds the program with that profile, and with `guests` beside the plugins.
pub(crate) fn build_with(
    steps: &mut Steps,
    profile: &str,
    command: &mut Command,
    guests: &[PluginCrate],
) -> Result<Built> {
    steps.run("build the program", command)?;
    let plugins = workspace::plugins()?;
    workspace::ensure_plugin_target()?;
    // One call for all of them: they share their dependencies.
    steps.run("build the plugins", &mut for_plugins("build", &[&plugins, guests].concat()))?;
    let folder = workspace::target().join(profile);
    copy_plugins(&plugins, &folder.join("plugins"))?;
    Ok(Built { program: folder.join("benchhost"), plugins: folder.join("plugins") })
}

/// A cargo command for all plugins at once, as components.
pub(crate) fn for_plugins(command: &str, plugins: &[PluginCrate]) -> Command {
    let mut cargo = cargo([command, "--profile", PLUGIN_PROFILE, "--target", PLUGIN_TARGET]);
    cargo.args(workspace::package_flags(plugins));
    cargo
}

/// Puts the components into `folder`, and nothing else: a plugin that was renamed must not be found under its old name.
fn copy_plugins(plugins: &[PluginCrate], folder: &Path) -> Result<()> {
    let made = workspace::target().join(PLUGIN_TARGET).join(PLUGIN_PROFILE);
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for plugin in plugins {
        let file = format!("{}.wasm", plugin.library);
        let (from, to) = (made.join(&file), folder.join(&file));
        fs::copy(&from, &to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    }
    Ok(())
}
