//! The cache folder: one sub-folder per server, version and recipe. A server, or whatever else is kept there, is built beside its
//! final place and renamed into it when complete, so a folder that exists is whole.

use std::fmt::{Display, Write as _};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use super::tools::Log;
use super::{Installed, Server, recipe};

/// How a server came to be in the cache folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Install {
    /// It was there already.
    Found,
    /// It was built or fetched just now, in this time.
    Made(Duration),
}

/// The folder with all servers.
pub(super) fn root() -> Result<PathBuf> {
    Ok(crate::cache_folder()?.join("servers"))
}

/// The folder name: a new version or a changed recipe never meets what an old one left.
fn key(server: Server) -> String {
    format!("{}-{}-r{}", server.name(), server.version(), recipe::revision(server))
}

/// The server, if it is there.
pub(super) fn find(server: Server, root: &Path) -> Option<Installed> {
    let folder = root.join(key(server));
    folder.is_dir().then_some(Installed { server, folder, how: Install::Found })
}

/// The server, built or fetched if it is not there.
pub(super) fn install(server: Server, root: &Path) -> Result<Installed> {
    install_with(server, root, |folder, log| recipe::make(server, folder, log))
}

fn install_with(
    server: Server,
    root: &Path,
    make: impl FnOnce(&Path, &mut Log) -> Result<PathBuf>,
) -> Result<Installed> {
    let (folder, how) = keep(root, &key(server), &server, make)?;
    Ok(Installed { server, folder, how })
}

/// The folder `key` below `root`. Where there is none, `make` gets an empty folder to work in and names the sub-folder that is kept.
pub(crate) fn keep(
    root: &Path,
    key: &str,
    what: &dyn Display,
    make: impl FnOnce(&Path, &mut Log) -> Result<PathBuf>,
) -> Result<(PathBuf, Install)> {
    let folder = root.join(key);
    if folder.is_dir() {
        return Ok((folder, Install::Found));
    }
    fs::create_dir_all(root).with_context(|| format!("cannot make the folder {}", root.display()))?;
    let lock_path = root.join(format!("{key}.lock"));
    let lock = File::create(&lock_path).with_context(|| format!("cannot write {}", lock_path.display()))?;
    lock.lock().with_context(|| format!("cannot lock {}", lock_path.display()))?;
    // Somebody else may have built it while this process waited for the lock.
    if folder.is_dir() {
        return Ok((folder, Install::Found));
    }
    let started = Instant::now();
    let work = root.join(format!("{key}.making"));
    remove(&work)?;
    fs::create_dir(&work).with_context(|| format!("cannot make the folder {}", work.display()))?;
    let mut log = Log::create(root.join(format!("{key}.log")))?;
    let made = make(&work, &mut log).with_context(|| format!("cannot get {what}"))?;
    fs::rename(&made, &folder).with_context(|| format!("cannot move {} to {}", made.display(), folder.display()))?;
    remove(&work)?;
    Ok((folder, Install::Made(started.elapsed())))
}

/// Twelve digits that stand for these texts: in the name of a folder they keep apart what other texts would make.
pub(crate) fn fingerprint(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        // With its length, so that no two lists of texts run together.
        hash.update(text.len().to_le_bytes());
        hash.update(text);
    }
    hexadecimal(&hash.finalize()[..6])
}

/// Bytes in lower-case hexadecimal.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    use anyhow::bail;

    use super::super::scratch::Scratch;
    use super::*;

    #[test]
    fn folders_are_keyed_by_name_version_and_recipe_so_that_no_two_servers_meet() {
        let mut keys = Server::ALL.map(key);
        assert!(keys.contains(&format!("influxdb2-2.8.0-r{}", recipe::revision(Server::Influx2))), "{keys:?}");
        keys.sort_unstable();
        assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "{keys:?}");
    }

    #[test]
    fn a_fingerprint_depends_on_every_text_and_where_it_ends() {
        let prints = [&["ab", "c"][..], &["a", "bc"], &["abc"], &["ab", "d"]].map(fingerprint);
        assert!(prints.iter().all(|print| print.len() == 12), "{prints:?}");
        for (index, print) in prints.iter().enumerate() {
            assert!(!prints[..index].contains(print), "{prints:?}");
        }
        assert_eq!(fingerprint(&["ab", "c"]), prints[0]);
    }

    #[test]
    fn two_installs_at_once_build_once() {
        let root = Scratch::new("cache-test").unwrap();
        let builds = AtomicU32::new(0);
        let install = || {
            install_with(Server::QuestDb, root.path(), |work, _| {
                builds.fetch_add(1, Ordering::SeqCst);
                let out = work.join("out");
                fs::create_dir(&out)?;
                fs::write(out.join("program"), "x")?;
                Ok(out)
            })
        };
        let installed = thread::scope(|scope| {
            let other = scope.spawn(install);
            [install().unwrap(), other.join().unwrap().unwrap()]
        });
        assert_eq!(builds.load(Ordering::SeqCst), 1);
        assert_eq!(installed[0].folder(), installed[1].folder());
        assert!(installed[0].folder().join("program").is_file());
        assert_eq!(installed.iter().filter(|one| one.how() == Install::Found).count(), 1);
    }

    #[test]
    fn a_failed_build_leaves_nothing_that_looks_installed_and_the_next_try_starts_clean() {
        let root = Scratch::new("cache-test").unwrap();
        let failed = install_with(Server::QuestDb, root.path(), |work, _| {
            fs::write(work.join("half"), "x")?;
            bail!("no network")
        });
        assert_eq!(format!("{:#}", failed.unwrap_err()), "cannot get questdb 9.3.4: no network");
        assert!(find(Server::QuestDb, root.path()).is_none());
        let second = install_with(Server::QuestDb, root.path(), |work, _| {
            assert!(!work.join("half").exists());
            let out = work.join("out");
            fs::create_dir(&out)?;
            Ok(out)
        });
        assert!(second.is_ok(), "{second:?}");
    }
}
