//! What can go wrong with a build, each with what to do.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use thiserror::Error;

use crate::ManifestError;

/// Why there is no component.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The project does not say what it is.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// Something that the build needs is not installed.
    #[error("{what} is missing; nothing was installed. Get it with: {command}")]
    Missing {
        /// The tool, library or target.
        what: String,
        /// The command that gets it, to be run in the project's folder.
        command: &'static str,
    },
    /// A tool cannot be started.
    #[error("cannot start `{command}`: {source}")]
    Start {
        /// The whole command.
        command: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A tool said no. Its own words went to the terminal.
    #[error("`{command}` failed ({status}); its own words are above")]
    Failed {
        /// The whole command.
        command: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// A tool answered with something else than was expected of it.
    #[error("`{command}` answered with what was not expected: {reason}")]
    Answer {
        /// The whole command.
        command: String,
        /// What was missing in it.
        reason: String,
    },
    /// The tools ended well and the file is not there.
    #[error("the build ended well, but there is no {path}: it must leave the component there")]
    NoComponent {
        /// Where it should be.
        path: PathBuf,
    },
    /// The contract cannot be read.
    #[error("the contract in {folder}: {reason}. `benchhost plugin wit {folder}` writes it anew")]
    Contract {
        /// Its folder.
        folder: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The compiled module does not fit the world.
    #[error("{module} cannot become a component of the world `{world}`: {reason}")]
    Component {
        /// The module that the compiler made.
        module: PathBuf,
        /// The world.
        world: String,
        /// What does not fit.
        reason: String,
    },
    /// The project lacks something that its language wants.
    #[error("{path}: {reason}")]
    Source {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A file cannot be read or written.
    #[error("cannot {doing} {path}: {source}")]
    File {
        /// `read` or `write`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}
