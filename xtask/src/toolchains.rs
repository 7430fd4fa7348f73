//! The tools that build plugins in other languages, so that the examples are built where the tests run: componentize-py and zig in a Python
//! environment, componentize-js in a folder of npm. Go is the machine's own.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::npm::NpmPackages;
use crate::python::PythonPackages;
use crate::servers::Install;
use crate::servers::tools::Tool;

const PYTHON: PythonPackages =
    PythonPackages { name: "python-toolchain", requirements: include_str!("toolchains/requirements.txt") };
const NPM: NpmPackages = NpmPackages {
    name: "npm-toolchain",
    manifest: include_str!("toolchains/package.json"),
    lock: include_str!("toolchains/package-lock.json"),
};

/// The tools, ready to be used.
#[derive(Clone, Debug)]
pub struct Toolchains {
    environment: PathBuf,
    modules: PathBuf,
}

impl Toolchains {
    /// Makes sure that the tools are in the cache folder, fetching those that are not, and tells how each came there. Safe to call from several
    /// processes at once.
    ///
    /// # Errors
    /// Python, its `venv`, Go, Node.js or npm is missing (the message names the Debian package), a package cannot be fetched (the message ends with the
    /// tool's last words and names its log), or the cache folder cannot be written.
    pub fn install() -> Result<(Self, [(&'static str, Install); 2])> {
        for tool in [Tool::Go, Tool::Node] {
            tool.find()?;
        }
        let (python, by_pip) = PYTHON.install()?;
        let (folder, by_npm) = NPM.install()?;
        Ok((Self::of(&python, &folder), [(PYTHON.name, by_pip), (NPM.name, by_npm)]))
    }

    /// The tools where [`install`](Self::install) puts them; none when nobody has fetched all of them.
    ///
    /// # Errors
    /// Python is missing, or the user has no cache folder.
    pub fn installed() -> Result<Option<Self>> {
        let (Some(python), Some(folder)) = (PYTHON.installed()?, NPM.installed()?) else { return Ok(None) };
        Ok(Some(Self::of(&python, &folder)))
    }

    fn of(python: &Path, npm: &Path) -> Self {
        let environment = python.parent().and_then(Path::parent).unwrap_or(python);
        Self { environment: environment.to_owned(), modules: npm.join("node_modules") }
    }

    /// Puts them where a project's own build looks for them: `.venv` and `node_modules` in its folder.
    ///
    /// # Errors
    /// The folder cannot be written, or has them already.
    pub fn lend(&self, project: &Path) -> Result<()> {
        for (place, name) in [(&self.environment, ".venv"), (&self.modules, "node_modules")] {
            let link = project.join(name);
            symlink(place, &link).with_context(|| format!("cannot make {}", link.display()))?;
        }
        Ok(())
    }

    /// The Python environment.
    pub fn environment(&self) -> &Path {
        &self.environment
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
    fn manifest_and_lock_name_the_tool_of_javascript_in_one_version() {
        NPM.check(&[("@bytecodealliance/componentize-js", "0.23.0")]);
    }

    #[test]
    fn every_tool_of_python_has_a_version_and_a_checksum() {
        PYTHON.check(include_str!("toolchains/requirements.in"));
    }
}
