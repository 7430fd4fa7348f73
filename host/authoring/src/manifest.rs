//! `plugin.toml`: what a project says of itself, so that one command builds it in any language.

use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;
use toml::{Table, Value};

use crate::{Language, NameError, name};

/// Name of the file in a project's folder.
pub const MANIFEST: &str = "plugin.toml";

/// Worlds of the contract that a plugin can be of.
pub const WORLDS: [&str; 3] = ["target", "streaming-target", "generator"];

const KEYS: [&str; 4] = ["name", "language", "world", "wit"];

/// What `plugin.toml` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The plugin's name; the component is `NAME.wasm`.
    pub name: String,
    /// Which language's tools build it.
    pub language: Language,
    /// Its world in the contract; one of [`WORLDS`].
    pub world: String,
    /// Folder of the contract, relative to the project's. Default: `wit`.
    pub wit: PathBuf,
}

/// Why `plugin.toml` cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// It is not there, or not readable.
    #[error("cannot read {path}: {source}; `plugin build` runs in the folder of a project, which has that file")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It is no TOML.
    #[error("{path}: {reason}")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The parser's words.
        reason: String,
    },
    /// A key that means nothing.
    #[error("{path}: there is no key `{key}`; did you mean `{nearest}`? The keys are name, language, world and wit")]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// The one that is most like it.
        nearest: &'static str,
    },
    /// A key that must be there.
    #[error(
        "{path}: `{key}` is missing; a whole file is: name = \"my-database\", language = \"rust\", world = \"target\""
    )]
    Missing {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
    },
    /// A value that is not what the key takes.
    #[error("{path}: `{key}`: {reason}")]
    Value {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
        /// What is wrong and what is right.
        reason: String,
    },
    /// A name that a plugin cannot have.
    #[error("{path}: {source}")]
    Name {
        /// The file.
        path: PathBuf,
        /// The rule that it breaks.
        source: NameError,
    },
}

impl Manifest {
    /// Reads `plugin.toml` of the project in `folder`.
    ///
    /// # Errors
    ///
    /// The file with what is wrong in it; a key that is not known is answered with the nearest.
    pub fn read(folder: &Path) -> Result<Self, ManifestError> {
        let path = folder.join(MANIFEST);
        match fs::read_to_string(&path) {
            Ok(text) => Self::parse(&path, &text),
            Err(source) => Err(ManifestError::Read { path, source }),
        }
    }

    /// Its text, as `new` writes it. The folder of the contract is left out where it is the usual one.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { name, language, world, wit } = self;
        let mut text = format!("name = \"{name}\"\nlanguage = \"{language}\"\nworld = \"{world}\"\n");
        if wit != Path::new("wit") {
            text += &format!("wit = {}\n", Value::String(wit.display().to_string()));
        }
        text
    }

    fn parse(path: &Path, text: &str) -> Result<Self, ManifestError> {
        let owned = || path.to_owned();
        let table: Table = text
            .parse()
            .map_err(|error: toml::de::Error| ManifestError::Syntax { path: owned(), reason: error.to_string() })?;
        if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(ManifestError::UnknownKey { path: owned(), key: key.clone(), nearest: nearest(key) });
        }
        let text = |key: &'static str| match table.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(other) => {
                let reason = format!("a text in quotes goes here, not {} {other}", other.type_str());
                Err(ManifestError::Value { path: owned(), key, reason })
            }
        };
        let required = |key| text(key)?.ok_or_else(|| ManifestError::Missing { path: owned(), key });
        let name = required("name")?;
        name::check(name).map_err(|source| ManifestError::Name { path: owned(), source })?;
        let language = required("language")?.parse().map_err(|reason| ManifestError::Value {
            path: owned(),
            key: "language",
            reason,
        })?;
        let world = required("world")?;
        if !WORLDS.contains(&world) {
            let reason = format!("the contract has no world `{world}`: choose one of {}", WORLDS.join(", "));
            return Err(ManifestError::Value { path: owned(), key: "world", reason });
        }
        let wit = text("wit")?.unwrap_or("wit");
        Ok(Self { name: name.to_owned(), language, world: world.to_owned(), wit: wit.into() })
    }
}

/// The key that is most like `wrong`.
fn nearest(wrong: &str) -> &'static str {
    let likeness = |key: &str| strsim::jaro_winkler(&wrong.to_lowercase(), key);
    KEYS.into_iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b))).unwrap_or(KEYS[0])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn parse(text: &str) -> Result<Manifest, ManifestError> {
        Manifest::parse(Path::new("p/plugin.toml"), text)
    }

    #[test]
    fn what_is_written_reads_back() {
        for wit in ["wit", "../../../wit", "a\"b"] {
            let manifest =
                Manifest { name: "a-b".into(), language: Language::Go, world: "generator".into(), wit: wit.into() };
            assert_eq!(parse(&manifest.text()).unwrap(), manifest);
        }
    }

    #[test]
    fn mistakes_are_told_with_the_remedy() {
        let whole = "name = \"a\"\nlanguage = \"c\"\nworld = \"target\"\n";
        for (text, words) in [
            (format!("{whole}wirld = \"target\"\n"), "there is no key `wirld`; did you mean `world`?"),
            (
                whole.replace("\"c\"", "\"c++\""),
                "`language`: `c++` is no language that is known here: choose one of rust, ",
            ),
            (whole.replace("\"target\"", "\"sink\""), "choose one of target, streaming-target, generator"),
            (whole.replace("name = \"a\"\n", ""), "`name` is missing; a whole file is"),
            (whole.replace("\"a\"", "7"), "`name`: a text in quotes goes here, not integer 7"),
            (whole.replace("\"a\"", "\"../a\""), "cannot be a plugin's name"),
            ("name".to_owned(), "p/plugin.toml: TOML parse error at line 1"),
        ] {
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.starts_with("p/plugin.toml: ") && error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_folder_without_one_is_no_project() {
        let folder = tempfile::tempdir().unwrap();
        let error = Manifest::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("plugin build` runs in the folder of a project"), "{error}");
    }
}
