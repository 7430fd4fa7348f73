//! What an author of a plugin has: the contract, and a look at every call.

use anyhow::{Context as _, Result, ensure};
use benchhost_tests::{Finished, benchhost};
use serde_json::Value;

fn json(finished: &Finished) -> Result<Value> {
    serde_json::from_str(&finished.outcome.stdout).with_context(|| finished.outcome.stdout.clone())
}

#[test]
fn a_trace_shows_each_call_in_both_directions_and_what_was_stored() -> Result<()> {
    let ran = benchhost("plugin run influx --trace --batches 3 --batch-rows 100 --format json")?.finish()?;
    ensure!(ran.outcome.code == Some(0), "{}", ran.outcome.stderr);
    let sheet = json(&ran)?;
    assert_eq!((&sheet["rows"], &sheet["counted"]), (&300.into(), &300.into()), "{sheet:#}");
    let calls = sheet["calls"].as_array().context("no calls")?;
    let count = |caller: &str, function: &str| {
        calls.iter().filter(|call| call["caller"] == caller && call["function"] == function).count()
    };
    assert_eq!((count("host", "ingest.send"), count("plugin", "http.request.send")), (3, 3));
    assert_eq!((count("host", "session.open"), count("host", "session.close")), (2, 2));
    for call in calls.iter().filter(|call| call["function"] == "http.request.send") {
        assert!(call["sent_bytes"].as_u64() > Some(10_000), "{call}");
        assert!(call["received_bytes"].as_u64() > Some(10), "{call}");
    }
    Ok(())
}

#[test]
fn a_run_that_fails_shows_how_far_it_came() -> Result<()> {
    let ran = benchhost("plugin run influx --endpoint http://127.0.0.1:1")?.finish()?;
    assert_eq!(ran.outcome.code, Some(4), "{}", ran.outcome.stderr);
    assert!(
        ran.outcome.stdout.contains("session.open") && ran.outcome.stdout.contains("rows acknowledged: 0"),
        "{}",
        ran.outcome.stdout
    );
    assert!(
        ran.outcome.stderr.contains("open the control session: unavailable (connection-refused)"),
        "{}",
        ran.outcome.stderr
    );
    Ok(())
}

#[test]
fn a_generator_is_called_as_well() -> Result<()> {
    let ran = benchhost("plugin run cpu --trace --batches 2 --batch-rows 10")?.finish()?;
    assert_eq!(ran.outcome.code, Some(0), "{}", ran.outcome.stderr);
    assert!(ran.outcome.stdout.contains("dataset.fill"), "{}", ran.outcome.stdout);
    assert!(ran.outcome.stdout.contains("data.batch-builder.append-timestamps"), "{}", ran.outcome.stdout);
    assert!(ran.outcome.stdout.ends_with("rows made: 20\n"), "{}", ran.outcome.stdout);
    Ok(())
}

#[test]
fn the_contract_is_written_as_it_is() -> Result<()> {
    let ran = benchhost("plugin wit contract")?.finish()?;
    assert_eq!(ran.outcome.code, Some(0), "{}", ran.outcome.stderr);
    let mut resolve = wit_parser::Resolve::default();
    let (package, _) = resolve.push_dir(ran.folder().join("contract"))?;
    assert_eq!(resolve.packages[package].name.to_string(), "benchhost:plugin@0.1.0");
    assert_eq!(resolve.packages[package].worlds.len(), 3);
    Ok(())
}
