//! Scheduled load against servers that die, that cannot keep up and that lie, and a client that is killed. Nothing hangs, and whatever is
//! left says what it is.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use benchhost_reference::{Distribution, Injection, ServerOptions};
use benchhost_tests::influx::Influx;
use benchhost_tests::{Document, Invocation, Live, Rows, Series, benchhost, start, wait_for};
use xtask::servers::{Running, Server};

/// How long a loaded machine may take to get a run under way.
const PATIENCE: Duration = Duration::from_secs(60);

fn server() -> Result<Running> {
    start(Server::Influx1, false)?.context("this server is in every run")
}

fn run(endpoint: &str, flags: &str) -> Result<Invocation> {
    let run = Invocation::timed("influx", endpoint, "cpu")?;
    Ok(run.args("-P api=v1 --database bench -P hosts=1 --batch-rows 100 --progress none").args(flags))
}

/// Waits until the run has written so many intervals of its measured step.
fn measuring(run: &Invocation, live: &mut Live, intervals: usize) -> Result<()> {
    let series = run.folder().join("result").join("intervals.csv");
    wait_for("an interval of the measured step", PATIENCE, || {
        ensure!(!live.has_ended()?, "the run ended early:\n{}", live.stderr());
        // It may be read in the middle of a line: then it is read again.
        Ok(Series::read(&series).is_ok_and(|series| series.of("measure").len() >= intervals))
    })
}

#[test]
fn a_run_that_is_killed_leaves_a_bundle_that_says_so() -> Result<()> {
    let server = server()?;
    let run = run(server.endpoint(), "-c 2 --rate 100op --duration 100s --warmup 200ms --interval 200ms")?;
    let mut live = run.start()?;
    measuring(&run, &mut live, 3)?;
    live.kill()?;
    let finished = run.wait(live)?;
    assert_eq!(finished.outcome.code, None);

    let folder = finished.result();
    let shown = benchhost("show --format json")?.arg(&folder).finish()?;
    shown.outcome.expect_code(0)?;
    let document = Document::parse(&shown.outcome.stdout)?;
    assert_eq!((document.text("ended")?, document.verdict()?), ("running", "invalid"));
    assert_eq!(document.reasons(), ["unfinished"]);
    assert_eq!(document.at("partial").as_bool(), Some(true));
    let rows = document.rows()?;
    assert!(rows.acknowledged > 0 && rows.acknowledged <= rows.sent, "{rows:?}");
    assert_eq!(rows.stored, None);
    // What it counts is what was written to the series: the server has that and what came after.
    let series = Series::read(&folder.join("intervals.csv"))?;
    assert!(document.count("steps.0.counts.rows.acknowledged")? <= series.of("measure").sum("rows")?);
    assert!(Influx::new(&server, "bench").count("cpu", "cpu")? >= rows.acknowledged);

    let shown = benchhost("show")?.arg(&folder).finish()?;
    shown.outcome.expect_code(0)?;
    for words in ["INVALID", "did not end", "Response time"] {
        assert!(shown.outcome.stdout.contains(words), "{words}:\n{}", shown.outcome.stdout);
    }
    Ok(())
}

#[test]
fn a_server_that_dies_under_a_schedule_ends_the_run_with_what_was_measured() -> Result<()> {
    let server = server()?;
    let flags = "-c 4 --rate 200op --duration 100s --interval 200ms --timeout 5s --retries 1 --max-errors 20";
    let run = run(server.endpoint(), flags)?.args("--verify-timeout 1s");
    let mut live = run.start()?;
    measuring(&run, &mut live, 2)?;
    server.kill()?;
    let finished = run.wait(live)?;
    finished.outcome.expect_code(4)?;

    let document = finished.document()?;
    assert_eq!((document.text("ended")?, document.verdict()?), ("error_budget", "invalid"));
    assert_eq!(document.at("partial").as_bool(), Some(true));
    assert!(document.reasons().contains(&"error-budget"), "{:?}", document.reasons());
    let rows = document.rows()?;
    assert!(rows.acknowledged > 0 && rows.stored.is_none(), "{rows:?}");
    // It did not wait for the end of its schedule.
    let operations = document.count("counts.operations.ok")? + document.count("counts.operations.failed")?;
    assert!(operations < 20_000, "{operations}");
    assert!(document.count("latency.response.write.count")? > 0);
    assert_eq!(document.count("latency.failed.write.count")?, document.count("counts.operations.failed")?);
    Ok(())
}

/// Each write takes 20 ms and there is one worker: 50 a second can be sent of 400 that are due.
#[test]
fn a_queue_beyond_its_bound_ends_the_run_and_nothing_is_dropped_in_silence() -> Result<()> {
    let injection = Injection { service: Distribution::Constant(Duration::from_millis(20)), ..Injection::default() };
    let server = benchhost_reference::Server::start(ServerOptions { injection, ..ServerOptions::default() })?;
    let run = run(&server.endpoint(), "-c 1 --rate 400op --duration 100s --max-queue 100")?;
    let finished = run.finish()?;
    finished.outcome.expect_code(5)?;
    let document = finished.document()?;
    assert_eq!((document.text("ended")?, document.verdict()?), ("queue_bound", "invalid"));
    assert!(document.reasons().contains(&"queue-bound"), "{:?}", document.reasons());
    assert!(document.count("steps.0.schedule.max_queue")? > 100);
    assert!(document.count("steps.0.schedule.unsent")? > 0);
    // What was sent was written, and what waited for its turn shows it.
    assert_eq!(document.count("counts.operations.ok")?, server.truth().writes);
    let max = |clock: &str| document.count(&format!("latency.{clock}.write.max_ns"));
    assert!(max("service")? >= 20_000_000 && max("response")? > max("service")?, "{}", document.at("latency"));
    Ok(())
}

#[test]
fn a_server_that_says_yes_and_stores_nothing_is_found_out() -> Result<()> {
    let server = benchhost_reference::Server::start(ServerOptions { forget: true, ..ServerOptions::default() })?;
    let finished = run(&server.endpoint(), "-c 2 --rate 50op --duration 1s --verify-timeout 500ms")?.finish()?;
    finished.outcome.expect_code(5)?;
    let document = finished.document()?;
    assert_eq!(document.rows()?, Rows { sent: 5000, acknowledged: 5000, unknown: 0, stored: Some(0) });
    assert_eq!(server.truth().writes, 50);
    assert_eq!(document.verdict()?, "invalid");
    assert!(document.reasons().contains(&"stored-less"), "{:?}", document.reasons());
    assert!(document.text("verdict.reasons.0.text")?.contains("5,000 fewer"), "{}", document.at("verdict"));
    Ok(())
}
