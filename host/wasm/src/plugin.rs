//! A plugin that was loaded: compiled, linked and known by its own description, but not running.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::InstancePre;

use crate::bindings::{dataset, ingest, session, streaming};
use crate::engine::Runtime;
use crate::options::HostOptions;
use crate::settings::SettingsSchema;
use crate::state::State;

/// What a plugin is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// It stands for a database.
    Target,
    /// It stands for a dataset.
    Generator,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Target => "target",
            Self::Generator => "generator",
        })
    }
}

/// A loaded plugin. A clone is a reference to the same one.
#[derive(Clone)]
pub struct Plugin(Arc<Loaded>);

/// What a plugin says of itself.
pub(crate) struct Description {
    pub(crate) name: Arc<str>,
    pub(crate) version: String,
    pub(crate) summary: String,
    pub(crate) schema: SettingsSchema,
}

/// The exports that its role is made of.
pub(crate) enum Exports {
    Target(TargetExports),
    Generator(dataset::GuestIndices),
}

/// What a target can do: every ability besides a session is an interface of its own.
#[derive(Clone)]
pub(crate) struct TargetExports {
    pub(crate) session: session::GuestIndices,
    pub(crate) ingest: Option<ingest::GuestIndices>,
    pub(crate) streaming: Option<streaming::GuestIndices>,
}

pub(crate) struct Loaded {
    pub(crate) path: PathBuf,
    pub(crate) sha256: String,
    pub(crate) size: u64,
    pub(crate) description: Description,
    pub(crate) exports: Exports,
    pub(crate) import_names: Vec<String>,
    pub(crate) export_names: Vec<String>,
    pub(crate) load_time: Duration,
    pub(crate) cached: bool,
    pub(crate) pre: InstancePre<State>,
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) options: Arc<HostOptions>,
}

impl Plugin {
    pub(crate) fn new(loaded: Loaded) -> Self {
        Self(Arc::new(loaded))
    }

    /// The file that it was loaded from.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// SHA-256 of the file, in hexadecimal.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.0.sha256
    }

    /// Size of the file, in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.0.size
    }

    /// What it is for.
    #[must_use]
    pub fn role(&self) -> Role {
        match self.0.exports {
            Exports::Target(..) => Role::Target,
            Exports::Generator(_) => Role::Generator,
        }
    }

    /// Whether it can be written to.
    #[must_use]
    pub fn ingests(&self) -> bool {
        matches!(&self.0.exports, Exports::Target(target) if target.ingest.is_some())
    }

    /// Its name, as a user types it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.description.name
    }

    /// Its own version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.0.description.version
    }

    /// What it is, in one line.
    #[must_use]
    pub fn summary(&self) -> &str {
        &self.0.description.summary
    }

    /// What can be set.
    #[must_use]
    pub fn schema(&self) -> &SettingsSchema {
        &self.0.description.schema
    }

    /// The interfaces that it imports, with their versions.
    #[must_use]
    pub fn imports(&self) -> &[String] {
        &self.0.import_names
    }

    /// The interfaces that it exports, with their versions.
    #[must_use]
    pub fn exports(&self) -> &[String] {
        &self.0.export_names
    }

    /// How long it took to read, compile or map, link and describe it.
    #[must_use]
    pub fn load_time(&self) -> Duration {
        self.0.load_time
    }

    /// Whether it came from the cache of compiled plugins.
    #[must_use]
    pub fn cached(&self) -> bool {
        self.0.cached
    }

    /// Name and version, for errors.
    pub(crate) fn label(&self) -> String {
        format!("{} {}", self.name(), self.version())
    }

    pub(crate) fn short_name(&self) -> Arc<str> {
        Arc::clone(&self.0.description.name)
    }

    pub(crate) fn export_indices(&self) -> &Exports {
        &self.0.exports
    }

    pub(crate) fn pre(&self) -> &InstancePre<State> {
        &self.0.pre
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        &self.0.runtime
    }

    pub(crate) fn options(&self) -> &HostOptions {
        &self.0.options
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin").field("path", &self.path()).field("name", &self.name()).finish_non_exhaustive()
    }
}
