//! A new project: files to start from, which build at once.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::{CONTRACT, Kind, Language, MANIFEST, Manifest, NameError, name, template};

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Name of the plugin: lower case letters, digits and hyphens.
    pub name: String,
    /// What it is for.
    pub kind: Kind,
    /// What it is written in.
    pub language: Language,
}

/// Why there is no new project.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProjectError {
    /// The name is not one that a plugin can have.
    #[error(transparent)]
    Name(#[from] NameError),
    /// There is no template.
    #[error("there is no {kind} in {language} to start from yet")]
    NotOffered {
        /// The language asked for.
        language: Language,
        /// The kind asked for.
        kind: Kind,
    },
    /// A file of the project is there already. Nothing was written.
    #[error("{path} is there already, and nothing is overwritten: choose another folder")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A file or folder cannot be made.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// Writes a new project into `folder`, which is made when it is not there, with the contract in `wit/`. Gives the files that it wrote.
///
/// # Errors
///
/// A name that is none, a language without a template, a file that is there already (then nothing was written), and what the system says
/// when a file cannot be written.
pub fn create(project: &Project, folder: &Path) -> Result<Vec<PathBuf>, ProjectError> {
    let Project { name, kind, language } = project;
    name::check(name)?;
    if !template::offered(*language, *kind) {
        return Err(ProjectError::NotOffered { language: *language, kind: *kind });
    }
    let manifest =
        Manifest { name: name.clone(), language: *language, world: kind.word().to_owned(), wit: PathBuf::from("wit") };
    let mut files = template::filled(*language, *kind, name);
    files.push((MANIFEST.to_owned(), manifest.text()));
    files.extend(CONTRACT.iter().map(|file| (format!("wit/{}", file.name), file.text.to_owned())));

    let files: Vec<(PathBuf, String)> = files.into_iter().map(|(path, text)| (folder.join(path), text)).collect();
    // Looked at before anything is written, so that a refusal leaves the folder as it was.
    if let Some((path, _)) = files.iter().find(|(path, _)| fs::symlink_metadata(path).is_ok()) {
        return Err(ProjectError::Exists { path: path.clone() });
    }
    files
        .into_iter()
        .map(|(path, text)| match write_new(&path, &text) {
            Ok(()) => Ok(path),
            Err(source) => Err(ProjectError::Write { path, source }),
        })
        .collect()
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    File::create_new(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn project(name: &str) -> Project {
        Project { name: name.into(), kind: Kind::Target, language: Language::Rust }
    }

    #[test]
    fn a_project_has_its_manifest_and_the_contract() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("my-db");
        let written = create(&project("my-db"), &place).unwrap();
        assert!(written.iter().all(|path| path.starts_with(&place) && path.is_file()));
        let manifest = Manifest::read(&place).unwrap();
        assert_eq!(
            (manifest.name.as_str(), manifest.language, manifest.world.as_str()),
            ("my-db", Language::Rust, "target")
        );
        assert_eq!(fs::read_to_string(place.join("wit/types.wit")).unwrap(), include_str!("../../../wit/types.wit"));
        assert!(place.join("Cargo.toml").is_file());
    }

    #[test]
    fn nothing_is_overwritten_and_a_refusal_leaves_the_folder_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("README.md"), "mine").unwrap();
        let error = create(&project("a"), folder.path()).unwrap_err();
        assert!(matches!(&error, ProjectError::Exists { path } if path.ends_with("README.md")), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(folder.path().join("README.md")).unwrap(), "mine");
    }

    #[test]
    fn a_name_that_leaves_the_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(create(&project("../a"), folder.path()), Err(ProjectError::Name(_))));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let error = create(&project("a"), &file).unwrap_err();
        assert!(matches!(&error, ProjectError::Write { path, .. } if path.starts_with(&file)), "{error}");
    }
}
