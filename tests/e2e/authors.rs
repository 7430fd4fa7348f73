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

#[test]
fn a_plugin_that_keeps_the_contract_passes_every_rule() -> Result<()> {
    let ran = benchhost("plugin check influx --format json")?.finish()?;
    assert_eq!(ran.outcome.code, Some(0), "{}{}", ran.outcome.stdout, ran.outcome.stderr);
    let report = json(&ran)?;
    let findings = report["findings"].as_array().context("no findings")?;
    ensure!(report["passed"] == true && findings.len() > 25, "{report:#}");
    let not_passed: Vec<&Value> = findings.iter().filter(|finding| finding["outcome"] != "pass").collect();
    ensure!(not_passed.is_empty(), "{not_passed:#?}");
    Ok(())
}

#[test]
fn what_is_no_plugin_is_told_with_what_to_do() -> Result<()> {
    let ran = benchhost("plugin check core.wasm")?.file("core.wasm", "\0asm\x01\0\0\0")?.finish()?;
    assert_eq!(ran.outcome.code, Some(3), "{}", ran.outcome.stdout);
    let first = ran.outcome.stdout.lines().next().unwrap_or_default();
    ensure!(first.starts_with("fail") && first.contains("wasm32-wasip2"), "{}", ran.outcome.stdout);
    Ok(())
}

#[test]
fn a_check_without_its_server_has_not_failed_and_not_passed() -> Result<()> {
    let ran = benchhost("plugin check influx --endpoint http://127.0.0.1:1")?.finish()?;
    assert_eq!(ran.outcome.code, Some(4), "{}", ran.outcome.stdout);
    ensure!(ran.outcome.stdout.contains("not passed: what it is for could not be tried"), "{}", ran.outcome.stdout);
    Ok(())
}

#[test]
fn a_plugin_s_cost_is_told_without_a_server_s_time() -> Result<()> {
    let ran = benchhost("overhead influx --duration 300ms --batch-rows 1,100 --format json")?.finish()?;
    assert_eq!(ran.outcome.code, Some(0), "{}{}", ran.outcome.stdout, ran.outcome.stderr);
    let sheet = json(&ran)?;
    let costs = sheet["costs"].as_array().context("no costs")?;
    assert_eq!(costs.len(), 2, "{sheet:#}");
    for cost in costs {
        let figure = |name: &str| cost[name].as_f64().with_context(|| format!("no {name}: {cost}"));
        ensure!(figure("cpu_ns")? > 0.0 && figure("encode_ns")? > 0.0 && figure("null_cpu_ns")? > 0.0, "{cost}");
        ensure!(cost["operations"].as_u64() > Some(5), "{cost}");
    }
    let ran = benchhost("overhead cpu --duration 100ms --batch-rows 10")?.finish()?;
    assert_eq!(ran.outcome.code, Some(0), "{}", ran.outcome.stderr);
    ensure!(!ran.outcome.stdout.contains("null"), "{}", ran.outcome.stdout);
    Ok(())
}

#[test]
fn a_project_is_started_once_and_built_only_where_it_is() -> Result<()> {
    let started = benchhost("plugin new acme --lang c")?.finish()?;
    assert_eq!(started.outcome.code, Some(0), "{}", started.outcome.stderr);
    ensure!(
        started.folder().join("acme/wit/world.wit").is_file() && started.folder().join("acme/plugin.toml").is_file()
    );
    ensure!(started.outcome.stdout.contains("benchhost plugin check acme.wasm"), "{}", started.outcome.stdout);
    let again = benchhost("plugin new acme --lang c --folder")?.arg(started.folder().join("acme")).finish()?;
    assert_eq!(again.outcome.code, Some(2));
    ensure!(again.outcome.stderr.contains("is there already"), "{}", again.outcome.stderr);
    let nowhere = benchhost("plugin build")?.finish()?;
    assert_eq!(nowhere.outcome.code, Some(2));
    ensure!(nowhere.outcome.stderr.contains("plugin.toml"), "{}", nowhere.outcome.stderr);
    let unknown = benchhost("plugin new acme --lang cobol")?.finish()?;
    assert_eq!(unknown.outcome.code, Some(2));
    ensure!(unknown.outcome.stderr.contains("choose one of rust, python"), "{}", unknown.outcome.stderr);
    Ok(())
}
