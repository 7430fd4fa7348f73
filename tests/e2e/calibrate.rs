//! `benchhost calibrate`: the whole way, with its server as a process of its own. How exact the figures are is the machine's affair while
//! tests run on it; that they are there, and that an overload is found out, is not.

use anyhow::{Context as _, Result, ensure};
use benchhost_tests::benchhost;
use serde_json::Value;

#[test]
fn every_case_is_measured_and_an_overload_is_found_out() -> Result<()> {
    let finished = benchhost("calibrate --quick --format json --progress none")?.finish()?;
    let code = finished.outcome.code;
    ensure!(matches!(code, Some(0 | 5)), "exit code {code:?}:\n{}", finished.outcome.stderr);
    let calibration: Value = serde_json::from_str(&finished.outcome.stdout).context("not one JSON document")?;
    ensure!(calibration["holds"] == (code == Some(0)), "{calibration:#}");
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let figures = calibration["figures"].as_array().context("no figures")?;
    let cases: Vec<String> = figures.iter().map(|figure| text(figure, "case")).collect();
    for case in ["constant 100 µs", "constant 1 s", "exponential, mean 5 ms", "stall of 1.0 s", "rate limit"] {
        ensure!(cases.iter().any(|found| found == case), "no figure of `{case}` in {cases:?}");
    }
    for figure in figures {
        let (truth, measured) = (figure["truth_ns"].as_u64(), figure["measured_ns"].as_u64());
        ensure!(truth.is_some() && measured.is_some(), "{figure:#}");
        // Nothing is answered before its time: a service time is never under what the server held.
        ensure!(text(figure, "clock") != "service" || measured.map(|ns| ns + ns / 100) >= truth, "{figure:#}");
    }
    let failures = calibration["failures"].as_array().context("no list of failures")?;
    let unnoticed = failures.iter().filter_map(Value::as_str).find(|text| text.contains("rate above the limit"));
    ensure!(unnoticed.is_none(), "{unnoticed:?}");
    Ok(())
}
