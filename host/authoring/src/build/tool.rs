//! Programs of the languages: found, and run with their words passed on.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use super::BuildError;

/// A program and what it is told, to be run in a project's folder.
pub(super) struct Tool {
    command: Command,
    /// For messages.
    words: String,
}

impl Tool {
    /// `program` is a path or a name to look for; relative paths of `folder`'s own programs must be joined to it before.
    pub(super) fn new(program: impl AsRef<OsStr>, folder: &Path) -> Self {
        let program = program.as_ref();
        let mut command = Command::new(program);
        command.current_dir(folder).stdin(Stdio::null());
        Self { command, words: Path::new(program).display().to_string() }
    }

    pub(super) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.words.push(' ');
        self.words.push_str(&arg.as_ref().to_string_lossy());
        self.command.arg(arg);
        self
    }

    pub(super) fn args<A: AsRef<OsStr>>(self, args: impl IntoIterator<Item = A>) -> Self {
        args.into_iter().fold(self, Self::arg)
    }

    pub(super) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs it. What it says goes to standard error as it says it: standard output belongs to whoever called.
    pub(super) fn run(mut self) -> Result<(), BuildError> {
        self.command.stdout(Stdio::from(io::stderr())).stderr(Stdio::inherit());
        match self.command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(BuildError::Failed { command: self.words, status }),
            Err(source) => Err(BuildError::Start { command: self.words, source }),
        }
    }

    /// Runs it for its answer.
    pub(super) fn ask(mut self) -> Result<Answer, BuildError> {
        self.command.stderr(Stdio::inherit());
        match self.command.output() {
            Ok(output) if output.status.success() => {
                Ok(Answer { text: String::from_utf8_lossy(&output.stdout).into_owned(), command: self.words })
            }
            Ok(output) => Err(BuildError::Failed { command: self.words, status: output.status }),
            Err(source) => Err(BuildError::Start { command: self.words, source }),
        }
    }

    /// Whether it can be run and ends well; what it says is thrown away.
    pub(super) fn works(mut self) -> bool {
        self.command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    }
}

/// What a program printed.
pub(super) struct Answer {
    /// Its standard output.
    pub(super) text: String,
    command: String,
}

impl Answer {
    /// The error for an answer that lacks something.
    pub(super) fn strange(&self, reason: impl Into<String>) -> BuildError {
        BuildError::Answer { command: self.command.clone(), reason: reason.into() }
    }
}

/// The program `name` of the virtual environment `.venv` in the project, if it has one.
pub(super) fn in_venv(folder: &Path, name: &str) -> Option<PathBuf> {
    let scripts = if cfg!(windows) { "Scripts" } else { "bin" };
    let path = folder.join(".venv").join(scripts).join(format!("{name}{}", env::consts::EXE_SUFFIX));
    path.is_file().then_some(path)
}

/// The program `name` in the folders of PATH.
pub(super) fn in_path(name: &str) -> Option<PathBuf> {
    let names: &[String] = &if cfg!(windows) {
        [".exe", ".cmd", ".bat"].map(|end| format!("{name}{end}")).to_vec()
    } else {
        vec![name.to_owned()]
    };
    env::split_paths(&env::var_os("PATH")?)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|path| runnable(path))
}

#[cfg(unix)]
fn runnable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn runnable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file())
}

/// `name` of PATH, or the error that says how to get it.
pub(super) fn needed(name: &str, what: &str, command: &'static str) -> Result<PathBuf, BuildError> {
    in_path(name).ok_or_else(|| BuildError::Missing { what: what.to_owned(), command })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_program_that_is_not_there_is_named_with_the_way_to_it() {
        let error = needed("no-such-program-at-all", "the compiler", "apt install compiler").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the compiler is missing; nothing was installed. Get it with: apt install compiler"
        );
    }

    #[test]
    fn a_project_s_own_programs_are_found_in_its_environment() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(in_venv(folder.path(), "python"), None);
        let scripts = folder.path().join(".venv").join(if cfg!(windows) { "Scripts" } else { "bin" });
        fs::create_dir_all(&scripts).unwrap();
        let program = scripts.join(format!("python{}", env::consts::EXE_SUFFIX));
        fs::write(&program, "").unwrap();
        assert_eq!(in_venv(folder.path(), "python"), Some(program));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_fails_is_told_with_its_whole_command() {
        let folder = tempfile::tempdir().unwrap();
        let error = Tool::new("false", folder.path()).arg("a").args(["b"]).run().unwrap_err();
        assert!(error.to_string().starts_with("`false a b` failed (exit status: 1)"), "{error}");
        let error = Tool::new("./nowhere", folder.path()).run().unwrap_err();
        assert!(error.to_string().starts_with("cannot start `./nowhere`"), "{error}");
        assert_eq!(Tool::new("echo", folder.path()).arg("hi").ask().unwrap().text, "hi\n");
        assert!(Tool::new("true", folder.path()).works() && !Tool::new("false", folder.path()).works());
    }
}
