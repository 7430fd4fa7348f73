//! A call of the program in the making, and what is left of it: streams, exit code, result folder.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;
use xtask::servers::Running;

use crate::document::Document;
use crate::program::{Live, Outcome};

/// A call of the program. It runs in an empty folder of its own.
#[derive(Debug)]
pub struct Invocation {
    arguments: Vec<OsString>,
    variables: Vec<(String, OsString)>,
    folder: TempDir,
}

/// The program with these arguments, separated by spaces.
///
/// # Errors
///
/// No folder can be made for it.
pub fn benchhost(arguments: &str) -> Result<Invocation> {
    let folder = tempfile::Builder::new().prefix("benchhost-test-").tempdir()?;
    Ok(Invocation { arguments: vec![], variables: vec![], folder }.args(arguments))
}

impl Invocation {
    /// `run` of a target against a server, of so many rows. The result goes into the invocation's folder.
    ///
    /// # Errors
    ///
    /// No folder can be made for it.
    pub fn run(target: &str, server: &Running, dataset: &str, rows: u64) -> Result<Self> {
        Self::write(target, server.endpoint(), dataset, rows)
    }

    /// `run` of a target against the server at an address, of so many rows. The result goes into the invocation's folder.
    ///
    /// # Errors
    ///
    /// No folder can be made for it.
    pub fn write(target: &str, endpoint: &str, dataset: &str, rows: u64) -> Result<Self> {
        let run = benchhost(&format!("run --plugin {target} --endpoint {endpoint} --dataset {dataset} --rows {rows}"))?;
        Ok(run.args("--output result"))
    }

    /// `run` of a target against a server, for so long as a later `--duration` says.
    ///
    /// # Errors
    ///
    /// No folder can be made for it.
    pub fn timed(target: &str, endpoint: &str, dataset: &str) -> Result<Self> {
        let run = benchhost(&format!("run --plugin {target} --endpoint {endpoint} --dataset {dataset}"))?;
        Ok(run.args("--output result"))
    }

    /// Adds arguments, separated by spaces.
    #[must_use]
    pub fn args(mut self, arguments: &str) -> Self {
        self.arguments.extend(arguments.split_whitespace().map(OsString::from));
        self
    }

    /// Adds one argument as it is.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Adds a setting: `-P name=value`.
    #[must_use]
    pub fn set(self, name: &str, value: &str) -> Self {
        self.arg("-P").arg(format!("{name}={value}"))
    }

    /// Adds settings: `-P name=value` each.
    #[must_use]
    pub fn set_all(self, settings: &[(&str, &str)]) -> Self {
        settings.iter().fold(self, |all, (name, value)| all.set(name, value))
    }

    /// Sets a variable of the environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// Writes a file into the invocation's folder, for arguments to name.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn file(self, name: &str, content: &str) -> Result<Self> {
        fs::write(self.folder.path().join(name), content).with_context(|| format!("cannot write {name}"))?;
        Ok(self)
    }

    /// The folder that it runs in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Starts it.
    ///
    /// # Errors
    ///
    /// There is no program to start.
    pub fn start(&self) -> Result<Live> {
        Live::start(&self.arguments, &self.variables, self.folder.path())
    }

    /// Runs it to its end.
    ///
    /// # Errors
    ///
    /// There is no program to start, or it does not end.
    pub fn finish(self) -> Result<Finished> {
        let live = self.start()?;
        self.wait(live)
    }

    /// Waits for the end of what [`start`](Self::start) began.
    ///
    /// # Errors
    ///
    /// It does not end.
    pub fn wait(self, live: Live) -> Result<Finished> {
        Ok(Finished { outcome: live.finish()?, folder: self.folder })
    }

    /// Runs it to its end, which must be exit code 0, and reads its result.
    ///
    /// # Errors
    ///
    /// It ends otherwise, or there is no result.
    pub fn succeed(self) -> Result<Document> {
        let finished = self.finish()?;
        finished.outcome.expect_code(0)?;
        finished.document()
    }
}

/// A call that has ended.
#[derive(Debug)]
pub struct Finished {
    /// Its exit code and streams.
    pub outcome: Outcome,
    folder: TempDir,
}

impl Finished {
    /// The folder that it ran in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Whether it left a result.
    #[must_use]
    pub fn has_document(&self) -> bool {
        self.document_path().exists()
    }

    /// Its result.
    ///
    /// # Errors
    ///
    /// There is none, or it is not JSON.
    pub fn document(&self) -> Result<Document> {
        let text = fs::read_to_string(self.document_path())
            .with_context(|| format!("the run left no result; its stderr:\n{}", self.outcome.stderr))?;
        Document::parse(&text)
    }

    /// The folder with its result.
    #[must_use]
    pub fn result(&self) -> PathBuf {
        self.folder.path().join("result")
    }

    fn document_path(&self) -> PathBuf {
        self.result().join("run.json")
    }

    /// Passes when a secret is in nothing that the run printed or kept.
    ///
    /// # Errors
    ///
    /// It is somewhere, or a file of the result cannot be read.
    pub fn expect_hidden(&self, secret: &str) -> Result<&Self> {
        let mut places = Vec::new();
        for (name, stream) in [("stdout", &self.outcome.stdout), ("stderr", &self.outcome.stderr)] {
            if stream.contains(secret) {
                places.push(name.to_owned());
            }
        }
        let result = self.folder.path().join("result");
        for entry in fs::read_dir(&result).into_iter().flatten() {
            let path = entry?.path();
            let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            if String::from_utf8_lossy(&content).contains(secret) {
                places.push(path.display().to_string());
            }
        }
        if places.is_empty() { Ok(self) } else { bail!("the secret is in {}", places.join(", ")) }
    }
}
