//! Where plugins are: a file that the user names, or a name that is looked up in a few folders, in this order: next to the binary, its
//! folder `plugins`, the folders of `BENCHHOST_PLUGIN_PATH`, the user's data folder.

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::nearest::nearest;

/// The variable with more folders, separated as the system separates them in `PATH`.
pub(crate) const PATH_VARIABLE: &str = "BENCHHOST_PLUGIN_PATH";

const EXTENSION: &str = "wasm";

/// Why no file was found.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PathError {
    /// A path that leads nowhere.
    #[error("no plugin file {}", .0.display())]
    NoFile(PathBuf),
    /// A path that leads to a folder.
    #[error("{} is a folder, not a plugin file", .0.display())]
    Folder(PathBuf),
    /// A name that no folder has.
    #[error("no plugin named `{0}`")]
    NoName(String),
}

/// The folders where names are looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PluginPath {
    folders: Vec<PathBuf>,
}

/// A plugin file and the name that finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// The file's name without `.wasm`.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

impl PluginPath {
    /// The folders of this process.
    pub(crate) fn from_environment() -> Self {
        let beside = env::current_exe().ok().and_then(|binary| binary.parent().map(Path::to_owned));
        let data = env::var_os("XDG_DATA_HOME")
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
            .or_else(|| env::home_dir().map(|home| home.join(".local/share")));
        let named = env::var_os(PATH_VARIABLE).unwrap_or_default();
        Self::new(beside, env::split_paths(&named), data)
    }

    fn new(beside: Option<PathBuf>, named: impl Iterator<Item = PathBuf>, data: Option<PathBuf>) -> Self {
        let mut folders = Vec::new();
        if let Some(beside) = beside {
            let plugins = beside.join("plugins");
            folders.extend([beside, plugins]);
        }
        folders.extend(named.filter(|folder| !folder.as_os_str().is_empty()));
        folders.extend(data.map(|data| data.join("benchhost").join("plugins")));
        Self { folders }
    }

    /// The file that the user means: a path when it has a separator or ends in `.wasm`, otherwise a name.
    pub(crate) fn find(&self, given: &str) -> Result<PathBuf, Failure> {
        let as_path = Path::new(given);
        let is_path = given.contains(std::path::MAIN_SEPARATOR) || as_path.extension().is_some_and(|e| e == EXTENSION);
        if is_path { self.at(as_path) } else { self.named(given) }
    }

    fn at(&self, path: &Path) -> Result<PathBuf, Failure> {
        if path.is_dir() {
            return Err(Failure::usage(PathError::Folder(path.into())).with_hint("name the .wasm file in it"));
        }
        if path.exists() {
            return Ok(path.into());
        }
        let failure = Failure::usage(PathError::NoFile(path.into()));
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Err(match self.first(&name) {
            Some(found) => failure.with_hint(format!("there is {}: name it `{name}`, without .wasm", found.display())),
            None => failure.with_hint("is the path right? A name without .wasm is looked up in the plugin folders"),
        })
    }

    fn named(&self, name: &str) -> Result<PathBuf, Failure> {
        self.first(name).ok_or_else(|| {
            let known = self.all();
            let names = known.iter().map(|found| found.name.as_str());
            let mut hint = String::new();
            if let Some(near) = nearest(name, names.clone()) {
                let _ = write!(hint, "did you mean `{near}`? ");
            }
            let list = names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let _ = match list.as_str() {
                "" => write!(hint, "no plugin is in any of these folders: {}", self.shown()),
                list => write!(hint, "there are {list}; looked in {}", self.shown()),
            };
            let _ = write!(hint, "; {PATH_VARIABLE} adds folders");
            Failure::usage(PathError::NoName(name.into())).with_hint(hint)
        })
    }

    fn first(&self, name: &str) -> Option<PathBuf> {
        if name.is_empty() {
            return None;
        }
        self.folders.iter().map(|folder| folder.join(format!("{name}.{EXTENSION}"))).find(|path| path.is_file())
    }

    /// Every plugin that a name finds, by name.
    pub(crate) fn all(&self) -> Vec<Found> {
        let names: BTreeSet<String> = self.folders.iter().flat_map(|folder| names_in(folder)).collect();
        names.into_iter().filter_map(|name| self.first(&name).map(|path| Found { name, path })).collect()
    }

    /// The folders, for a message.
    pub(crate) fn shown(&self) -> String {
        self.folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
    }
}

/// Names of the plugin files of a folder; none for a folder that is not there.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION))
        .filter_map(|path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn message(failure: &Failure) -> String {
        format!("{} | {}", failure.chain().join(": "), failure.hint().unwrap_or_default())
    }

    /// Two folders beside the binary, one named by the variable; `influx` is in two of them.
    fn path() -> (tempfile::TempDir, PluginPath) {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir_all(at("bin/plugins")).unwrap();
        std::fs::create_dir_all(at("named")).unwrap();
        for file in ["bin/plugins/influx.wasm", "named/influx.wasm", "named/cpu.wasm", "named/notes.txt"] {
            std::fs::write(at(file), "").unwrap();
        }
        let path = PluginPath::new(Some(at("bin")), [at("named"), PathBuf::new()].into_iter(), Some(at("data")));
        (root, path)
    }

    #[test]
    fn the_first_folder_that_has_the_name_wins() {
        let (root, path) = path();
        assert_eq!(path.find("influx").unwrap(), root.path().join("bin/plugins/influx.wasm"));
        assert_eq!(path.find("cpu").unwrap(), root.path().join("named/cpu.wasm"));
        let all = path.all();
        assert_eq!(all.iter().map(|found| found.name.as_str()).collect::<Vec<_>>(), ["cpu", "influx"]);
    }

    #[test]
    fn a_name_that_is_not_there_comes_with_the_nearest_all_names_and_all_folders() {
        let (root, path) = path();
        let text = message(&path.find("inflx").unwrap_err());
        assert!(
            text.starts_with("no plugin named `inflx` | did you mean `influx`? there are `cpu`, `influx`; looked in ")
        );
        for folder in ["bin", "bin/plugins", "named", "data/benchhost/plugins"] {
            assert!(text.contains(root.path().join(folder).to_str().unwrap()), "{folder}: {text}");
        }
    }

    #[test]
    fn a_path_is_never_looked_up_and_a_known_name_is_suggested() {
        let (root, path) = path();
        let file = root.path().join("named/cpu.wasm");
        assert_eq!(path.find(file.to_str().unwrap()).unwrap(), file);
        let text = message(&path.find("influx.wasm").unwrap_err());
        assert!(text.starts_with("no plugin file influx.wasm | there is "), "{text}");
        assert!(text.ends_with("name it `influx`, without .wasm"), "{text}");
        let text = message(&path.find(root.path().to_str().unwrap()).unwrap_err());
        assert!(text.contains("is a folder, not a plugin file"), "{text}");
    }
}
