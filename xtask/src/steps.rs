//! Runs the steps of a command one after the other, each timed, and says at the end where the time went. The first step that fails
//! ends it, with the line that repeats that step alone.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

/// The steps so far.
#[derive(Debug)]
pub(crate) struct Steps {
    started: Instant,
    done: Vec<(String, Duration)>,
}

/// How many tests the test harness says it ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tests {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Steps {
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), done: Vec::new() }
    }

    /// Runs a command as a step.
    pub(crate) fn run(&mut self, name: &str, command: &mut Command) -> Result<()> {
        let again = show(command);
        self.work(name, &again, || succeed(command.status(), &again))
    }

    /// Runs a command that runs tests as a step, and counts them. Its output appears as it comes.
    pub(crate) fn tests(&mut self, name: &str, command: &mut Command) -> Result<Tests> {
        let again = show(command);
        let mut tests = Tests::default();
        self.work(name, &again, || {
            let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot run `{again}`"))?;
            if let Some(output) = child.stdout.take() {
                for line in BufReader::new(output).split(b'\n') {
                    let line = line.with_context(|| format!("cannot read what `{again}` prints"))?;
                    let line = String::from_utf8_lossy(&line);
                    println!("{line}");
                    tests.count(&line);
                }
            }
            succeed(child.wait(), &again)
        })?;
        Ok(tests)
    }

    /// Does `work` as a step; `again` is what to type to repeat it.
    pub(crate) fn work<T>(&mut self, name: &str, again: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        eprintln!("== {name}: {again}");
        let started = Instant::now();
        let result = work();
        self.done.push((name.to_owned(), started.elapsed()));
        result.with_context(|| {
            eprint!("{}", self.table());
            format!("the step `{name}` failed; to repeat it alone: {again}\n  why")
        })
    }

    /// Steps and their seconds, for people.
    pub(crate) fn table(&self) -> String {
        let width = self.done.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max("all".len());
        let mut table = String::from("\n");
        for (name, time) in &self.done {
            let _ = writeln!(table, "{name:width$} {:8.1} s", time.as_secs_f64());
        }
        let _ = writeln!(table, "{:width$} {:8.1} s", "all", self.started.elapsed().as_secs_f64());
        table
    }
}

impl Tests {
    /// Adds what a line says, when it is the closing line of a test program.
    fn count(&mut self, line: &str) {
        let Some(rest) = line.strip_prefix("test result: ") else { return };
        let number = |word: &str| {
            let before = rest.split(word).next().unwrap_or_default();
            before.split_whitespace().last().and_then(|number| number.parse::<u64>().ok()).unwrap_or(0)
        };
        self.passed += number(" passed;");
        self.failed += number(" failed;");
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }
}

fn succeed(status: std::io::Result<ExitStatus>, shown: &str) -> Result<()> {
    let status = status.with_context(|| format!("cannot run `{shown}`"))?;
    if !status.success() {
        bail!("{status}");
    }
    Ok(())
}

/// A command as one would type it, with the variables that were set for it.
pub(crate) fn show(command: &Command) -> String {
    let mut words: Vec<String> = command
        .get_envs()
        .filter_map(|(name, value)| Some(format!("{}={}", name.to_string_lossy(), quote(value?))))
        .collect();
    let program = Path::new(command.get_program());
    // Whoever runs this has a `cargo`; where it lies is noise.
    let is_cargo = program.file_name().is_some_and(|name| name == "cargo");
    words.push(if is_cargo { "cargo".to_owned() } else { quote(program.as_os_str()) });
    words.extend(command.get_args().map(quote));
    words.join(" ")
}

fn quote(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_failed_step_says_its_name_and_how_to_repeat_it() {
        let mut steps = Steps::new();
        steps.run("fine", &mut Command::new("true")).unwrap();
        let error = steps.run("broken", Command::new("sh").args(["-c", "exit 7"]).env("A", "b c")).unwrap_err();
        let error = format!("{error:#}");
        assert!(error.contains("the step `broken` failed; to repeat it alone: A='b c' sh -c 'exit 7'"), "{error}");
        assert!(error.contains("exit status: 7"), "{error}");
        assert!(steps.table().contains("fine") && steps.table().contains("broken"), "{}", steps.table());
    }

    #[test]
    fn tests_are_counted_over_all_closing_lines() {
        let mut tests = Tests::default();
        for line in [
            "running 3 tests",
            "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s",
            "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        ] {
            tests.count(line);
        }
        assert_eq!(tests, Tests { passed: 14, failed: 1 });
    }
}
