//! The program as a child process, with an end in sight.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

/// The longest that one call of the program may take.
const LIMIT: Duration = Duration::from_secs(300);

/// The program under test: `BENCHHOST_BIN`, else the release build of this workspace.
pub(crate) fn path() -> Result<PathBuf> {
    let path = match std::env::var_os("BENCHHOST_BIN") {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../target/release/benchhost")),
    };
    if !path.is_file() {
        bail!("there is no program {}: run `cargo xtask build`, or set BENCHHOST_BIN", path.display());
    }
    Ok(path)
}

/// A call of the program under test, without arguments yet.
pub(crate) fn command() -> Result<Command> {
    let mut command = Command::new(path()?);
    // What the developer has set for his own runs is not for these.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("BENCHHOST_") {
            command.env_remove(name);
        }
    }
    Ok(command)
}

/// How a call ended.
#[derive(Debug)]
pub struct Outcome {
    /// The exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// All of stdout.
    pub stdout: String,
    /// All of stderr.
    pub stderr: String,
    /// How long it took.
    pub time: Duration,
}

impl Outcome {
    /// Passes when the exit code is this one.
    ///
    /// # Errors
    ///
    /// It is another one; the message has both streams.
    pub fn expect_code(&self, code: i32) -> Result<&Self> {
        if self.code == Some(code) {
            return Ok(self);
        }
        let was = self.code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
        bail!("{was} where {code} was expected\n--- stderr\n{}\n--- stdout\n{}", self.stderr, self.stdout)
    }

    /// Passes when stderr has all of these words.
    ///
    /// # Errors
    ///
    /// It has not; the message has all of stderr.
    pub fn expect_words(&self, words: &[&str]) -> Result<&Self> {
        match words.iter().find(|words| !self.stderr.contains(**words)) {
            None => Ok(self),
            Some(missing) => bail!("stderr does not say `{missing}`:\n{}", self.stderr),
        }
    }
}

/// A running program. Dropped, it is killed.
#[derive(Debug)]
pub struct Live {
    child: Child,
    started: Instant,
    stdout: Collected,
    stderr: Collected,
}

impl Live {
    pub(crate) fn start(arguments: &[OsString], variables: &[(String, OsString)], folder: &Path) -> Result<Self> {
        let mut command = command()?;
        command.args(arguments).envs(variables.iter().map(|(name, value)| (name, value))).current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("cannot run the program")?;
        let stdout = Collected::new(child.stdout.take().context("no stdout")?);
        let stderr = Collected::new(child.stderr.take().context("no stderr")?);
        Ok(Self { child, started: Instant::now(), stdout, stderr })
    }

    /// What it has printed to stdout so far.
    pub fn stdout(&self) -> String {
        self.stdout.so_far()
    }

    /// What it has printed to stderr so far.
    pub fn stderr(&self) -> String {
        self.stderr.so_far()
    }

    /// Whether it has ended.
    ///
    /// # Errors
    ///
    /// The system does not tell.
    pub fn has_ended(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Presses Ctrl-C.
    ///
    /// # Errors
    ///
    /// It has ended.
    pub fn interrupt(&mut self) -> Result<()> {
        self.signal(Signal::INT)
    }

    /// Asks it to end (SIGTERM), as the system does with what runs in the background.
    ///
    /// # Errors
    ///
    /// It has ended.
    pub fn terminate(&mut self) -> Result<()> {
        self.signal(Signal::TERM)
    }

    fn signal(&mut self, signal: Signal) -> Result<()> {
        if self.has_ended()? {
            bail!("the program ended before it could be sent {signal:?}:\n{}", self.stderr());
        }
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).context("no process number")?;
        kill_process(pid, signal).with_context(|| format!("cannot send {signal:?} to the program"))
    }

    /// Kills it (SIGKILL), as the system does when memory runs out.
    ///
    /// # Errors
    ///
    /// It has ended.
    pub fn kill(&mut self) -> Result<()> {
        if self.has_ended()? {
            bail!("the program ended before it could be killed:\n{}", self.stderr());
        }
        self.child.kill().context("cannot kill the program")
    }

    /// Waits for its end.
    ///
    /// # Errors
    ///
    /// It takes too long: then it is killed.
    pub fn finish(mut self) -> Result<Outcome> {
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if self.started.elapsed() > LIMIT {
                self.child.kill()?;
                bail!("killed: it did not end within {} s; its stderr:\n{}", LIMIT.as_secs(), self.stderr());
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let time = self.started.elapsed();
        Ok(Outcome { code: status.code(), stdout: self.stdout.all()?, stderr: self.stderr.all()?, time })
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // After `finish` there is nobody left to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A stream that a thread reads, so that the child never waits for its reader.
#[derive(Debug)]
pub(crate) struct Collected {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Collected {
    pub(crate) fn new(mut stream: impl Read + Send + 'static) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&bytes);
        let reader = std::thread::spawn(move || {
            let mut chunk = [0; 64 * 1024];
            while let Ok(read @ 1..) = stream.read(&mut chunk) {
                shared.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&chunk[..read]);
            }
        });
        Self { bytes, reader: Some(reader) }
    }

    pub(crate) fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    fn all(&mut self) -> Result<String> {
        if let Some(reader) = self.reader.take()
            && reader.join().is_err()
        {
            bail!("the thread that reads a stream of the program panicked");
        }
        let bytes = std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner));
        String::from_utf8(bytes).context("the program printed something that is not UTF-8")
    }
}
