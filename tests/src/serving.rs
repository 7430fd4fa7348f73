//! A server that says in one line of JSON where it is, and runs as long as its stdin is open.

use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::program::Collected;
use crate::wait_for;

/// A busy machine takes seconds to start Python.
const READY_WITHIN: Duration = Duration::from_secs(60);

/// A running server. Dropped, it is killed; it does not outlive the test's process either, since nobody holds its stdin then.
#[derive(Debug)]
pub(crate) struct Serving {
    child: Child,
    _stdin: ChildStdin,
    stderr: Collected,
    pub(crate) http: String,
    pub(crate) grpc: String,
}

impl Serving {
    /// Starts `command` and waits for its addresses.
    pub(crate) fn start(mut command: Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
        let stdin = child.stdin.take().context("no stdin")?;
        let stdout = Collected::new(child.stdout.take().context("no stdout")?);
        let stderr = Collected::new(child.stderr.take().context("no stderr")?);
        let mut serving = Self { child, _stdin: stdin, stderr, http: String::new(), grpc: String::new() };
        let ready = wait_for("the server's line of addresses", READY_WITHIN, || {
            if let Some(status) = serving.child.try_wait()? {
                bail!("it ended at once ({status})");
            }
            Ok(stdout.so_far().contains('\n'))
        });
        ready.with_context(|| format!("{command:?} is not ready; its stderr:\n{}", serving.stderr.so_far()))?;
        (serving.http, serving.grpc) = addresses(&stdout.so_far())?;
        Ok(serving)
    }

    /// What it has printed to stderr so far.
    pub(crate) fn stderr(&self) -> String {
        self.stderr.so_far()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The addresses for HTTP and gRPC in the one line that a server prints when it is ready.
///
/// # Errors
///
/// It is not one line, not JSON, or an address is missing.
pub fn addresses(printed: &str) -> Result<(String, String)> {
    let Some((line, "")) = printed.split_once('\n') else { bail!("not one line: {printed}") };
    let line: Value = serde_json::from_str(line).with_context(|| format!("not JSON: {line}"))?;
    let address = |name: &str| {
        let address = line[name].as_str().filter(|address| address.starts_with("http://127.0.0.1:"));
        address.map(str::to_owned).with_context(|| format!("no loopback address `{name}` in {line}"))
    };
    Ok((address("http")?, address("grpc")?))
}
