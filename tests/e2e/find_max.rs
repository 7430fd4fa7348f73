//! `--find-max` against a server whose ceiling is known.

use anyhow::{Context as _, Result};
use benchhost_reference::{Injection, Server, ServerOptions};
use benchhost_tests::{Invocation, benchhost};

/// Answers that the server gives in a second, at most.
const LIMIT: f64 = 200.0;

#[test]
fn the_ceiling_of_a_server_is_found_and_confirmed() -> Result<()> {
    let injection = Injection { rate_limit: Some(LIMIT), ..Injection::default() };
    let server = Server::start(ServerOptions { injection, ..ServerOptions::default() })?;
    let run = Invocation::timed("influx", &server.endpoint(), "cpu")?;
    let flags = "-P api=v1 --database bench -P hosts=1 --batch-rows 10 --progress none -c 4 --find-max --probe 600ms \
                 --rate 60op --slo p50<200ms";
    let finished = run.args(flags).finish()?;
    let document = finished.document()?;
    let search = document.at("search");
    assert_eq!(search["bound"], "server", "{search:#}");
    let rate = search["rate_per_s"].as_f64().with_context(|| format!("{search:#}"))?;
    // It bisects to 2 %, steps down where a confirmation fails on a busy machine, and four operations may wait in the server.
    assert!(rate > 0.75 * LIMIT && rate < 1.05 * LIMIT, "{search:#}");
    assert_eq!(search["confirmed"], search["confirmations"]);
    let probes = search["probes"].as_array().context("no probes")?;
    assert!(probes.iter().any(|probe| probe["passed"] == false), "{search:#}");
    let steps = document.at("steps").as_array().map_or(0, Vec::len);
    assert_eq!(steps, probes.len(), "the curve is in the result");
    document.expect_all(document.rows()?.sent)?;
    finished.outcome.expect_code(0)?;

    let shown = benchhost("show")?.arg(finished.result()).finish()?;
    let page = &shown.outcome.expect_code(0)?.stdout;
    anyhow::ensure!(page.contains("operations/s") && page.contains("held in 5 windows in a row"), "{page}");
    Ok(())
}
