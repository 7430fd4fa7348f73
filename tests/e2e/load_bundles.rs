//! Bundles of scheduled runs, shown again and merged.

use std::path::Path;

use anyhow::{Context as _, Result};
use benchhost_tests::{Document, Finished, Invocation, benchhost};

/// 200 operations of 10 rows in a second, after 50 in a quarter of one.
fn run(seed: u32) -> Result<Invocation> {
    let run = benchhost("run --plugin null -P format=line-protocol --dataset cpu -P hosts=1 --output result")?;
    let load = "--batch-rows 10 -c 2 --rate 200op --duration 1s --warmup 250ms --interval 500ms --progress none";
    Ok(run.args(load).args(&format!("--seed {seed}")))
}

/// Two runs at the same time, as on two machines.
fn two() -> Result<[Finished; 2]> {
    let (first, second) = (run(1)?, run(2)?);
    let (first_live, second_live) = (first.start()?, second.start()?);
    Ok([first.wait(first_live)?, second.wait(second_live)?])
}

fn merged(parts: &[&Path], into: &str) -> Result<Finished> {
    let merge = parts.iter().fold(benchhost("merge")?, |merge, part| merge.arg(*part));
    merge.args(&format!("-o {into}")).finish()
}

#[test]
fn merged_bundles_have_the_sum_of_the_counts_and_the_histograms_of_both() -> Result<()> {
    let parts = two()?;
    let documents = [parts[0].document()?, parts[1].document()?];
    let folders = [parts[0].result(), parts[1].result()];
    let finished = merged(&[&folders[0], &folders[1]], "result")?;
    finished.outcome.expect_code(0)?;
    let document = finished.document()?;

    let sum = |path: &str| -> Result<u64> { Ok(documents[0].count(path)? + documents[1].count(path)?) };
    for path in [
        "counts.rows.sent",
        "counts.rows.acknowledged",
        "counts.operations.ok",
        "counts.raw_bytes",
        "warmup.counts.operations.ok",
        "steps.0.counts.rows.acknowledged",
        "latency.response.write.count",
        "latency.lag.write.count",
        "spans.encode.write.count",
    ] {
        assert_eq!(document.count(path)?, sum(path)?, "{path}");
    }
    assert_eq!(document.count("latency.response.write.count")?, 400);
    let longest = |document: &Document| document.count("latency.response.write.max_ns");
    assert_eq!(longest(&document)?, longest(&documents[0])?.max(longest(&documents[1])?));
    // 400 samples have a percentile that neither half of them has.
    assert!(documents.iter().all(|part| part.at("latency.response.write.p95_ns").is_u64()));
    assert!(documents.iter().all(|part| part.at("latency.response.write.p99_ns").is_null()));
    let offered = document.at("steps.0.schedule.offered_per_s").as_f64().context("no offered rate")?;
    assert!((offered - 400.0).abs() < 1e-6, "{offered}");
    let parts = document.at("parts").as_array().context("no parts")?;
    assert_eq!(parts.iter().map(|part| part["seed"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(2)]);

    let shown = benchhost("show --format json")?.arg(finished.result()).finish()?;
    shown.outcome.expect_code(0)?;
    assert_eq!(Document::parse(&shown.outcome.stdout)?, document);
    Ok(())
}

#[test]
fn a_bundle_is_shown_as_its_run_printed_it() -> Result<()> {
    let finished = run(1)?.args("--color never").finish()?;
    let document = finished.document()?;
    let shown = benchhost("show")?.arg(finished.result()).finish()?;
    shown.outcome.expect_code(0)?;
    assert_eq!(shown.outcome.stdout, finished.outcome.stdout);
    let shown = benchhost("show --format json")?.arg(finished.result()).finish()?;
    assert_eq!(Document::parse(&shown.outcome.stdout)?, document);
    Ok(())
}

#[test]
fn what_is_no_bundle_or_no_part_of_the_same_load_is_refused() -> Result<()> {
    let none = benchhost("show nothing-here")?.finish()?;
    none.outcome.expect_code(2)?.expect_words(&["nothing-here", "run.json", "-o"])?;
    assert_eq!(none.outcome.stdout, "");

    let part = run(1)?.finish()?;
    let other = benchhost("run --plugin null --dataset cpu -P hosts=1 --output result --progress none")?
        .args("-P format=line-protocol --batch-rows 20 -c 2 --rate 200op --duration 1s --warmup 250ms --interval 500ms")
        .args("--seed 1")
        .finish()?;
    let refused = merged(&[&part.result(), &other.result()], "result")?;
    refused.outcome.expect_code(2)?.expect_words(&["batch_rows", "10", "20"])?;
    let refused_too = merged(&[&part.result(), &part.result()], "result")?;
    refused_too.outcome.expect_code(2)?.expect_words(&["twice"])?;
    assert!(!refused.has_document() && !refused_too.has_document());
    Ok(())
}
