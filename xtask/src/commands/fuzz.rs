//! `fuzz`: bytes that nobody would write, given to everything that reads bytes from outside. For a scheduled job and for whoever has touched a parser; it is
//! no part of `test`, since it ends by the clock and its compiler is another one.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::cargo_tools;
use crate::steps::Steps;
use crate::workspace;

/// What can be fuzzed, the quickest to build first.
pub(crate) const TARGETS: [&str; 4] = ["plans", "line_protocol", "answers", "loader"];

/// cargo-fuzz, by version.
const CARGO_FUZZ: &str = "0.13.1";

/// An input that takes longer hangs, in seconds.
const HANGS: u32 = 20;
/// More memory than any target may need, in MB.
const MEMORY: u32 = 4_096;

pub(crate) fn run(seconds: u64, targets: &[String]) -> Result<ExitCode> {
    let mut steps = Steps::new();
    nightly()?;
    let tool = cargo_tools::install(&mut steps, "cargo-fuzz", CARGO_FUZZ)?;
    let folder = workspace::root().join("fuzz");
    let chosen = TARGETS.into_iter().filter(|name| targets.is_empty() || targets.iter().any(|chosen| chosen == name));
    let mut failed = Vec::new();
    for target in chosen {
        let mut build = fuzzer(&tool, "build", target);
        steps.run(&format!("build {target}"), &mut build)?;
        // What the fuzzer finds worth keeping goes into the first folder; the second has what a person thought of.
        let (corpus, seeds) = (folder.join("corpus").join(target), folder.join("seeds").join(target));
        fs::create_dir_all(&corpus).with_context(|| format!("cannot make the folder {}", corpus.display()))?;
        let mut fuzz = fuzzer(&tool, "run", target);
        fuzz.arg(&corpus).arg(&seeds).arg("--");
        fuzz.arg(format!("-max_total_time={seconds}")).arg(format!("-timeout={HANGS}"));
        fuzz.arg(format!("-rss_limit_mb={MEMORY}")).args(["-print_final_stats=1", "-verbosity=0"]);
        if steps.run(&format!("fuzz {target}"), &mut fuzz).is_err() {
            failed.push(target);
        }
    }
    eprint!("{}", steps.table());
    if failed.is_empty() {
        println!("nothing found");
        return Ok(ExitCode::SUCCESS);
    }
    for target in &failed {
        let found = folder.join("artifacts").join(target);
        println!(
            "{target}: found something; the input lies in {}, and this repeats it: cargo +nightly fuzz run --sanitizer none {target} {}/FILE",
            found.display(),
            found.display()
        );
    }
    bail!("{} of the targets found something", failed.len())
}

/// A command of cargo-fuzz. Without a sanitizer: all is Rust but two compression libraries, and the engine under test brings checks of its own.
fn fuzzer(tool: &Path, verb: &str, target: &str) -> Command {
    let mut command = Command::new(tool);
    // As if it were typed outside: this program's own toolchain would be taken for the chosen one.
    command.env("RUSTUP_TOOLCHAIN", "nightly").env_remove("CARGO").env_remove("RUSTC");
    command.current_dir(workspace::root()).args(["fuzz", verb, "--sanitizer", "none", target]);
    command
}

/// Fuzzing needs flags that only a nightly compiler has.
fn nightly() -> Result<()> {
    let asked = Command::new("rustup").args(["run", "nightly", "rustc", "--version"]).stdin(Stdio::null()).output();
    match asked {
        Ok(output) if output.status.success() => Ok(()),
        _ => bail!(
            "a nightly Rust is missing; nothing was installed. Get it with: rustup toolchain install nightly --profile minimal"
        ),
    }
}
