//! `test`: everything that must hold, the cheapest first. The servers and official clients for the end-to-end tests are got beside the rest.

use std::fs::File;
use std::process::ExitCode;
use std::thread;

use anyhow::{Context as _, Result, anyhow};
use xtask::log_reader::{self, LogReader};

use super::{build, lint, servers};
use crate::steps::Steps;
use crate::workspace::{self, cargo};

/// The package with the end-to-end tests.
const END_TO_END: &str = "benchhost-tests";

pub(crate) fn run(quick: bool) -> Result<ExitCode> {
    let mut steps = Steps::new();
    let chosen = servers::select(quick);
    let log = workspace::target().join("servers.log");
    std::fs::create_dir_all(workspace::target()).context("cannot make the target folder")?;
    let mut out = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
    let names: Vec<_> = chosen.iter().map(|server| server.name()).collect();
    eprintln!("== clients and servers, in the background: {}; log: {}", names.join(", "), log.display());
    let background = thread::spawn(move || {
        let clients = servers::get_clients(&mut out).and_then(|_| servers::get_toolchains(&mut out));
        let got = servers::get(&chosen, &mut out).map(|_| clients);
        match &got {
            Ok(Ok(_)) => eprintln!("== clients and servers: all there"),
            Ok(Err(_)) | Err(_) => eprintln!("== clients and servers: failed; the reason follows when they are needed"),
        }
        got
    });

    let reader = log_reader(&mut steps, quick)?;
    lint::lint(&mut steps)?;
    let host = workspace::package_flags(&workspace::host()?);
    let mut all = cargo(["build", "--bins", "--tests", "--release"]);
    let built = build::build_with(&mut steps, "release", all.args(&host), &workspace::guests()?)?;
    let mut units = cargo(["test", "--release"]);
    let mut tests = steps.tests("tests of the host", units.args(&host))?;
    let mut others = cargo(["test", "--workspace", "--release", "--exclude", END_TO_END]);
    for package in host.iter().filter(|flag| *flag != "-p") {
        others.args(["--exclude", package]);
    }
    tests = tests.and(steps.tests("tests of the plugins and commands", &mut others)?);

    let again = if quick { "cargo xtask servers --quick" } else { "cargo xtask servers" };
    let clients = steps.work("wait for clients and servers", again, || {
        match background.join().unwrap_or_else(|_| Err(anyhow!("the thread that gets them panicked")))? {
            Err(why) if !quick => Err(why.context("the official clients, or the tools of other languages, cannot be had (tests/e2e/clients.rs, examples.rs)")),
            clients => Ok(clients),
        }
    })?;
    let mut end_to_end = cargo(["test", "--release", "-p", END_TO_END]);
    end_to_end.env("BENCHHOST_BIN", built.program);
    if let Ok(reader) = &reader {
        end_to_end.env(log_reader::VARIABLE, reader.folder());
    }
    if quick {
        end_to_end.env("BENCHHOST_QUICK", "1");
    }
    tests = tests.and(steps.tests("end-to-end tests", &mut end_to_end)?);

    eprint!("{}", steps.table());
    if let Some(left_out) = servers::left_out(quick) {
        eprintln!("{left_out}, and the tests that need it");
    }
    if let Err(why) = clients {
        eprintln!(
            "left out by --quick: no official client has written to the reference server, and no independent decoder has read what the \
             plugins send (tests/e2e/clients.rs, tests/e2e/decoder.rs), and no example of a plugin was built and run (tests/e2e/examples.rs), because {why:#}"
        );
    }
    if let Err(why) = reader {
        eprintln!(
            "left out by --quick: nobody but its writer has read latency.hlog (tests/e2e/hlog.rs), because {why:#}"
        );
    }
    println!("{} passed, {} failed", tests.passed, tests.failed);
    Ok(ExitCode::SUCCESS)
}

/// The reader that logs of histograms are held against. A quick run goes on without it when it cannot be had.
fn log_reader(steps: &mut Steps, quick: bool) -> Result<Result<LogReader>> {
    steps.work("get the reader of histogram logs", "cargo xtask servers", || match LogReader::install() {
        Ok((reader, _)) => Ok(Ok(reader)),
        Err(why) if quick => Ok(Err(why)),
        Err(why) => Err(why.context("latency.hlog cannot be held against its official reader (tests/e2e/hlog.rs)")),
    })
}
