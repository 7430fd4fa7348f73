//! Packages of Python that tests run: installed once per machine into a virtual environment in the user's cache folder, in the versions and
//! with the checksums of a requirements file. Only wheels are taken, so that nothing of them runs while they are installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::cache_folder;
use crate::servers::Install;
use crate::servers::cache::{fingerprint, keep};
use crate::servers::tools::{Log, Tool};

/// The oldest Python that the packages run on.
const OLDEST: (u32, u32) = (3, 10);
/// Prints version and place, and fails where environments cannot be made: Debian has that in a package of its own.
const PROBE: &str = "import sys, ensurepip, venv; print(*sys.version_info[:3], sys.executable)";

/// A set of packages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PythonPackages {
    /// What the folder is called and messages say.
    pub(crate) name: &'static str,
    /// The text of the requirements file, with versions and checksums.
    pub(crate) requirements: &'static str,
}

impl PythonPackages {
    /// The environment's Python, with the packages, which are installed when they are not there.
    ///
    /// # Errors
    /// Python is missing, too old or cannot make environments, pip cannot fetch the packages, or the cache folder cannot be written.
    pub(crate) fn install(&self) -> Result<(PathBuf, Install)> {
        let python = Python::find()?;
        let make = |work: &Path, log: &mut Log| self.make(&python, work, log);
        let (folder, how) = keep(&root()?, &self.key(&python), &self.name, make)?;
        Ok((program(&folder), how))
    }

    /// The Python that [`install`](Self::install) would give; none when nobody has installed the packages.
    ///
    /// # Errors
    /// Python is missing, too old or cannot make environments, or the user has no cache folder.
    pub(crate) fn installed(&self) -> Result<Option<PathBuf>> {
        let folder = root()?.join(self.key(&Python::find()?));
        Ok(Some(program(&folder)).filter(|program| program.exists()))
    }

    /// The folder name: other versions never meet these, nor does another Python.
    fn key(&self, python: &Python) -> String {
        format!("{}-{}", self.name, fingerprint(&[self.requirements, &python.identity]))
    }

    fn make(&self, python: &Python, work: &Path, log: &mut Log) -> Result<PathBuf> {
        // The folder is moved when it is whole. The environment's Python finds its packages by its own place, so it does not mind.
        let folder = work.join("keep");
        log.run(Command::new(&python.program).args(["-m", "venv"]).arg(&folder))?;
        let requirements = folder.join("requirements.txt");
        fs::write(&requirements, self.requirements)
            .with_context(|| format!("cannot write {}", requirements.display()))?;
        let mut pip = Command::new(program(&folder));
        pip.args(["-m", "pip", "install", "--require-hashes", "--only-binary", ":all:", "--no-input"]);
        log.run(pip.args(["--disable-pip-version-check", "--quiet", "-r"]).arg(&requirements))?;
        move_scripts(&folder, &root()?.join(self.key(python)))?;
        Ok(folder)
    }

    /// Fails when the lock lacks a package that `wanted` names, or has one without a checksum.
    #[cfg(test)]
    pub(crate) fn check(&self, wanted: &str) {
        for line in wanted.lines().filter(|line| line.contains("==")) {
            assert!(self.requirements.contains(&format!("{line} \\\n")), "{line} is not in the lock");
        }
        for package in self.requirements.lines().filter(|line| line.contains("==") && !line.starts_with('#')) {
            let (_, rest) = self.requirements.split_once(package).unwrap_or_default();
            assert!(rest.trim_start().starts_with("--hash=sha256:"), "{package} has no checksum");
        }
    }
}

/// The commands of packages begin with the place of their Python, which is not the one where they were installed.
fn move_scripts(from: &Path, to: &Path) -> Result<()> {
    let folder = from.join("bin");
    let (old, new) = (format!("#!{}", from.display()), format!("#!{}", to.display()));
    for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
        let text = match fs::read_to_string(&path) {
            Ok(text) if text.starts_with(&old) => text,
            // Programs, and scripts of others.
            _ => continue,
        };
        fs::write(&path, text.replacen(&old, &new, 1)).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn root() -> Result<PathBuf> {
    Ok(cache_folder()?.join("tools"))
}

fn program(environment: &Path) -> PathBuf {
    environment.join("bin").join("python")
}

/// The machine's Python.
#[derive(Debug)]
struct Python {
    program: PathBuf,
    /// Version and place.
    identity: String,
}

impl Python {
    fn find() -> Result<Self> {
        Self::at(Tool::Python.find()?)
    }

    fn at(program: PathBuf) -> Result<Self> {
        let output = Command::new(&program).args(["-c", PROBE]).stdin(Stdio::null()).output();
        let output = output.with_context(|| format!("cannot run {}", program.display()))?;
        if !output.status.success() {
            bail!(
                "{} cannot make virtual environments (on Debian: apt-get install python3-venv): {}",
                program.display(),
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
        let identity = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        match version(&identity) {
            Some(version) if version >= OLDEST => Ok(Self { program, identity }),
            _ => bail!(
                "{} is Python {identity}, and the tests need {}.{} or newer",
                program.display(),
                OLDEST.0,
                OLDEST.1
            ),
        }
    }
}

/// Major and minor version in what the probe prints.
fn version(identity: &str) -> Option<(u32, u32)> {
    let mut words = identity.split(' ');
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_python_without_environments_is_told_with_its_debian_package() {
        let error = Python::at("false".into()).unwrap_err().to_string();
        assert!(error.starts_with("false cannot make virtual environments (on Debian: apt-get install python3-venv)"));
        let error = Python::at("echo".into()).unwrap_err().to_string();
        assert!(error.contains("and the tests need 3.10 or newer"), "{error}");
    }

    #[test]
    fn commands_begin_with_the_place_that_they_are_moved_to() {
        let folder = crate::servers::scratch::Scratch::new("python-test").unwrap();
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let tool = bin.join("tool");
        fs::write(&tool, format!("#!{}/bin/python\nprint()\n", folder.path().display())).unwrap();
        fs::write(bin.join("other"), "#!/bin/sh\n").unwrap();
        move_scripts(folder.path(), Path::new("/there")).unwrap();
        assert_eq!(fs::read_to_string(&tool).unwrap(), "#!/there/bin/python\nprint()\n");
        assert_eq!(fs::read_to_string(bin.join("other")).unwrap(), "#!/bin/sh\n");
    }

    #[test]
    fn old_pythons_are_told_from_new_ones() {
        assert!(version("3 9 2 /usr/bin/python3").is_some_and(|version| version < OLDEST));
        assert!(version("3 13 0 /usr/bin/python3").is_some_and(|version| version >= OLDEST));
        assert_eq!(version("no python"), None);
    }
}
