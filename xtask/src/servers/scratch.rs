//! Folders that live as long as the value: a server's data, a test's files.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, io, process};

use anyhow::{Context as _, Result};

const PREFIX: &str = "benchhost-server-";

/// A private folder below the system's temporary folder, removed with all its content when dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    pub(crate) fn new(name: &str) -> Result<Self> {
        static SWEEP: Once = Once::new();
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let parent = env::temp_dir();
        // A process that was killed, or that keeps a server in a static, cannot remove its folders: the next one does.
        SWEEP.call_once(|| sweep(&parent));
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("{PREFIX}{}-{number}-{name}", process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error).with_context(|| format!("cannot make the folder {}", path.display())),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is swept by a later run.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes the folders of processes that are gone.
fn sweep(parent: &Path) {
    // Without /proc nobody can tell which process is gone.
    if !Path::new("/proc/self").exists() {
        return;
    }
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX)).and_then(|rest| rest.split('-').next());
        let Some(owner) = owner.and_then(|owner| owner.parse::<u32>().ok()) else { continue };
        if !Path::new("/proc").join(owner.to_string()).exists() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_scratch_folder_is_private_and_goes_with_its_value() {
        use std::os::unix::fs::PermissionsExt as _;

        let scratch = Scratch::new("test").unwrap();
        let path = scratch.path().to_owned();
        fs::write(path.join("file"), "x").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        drop(scratch);
        assert!(!path.exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_sweep_takes_folders_of_dead_processes_and_leaves_the_rest() {
        let parent = Scratch::new("sweep").unwrap();
        // Process numbers end well below this one on Linux.
        let dead = parent.path().join(format!("{PREFIX}4194305-0-influxdb1"));
        let alive = parent.path().join(format!("{PREFIX}{}-0-influxdb1", process::id()));
        let foreign = parent.path().join("something-else");
        for folder in [&dead, &alive, &foreign] {
            fs::create_dir(folder).unwrap();
        }
        sweep(parent.path());
        assert_eq!([dead.exists(), alive.exists(), foreign.exists()], [false, true, true]);
    }
}
