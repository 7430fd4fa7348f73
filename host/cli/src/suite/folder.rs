//! The folder of a suite's results: a bundle for every repetition, and `suite.json`, which is replaced after each of them.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::output_file::{OutputError, OutputFile};

/// The name of the record in its folder.
const RECORD_FILE: &str = "suite.json";

/// The word that keeps `benchhost run` from writing anything.
const NOWHERE: &str = "none";

/// Why results cannot be kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FolderError {
    /// Nothing is to be kept.
    #[error("a suite keeps its results, since its figures come from them; give a folder with -o")]
    Nowhere,
    /// The folder cannot be made.
    #[error("cannot make the folder {}; give one with -o that you may write to", path.display())]
    Make {
        /// The folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The record cannot be written.
    #[error("cannot write {}; check the space and the permissions there", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Idem.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// A folder of its own for one go at a suite.
#[derive(Debug)]
pub(crate) struct SuiteFolder {
    path: PathBuf,
}

impl SuiteFolder {
    /// Makes `results/NAME-TIME`, with a number behind it when that is taken.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub(crate) fn create(results: &Path, name: &str, now: SystemTime) -> Result<Self, FolderError> {
        if results == Path::new(NOWHERE) {
            return Err(FolderError::Nowhere);
        }
        let made = |path: &Path, result: io::Result<()>| {
            result.map_err(|source| FolderError::Make { path: path.into(), source })
        };
        made(results, fs::create_dir_all(results))?;
        let time = humantime::format_rfc3339_seconds(now).to_string().replace(['-', ':'], "");
        let mut number = 1_u32;
        loop {
            let suffix = if number == 1 { String::new() } else { format!("-{number}") };
            let path = results.join(format!("{name}-{time}{suffix}"));
            match fs::create_dir(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < u32::MAX => number += 1,
                result => return made(&path, result).map(|()| Self { path }),
            }
        }
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The record's file.
    pub(crate) fn record(&self) -> PathBuf {
        self.path.join(RECORD_FILE)
    }

    /// Writes the record, whole or not at all: somebody may be reading the one before.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub(crate) fn write(&self, record: &str) -> Result<(), FolderError> {
        let path = self.record();
        let mut file = OutputFile::create(&path, true)?;
        file.write_all(record.as_bytes()).map_err(|source| FolderError::Write { path, source })?;
        Ok(file.finish()?)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn two_goes_in_one_second_have_folders_of_their_own() {
        let results = tempfile::tempdir().unwrap();
        let made: Vec<_> = (0..3)
            .map(|_| SuiteFolder::create(&results.path().join("r"), "cpu", SystemTime::UNIX_EPOCH).unwrap())
            .map(|folder| folder.path().file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        assert_eq!(made, ["cpu-19700101T000000Z", "cpu-19700101T000000Z-2", "cpu-19700101T000000Z-3"]);
    }

    #[test]
    fn the_record_is_replaced_and_nothing_else_is_left() {
        let results = tempfile::tempdir().unwrap();
        let folder = SuiteFolder::create(results.path(), "cpu", SystemTime::UNIX_EPOCH).unwrap();
        folder.write("one").unwrap();
        folder.write("two").unwrap();
        assert_eq!(fs::read_to_string(folder.record()).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_suite_without_a_folder_is_refused() {
        let refused = SuiteFolder::create(Path::new("none"), "cpu", SystemTime::UNIX_EPOCH);
        assert!(matches!(refused, Err(FolderError::Nowhere)));
    }
}
