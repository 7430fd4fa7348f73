//! Servers that die, stall and come back, and users who have seen enough: nothing hangs, nothing is lost without a word, and what was
//! measured is kept. Each test has a server of its own, InfluxDB 1.8.3 unless it
//! says otherwise.

use std::time::Duration;

use anyhow::{Context as _, Result};
use benchhost_tests::influx::Influx;
use benchhost_tests::{Document, Finished, Invocation, Live, questdb, start, wait_for};
use xtask::servers::{Running, Server};

/// More rows than are ever written: the run is under way whenever a test breaks into it.
const ENDLESS: u64 = 1_000_000_000;
/// Rows of a run that is to end by itself: enough to break into on a fast machine, few enough not to wait long for on a slow one.
const ROWS: u64 = 300_000;
/// How long a loaded machine may take to get a run under way, or to end it.
const PATIENCE: Duration = Duration::from_secs(60);

fn server() -> Result<Running> {
    start(Server::Influx1, false)?.context("this server is in every run")
}

/// A run that makes its rows as it goes, so that it is at work at once.
fn run(server: &Running, rows: u64, flags: &str) -> Result<Invocation> {
    let run = Invocation::run("influx", server, "cpu", rows)?
        .args("-P hosts=1 --database bench --batch-rows 200 --memory 8MiB");
    Ok(run.args(flags))
}

/// Waits until the server has rows.
fn under_way(server: &Running, live: &mut Live) -> Result<()> {
    let influx = Influx::new(server, "bench");
    wait_for("the first row", PATIENCE, || {
        anyhow::ensure!(!live.has_ended()?, "the run ended early:\n{}", live.stderr());
        Ok(influx.count("cpu", "cpu").is_ok_and(|rows| rows > 5000))
    })
}

/// Rows are where they should be: no more acknowledged than sent, and stored within what is known.
fn expect_sums(document: &Document) -> Result<()> {
    let rows = document.rows()?;
    let stored = rows.stored.context("the server was there to be asked")?;
    assert!(rows.acknowledged <= rows.sent, "{rows:?}");
    assert!((rows.acknowledged..=rows.acknowledged + rows.unknown).contains(&stored), "{rows:?}");
    Ok(())
}

#[test]
fn a_server_that_dies_ends_the_run_with_errors_and_a_partial_result() -> Result<()> {
    let server = server()?;
    let run = run(&server, ENDLESS, "--timeout 5s --retries 1 --max-errors 20 --verify-timeout 2s")?;
    let mut live = run.start()?;
    under_way(&server, &mut live)?;
    server.kill()?;
    let finished = run.wait(live)?;
    finished.outcome.expect_code(4)?;

    let document = finished.document()?;
    assert_eq!((document.verdict()?, document.at("partial").as_bool()), ("invalid", Some(true)));
    assert!(document.reasons().contains(&"error-budget"), "{:?}", document.reasons());
    assert!(document.reasons().contains(&"stored-not-asked"), "{:?}", document.reasons());
    let rows = document.rows()?;
    assert!(rows.acknowledged > 0 && rows.acknowledged <= rows.sent, "{rows:?}");
    assert_eq!(rows.stored, None);
    // Those that were in flight, and those that found nobody.
    assert!(document.count("counts.operations.failed")? > 20, "{}", document.at("counts"));
    assert!(document.count("counts.operations.retried")? > 0);
    assert!(document.errors().iter().all(|error| error.0 == "unavailable"), "{:?}", document.errors());
    Ok(())
}

#[test]
fn a_server_that_never_answers_is_told_before_any_clock_starts() -> Result<()> {
    let server = server()?;
    server.pause()?;
    let finished = run(&server, ROWS, "--timeout 1s")?.finish()?;
    finished.outcome.expect_code(4)?.expect_words(&["no complete answer within 1s", server.endpoint(), "--timeout"])?;
    assert!(!finished.folder().join("result").exists());
    Ok(())
}

#[test]
fn a_server_that_stalls_for_less_than_the_time_out_costs_nothing_but_time() -> Result<()> {
    let server = server()?;
    let run = run(&server, ROWS, "--timeout 100s")?;
    let mut live = run.start()?;
    under_way(&server, &mut live)?;
    server.pause()?;
    std::thread::sleep(Duration::from_secs(2));
    server.resume()?;
    let finished = run.wait(live)?;
    finished.outcome.expect_code(0)?;
    let document = finished.document()?;
    document.expect_all(ROWS)?;
    // The stall is in the figures, whoever looks at the slowest operation sees it.
    assert!(document.count("latency.service.write.max_ns")? > 1_900_000_000);
    Ok(())
}

#[test]
fn a_server_that_stalls_for_longer_leaves_rows_in_doubt_and_says_how_many() -> Result<()> {
    let server = server()?;
    let run = run(&server, ROWS, "--timeout 1s --retries 5")?;
    let mut live = run.start()?;
    under_way(&server, &mut live)?;
    server.pause()?;
    std::thread::sleep(Duration::from_secs(3));
    server.resume()?;
    let finished = run.wait(live)?;
    let document = finished.document()?;
    expect_sums(&document)?;
    let rows = document.rows()?;
    assert_eq!(rows.sent, ROWS);
    assert!(rows.unknown > 0, "{rows:?}");
    assert!(document.errors().iter().any(|error| error.0 == "timed-out"), "{:?}", document.errors());
    Ok(())
}

/// QuestDB reads what the stalled requests left in its sockets, then the same rows once more, and keeps both.
#[test]
fn rows_that_a_retry_writes_twice_are_among_those_in_doubt() -> Result<()> {
    let server = start(Server::QuestDb, false)?.context("this server is in every run")?;
    let run = Invocation::run("questdb", &server, "cpu", ROWS)?.args("-P hosts=1 --batch-rows 200 --memory 8MiB");
    let run = run.args("--timeout 1s --retries 5");
    let mut live = run.start()?;
    wait_for("the first row", PATIENCE, || {
        anyhow::ensure!(!live.has_ended()?, "the run ended early:\n{}", live.stderr());
        Ok(questdb::count(&server, "cpu").is_ok_and(|rows| rows > 5000))
    })?;
    server.pause()?;
    std::thread::sleep(Duration::from_secs(3));
    server.resume()?;
    let document = run.wait(live)?.document()?;
    expect_sums(&document)?;
    let rows = document.rows()?;
    assert!(rows.sent == ROWS && rows.unknown > 0, "{rows:?}");
    assert_eq!(rows.stored, Some(questdb::count(&server, "cpu")?));
    Ok(())
}

#[test]
fn interrupted_once_a_run_drains_and_keeps_a_result_that_says_so() -> Result<()> {
    let server = server()?;
    let run = run(&server, ENDLESS, "")?;
    let mut live = run.start()?;
    under_way(&server, &mut live)?;
    live.interrupt()?;
    let finished = run.wait(live)?;
    finished.outcome.expect_code(130)?.expect_words(&["stopping"])?;

    let document = finished.document()?;
    assert_eq!((document.text("ended")?, document.at("partial").as_bool()), ("interrupted", Some(true)));
    assert!(document.reasons().contains(&"interrupted"), "{:?}", document.reasons());
    let rows = document.rows()?;
    // Operations in flight were let go to their end.
    assert_eq!((rows.unknown, rows.sent), (0, rows.acknowledged));
    assert_eq!(rows.stored, Some(rows.acknowledged));
    assert_eq!(Influx::new(&server, "bench").count("cpu", "cpu")?, rows.acknowledged);
    assert_eq!(document.at("dataset.fingerprint"), &serde_json::Value::Null);
    Ok(())
}

#[test]
fn interrupted_before_the_clock_starts_a_run_leaves_nothing() -> Result<()> {
    let server = server()?;
    // Rows of this dataset take a while to make.
    let run = Invocation::run("influx", &server, "types", 50_000_000)?.args("--database bench --memory 100GiB");
    let mut live = run.start()?;
    wait_for("the first phase", PATIENCE, || Ok(live.stderr().contains("prepare:")))?;
    live.interrupt()?;
    let finished = run.wait(live)?;
    finished.outcome.expect_code(130)?.expect_words(&["nothing was written"])?;
    assert!(!finished.folder().join("result").exists());
    assert_eq!(Influx::new(&server, "bench").count("types", "sequence")?, 0);
    Ok(())
}

#[test]
fn interrupted_twice_a_run_ends_at_once_and_leaves_what_was_known() -> Result<()> {
    let server = server()?;
    let run = run(&server, ENDLESS, "--timeout 100s")?;
    let mut live = run.start()?;
    under_way(&server, &mut live)?;
    // Operations in flight do not end, so neither would the run by itself.
    server.pause()?;
    live.interrupt()?;
    wait_for("the first signal", PATIENCE, || Ok(live.stderr().contains("stopping")))?;
    live.interrupt()?;
    let finished: Finished = run.wait(live)?;
    finished.outcome.expect_code(130)?;
    let document = finished.document()?;
    assert_eq!(document.text("ended")?, "running", "nobody wrote how it ended");
    assert_eq!(document.verdict()?, "invalid");
    Ok(())
}
