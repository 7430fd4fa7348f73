//! Runs the real binary, in a folder and an environment of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What one invocation left behind.
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A folder to run in.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and gives its path as text.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The binary with these words, ready to be given more environment.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_benchhost"));
        command.args(words).current_dir(self.folder.path());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("BENCHHOST_") {
                command.env_remove(name);
            }
        }
        // Plugins of the machine's own user must not be found; compiled code may be kept where it is.
        command.env("XDG_DATA_HOME", self.folder.path().join("data"));
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Outcome {
        outcome(&mut self.command(words))
    }

    /// Runs with the plugins that `cargo xtask build` made.
    pub(crate) fn run_with_plugins(&self, words: &[&str]) -> Outcome {
        outcome(self.command(words).env("BENCHHOST_PLUGIN_PATH", plugins()))
    }

    /// Names of what is in the folder now.
    pub(crate) fn entries(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

pub(crate) fn outcome(command: &mut Command) -> Outcome {
    let Output { status, stdout, stderr } = command.output().unwrap();
    Outcome {
        code: status.code(),
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

/// The folder with the built plugins: the one that the environment names, or where `cargo xtask build` puts them.
pub(crate) fn plugins() -> PathBuf {
    let named = std::env::var_os("BENCHHOST_PLUGIN_PATH").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_BIN_EXE_benchhost")).with_file_name("plugins");
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/wasm32-wasip2/plugin");
    let mut folders = named.into_iter().chain([beside, built]);
    let found = folders.find(|folder| folder.join("influx.wasm").is_file());
    found.expect("there are no plugins: run `cargo xtask build` first")
}

impl Outcome {
    /// Checks the exit code, the error and what to do next, and that stdout stayed clean.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, error: &str) {
        assert_eq!(self.code, Some(code), "stderr:\n{}", self.stderr);
        assert!(self.stderr.contains(error), "expected:\n{error}\nfound:\n{}", self.stderr);
        assert_eq!(self.stdout, "");
    }

    #[track_caller]
    pub(crate) fn succeeds(&self) {
        assert_eq!(self.code, Some(0), "stderr:\n{}", self.stderr);
    }
}
