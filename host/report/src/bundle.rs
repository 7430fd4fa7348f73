//! The folder that a run's result is kept in. It is made and tried out before the run starts, because a result that cannot be
//! written after an hour of load is an hour lost; and it never replaces the result of another run.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use benchhost_stats::Histogram;

use crate::document::Document;
use crate::percentile_distribution::percentile_distribution;

/// The name of the document in its folder.
pub const RUN_FILE: &str = "run.json";

/// The name of the series in its folder: figures of every interval.
pub const INTERVALS_FILE: &str = "intervals.csv";

/// The name of the log of histograms in its folder.
pub const LOG_FILE: &str = "latency.hlog";

/// Why a result cannot be kept. Each message names the path, the cause and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// There is something at the path, or above it, that is not a folder.
    #[error("`{}` is not a folder, so no result can be kept in `{}`; give another folder with -o", .found.display(), .folder.display())]
    NotAFolder {
        /// What stands in the way.
        found: PathBuf,
        /// The folder asked for.
        folder: PathBuf,
    },
    /// The folder could not be made.
    #[error("cannot make the folder `{}`: {cause}; give a folder with -o that you may make", .folder.display())]
    Make {
        /// The folder asked for.
        folder: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The folder is there, but no file can be made in it.
    #[error("cannot write into the folder `{}`: {cause}; change its permissions or give another folder with -o", .folder.display())]
    Unwritable {
        /// The folder asked for.
        folder: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The folder holds a result already.
    #[error("`{}` already holds the result of a run, which is never overwritten; give another folder: -o {}", .folder.display(), .free.display())]
    Taken {
        /// The folder asked for.
        folder: PathBuf,
        /// One like it that is free.
        free: PathBuf,
    },
    /// The result could not be written, although the folder was writable when the run began.
    #[error("cannot write the result to `{}`: {cause}; check the space and the permissions there", .file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
}

/// Whether to wait until a document is on the disk. While a run goes on that would disturb the load, and a process that is killed loses
/// nothing by not waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durable {
    Yes,
    No,
}

/// A folder that a result can be written to.
#[derive(Debug)]
pub struct Bundle {
    folder: PathBuf,
}

impl Bundle {
    /// Makes the folder, with those above it, and proves by a file that comes and goes that it can be written to.
    ///
    /// # Errors
    ///
    /// When the folder cannot be made or written to, or holds a result already.
    pub fn create(folder: &Path) -> Result<Self, BundleError> {
        if let Some(found) = in_the_way(folder) {
            return Err(BundleError::NotAFolder { found: found.into(), folder: folder.into() });
        }
        fs::create_dir_all(folder).map_err(|cause| BundleError::Make { folder: folder.into(), cause })?;
        if holds_a_result(folder) {
            return Err(taken(folder));
        }
        // One byte, because a full disk still makes empty files.
        temporary(folder)
            .and_then(|mut file| file.write_all(b"\n"))
            .map_err(|cause| BundleError::Unwritable { folder: folder.into(), cause })?;
        Ok(Self { folder: folder.into() })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the document as [`RUN_FILE`], whole or not at all, and has it on the disk when it returns. Gives the path.
    ///
    /// # Errors
    ///
    /// When it cannot be written, or somebody else has written a result there since.
    pub fn write(&self, document: &Document) -> Result<PathBuf, BundleError> {
        let file = self.folder.join(RUN_FILE);
        self.place(&file, document, Durable::Yes)?;
        self.sync_folder()?;
        Ok(file)
    }

    /// Writes the document of a run that goes on, whole or not at all.
    pub(crate) fn begin(&self, document: &Document) -> Result<(), BundleError> {
        self.place(&self.folder.join(RUN_FILE), document, Durable::No)
    }

    /// Replaces the document that [`Self::begin`] wrote, whole or not at all.
    pub(crate) fn replace(&self, document: &Document, durable: Durable) -> Result<PathBuf, BundleError> {
        let file = self.folder.join(RUN_FILE);
        let replaced =
            self.fill(document, durable).and_then(|written| written.persist(&file).map_err(|refused| refused.error));
        match replaced {
            Ok(_) => Ok(file),
            Err(cause) => Err(BundleError::Write { file, cause }),
        }
    }

    /// Returns when the names of all files are on the disk.
    pub(crate) fn sync_folder(&self) -> Result<(), BundleError> {
        #[cfg(unix)]
        fs::File::open(&self.folder)
            .and_then(|folder| folder.sync_all())
            .map_err(|cause| BundleError::Write { file: self.folder.clone(), cause })?;
        Ok(())
    }

    /// Makes a file of the bundle, and refuses when there is one.
    pub(crate) fn new_file(&self, name: &str) -> Result<fs::File, BundleError> {
        let file = self.folder.join(name);
        fs::File::create_new(&file).map_err(|cause| BundleError::Write { file, cause })
    }

    /// Writes the distribution of a histogram as a file of its own, `write.service.hgrm`.
    pub(crate) fn write_distribution(&self, tag: &str, histogram: &Histogram) -> Result<(), BundleError> {
        let name = format!("{tag}.hgrm");
        fs::write(self.folder.join(&name), percentile_distribution(histogram))
            .map_err(|cause| self.failed(&name, cause))
    }

    /// The error of writing a file of the bundle.
    pub(crate) fn failed(&self, name: &str, cause: io::Error) -> BundleError {
        BundleError::Write { file: self.folder.join(name), cause }
    }

    /// Gives the document its name, unless there is one of that name.
    fn place(&self, file: &Path, document: &Document, durable: Durable) -> Result<(), BundleError> {
        let placed = self
            .fill(document, durable)
            .and_then(|written| written.persist_noclobber(file).map_err(|refused| refused.error));
        match placed {
            Ok(_) => Ok(()),
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Err(taken(&self.folder)),
            Err(cause) => Err(BundleError::Write { file: file.into(), cause }),
        }
    }

    /// A hidden file that holds the document.
    fn fill(&self, document: &Document, durable: Durable) -> io::Result<tempfile::NamedTempFile> {
        let mut written = temporary(&self.folder)?;
        written.write_all(document.to_json().as_bytes())?;
        if durable == Durable::Yes {
            written.as_file().sync_all()?;
        }
        Ok(written)
    }
}

/// A hidden file that goes away by itself unless it gets its real name. Readable by those whom the user's mask allows.
fn temporary(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".run-").suffix(".tmp");
    #[cfg(unix)]
    let permissions = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(permissions);
    builder.tempfile_in(folder)
}

fn holds_a_result(folder: &Path) -> bool {
    [RUN_FILE, INTERVALS_FILE, LOG_FILE].iter().any(|name| fs::symlink_metadata(folder.join(name)).is_ok())
}

/// The folder, or the nearest thing above it, if it exists and is not a folder.
fn in_the_way(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|path| path.exists()).filter(|path| !path.is_dir())
}

fn taken(folder: &Path) -> BundleError {
    let numbered = |number: u32| match folder.file_name() {
        Some(name) => {
            let mut name = name.to_owned();
            name.push(format!("-{number}"));
            folder.with_file_name(name)
        }
        // `.`, `..` or the root: there is no name to put a number to.
        None => folder.join(format!("run-{number}")),
    };
    let mut number = 2;
    while number < u32::MAX && numbered(number).exists() {
        number += 1;
    }
    BundleError::Taken { folder: folder.into(), free: numbered(number) }
}
