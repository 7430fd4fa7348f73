//! Runs the tools that build and fetch servers: says which Debian package a missing one is in, and keeps what they print.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, ffi::OsStr};

use anyhow::{Context as _, Result, bail};

/// How much of a log an error message shows, in lines.
const TAIL_LINES: usize = 25;

/// A log file that every tool of one build writes to.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
}

impl Log {
    pub(crate) fn create(path: PathBuf) -> Result<Self> {
        File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { path })
    }

    fn open(&self) -> Result<File> {
        let file = OpenOptions::new().append(true).open(&self.path);
        file.with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Runs `command` at low priority with its output in the log; it and all that it started end when this process does.
    pub(crate) fn run(&mut self, command: &Command) -> Result<()> {
        let shown = show(command);
        let mut file = self.open()?;
        writeln!(file, "$ {shown}").with_context(|| format!("cannot write {}", self.path.display()))?;
        let mut bound = bound_to_us(command);
        bound.stdin(Stdio::piped()).stdout(file.try_clone()?).stderr(file);
        let mut child = bound.spawn().with_context(|| format!("cannot run `{shown}`"))?;
        // Taken out, since waiting would close it.
        let lifeline = child.stdin.take();
        let status = child.wait().with_context(|| format!("cannot wait for `{shown}`"))?;
        drop(lifeline);
        if !status.success() {
            bail!(
                "`{shown}` failed ({status}); its last words, whole in {}:\n{}",
                self.path.display(),
                tail(&self.path)
            );
        }
        Ok(())
    }
}

/// The last lines of a text file, or why they cannot be read.
pub(crate) fn tail(path: &Path) -> String {
    match fs::read(path) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            let lines: Vec<_> = text.lines().collect();
            lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
        }
        Err(error) => format!("(cannot read {}: {error})", path.display()),
    }
}

/// The same command below a shell that ends the whole group of processes when our end of its standard input closes.
///
/// A build of minutes has compilers below compilers; when a test run fails or is interrupted they must all go, and only
/// something outside this process can see to that in every case. Low priority, because whatever else goes on meanwhile is more
/// urgent.
fn bound_to_us(command: &Command) -> Command {
    const SCRIPT: &str = "exec 3<&0 </dev/null; (cat <&3 >/dev/null; kill -TERM 0) & watch=$!; \
        nice -n 10 \"$@\" 3<&-; status=$?; kill $watch; exit $status";
    let mut bound = Command::new("sh");
    bound.process_group(0).args(["-c", SCRIPT, "sh"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => bound.env(name, value),
            None => bound.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        bound.current_dir(folder);
    }
    bound
}

fn show(command: &Command) -> String {
    let words: Vec<_> =
        std::iter::once(command.get_program()).chain(command.get_args()).map(OsStr::to_string_lossy).collect();
    words.join(" ")
}

/// The tools that recipes, servers, clients and the reader of logs need, with the Debian package that has each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    AptGet,
    Cargo,
    DpkgDeb,
    Gcc,
    Go,
    Java,
    Maven,
    Node,
    Npm,
    PkgConfig,
    Python,
}

impl Tool {
    /// Program name and how to install it.
    fn facts(self) -> (&'static str, &'static str) {
        match self {
            Self::AptGet => ("apt-get", "Redis comes as a package of Debian 12, which needs Debian's own tools"),
            Self::Cargo => ("cargo", "install Rust with rustup"),
            Self::DpkgDeb => ("dpkg-deb", "on Debian: apt-get install dpkg"),
            Self::Gcc => ("gcc", "on Debian: apt-get install gcc"),
            Self::Go => ("go", "install Go 1.26 or newer; on Debian: apt-get install golang, if it is new enough"),
            Self::Java => ("java", "on Debian: apt-get install openjdk-17-jre-headless; any Java from 17 on will do"),
            Self::Maven => ("mvn", "on Debian: apt-get install maven"),
            Self::Node => ("node", "on Debian: apt-get install nodejs; any Node.js from 18 on will do"),
            Self::Npm => ("npm", "on Debian: apt-get install npm"),
            Self::PkgConfig => ("pkg-config", "on Debian: apt-get install pkg-config"),
            Self::Python => ("python3", "on Debian: apt-get install python3 python3-venv; 3.10 or newer will do"),
        }
    }

    /// Where the tool is.
    pub(crate) fn find(self) -> Result<PathBuf> {
        self.find_in(&env::var_os("PATH").unwrap_or_default())
    }

    fn find_in(self, path: &OsStr) -> Result<PathBuf> {
        let (name, advice) = self.facts();
        let found = env::split_paths(path).map(|folder| folder.join(name)).find(|candidate| candidate.is_file());
        found.with_context(|| format!("`{name}` is not on PATH: {advice}"))
    }

    /// A command that runs the tool.
    pub(crate) fn command(self) -> Result<Command> {
        Ok(Command::new(self.find()?))
    }
}

/// Takes away the variables by which one cargo build steers another. Without this, a target folder, compiler flags or wrapper that
/// are meant for this workspace would reach the cargo that a foreign build runs deep inside.
pub(crate) fn forget_cargo(command: &mut Command) -> &mut Command {
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(steers_cargo) {
            command.env_remove(name);
        }
    }
    command
}

fn steers_cargo(name: &str) -> bool {
    // What says where cargo keeps things and how it reaches its registry belongs to the machine, not to this workspace.
    const KEEP: [&str; 6] =
        ["CARGO_HOME", "CARGO_HTTP_", "CARGO_NET_", "CARGO_REGISTRIES_", "CARGO_REGISTRY_", "CARGO_SOURCE_"];
    let ours = ["CARGO", "RUSTC", "RUSTDOC", "RUSTFLAGS", "RUST_RECURSION_COUNT"];
    ours.iter().any(|prefix| name.starts_with(prefix)) && !KEEP.iter().any(|prefix| name.starts_with(prefix))
}

/// The major version of the Java that `java` starts.
pub(crate) fn java_major(java: &Path) -> Result<u32> {
    let output = Command::new(java).arg("-version").stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot run {}", java.display()))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    parse_java_major(&text).with_context(|| format!("cannot tell the version of {} from: {text}", java.display()))
}

fn parse_java_major(text: &str) -> Option<u32> {
    let version = text.split('"').nth(1)?;
    let mut numbers = version.split(['.', '-', '+', '_']);
    match numbers.next()?.parse().ok()? {
        // Up to Java 8 the version began with "1.".
        1 => numbers.next()?.parse().ok(),
        major => Some(major),
    }
}

/// Writes an executable script.
pub(crate) fn script(path: &Path, text: &str) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;

    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o755).open(path)?;
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::super::scratch::Scratch;
    use super::*;

    #[test]
    fn a_missing_tool_is_named_with_its_debian_package() {
        let error = Tool::Maven.find_in(OsStr::new("/nonexistent")).unwrap_err().to_string();
        assert_eq!(error, "`mvn` is not on PATH: on Debian: apt-get install maven");
    }

    #[test]
    fn a_failing_tool_shows_its_last_words_and_where_the_rest_is() {
        let folder = Scratch::new("tools-test").unwrap();
        let mut log = Log::create(folder.path().join("log")).unwrap();
        log.run(Command::new("sh").args(["-c", "echo fine"])).unwrap();
        let error =
            log.run(Command::new("sh").args(["-c", "echo no such module >&2; exit 3"])).unwrap_err().to_string();
        assert!(error.contains("exit status: 3") && error.ends_with("no such module"), "{error}");
        let whole = fs::read_to_string(folder.path().join("log")).unwrap();
        assert!(whole.contains("fine\n"), "{whole}");
    }

    #[test]
    fn a_tool_keeps_its_folder_and_variables() {
        let folder = Scratch::new("tools-test").unwrap();
        let mut log = Log::create(folder.path().join("log")).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo \"$GREETING\" > here"]).env("GREETING", "a 'b' c").current_dir(folder.path());
        log.run(&command).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("here")).unwrap(), "a 'b' c\n");
    }

    #[test]
    fn a_tool_and_what_it_started_end_when_nobody_holds_the_other_end() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 60 & echo up; wait"]);
        let mut child = bound_to_us(&command).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = io::BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        io::BufRead::read_line(&mut output, &mut line).unwrap();
        drop(child.stdin.take());
        assert!(!child.wait().unwrap().success());
        // The sleeping grandchild holds the other end of this pipe: it closes when that one is gone too.
        assert_eq!(io::Read::read_to_end(&mut output, &mut Vec::new()).unwrap(), 0);
    }

    #[test]
    fn a_tail_is_the_end_of_the_file() {
        let folder = Scratch::new("tools-test").unwrap();
        let path = folder.path().join("log");
        let lines: Vec<_> = (0..100).map(|line| line.to_string()).collect();
        fs::write(&path, lines.join("\n")).unwrap();
        let tail = tail(&path);
        assert!(tail.starts_with("75\n") && tail.ends_with("\n99"), "{tail}");
    }

    #[test]
    fn what_steers_this_cargo_is_forgotten_and_what_reaches_the_registry_is_kept() {
        for name in ["CARGO_TARGET_DIR", "CARGO", "CARGO_PKG_NAME", "RUSTFLAGS", "RUSTC_WRAPPER", "CARGO_BUILD_TARGET"]
        {
            assert!(steers_cargo(name), "{name}");
        }
        for name in ["CARGO_HOME", "CARGO_HTTP_CAINFO", "RUSTUP_HOME", "RUST_BACKTRACE", "PATH", "RUSTUP_TOOLCHAIN"] {
            assert!(!steers_cargo(name), "{name}");
        }
    }

    #[test]
    fn java_versions_old_and_new_are_understood() {
        assert_eq!(parse_java_major("openjdk version \"17.0.15\" 2025-04-15"), Some(17));
        assert_eq!(parse_java_major("java version \"1.8.0_392\""), Some(8));
        assert_eq!(parse_java_major("openjdk version \"25-ea\" 2025-09-16"), Some(25));
        assert_eq!(parse_java_major("no java here"), None);
    }
}
