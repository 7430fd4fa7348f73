//! Packages of npm that tests run: fetched once per machine into the user's cache folder, in the versions and with the checksums of a lock file.
//! Nothing of them runs while they are fetched.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::cache_folder;
use crate::servers::Install;
use crate::servers::cache::{fingerprint, keep};
use crate::servers::tools::{Log, Tool};

/// A set of packages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NpmPackages {
    /// What the folder is called and messages say.
    pub(crate) name: &'static str,
    /// The text of `package.json`.
    pub(crate) manifest: &'static str,
    /// The text of `package-lock.json`.
    pub(crate) lock: &'static str,
}

impl NpmPackages {
    /// The folder that has the packages in `node_modules`, fetched when it is not there.
    ///
    /// # Errors
    /// npm is missing or cannot fetch them, or the cache folder cannot be written.
    pub(crate) fn install(&self) -> Result<(PathBuf, Install)> {
        keep(&root()?, &self.key(), &self.name, |work, log| self.fetch(work, log))
    }

    /// The folder where [`install`](Self::install) puts them; none when nobody has fetched them.
    ///
    /// # Errors
    /// The user has no cache folder.
    pub(crate) fn installed(&self) -> Result<Option<PathBuf>> {
        Ok(Some(root()?.join(self.key())).filter(|folder| folder.is_dir()))
    }

    /// The folder name: other versions never meet these.
    fn key(&self) -> String {
        format!("{}-{}", self.name, fingerprint(&[self.manifest, self.lock]))
    }

    fn fetch(&self, work: &Path, log: &mut Log) -> Result<PathBuf> {
        let folder = work.join("keep");
        fs::create_dir(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        for (name, text) in [("package.json", self.manifest), ("package-lock.json", self.lock)] {
            let path = folder.join(name);
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        let mut npm = Tool::Npm.command()?;
        npm.current_dir(&folder).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"]);
        log.run(&npm)?;
        Ok(folder)
    }

    /// Fails when the lock has another version than the manifest, or a package without a checksum.
    #[cfg(test)]
    pub(crate) fn check(&self, packages: &[(&str, &str)]) {
        for (package, version) in packages {
            assert!(self.manifest.contains(&format!("\"{package}\": \"{version}\"")), "{}", self.manifest);
            let locked =
                self.lock.split_once(&format!("\"node_modules/{package}\": {{")).map(|(_, rest)| rest.trim_start());
            assert!(locked.is_some_and(|rest| rest.starts_with(&format!("\"version\": \"{version}\""))), "{package}");
        }
        let locked = self.lock.matches("\"node_modules/").count();
        assert!(locked >= packages.len());
        assert_eq!(self.lock.matches("\"integrity\": \"sha512-").count(), locked);
    }
}

fn root() -> Result<PathBuf> {
    Ok(cache_folder()?.join("tools"))
}
