//! Keeps compiled plugins, so that only the first start of each waits for the compiler: 50 ms for a small plugin, many seconds for an
//! interpreter, against a fraction of a millisecond to map what was compiled before.
//!
//! **Why this may use `unsafe`.** What is loaded is run as native code, and wasmtime checks only its header. Therefore nothing is ever
//! loaded that this program did not write itself: the directory must belong to the user and be closed to everyone else, as must everything
//! above it be closed to other users' changes; an entry is named after the SHA-256 of the plugin, of the engine's settings, of wasmtime's
//! version and of the target; and its own SHA-256, kept beside it, must be right, so that a damaged file is compiled again instead of
//! being run. Someone who can forge both files already acts as this user. An entry is written under another name and then renamed, and is
//! never changed afterwards, so a mapping of it stays true.
#![allow(unsafe_code, reason = "compiled code can only be loaded by an unsafe call; see above")]

use std::fs::{self, DirBuilder, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::wasm_file::hex;

/// Entries that are kept; the oldest ones go first.
const MAX_ENTRIES: usize = 256;

/// A private directory of compiled plugins.
pub(crate) struct AotCache {
    dir: PathBuf,
}

impl AotCache {
    /// Opens the cache at `dir`, or in the user's cache folder, and makes the directory where there is none. The error says why plugins
    /// will be compiled at every start, and what to do.
    pub(crate) fn open(dir: Option<PathBuf>) -> Result<Self, String> {
        let Some(dir) = dir.or_else(default_dir) else {
            return Err("compiled plugins are not kept: neither XDG_CACHE_HOME nor HOME is set".to_owned());
        };
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&dir)
            .map_err(|error| useless(&dir, &error.to_string()))?;
        let dir = dir.canonicalize().map_err(|error| useless(&dir, &error.to_string()))?;
        check_private(&dir).map_err(|problem| useless(&dir, &problem))?;
        Ok(Self { dir })
    }

    /// The component of this plugin from the cache, if there is a sound entry for this engine.
    pub(crate) fn load(&self, engine: &Engine, sha256: &str) -> Option<Component> {
        let entry = self.entry(engine, sha256);
        let code = fs::read(&entry.code).ok()?;
        let digest = fs::read_to_string(&entry.digest).ok()?;
        if digest.trim() != hex(&Sha256::digest(&code)) {
            return None;
        }
        // SAFETY: the directory is private to this user, the digest is that of what this program wrote, and the name is that of this
        // very engine and plugin; see the module's documentation.
        unsafe { Component::deserialize_file(engine, &entry.code) }.ok()
    }

    /// Keeps a component. The error says why it was not kept.
    pub(crate) fn store(&self, engine: &Engine, sha256: &str, component: &Component) -> Result<(), String> {
        let entry = self.entry(engine, sha256);
        let code = component.serialize().map_err(|error| error.to_string())?;
        let write = || -> io::Result<()> {
            self.write(&entry.code, &code)?;
            self.write(&entry.digest, hex(&Sha256::digest(&code)).as_bytes())?;
            self.prune()
        };
        write().map_err(|error| useless(&self.dir, &error.to_string()))
    }

    fn entry(&self, engine: &Engine, sha256: &str) -> Entry {
        let mut key = Key(Sha256::new());
        sha256.hash(&mut key);
        env!("CARGO_PKG_VERSION").hash(&mut key);
        std::env::consts::ARCH.hash(&mut key);
        std::env::consts::OS.hash(&mut key);
        // Of the engine's version, target, processor features and settings.
        engine.precompile_compatibility_hash().hash(&mut key);
        let name = hex(&key.0.finalize());
        Entry { code: self.dir.join(format!("{name}.cwasm")), digest: self.dir.join(format!("{name}.sha256")) }
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = self.dir.join(format!(".{}-{number}", std::process::id()));
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&temporary)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| fs::rename(&temporary, path));
        if written.is_err() {
            // What failed is what counts; a leftover goes with the next pruning.
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    /// Removes the oldest files when there are too many.
    fn prune(&self) -> io::Result<()> {
        let mut files = Vec::new();
        for file in fs::read_dir(&self.dir)? {
            let file = file?;
            files.push((file.metadata()?.modified()?, file.path()));
        }
        // Two files an entry.
        let surplus = files.len().saturating_sub(2 * MAX_ENTRIES);
        if surplus > 0 {
            files.sort();
            for (_, path) in &files[..surplus] {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

struct Entry {
    code: PathBuf,
    digest: PathBuf,
}

/// Takes what a `Hash` feeds into a digest: a key must not collide, and must be the same in every process.
struct Key(Sha256);

impl Hasher for Key {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

fn default_dir() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    Some(cache.join("benchhost").join("aot"))
}

/// The directory must be closed to others; what is above it must be such that others cannot put another directory in its place.
fn check_private(dir: &Path) -> Result<(), String> {
    let me = rustix::process::geteuid().as_raw();
    let status = |path: &Path| fs::symlink_metadata(path).map_err(|error| error.to_string());
    let own = status(dir)?;
    if own.uid() != me {
        return Err(format!("it belongs to another user ({})", own.uid()));
    }
    if own.mode() & 0o077 != 0 {
        let mode = own.mode() & 0o777;
        return Err(format!("others may enter it (mode {mode:o}): run `chmod 700 {}`", dir.display()));
    }
    for above in dir.ancestors().skip(1) {
        let above_status = status(above)?;
        let sticky = above_status.mode() & 0o1000 != 0;
        let open = above_status.mode() & 0o022 != 0 && !sticky;
        let foreign = above_status.uid() != me && above_status.uid() != 0;
        if open || foreign {
            return Err(format!("others may replace it, because `{}` is theirs to change", above.display()));
        }
    }
    Ok(())
}

fn useless(dir: &Path, problem: &str) -> String {
    format!("compiled plugins are not kept in `{}`: {problem}; every start compiles them again", dir.display())
}
