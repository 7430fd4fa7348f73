//! The official JavaScript reader of histogram logs, which the end-to-end tests hold against `latency.hlog`: a log that only its writer can
//! read proves little.
//!
//! The reader is the package `hdr-histogram-js`. npm fetches it, and the packages that it needs, once per machine into the user's cache
//! folder, in the versions and with the checksums of the lock file beside this module. Nothing of it runs while it is fetched.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, Result, ensure};

use crate::cache_folder;
use crate::servers::Install;
use crate::servers::cache::keep;
use crate::servers::tools::{Log, Tool};

/// The variable that tells the tests where the reader is. Without it they look into the cache folder.
pub const VARIABLE: &str = "BENCHHOST_HDR_HISTOGRAM_JS";

const PACKAGE: &str = "hdr-histogram-js";
const VERSION: &str = "3.0.1";
/// Raised whenever the lock file changes and the version does not.
const REVISION: u32 = 1;
const MANIFEST: &str = include_str!("log_reader/package.json");
const LOCK: &str = include_str!("log_reader/package-lock.json");

/// The reader, ready to be used.
#[derive(Clone, Debug)]
pub struct LogReader {
    folder: PathBuf,
    node: PathBuf,
}

impl LogReader {
    /// Makes sure that the reader is in the cache folder, fetching it when it is not. Safe to call from several processes at once.
    ///
    /// # Errors
    /// Node.js or npm is missing (the message names the Debian package), npm cannot fetch the package (the message ends with its last
    /// words and names its log), or the cache folder cannot be written.
    pub fn install() -> Result<(Self, Install)> {
        let node = Tool::Node.find()?;
        let what = format!("{PACKAGE} {VERSION}");
        let (folder, how) = keep(&root()?, &key(), &what, fetch)?;
        Ok((Self { folder, node }, how))
    }

    /// The reader where the [variable](VARIABLE) says that it is, or where [`install`](Self::install) puts it; none when nobody has
    /// fetched it.
    ///
    /// # Errors
    /// The variable names something else, Node.js is missing, or the user has no cache folder.
    pub fn installed() -> Result<Option<Self>> {
        let folder = match env::var_os(VARIABLE) {
            Some(folder) => {
                let folder = PathBuf::from(folder);
                let package = folder.join("node_modules").join(PACKAGE);
                ensure!(package.is_dir(), "{VARIABLE}: there is no {}", package.display());
                folder
            }
            None => root()?.join(key()),
        };
        if !folder.is_dir() {
            return Ok(None);
        }
        Ok(Some(Self { folder, node: Tool::Node.find()? }))
    }

    /// The folder whose `node_modules` has the reader.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A command that runs a script, whose first argument is the path of the reader's module.
    pub fn run(&self, script: &Path) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(script).arg(self.folder.join("node_modules").join(PACKAGE));
        command
    }
}

fn root() -> Result<PathBuf> {
    Ok(cache_folder()?.join("tools"))
}

fn key() -> String {
    format!("{PACKAGE}-{VERSION}-r{REVISION}")
}

/// Fetches the packages of the lock file into a sub-folder of `work`.
fn fetch(work: &Path, log: &mut Log) -> Result<PathBuf> {
    let folder = work.join("keep");
    fs::create_dir(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for (name, text) in [("package.json", MANIFEST), ("package-lock.json", LOCK)] {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let mut npm = Tool::Npm.command()?;
    npm.current_dir(&folder).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"]);
    log.run(&npm)?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn the_manifest_the_lock_and_the_folder_name_one_version() {
        assert!(MANIFEST.contains(&format!("\"{PACKAGE}\": \"{VERSION}\"")), "{MANIFEST}");
        let (_, locked) = LOCK.split_once(&format!("\"node_modules/{PACKAGE}\"")).unwrap();
        assert!(locked.trim_start_matches(": {").trim_start().starts_with(&format!("\"version\": \"{VERSION}\"")));
        assert!(key().contains(VERSION));
    }

    #[test]
    fn every_locked_package_has_a_version_and_a_checksum() {
        let packages = LOCK.matches("\"node_modules/").count();
        assert_eq!(packages, 4);
        assert_eq!(LOCK.matches("\"integrity\": \"sha512-").count(), packages);
    }
}
