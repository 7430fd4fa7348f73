//! Passwords and tokens: from a file or from a variable of the environment, never from a flag, which every user of the machine could read.

use std::env;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;

use crate::args::variable;
use crate::failure::{Classify, Failure};

/// Why there is no secret.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SecretError {
    /// The file cannot be read.
    #[error("cannot read {} ({flag})", path.display())]
    Read {
        /// The flag.
        flag: String,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Two variables say where it is.
    #[error("{first} and {second} are both set: unset one")]
    Twice {
        /// The one.
        first: String,
        /// The other.
        second: String,
    },
    /// The variable is not text.
    #[error("{0} is not valid UTF-8")]
    NotText(String),
}

/// A secret and how it was given.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret {
    /// The secret itself.
    pub value: String,
    /// Whether a file was named for it, rather than a variable that may have been set for something else.
    pub named: bool,
}

/// The secret `kind` (`password`, `token`). `file` is where the file layer, a variable or a flag says that it is, and `from` which of these: a
/// flag goes before the variable that holds the secret itself, which goes before the configuration file.
pub(crate) fn secret(kind: &str, file: Option<&Path>, from: Option<ValueSource>) -> Result<Option<Secret>, Failure> {
    let direct_name = variable(kind);
    let direct = env::var_os(&direct_name).filter(|value| !value.is_empty());
    let flag = format!("{kind}-file");
    match (file, direct) {
        (Some(_), Some(_)) if from == Some(ValueSource::EnvVariable) => {
            Err(Failure::usage(SecretError::Twice { first: direct_name, second: variable(&flag) }))
        }
        (Some(path), direct) if direct.is_none() || from == Some(ValueSource::CommandLine) => {
            let value = read(path, &flag).or_usage()?;
            Ok(Some(Secret { value, named: true }))
        }
        (_, Some(value)) => {
            let value = value.into_string().map_err(|_| SecretError::NotText(direct_name)).or_usage()?;
            Ok(Some(Secret { value, named: false }))
        }
        (_, None) => Ok(None),
    }
}

/// The file's contents without one newline at their end, which editors add.
fn read(path: &Path, flag: &str) -> Result<String, SecretError> {
    let text = std::fs::read_to_string(path).map_err(|source| SecretError::Read {
        flag: format!("--{flag}"),
        path: path.into(),
        source,
    })?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn one_newline_at_the_end_is_not_part_of_the_secret() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        for (text, secret) in [("abc\n", "abc"), ("abc\r\n", "abc"), ("abc\n\n", "abc\n"), (" abc", " abc")] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(read(&path, "token-file").unwrap(), secret);
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named_with_its_flag() {
        let error = read(Path::new("/no/such/file"), "password-file").unwrap_err();
        assert_eq!(error.to_string(), "cannot read /no/such/file (--password-file)");
    }
}
