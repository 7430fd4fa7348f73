//! Tools of cargo that a command needs: installed once per machine into the user's cache folder, by version.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::steps::Steps;
use crate::workspace::cargo;

/// Gets the tool when it is not there; where its program is.
pub(crate) fn install(steps: &mut Steps, name: &str, version: &str) -> Result<PathBuf> {
    let root = xtask::cache_folder()?.join("tools").join(format!("{name}-{version}"));
    let program = root.join("bin").join(name);
    if !program.is_file() {
        // Not optimised: cargo-deny takes 90 s of CPU time instead of 290, and each check 2 s instead of 1.
        let mut install = cargo(["install", "--locked", "--debug", "--root"]);
        install.env("CARGO_PROFILE_DEV_DEBUG", "0");
        install.arg(&root).arg("--target-dir").arg(root.join("build")).arg(format!("{name}@{version}"));
        steps.run(&format!("get {name}"), &mut install)?;
        let build = root.join("build");
        fs::remove_dir_all(&build).with_context(|| format!("cannot remove {}", build.display()))?;
    }
    Ok(program)
}
