//! A plugin's project in a folder of its own, with the tools of all languages at hand, built by the program under test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use tempfile::TempDir;
use xtask::toolchains::Toolchains;

use crate::invocation::benchhost;

/// The five languages, as `--lang` takes them.
pub const LANGUAGES: [&str; 5] = ["rust", "c", "go", "python", "javascript"];

/// A project. Its folder goes with this.
#[derive(Debug)]
pub struct Project {
    /// The root that relative paths of the project may lead to.
    _root: TempDir,
    folder: PathBuf,
    name: String,
    language: String,
}

impl Project {
    /// A copy of `examples/plugins/NAME`, where its contract is found as in the repository.
    ///
    /// # Errors
    ///
    /// There is no such example, the tools of the languages are not there, or it cannot be copied.
    pub fn example(name: &str, language: &str) -> Result<Self> {
        let root = tempfile::Builder::new().prefix("benchhost-example-").tempdir()?;
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let inside = Path::new("examples/plugins").join(name);
        let folder = root.path().join(&inside);
        copy(&repository.join("wit"), &root.path().join("wit"))?;
        copy(&repository.join(&inside), &folder)?;
        tools()?.lend(&folder)?;
        Ok(Self { _root: root, folder, name: name.to_owned(), language: language.to_owned() })
    }

    /// What `benchhost plugin new` starts.
    ///
    /// # Errors
    ///
    /// It does not, or the tools of the languages are not there.
    pub fn started(language: &str, kind: &str) -> Result<Self> {
        let root = tempfile::Builder::new().prefix("benchhost-project-").tempdir()?;
        let name = format!("acme-{language}");
        let folder = root.path().join(&name);
        let started = benchhost(&format!("plugin new {name} --kind {kind} --lang {language} --folder"))?.arg(&folder);
        let started = started.finish()?;
        ensure!(started.outcome.code == Some(0), "{}", started.outcome.stderr);
        tools()?.lend(&folder)?;
        Ok(Self { _root: root, folder, name, language: language.to_owned() })
    }

    /// Builds it and gives the path of the component.
    ///
    /// # Errors
    ///
    /// `benchhost plugin build` fails.
    pub fn build(&self) -> Result<PathBuf> {
        let built = benchhost("plugin build")?.arg(&self.folder).env("CARGO_TARGET_DIR", shared_builds()).finish()?;
        ensure!(built.outcome.code == Some(0), "{} cannot be built:\n{}", self.name, built.outcome.stderr);
        let component = self.folder.join(format!("{}.wasm", self.name));
        ensure!(component.is_file(), "{} is not there after the build", component.display());
        Ok(component)
    }

    /// Runs the project's own tests, by its language's tool.
    ///
    /// # Errors
    ///
    /// They fail, or the tool is missing.
    pub fn test(&self, packages: &[&str]) -> Result<()> {
        let (tool, arguments): (_, &[&str]) = match self.language.as_str() {
            "rust" => ("cargo", &["test", "--quiet"]),
            "c" => ("make", &["test"]),
            "go" => ("go", &["test"]),
            "python" => ("python3", &["-m", "unittest"]),
            "javascript" => ("node", &["--test"]),
            other => bail!("no language is called {other}"),
        };
        let mut command = Command::new(tool);
        command.args(arguments).args(packages).current_dir(&self.folder).env("CARGO_TARGET_DIR", shared_builds());
        let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {tool}"))?;
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        ensure!(output.status.success(), "the tests of {} fail:\n{out}{err}", self.name);
        Ok(())
    }
}

/// One folder for what the Rust projects depend on.
fn shared_builds() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/projects")
}

fn tools() -> Result<Toolchains> {
    Toolchains::installed()?
        .context("the tools that build plugins in other languages are not there: run `cargo xtask servers`")
}

/// Copies a folder without what builds and tools leave behind.
fn copy(from: &Path, to: &Path) -> Result<()> {
    const LEFTOVERS: [&str; 5] = ["target", "gen", ".venv", "node_modules", "__pycache__"];
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).context("a name that is no text")?;
        if path.is_dir() && !LEFTOVERS.contains(&name) {
            copy(&path, &to.join(name))?;
        } else if path.is_file() && !name.ends_with(".wasm") {
            fs::copy(&path, to.join(name)).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}
