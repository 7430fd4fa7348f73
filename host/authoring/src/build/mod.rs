//! Builds by the languages' own tools. Each language is a file; those whose tools stop at a core module share `component`.

mod c;
mod component;
mod error;
mod go;
mod javascript;
mod python;
mod rust;
mod strip;
mod tool;

use std::fs;
use std::path::{Path, PathBuf};

pub use error::BuildError;

use crate::{Language, Manifest};

/// Builds the project in `folder`, as its `plugin.toml` says, and gives the path of the component: `NAME.wasm` in that folder. What the
/// tools say goes to standard error. Installs nothing; the packages that a project's own files name are fetched by its tools.
///
/// # Errors
///
/// What is missing, with the command that gets it; the command that failed; or what is wrong in the project.
pub fn build(folder: &Path) -> Result<PathBuf, BuildError> {
    let manifest = Manifest::read(folder)?;
    // Tools run in the project's folder, so every path they are told must hold there.
    let folder = fs::canonicalize(folder).map_err(|source| BuildError::File {
        doing: "read",
        path: folder.to_owned(),
        source,
    })?;
    let job = Job { component: folder.join(format!("{}.wasm", manifest.name)), folder, manifest };
    match job.manifest.language {
        Language::Rust => rust::build(&job)?,
        Language::Python => python::build(&job)?,
        Language::JavaScript => javascript::build(&job)?,
        Language::Go => go::build(&job)?,
        Language::C => c::build(&job)?,
    }
    if job.component.is_file() { Ok(job.component) } else { Err(BuildError::NoComponent { path: job.component }) }
}

/// What is to be built.
struct Job {
    manifest: Manifest,
    /// The project's folder, as an absolute path.
    folder: PathBuf,
    /// Where the component must end up.
    component: PathBuf,
}

impl Job {
    /// Folder of the contract.
    fn wit(&self) -> PathBuf {
        self.folder.join(&self.manifest.wit)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, BuildError> {
    fs::read(path).map_err(|source| BuildError::File { doing: "read", path: path.to_owned(), source })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    let failed = |source| BuildError::File { doing: "write", path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(path, bytes).map_err(failed)
}
