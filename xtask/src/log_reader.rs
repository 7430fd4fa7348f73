//! The official JavaScript reader of histogram logs, which the end-to-end tests hold against `latency.hlog`: a log that only its writer can
//! read proves little.
//!
//! The reader is the package `hdr-histogram-js`. npm fetches it, and the packages that it needs, once per machine into the user's cache
//! folder, in the versions and with the checksums of the lock file beside this module. Nothing of it runs while it is fetched.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::npm::NpmPackages;
use crate::servers::Install;
use crate::servers::tools::Tool;

/// The variable that tells the tests where the reader is. Without it they look into the cache folder.
pub const VARIABLE: &str = "BENCHHOST_HDR_HISTOGRAM_JS";

const PACKAGE: &str = "hdr-histogram-js";
const PACKAGES: NpmPackages = NpmPackages {
    name: PACKAGE,
    manifest: include_str!("log_reader/package.json"),
    lock: include_str!("log_reader/package-lock.json"),
};

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
        let (folder, how) = PACKAGES.install()?;
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
                Some(folder)
            }
            None => PACKAGES.installed()?,
        };
        let Some(folder) = folder else { return Ok(None) };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifest_and_lock_name_one_version_and_checksums() {
        PACKAGES.check(&[(PACKAGE, "3.0.1")]);
    }
}
