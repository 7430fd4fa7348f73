//! Child processes that do not outlive us.
//!
//! A server started by a test must end when the test process ends, whichever way: by panic, by `exit`, by SIGKILL. Dropping the
//! value covers the first only. On Linux the kernel covers the rest: it kills the child when the *thread* that started it
//! ends. Test threads end with their test while a shared server has to stay, so one thread that lives as long as the process
//! starts them all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

const POLL: Duration = Duration::from_millis(5);
const HALTED_WITHIN: Duration = Duration::from_secs(10);

/// A signal that tests send.
#[derive(Clone, Copy, Debug)]
pub(super) enum Signal {
    /// Ends the process in good order.
    Terminate,
    /// Halts it without its knowledge.
    Stop,
    /// Lets it go on.
    Continue,
}

/// A running child; killed and reaped when dropped.
#[derive(Debug)]
pub(super) struct Process {
    pid: u32,
    child: Mutex<Child>,
}

impl Process {
    /// Starts a program that ends with this process at the latest, in `folder`, with all that it prints in `output`. It gets a
    /// process group of its own: a Ctrl-C in the terminal is for the benchmark, which still writes to the server while it drains.
    pub(super) fn start(program: &Path, arguments: &[OsString], folder: &Path, output: File) -> Result<Self> {
        let mut command = dying_with_parent(program);
        command.args(arguments).current_dir(folder).process_group(0);
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        let child = spawn_from_keeper(command)?.with_context(|| format!("cannot run {}", program.display()))?;
        Ok(Self { pid: child.id(), child: Mutex::new(child) })
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it ended, if it has.
    pub(super) fn ended(&self) -> Result<Option<ExitStatus>> {
        self.child().try_wait().with_context(|| format!("cannot ask for process {}", self.pid))
    }

    /// Sends a signal; an error when the process has ended.
    pub(super) fn signal(&self, signal: Signal) -> Result<()> {
        match self.deliver(signal)? {
            None => Ok(()),
            Some(status) => bail!("process {} has ended already ({status})", self.pid),
        }
    }

    /// Halts it, and returns when no thread of it runs any more.
    pub(super) fn pause(&self) -> Result<()> {
        self.signal(Signal::Stop)?;
        let deadline = Instant::now() + HALTED_WITHIN;
        // The signal is on its way when `kill` returns; a thread that is busy still answers for a moment.
        while !halted(self.pid) {
            if Instant::now() > deadline {
                bail!("process {} still runs {} s after SIGSTOP", self.pid, HALTED_WITHIN.as_secs());
            }
            thread::sleep(POLL);
        }
        Ok(())
    }

    /// Sends a signal, or tells how the process ended before that.
    fn deliver(&self, signal: Signal) -> Result<Option<ExitStatus>> {
        // Holding the child keeps its number from being reaped, and so from being given to a stranger.
        let mut child = self.child();
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let name = match signal {
            Signal::Terminate => "TERM",
            Signal::Stop => "STOP",
            Signal::Continue => "CONT",
        };
        // Every shell has `kill` built in; a program of that name is not on every machine.
        let status = Command::new("sh").arg("-c").arg(format!("kill -{name} {}", self.pid)).status()?;
        if !status.success() {
            bail!("cannot send SIG{name} to process {}", self.pid);
        }
        Ok(None)
    }

    /// Asks it to end, waits for at most `grace`, then kills it. Nothing happens when it has ended already.
    pub(super) fn stop(&self, grace: Duration) -> Result<()> {
        // A halted process takes the first signal only when the second lets it go on.
        for signal in [Signal::Terminate, Signal::Continue] {
            if self.deliver(signal)?.is_some() {
                return Ok(());
            }
        }
        let deadline = Instant::now() + grace;
        while self.ended()?.is_none() {
            if Instant::now() > deadline {
                return self.kill();
            }
            thread::sleep(POLL);
        }
        Ok(())
    }

    /// Kills it and waits until it is gone.
    pub(super) fn kill(&self) -> Result<()> {
        let mut child = self.child();
        child.kill().with_context(|| format!("cannot kill process {}", self.pid))?;
        child.wait().with_context(|| format!("cannot wait for process {}", self.pid))?;
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// Whether all threads of a process are halted. Where there is no /proc nobody can tell, and it is taken on trust.
fn halted(pid: u32) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return true };
    threads.flatten().all(|thread| {
        let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // The state follows the program's name, which is in parentheses and may have some itself.
        stat.rsplit(") ").next().is_none_or(|rest| rest.starts_with('T'))
    })
}

/// Starts `command` from the one thread that lives as long as this process. The outer error: that thread is gone.
fn spawn_from_keeper(command: Command) -> Result<io::Result<Child>> {
    type Order = (Command, Sender<io::Result<Child>>);
    static KEEPER: OnceLock<Mutex<Sender<Order>>> = OnceLock::new();
    const GONE: &str = "the thread that starts processes is gone";

    let keeper = KEEPER.get_or_init(|| {
        let (orders, receiver) = mpsc::channel::<Order>();
        thread::spawn(move || {
            for (mut command, answer) in receiver {
                let _ = answer.send(command.spawn());
            }
        });
        Mutex::new(orders)
    });
    let (answer, child) = mpsc::channel();
    keeper.lock().unwrap_or_else(PoisonError::into_inner).send((command, answer)).ok().context(GONE)?;
    child.recv().context(GONE)
}

/// A command for `program` by way of `setpriv`, where there is one: it tells the kernel to kill the process with its parent, and then
/// becomes the program, under the same process number.
fn dying_with_parent(program: &Path) -> Command {
    static SETPRIV: OnceLock<bool> = OnceLock::new();
    let works = *SETPRIV.get_or_init(|| {
        let mut probe = Command::new("setpriv");
        probe.args(["--pdeathsig", "KILL", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
        probe.status().is_ok_and(|status| status.success())
    });
    if !works {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL"]).arg(program);
    command
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::env;

    use super::super::scratch::Scratch;
    use super::*;

    fn start(script: &str, folder: &Scratch) -> Process {
        let output = File::create(folder.path().join("output")).unwrap();
        Process::start(Path::new("sh"), &["-c".into(), script.into()], folder.path(), output).unwrap()
    }

    #[test]
    fn a_halted_process_is_stopped_in_good_order() {
        let folder = Scratch::new("process-test").unwrap();
        let process = start("trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.01; done", &folder);
        wait_for(|| read(&folder) == "up\n");
        process.pause().unwrap();
        process.stop(Duration::from_secs(20)).unwrap();
        assert_eq!(read(&folder), "up\nbye\n");
        assert!(process.ended().unwrap().is_some_and(|status| status.success()));
    }

    #[test]
    fn a_process_that_will_not_end_is_killed_and_further_signals_are_errors() {
        let folder = Scratch::new("process-test").unwrap();
        let process = start("trap '' TERM; echo up; while :; do sleep 0.01; done", &folder);
        wait_for(|| read(&folder) == "up\n");
        process.stop(Duration::from_millis(50)).unwrap();
        assert!(process.ended().unwrap().is_some_and(|status| !status.success()));
        assert!(process.signal(Signal::Continue).unwrap_err().to_string().contains("has ended already"));
        process.stop(Duration::ZERO).unwrap();
    }

    /// Runs itself as a second process that starts a child and is then killed without a chance to clean up.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_does_not_outlive_a_process_that_is_killed() {
        const FOLDER: &str = "XTASK_TEST_PARENT_FOLDER";
        if let Some(folder) = env::var_os(FOLDER) {
            let folder = Path::new(&folder);
            let output = File::create(folder.join("child")).unwrap();
            // From a thread that ends at once: that alone must not take the child down.
            let script = "echo $$; sleep 0.3; echo alive; exec sleep 60";
            let arguments = ["-c".into(), script.into()];
            let child = thread::scope(|scope| {
                scope.spawn(|| Process::start(Path::new("sh"), &arguments, folder, output)).join().unwrap()
            });
            thread::sleep(Duration::from_secs(60));
            drop(child);
            return;
        }
        let folder = Scratch::new("process-test").unwrap();
        let mut parent = Command::new(env::current_exe().unwrap());
        parent.args(["--exact", "servers::process::tests::a_child_does_not_outlive_a_process_that_is_killed"]);
        let mut parent = parent.env(FOLDER, folder.path()).stdout(Stdio::null()).spawn().unwrap();
        let printed = || fs::read_to_string(folder.path().join("child")).unwrap_or_default();
        wait_for(|| printed().ends_with("alive\n"));
        let child = Path::new("/proc").join(printed().lines().next().unwrap());
        assert!(child.exists());
        parent.kill().unwrap();
        parent.wait().unwrap();
        wait_for(|| !child.exists());
    }

    fn read(folder: &Scratch) -> String {
        fs::read_to_string(folder.path().join("output")).unwrap()
    }

    fn wait_for(condition: impl Fn() -> bool) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while !condition() {
            assert!(Instant::now() < deadline, "what this test waits for did not happen");
            thread::sleep(POLL);
        }
    }
}
