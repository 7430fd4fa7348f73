//! Ctrl-C: the first drains and leaves a partial result, the second ends the process at once.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, ChildStderr, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{Sandbox, plugins};

fn spawn(command: &mut Command) -> (Child, BufReader<ChildStderr>) {
    let command = command.env("BENCHHOST_PLUGIN_PATH", plugins());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    (child, stderr)
}

fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

/// Reads until a line begins so; everything up to there is given back for a message.
fn wait_for(stderr: &mut BufReader<ChildStderr>, beginning: &str) {
    let mut seen = String::new();
    loop {
        let from = seen.len();
        let read = stderr.read_line(&mut seen).unwrap();
        assert!(read > 0, "no line begins with {beginning}:\n{seen}");
        if seen[from..].starts_with(beginning) {
            return;
        }
    }
}

#[test]
fn the_first_interrupt_leaves_a_partial_result() {
    let sandbox = Sandbox::new();
    // Batches are made as the run goes, and there are more than a machine makes while the test looks away.
    let words =
        ["run", "--plugin", "null", "--dataset", "cpu", "--rows", "100g", "--memory", "1MiB", "--progress", "plain"];
    let (child, mut stderr) = spawn(sandbox.command(&words).args(["-o", "result", "--format", "json"]));
    wait_for(&mut stderr, "open: ");
    interrupt(&child);
    wait_for(&mut stderr, "stopping: ");
    let drained = std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
    let output = child.wait_with_output().unwrap();
    drained.join().unwrap().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(sandbox.path("result/run.json")).unwrap()).unwrap();
    assert_eq!(printed, kept);
    assert_eq!(kept["partial"], true);
    assert_eq!(kept["verdict"]["status"], "invalid");
}

#[test]
fn the_second_interrupt_ends_a_run_that_waits_for_a_silent_server() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", silent.local_addr().unwrap());
    let sandbox = Sandbox::new();
    let words =
        ["run", "--plugin", "influx", "--dataset", "cpu", "--endpoint", &endpoint, "--database", "bench", "-o", "none"];
    let (mut child, mut stderr) = spawn(&mut sandbox.command(&words));
    let _connection = silent.accept().unwrap();
    interrupt(&child);
    wait_for(&mut stderr, "stopping: waiting for operations in flight; press Ctrl-C again to stop at once");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
