//! The official clients of the databases, which the end-to-end tests hold against the reference server: what they write must read back equal.
//!
//! Python: `greptimedb-ingester`, `influxdb-client` (v2), `influxdb3-python` and the OTLP exporters. JavaScript: `@influxdata/influxdb-client`
//! (v2) and `@influxdata/influxdb3-client`. The same Python environment runs the independent decoder.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::npm::NpmPackages;
use crate::python::PythonPackages;
use crate::servers::Install;
use crate::servers::tools::Tool;

const PYTHON: PythonPackages =
    PythonPackages { name: "python-clients", requirements: include_str!("clients/requirements.txt") };
const NPM: NpmPackages = NpmPackages {
    name: "npm-clients",
    manifest: include_str!("clients/package.json"),
    lock: include_str!("clients/package-lock.json"),
};

/// The official clients, ready to be used.
#[derive(Clone, Debug)]
pub struct Clients {
    python: PathBuf,
    node: PathBuf,
    modules: PathBuf,
}

impl Clients {
    /// Makes sure that the clients of both languages are in the cache folder, fetching those that are not, and tells how each came there. Safe to call
    /// from several processes at once.
    ///
    /// # Errors
    /// Python, its `venv`, Node.js or npm is missing (the message names the Debian package), a package cannot be fetched (the message ends with the
    /// tool's last words and names its log), or the cache folder cannot be written.
    pub fn install() -> Result<(Self, [(&'static str, Install); 2])> {
        let node = Tool::Node.find()?;
        let (python, by_pip) = PYTHON.install()?;
        let (folder, by_npm) = NPM.install()?;
        let clients = Self { python, node, modules: folder.join("node_modules") };
        Ok((clients, [(PYTHON.name, by_pip), (NPM.name, by_npm)]))
    }

    /// The clients where [`install`](Self::install) puts them; none when nobody has fetched all of them.
    ///
    /// # Errors
    /// Python or Node.js is missing, or the user has no cache folder.
    pub fn installed() -> Result<Option<Self>> {
        let (Some(python), Some(folder)) = (PYTHON.installed()?, NPM.installed()?) else { return Ok(None) };
        Ok(Some(Self { python, node: Tool::Node.find()?, modules: folder.join("node_modules") }))
    }

    /// A command that runs a Python script with the clients at hand, and with nothing of what the user has set or installed for Python.
    pub fn python(&self, script: &Path) -> Command {
        let mut command = Command::new(&self.python);
        // -E, -s: no variables, no packages of the user. -B: nothing is written beside the script.
        command.args(["-E", "-s", "-B"]).arg(script);
        command
    }

    /// A command that runs a JavaScript module, whose first argument is the folder with the clients.
    pub fn node(&self, script: &Path) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(script).arg(&self.modules);
        command
    }

    /// The environment's Python.
    pub fn python_path(&self) -> &Path {
        &self.python
    }

    /// The folder `node_modules`.
    pub fn modules(&self) -> &Path {
        &self.modules
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifest_and_lock_name_the_clients_of_javascript_in_one_version() {
        NPM.check(&[("@influxdata/influxdb-client", "1.35.0"), ("@influxdata/influxdb3-client", "2.1.0")]);
    }

    #[test]
    fn every_package_of_python_has_a_version_and_a_checksum() {
        PYTHON.check(include_str!("clients/requirements.in"));
    }
}
