//! Rust: cargo makes the component by itself.

use std::path::Path;

use serde_json::Value;

use super::tool::{Answer, Tool, needed};
use super::{BuildError, Job, read, write};

const TRIPLE: &str = "wasm32-wasip2";
const INSTALL_RUST: &str = "see https://rustup.rs";

pub(super) fn build(job: &Job) -> Result<(), BuildError> {
    let cargo = needed("cargo", "cargo, the build tool of Rust,", INSTALL_RUST)?;
    let rustc = needed("rustc", "rustc, the compiler of Rust,", INSTALL_RUST)?;
    let libraries = Tool::new(rustc, &job.folder).args(["--print", "target-libdir", "--target", TRIPLE]).ask()?;
    if !Path::new(libraries.text.trim()).is_dir() {
        let what = format!("Rust's target {TRIPLE}");
        return Err(BuildError::Missing { what, command: "rustup target add wasm32-wasip2" });
    }
    Tool::new(&cargo, &job.folder).args(["build", "--release", "--target", TRIPLE]).run()?;
    // Asked, because the author may have named another folder for builds, or another library.
    let metadata = Tool::new(&cargo, &job.folder).args(["metadata", "--format-version", "1", "--no-deps"]).ask()?;
    let (builds, library) = artifact(&metadata, &job.folder.join("Cargo.toml"))?;
    let made = Path::new(&builds).join(TRIPLE).join("release").join(format!("{library}.wasm"));
    write(&job.component, &read(&made)?)
}

/// The folder of builds, and the library's name as a file.
fn artifact(metadata: &Answer, manifest: &Path) -> Result<(String, String), BuildError> {
    let found: Value = serde_json::from_str(&metadata.text).map_err(|error| metadata.strange(error.to_string()))?;
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let package = list(&found, "packages")
        .into_iter()
        .find(|package| package["manifest_path"].as_str().is_some_and(|path| Path::new(path) == manifest))
        .ok_or_else(|| metadata.strange(format!("no package of {}", manifest.display())))?;
    let library = list(&package, "targets")
        .into_iter()
        .find(|target| list(target, "crate_types").iter().any(|kind| kind == "cdylib"))
        .and_then(|target| Some(target["name"].as_str()?.replace('-', "_")))
        .ok_or_else(|| BuildError::Source {
            path: manifest.to_owned(),
            reason: "no library becomes a component: it needs [lib] with crate-type = [\"cdylib\"]".to_owned(),
        })?;
    let builds = found["target_directory"].as_str().ok_or_else(|| metadata.strange("no `target_directory`"))?;
    Ok((builds.to_owned(), library))
}
