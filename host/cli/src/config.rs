//! The TOML file: a key for every flag of the command that it is given to. Its values become the flags' defaults, so that every rule that
//! holds for a flag holds for its key.

use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction};
use toml::{Table, Value};

use crate::failure::{Classify, Failure};
use crate::nearest::nearest;
use crate::pairs::Pair;

/// The table of `-P`.
const PARAM: &str = "param";

/// Tables of pairs, and the flags' identifiers.
const PAIR_TABLES: [(&str, &str); 2] = [(PARAM, "params"), ("tag", "tags")];

/// What a file says.
#[derive(Debug, Default)]
pub(crate) struct FileLayer {
    /// Identifier of a flag, and its values.
    values: Vec<(String, Vec<String>)>,
    /// Table `[param]`.
    pub params: Vec<Pair>,
    /// Table `[tag]`.
    pub tags: Vec<Pair>,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    /// It cannot be read.
    #[error("cannot read the configuration file {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It is not TOML.
    #[error("{} is not TOML: {source}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// A key that is no flag.
    #[error("{}: unknown key `{key}`{}", path.display(), suggestion(nearest))]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// The key that was probably meant.
        nearest: Option<String>,
    },
    /// A value of a kind that the key cannot have.
    #[error("{}: `{key}` must be {expected}", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// What it can be.
        expected: &'static str,
    },
    /// A value that the flag would not take either.
    #[error("{}: `{key}`: {why}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// What the flag says.
        why: String,
    },
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|key| format!("; did you mean `{key}`?")).unwrap_or_default()
}

impl FileLayer {
    /// The command with these values as its flags' defaults.
    pub(crate) fn as_defaults(&self, command: clap::Command) -> clap::Command {
        self.values.iter().fold(command, |command, (id, values)| {
            command.mut_arg(id, |arg| arg.default_values(values.iter().map(clap::builder::OsStr::from)))
        })
    }
}

/// Reads a file for the subcommand of that name.
pub(crate) fn read(path: &Path, command: &clap::Command, subcommand: &str) -> Result<FileLayer, Failure> {
    let text =
        std::fs::read_to_string(path).map_err(|source| ConfigError::Read { path: path.into(), source }).or_usage()?;
    let command = command.find_subcommand(subcommand).cloned().unwrap_or_default();
    interpret(path, &text, &command).or_usage()
}

fn interpret(path: &Path, text: &str, command: &clap::Command) -> Result<FileLayer, ConfigError> {
    layer(path, syntax(path, text)?, command)
}

/// The keys of a file.
pub(crate) fn syntax(path: &Path, text: &str) -> Result<Table, ConfigError> {
    text.parse().map_err(|source| ConfigError::Syntax { path: path.into(), source: Box::new(source) })
}

/// What the keys of a table say, each of them judged by the command's flag of that name. `path` is for messages.
pub(crate) fn layer(path: &Path, table: Table, command: &clap::Command) -> Result<FileLayer, ConfigError> {
    let mut layer = FileLayer::default();
    for (key, value) in table {
        if let Some(table) = pair_tables(command).find(|table| *table == key) {
            let pairs = pairs(path, &key, value)?;
            *(if table == PARAM { &mut layer.params } else { &mut layer.tags }) = pairs;
            continue;
        }
        let Some(arg) = flags(command).find(|arg| arg.get_long() == Some(key.as_str())) else {
            let known = flags(command).filter_map(Arg::get_long).chain(pair_tables(command));
            let nearest = nearest(&key, known).map(str::to_owned);
            return Err(ConfigError::UnknownKey { path: path.into(), key, nearest });
        };
        let values = values(path, &key, value, arg)?;
        check(path, &key, command, arg, &values)?;
        layer.values.push((arg.get_id().to_string(), values));
    }
    Ok(layer)
}

/// The flags that a file can set: not the file itself, and pairs have tables.
fn flags(command: &clap::Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| {
        let id = arg.get_id().as_str();
        !matches!(id, "config" | "help" | "version") && PAIR_TABLES.iter().all(|(_, pairs)| *pairs != id)
    })
}

/// The tables of pairs that the command has flags for.
fn pair_tables(command: &clap::Command) -> impl Iterator<Item = &str> {
    PAIR_TABLES
        .into_iter()
        .filter(|(_, id)| command.get_arguments().any(|arg| arg.get_id() == id))
        .map(|(table, _)| table)
}

/// The values as a user would type them after the flag.
fn values(path: &Path, key: &str, value: Value, arg: &Arg) -> Result<Vec<String>, ConfigError> {
    let kind = |expected| ConfigError::Kind { path: path.into(), key: key.into(), expected };
    match arg.get_action() {
        ArgAction::SetTrue => match value {
            Value::Boolean(on) => Ok(vec![on.to_string()]),
            _ => Err(kind("true or false")),
        },
        ArgAction::Append => match value {
            Value::Array(items) => {
                items.into_iter().map(|item| scalar(item).ok_or_else(|| kind("a list of strings or numbers"))).collect()
            }
            // A list of one.
            one => scalar(one).map(|text| vec![text]).ok_or_else(|| kind("a list of strings or numbers")),
        },
        _ => scalar(value).map(|text| vec![text]).ok_or_else(|| kind("a string or a number")),
    }
}

/// A value in the form that a flag or `-P` takes.
fn scalar(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(on) => Some(on.to_string()),
        Value::Datetime(time) => Some(time.to_string()),
        Value::Array(_) | Value::Table(_) => None,
    }
}

fn pairs(path: &Path, key: &str, value: Value) -> Result<Vec<Pair>, ConfigError> {
    let kind = |key: String, expected| ConfigError::Kind { path: path.into(), key, expected };
    let Value::Table(table) = value else {
        return Err(kind(key.into(), "a table"));
    };
    let mut pairs = Vec::new();
    for (name, value) in table {
        match value {
            // `[param.target]` is the long form of `target.name`.
            Value::Table(inner) if key == PARAM => {
                for (inner_name, value) in inner {
                    let full = format!("{name}.{inner_name}");
                    let text =
                        scalar(value).ok_or_else(|| kind(format!("param.{full}"), "a string, number or boolean"))?;
                    pairs.push(Pair::new(full, text));
                }
            }
            value => {
                let text = scalar(value).ok_or_else(|| kind(format!("{key}.{name}"), "a string, number or boolean"))?;
                pairs.push(Pair::new(name, text));
            }
        }
    }
    Ok(pairs)
}

/// Has clap judge one value, so that the message can name the file instead of a flag that nobody typed.
fn check(path: &Path, key: &str, command: &clap::Command, arg: &Arg, values: &[String]) -> Result<(), ConfigError> {
    let defaults = values.iter().map(clap::builder::OsStr::from).collect::<Vec<_>>();
    let alone = clap::Command::new(command.get_name().to_owned())
        .arg(clean(arg).default_values(defaults))
        .try_get_matches_from([command.get_name()]);
    alone.map(|_| ()).map_err(|error| ConfigError::Value { path: path.into(), key: key.into(), why: why(&error) })
}

/// The flag without what binds it to others, and deaf to the environment.
fn clean(arg: &Arg) -> Arg {
    let bare = Arg::new(arg.get_id().clone()).long(arg.get_id().to_string()).action(arg.get_action().clone());
    bare.value_parser(arg.get_value_parser().clone())
}

fn why(error: &clap::Error) -> String {
    if let Some(cause) = std::error::Error::source(error) {
        return cause.to_string();
    }
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => Some(texts.join(", ")),
        _ => None,
    };
    match (text(ContextKind::InvalidValue), text(ContextKind::ValidValue)) {
        (Some(given), Some(valid)) if !valid.is_empty() => format!("`{given}` is none of {valid}"),
        (Some(given), _) => format!("`{given}` is not allowed"),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
