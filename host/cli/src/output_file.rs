//! A file that appears under its name when it is complete, or stdout. An existing file is never replaced unless the user says so.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::NamedTempFile;

/// Why a file cannot be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutputError {
    /// It is there already.
    #[error("{} exists: give another name, or --force to replace it", .0.display())]
    Exists(PathBuf),
    /// It is a folder.
    #[error("{} is a folder: name a file in it", .0.display())]
    Folder(PathBuf),
    /// The folder that it should be in is missing or closed.
    #[error("cannot write to {}", path.display())]
    Closed {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// Where the bytes go.
#[derive(Debug)]
enum Sink {
    /// A temporary file beside the real one.
    Beside { file: NamedTempFile, path: PathBuf, replace: bool },
    /// A device or a pipe, which is written to and never replaced.
    Device(File),
    /// The process's own.
    Stdout(io::Stdout),
}

/// An output that can be written to.
#[derive(Debug)]
pub(crate) struct OutputFile {
    sink: Sink,
    closed: ReaderGone,
}

/// Whether whoever reads the output has gone away, which is no error: `| head` does it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReaderGone(Arc<AtomicBool>);

impl ReaderGone {
    /// Whether a write met a closed pipe.
    pub(crate) fn is_true(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl OutputFile {
    /// Finds out whether `path` may be written to, without writing. `-` is stdout.
    ///
    /// # Errors
    ///
    /// When something is there that must not be replaced.
    pub(crate) fn check(path: &Path, force: bool) -> Result<(), OutputError> {
        match fs::metadata(path) {
            _ if is_stdout(path) => Ok(()),
            Ok(found) if found.is_dir() => Err(OutputError::Folder(path.into())),
            Ok(found) if found.is_file() && !force => Err(OutputError::Exists(path.into())),
            _ => Ok(()),
        }
    }

    /// Opens the output.
    ///
    /// # Errors
    ///
    /// As [`Self::check`], and when its folder does not let a file be made.
    pub(crate) fn create(path: &Path, force: bool) -> Result<Self, OutputError> {
        Self::check(path, force)?;
        let closed = |source| OutputError::Closed { path: path.into(), source };
        let sink = if is_stdout(path) {
            Sink::Stdout(io::stdout())
        } else if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            Sink::Device(File::options().write(true).open(path).map_err(closed)?)
        } else {
            let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Sink::Beside { file: temporary(folder).map_err(closed)?, path: path.into(), replace: force }
        };
        Ok(Self { sink, closed: ReaderGone::default() })
    }

    /// Tells, during and after writing, whether the reader has gone.
    pub(crate) fn reader_gone(&self) -> ReaderGone {
        self.closed.clone()
    }

    /// Gives a complete file its name.
    ///
    /// # Errors
    ///
    /// When the name was taken in the meantime, or the disk is full.
    pub(crate) fn finish(mut self) -> Result<(), OutputError> {
        let flushed = self.flush();
        match self.sink {
            Sink::Stdout(_) | Sink::Device(_) => {
                flushed.map_err(|source| OutputError::Closed { path: "-".into(), source })
            }
            Sink::Beside { file, path, replace } => {
                let named = if replace { file.persist(&path) } else { file.persist_noclobber(&path) };
                match named {
                    Ok(_) => Ok(()),
                    Err(refused) if refused.error.kind() == io::ErrorKind::AlreadyExists => {
                        Err(OutputError::Exists(path))
                    }
                    Err(refused) => Err(OutputError::Closed { path, source: refused.error }),
                }
            }
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.sink {
            Sink::Beside { file, .. } => file.write(bytes),
            Sink::Device(file) => file.write(bytes),
            Sink::Stdout(out) => out.write(bytes),
        };
        self.noticed(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = match &mut self.sink {
            Sink::Beside { file, .. } => file.flush(),
            Sink::Device(file) => file.flush(),
            Sink::Stdout(out) => out.flush(),
        };
        self.noticed(flushed)
    }
}

impl OutputFile {
    fn noticed<T>(&self, outcome: io::Result<T>) -> io::Result<T> {
        if outcome.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            self.closed.0.store(true, Ordering::Relaxed);
        }
        outcome
    }
}

fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A hidden file that goes away by itself unless it gets its real name. Readable by those whom the user's mask allows.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".benchhost-").suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(<fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666));
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_file_has_its_name_only_when_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        let mut file = OutputFile::create(&path, false).unwrap();
        file.write_all(b"one").unwrap();
        assert!(!path.exists());
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let mut file = OutputFile::create(&path, false).unwrap();
        file.write_all(b"two").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
    }

    #[test]
    fn an_existing_file_is_replaced_only_by_force() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        fs::write(&path, "old").unwrap();
        let message = OutputFile::create(&path, false).unwrap_err().to_string();
        assert!(message.ends_with("rows.csv exists: give another name, or --force to replace it"), "{message}");
        let mut file = OutputFile::create(&path, true).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_file_that_came_in_the_meantime_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        let file = OutputFile::create(&path, false).unwrap();
        fs::write(&path, "another's").unwrap();
        assert!(matches!(file.finish(), Err(OutputError::Exists(_))));
        assert_eq!(fs::read(&path).unwrap(), b"another's");
    }

    #[test]
    fn folders_and_missing_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(OutputFile::create(folder.path(), true), Err(OutputError::Folder(_))));
        assert!(matches!(
            OutputFile::create(&folder.path().join("no/rows.csv"), false),
            Err(OutputError::Closed { .. })
        ));
    }
}
