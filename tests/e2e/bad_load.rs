//! Loads that contradict themselves: each is refused before anything connects, in words that name what to change.

use std::io::ErrorKind;
use std::net::TcpListener;

use anyhow::{Result, ensure};
use benchhost_tests::Invocation;

/// Runs against a server that nobody may call.
fn refused(flags: &str, words: &[&str]) -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let run = Invocation::timed("influx", &format!("http://{}", listener.local_addr()?), "cpu")?;
    let finished = run.args("--database bench --progress none").args(flags).finish()?;
    finished.outcome.expect_code(2)?.expect_words(words)?;
    assert_eq!(finished.outcome.stdout, "");
    assert!(!finished.result().exists(), "{flags}");
    match listener.accept() {
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
        other => {
            ensure!(other.is_err(), "{flags}: it connected all the same");
            Ok(other.map(drop)?)
        }
    }
}

#[test]
fn a_rate_goes_with_one_number_of_workers() -> Result<()> {
    refused("--rate 50op --duration 1s -c 1,2", &["--rate", "--workers", "leave out the rate to climb a ladder"])
}

#[test]
fn a_warm_up_is_no_longer_than_the_run() -> Result<()> {
    refused(
        "--rate 50op --duration 1s --warmup 2s",
        &["--warmup is longer than --duration", "give a shorter warm-up"],
    )?;
    refused("--duration 1s --warmup 2s", &["--warmup is longer than --duration"])
}

#[test]
fn a_rate_is_more_than_nothing_and_has_a_unit() -> Result<()> {
    for rate in ["0op", "0rows", "0krows", "many", "50x"] {
        refused(&format!("--rate {rate} --duration 1s"), &["--rate", "50krows", "200op"])?;
    }
    Ok(())
}

#[test]
fn an_objective_names_a_metric_and_a_limit() -> Result<()> {
    let load = "--rate 50op --duration 1s";
    let cases = [
        ("p99", "it has no comparison"),
        ("speed<3ms", "there is no metric `speed`"),
        ("p99<fast", "`fast` is no limit for it"),
        ("p100<1s", "there is no metric `p100`"),
    ];
    for (objective, why) in cases {
        refused(&format!("{load} --slo {objective}"), &["--slo", objective, why, "p99<50ms"])?;
    }
    Ok(())
}

#[test]
fn an_objective_of_a_clock_that_a_closed_loop_has_not_says_which_flag_makes_one() -> Result<()> {
    refused("--duration 1s --slo lag.p99<1ms", &["--slo lag.p99<1ms", "closed loop", "--rate"])
}

#[test]
fn a_process_that_is_not_there_cannot_be_observed() -> Result<()> {
    // Process numbers end well below this one on Linux.
    let load = "--rate 50op --duration 1s";
    refused(&format!("{load} --observe pid:4194305"), &["there is no process 4194305", "is the server running"])?;
    refused(&format!("{load} --observe 4711"), &["pid:N", "name:X", "prometheus:URL"])
}

#[test]
fn a_flag_without_effect_is_refused() -> Result<()> {
    refused("--duration 1s --arrival poisson", &["--arrival goes with a schedule", "--rate"])?;
    refused("--duration 1s --max-queue 10", &["--max-queue goes with a schedule"])?;
    refused("--duration 1s --probe 1s", &["--probe goes with --find-max"])
}
