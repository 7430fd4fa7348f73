//! A suite's file: `name`, `about`, `runs`, the table `[defaults]` and the runs, `[[run]]`. Defaults and runs have the keys of the file that
//! `benchhost run --config` reads, and are judged by the same rules.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::args;
use crate::config::{self, FileLayer};
use crate::failure::{Classify, Failure};
use crate::nearest::nearest;
use crate::pairs::{self, Pair};

/// Repetitions, unless the file or the user says otherwise.
const RUNS: u32 = 3;
/// Keys of the file itself.
const KEYS: [&str; 5] = [NAME, ABOUT, RUNS_KEY, DEFAULTS, RUN];
/// Of the suite, and of each run.
const NAME: &str = "name";
const ABOUT: &str = "about";
const RUNS_KEY: &str = "runs";
const DEFAULTS: &str = "defaults";
/// The list of runs, and the command that runs each.
const RUN: &str = "run";
/// Keys of `benchhost run` that are the runner's: it names folders, and shows the results itself.
const RUNNERS: [&str; 5] = ["output", "format", "progress", "color", "verbose"];
/// Tables that are merged by name.
const PARAM: &str = "param";
const TAG: &str = "tag";
/// The longest name of a suite or run: it becomes part of a folder's name.
const LONGEST_NAME: usize = 64;

/// What is wrong with a suite's file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SuiteError {
    /// It cannot be read.
    #[error("cannot read the suite {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A key that a suite does not have.
    #[error("{}: unknown key `{key}`{}", path.display(), hint(key, nearest))]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// The key that was probably meant.
        nearest: Option<String>,
    },
    /// A value of a kind that the key cannot have, or none where one is needed.
    #[error("{}: `{key}` must be {expected}", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// What it can be.
        expected: &'static str,
    },
    /// A name that no folder should have.
    #[error("{}: `{name}` cannot be a name: folders are named after it, so use at most {LONGEST_NAME} letters, digits, `-` and `_`", path.display())]
    Name {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// Two runs of one name.
    #[error("{}: two runs are named `{name}`; rename one", path.display())]
    SameName {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// A key that the runner sets.
    #[error("{}: `{key}` belongs to the command line of `benchhost suite run`, which gives every run a folder of its own; leave it out", path.display())]
    Runners {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
    },
    /// A run without a plugin.
    #[error("{}: the run `{run}` has no `{key}`; set it there or in [defaults]", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The run.
        run: String,
        /// The key.
        key: &'static str,
    },
}

fn hint(key: &str, nearest: &Option<String>) -> String {
    match nearest {
        Some(near) => format!("; did you mean `{near}`?"),
        None if flags().any(|flag| flag == key) => format!("; keys of runs belong to [{DEFAULTS}] or to a [[{RUN}]]"),
        None => String::new(),
    }
}

fn flags() -> impl Iterator<Item = String> {
    let command = run_command();
    let longs: Vec<String> = command.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned)).collect();
    longs.into_iter()
}

/// The command whose flags are the keys of a run.
fn run_command() -> clap::Command {
    args::command().find_subcommand(RUN).cloned().unwrap_or_default()
}

/// A suite as its file tells it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Suite {
    /// What its folder is named after.
    pub name: String,
    /// What it is for.
    pub about: Option<String>,
    /// Repetitions of every run.
    pub runs: u32,
    /// The runs, in the order of the file; never empty, no name twice.
    pub entries: Vec<Entry>,
}

/// One run, defaults filled in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// Its name in results.
    pub name: String,
    /// What it is for.
    pub about: Option<String>,
    /// A file for `benchhost run --config`.
    pub config: Table,
}

impl Suite {
    /// Reads a file and checks every key. What plugins want is not looked at.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or says something that no run can be told.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| SuiteError::Read { path: path.into(), source })
            .or_usage()?;
        Self::interpret(path, &text)
    }

    fn interpret(path: &Path, text: &str) -> Result<Self, Failure> {
        let mut table = config::syntax(path, text).or_usage()?;
        let kind = |key: &str, expected| SuiteError::Kind { path: path.into(), key: key.into(), expected };
        if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let nearest = nearest(key, KEYS).map(str::to_owned);
            return Err(Failure::usage(SuiteError::UnknownKey { path: path.into(), key: key.clone(), nearest }));
        }
        let name = name(path, NAME, &mut table).or_usage()?;
        let about = about(path, &mut table).or_usage()?;
        let runs = match table.remove(RUNS_KEY) {
            None => RUNS,
            Some(Value::Integer(runs @ 1..=1_000_000)) => u32::try_from(runs).unwrap_or(RUNS),
            Some(_) => return Err(Failure::usage(kind(RUNS_KEY, "a number of repetitions, at least 1"))),
        };
        let defaults = match table.remove(DEFAULTS) {
            None => Part::default(),
            Some(Value::Table(keys)) => {
                Part::new(path, keys).map_err(|failure| failure.context(format!("in [{DEFAULTS}]")))?
            }
            Some(_) => return Err(Failure::usage(kind(DEFAULTS, "a table: [defaults]"))),
        };
        let runs_of_file = match table.remove(RUN) {
            Some(Value::Array(runs)) if !runs.is_empty() => runs,
            _ => return Err(Failure::usage(kind(RUN, "one table or more: [[run]]"))),
        };
        let mut entries: Vec<Entry> = Vec::new();
        for (index, value) in runs_of_file.into_iter().enumerate() {
            let Value::Table(keys) = value else {
                return Err(Failure::usage(kind(RUN, "one table or more: [[run]]")));
            };
            let entry = entry(path, index, keys, &defaults)?;
            if entries.iter().any(|other| other.name == entry.name) {
                return Err(Failure::usage(SuiteError::SameName { path: path.into(), name: entry.name }));
            }
            entries.push(entry);
        }
        Ok(Self { name, about, runs, entries })
    }
}

/// `[defaults]` or the keys of one run.
#[derive(Debug, Default)]
struct Part {
    /// Keys that are replaced as a whole.
    keys: Table,
    /// What the pairs say.
    layer: FileLayer,
}

impl Part {
    fn new(path: &Path, mut keys: Table) -> Result<Self, Failure> {
        if let Some(key) = keys.keys().find(|key| RUNNERS.contains(&key.as_str())) {
            return Err(Failure::usage(SuiteError::Runners { path: path.into(), key: key.clone() }));
        }
        let layer = config::layer(path, keys.clone(), &run_command()).or_usage()?;
        for table in [PARAM, TAG] {
            keys.remove(table);
        }
        Ok(Self { keys, layer })
    }
}

fn entry(path: &Path, index: usize, mut keys: Table, defaults: &Part) -> Result<Entry, Failure> {
    let name = name(path, &format!("run[{index}].name"), &mut keys).or_usage()?;
    let inside = |failure: Failure| failure.context(format!("in the run `{name}`"));
    let about = about(path, &mut keys).or_usage().map_err(inside)?;
    let part = Part::new(path, keys).map_err(inside)?;

    let mut config = Table::new();
    // Rows of an earlier repetition would be in the way of every later one.
    config.insert("existing".into(), Value::String("drop".into()));
    config.extend(defaults.keys.clone());
    config.extend(part.keys);
    let merged = |table, defaults: &[Pair], own: &[Pair]| {
        let pairs = pairs::layered([("[defaults]", defaults.to_vec()), ("[[run]]", own.to_vec())]).or_usage()?;
        let pairs: Table = pairs.into_iter().map(|pair| (pair.name, Value::String(pair.value))).collect();
        Ok::<_, Failure>((!pairs.is_empty()).then(|| (String::from(table), Value::Table(pairs))))
    };
    config.extend(merged(PARAM, &defaults.layer.params, &part.layer.params).map_err(inside)?);
    config.extend(merged(TAG, &defaults.layer.tags, &part.layer.tags).map_err(inside)?);
    for key in ["plugin", "dataset"] {
        let elsewhere = std::env::var_os(args::variable(key)).is_some();
        if !config.contains_key(key) && !elsewhere {
            return Err(Failure::usage(SuiteError::Missing { path: path.into(), run: name, key }));
        }
    }
    Ok(Entry { name, about, config })
}

/// Takes out a name that can be part of a folder's.
fn name(path: &Path, key: &str, keys: &mut Table) -> Result<String, SuiteError> {
    let Some(Value::String(name)) = keys.remove(NAME) else {
        return Err(SuiteError::Kind { path: path.into(), key: key.into(), expected: "a name" });
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if begins && name.len() <= LONGEST_NAME && name.chars().all(fits) {
        Ok(name)
    } else {
        Err(SuiteError::Name { path: path.into(), name })
    }
}

/// Takes out a text that may be missing.
fn about(path: &Path, keys: &mut Table) -> Result<Option<String>, SuiteError> {
    match keys.remove(ABOUT) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(SuiteError::Kind { path: path.into(), key: ABOUT.into(), expected: "a text" }),
    }
}

#[cfg(test)]
mod tests;
