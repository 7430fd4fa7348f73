//! Where things are in this repository, and cargo called the way every command calls it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, Result, bail};

/// The compilation target of plugins.
pub(crate) const PLUGIN_TARGET: &str = "wasm32-wasip2";
/// The cargo profile of plugins.
pub(crate) const PLUGIN_PROFILE: &str = "plugin";

/// The folder of the repository.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable when it runs this program; the compiled-in path is for a program that is called directly.
    let own =
        env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    own.parent().map_or_else(|| own.clone(), Path::to_owned)
}

/// The folder that cargo builds into.
pub(crate) fn target() -> PathBuf {
    let chosen = env::var_os("CARGO_TARGET_DIR").filter(|path| !path.is_empty());
    chosen.map_or_else(|| root().join("target"), |path| root().join(path))
}

/// A cargo command in the repository, as if typed by hand: without the variables that `cargo xtask` itself left behind.
pub(crate) fn cargo<S: Into<OsString>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"].iter().any(|prefix| text.starts_with(prefix))
        {
            command.env_remove(name);
        }
    }
    command.current_dir(root()).args(arguments.into_iter().map(Into::into));
    command
}

/// A plugin crate of this repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PluginCrate {
    /// The cargo package, such as `benchhost-influx`.
    pub(crate) package: String,
    /// The library, which names the file: `influx` for `influx.wasm`.
    pub(crate) library: String,
}

/// All plugin crates, in the order of their folders.
pub(crate) fn plugins() -> Result<Vec<PluginCrate>> {
    component_crates(&["plugins/targets", "plugins/generators"])
}

/// The plugins that misbehave, for tests of the sandbox; nobody else should find them.
pub(crate) fn guests() -> Result<Vec<PluginCrate>> {
    component_crates(&["tests/guests"])
}

fn component_crates(folders: &[&str]) -> Result<Vec<PluginCrate>> {
    let mut crates = Vec::new();
    for folder in folders {
        for manifest in manifests_below(&root().join(folder))? {
            crates.push(names(&manifest)?);
        }
    }
    if crates.is_empty() {
        bail!("there is no plugin below {}", folders.join(" and "));
    }
    Ok(crates)
}

/// The packages of the host, which are built and tested by one cargo call of their own. Cargo joins the features that all packages of a
/// call ask of a dependency: called together with the plugins, or one by one, the engine would be compiled more than once.
pub(crate) fn host() -> Result<Vec<PluginCrate>> {
    let mut manifests = manifests_below(&root().join("host"))?;
    manifests.push(root().join("benches").join("Cargo.toml"));
    manifests.iter().map(|manifest| names(manifest)).collect()
}

fn manifests_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut manifests = Vec::new();
    for entry in entries {
        let manifest = entry?.path().join("Cargo.toml");
        if manifest.is_file() {
            manifests.push(manifest);
        }
    }
    manifests.sort();
    Ok(manifests)
}

fn names(manifest: &Path) -> Result<PluginCrate> {
    let text = fs::read_to_string(manifest).with_context(|| format!("cannot read {}", manifest.display()))?;
    plugin_crate(&text).with_context(|| format!("{} names no package", manifest.display()))
}

/// The two names in a manifest. These manifests are ours and plainly written; a TOML parser would be most of this crate.
fn plugin_crate(manifest: &str) -> Option<PluginCrate> {
    let mut section = "";
    let (mut package, mut library) = (None, None);
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if let Some((key, value)) = line.split_once('=')
            && key.trim() == "name"
        {
            let value = value.trim().trim_matches('"').to_owned();
            match section {
                "[package]" => package = Some(value),
                "[lib]" => library = Some(value),
                _ => {}
            }
        }
    }
    let package = package?;
    let library = library.unwrap_or_else(|| package.replace('-', "_"));
    Some(PluginCrate { package, library })
}

/// `-p NAME` for every plugin.
pub(crate) fn package_flags(plugins: &[PluginCrate]) -> Vec<String> {
    plugins.iter().flat_map(|plugin| ["-p".to_owned(), plugin.package.clone()]).collect()
}

/// Adds the compilation target of plugins to the Rust toolchain when it lacks it.
pub(crate) fn ensure_plugin_target() -> Result<()> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).current_dir(root()).output();
    let output = output.context("cannot run rustc: install Rust with rustup")?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    if sysroot.join("lib/rustlib").join(PLUGIN_TARGET).is_dir() {
        return Ok(());
    }
    let status = Command::new("rustup").args(["target", "add", PLUGIN_TARGET]).current_dir(root()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        _ => bail!(
            "{} has no {PLUGIN_TARGET} standard library, and `rustup target add {PLUGIN_TARGET}` did not get it",
            sysroot.display()
        ),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_library_is_named_by_its_section_or_else_after_its_package() {
        let both =
            "[package]\nname = \"benchhost-influx\"\n[dependencies.x]\nname = \"no\"\n[lib]\nname = \"influx\"\n";
        assert_eq!(
            plugin_crate(both),
            Some(PluginCrate { package: "benchhost-influx".into(), library: "influx".into() })
        );
        let one = "[package]\n  name=\"my-target\"\n";
        assert_eq!(plugin_crate(one), Some(PluginCrate { package: "my-target".into(), library: "my_target".into() }));
        assert_eq!(plugin_crate("[lib]\nname = \"x\""), None);
    }

    #[test]
    fn the_plugins_of_this_repository_are_found() {
        let libraries: Vec<_> = plugins().unwrap().into_iter().map(|plugin| plugin.library).collect();
        for name in ["influx", "null", "questdb", "victoriametrics", "cpu"] {
            assert!(libraries.iter().any(|library| library == name), "{name} is not in {libraries:?}");
        }
    }
}
