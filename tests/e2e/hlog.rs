//! `latency.hlog` read by the official JavaScript reader, which knows nothing of this program: both find the same histograms.
//!
//! The reader decodes and decompresses as it does for everybody; `read.cjs` only adds histograms of the same tag.

#![allow(clippy::unwrap_used, reason = "what is shared with the tests of the writer fails by panicking")]

#[path = "../../host/report/tests/all/common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, Result};
use benchhost_core::{OperationEnding, PhaseName, Recording, Spans};
use benchhost_report::{INTERVALS_FILE, LOG_FILE};
use benchhost_stats::Histogram;
use benchhost_tests::{Document, Tagged, benchhost, read_log};

use common::bundles::{Cut, intervals, merged, tell, writer};

/// The reader's figures of a recorded histogram, whose counts are such that every way of rounding a rank gives the same one.
fn figures(histogram: &Histogram, lines: u64) -> Tagged {
    let hdr = histogram.hdr();
    let count = histogram.count();
    assert!(count.is_multiple_of(100), "{count} samples have no rank of 50 and of 99 percent");
    let [p50_ns, p99_ns] = [0.5, 0.99].map(|quantile| hdr.value_at_quantile(quantile));
    Tagged { lines, count, p50_ns, p99_ns, max_ns: hdr.max() }
}

/// Failures of all lengths, from one that took no time to some beyond an hour.
fn failures() -> Recording {
    let mut recording = Recording::default();
    for number in 0..100_u32 {
        let took = Duration::from_nanos(10).saturating_mul(2_u32.saturating_pow(number.min(20))) * (number / 4);
        let took = if number >= 98 { Duration::from_secs(5_000) } else { took };
        for ending in [OperationEnding::Failed, OperationEnding::TimedOut] {
            recording.operation(ending, common::recorded::stamps(None, 0, took), Spans::default());
        }
    }
    recording
}

#[test]
fn every_histogram_that_the_writer_can_write_is_found() -> Result<()> {
    let top = tempfile::tempdir()?;
    let mut writer = writer(top.path(), &common::ladder());
    let first = intervals(&[300, 0, 700], Some(5_000));
    let second = vec![failures(), intervals(&[1000], None).remove(0)];
    let warmup = intervals(&[200], None);
    let cuts = [(PhaseName::Warmup, 0, &warmup), (PhaseName::Measure, 0, &first), (PhaseName::Measure, 1, &second)];
    tell(&mut writer, &cuts.map(|(phase, step, recordings)| Cut { phase, step, recordings: recordings.clone() }));
    drop(writer);

    let Some(found) = read_log(&top.path().join(LOG_FILE))? else { return Ok(()) };
    let [warmup, first, second] = [warmup, first, second].map(|recordings| merged(&recordings));
    let mut expected = BTreeMap::new();
    let mut expect = |tag: String, histogram: &Histogram, lines| expected.insert(tag, figures(histogram, lines));
    for (prefix, recording, lines) in [("warm-up", &warmup, 1), ("w1", &first, 2), ("w4", &second, 1)] {
        let spans = [("encode", &recording.encode), ("wait", &recording.wait), ("plugin", &recording.plugin)];
        for (kind, histogram) in [("service", &recording.service)].into_iter().chain(spans) {
            expect(format!("{prefix}.write.{kind}"), histogram, lines);
        }
    }
    expect("w1.write.response".into(), &first.response, 2);
    expect("w1.write.lag".into(), &first.lag, 2);
    expect("w4.write.failed".into(), &second.failed, 1);
    expect("w4.write.timed_out".into(), &second.timed_out, 1);
    assert_eq!(found, expected);
    // An hour is the longest that is told apart, and it is told in full.
    assert!(found["w4.write.failed"].max_ns >= benchhost_stats::HIGHEST_NS);
    Ok(())
}

/// Tag of the log to its figures in `run.json`.
fn tagged(document: &Document, prefix: &str, stretch: &str) -> Result<BTreeMap<String, serde_json::Value>> {
    let mut tags = BTreeMap::new();
    for part in ["latency", "spans"] {
        let kinds = document.at(&format!("{stretch}.{part}")).as_object().context("no histograms")?;
        for (kind, operations) in kinds {
            tags.insert(format!("{prefix}write.{kind}"), operations["write"].clone());
        }
    }
    Ok(tags)
}

/// 500 operations before the clock starts and 1000 behind it.
#[test]
fn the_log_of_a_run_tells_the_same_as_its_document() -> Result<()> {
    let run = benchhost("run --plugin null -P format=line-protocol --dataset cpu -P hosts=1 --output result")?;
    let finished = run
        .args("--batch-rows 10 -c 4 --rate 500op --warmup 1s --duration 2s --interval 500ms --progress none")
        .finish()?;
    let document = finished.document()?;
    assert_eq!(document.count("latency.response.write.count")?, 1000, "{}", finished.outcome.stderr);
    assert_eq!(document.count("warmup.counts.operations.ok")?, 500);

    let folder = finished.folder().join("result");
    let Some(found) = read_log(&folder.join(LOG_FILE))? else { return Ok(()) };
    let mut expected = tagged(&document, "", "steps.0")?;
    expected.extend(tagged(&document, "warm-up.", "warmup")?);
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for clock in ["response", "service", "lag", "encode", "wait", "plugin"] {
        assert!(found.contains_key(&format!("write.{clock}")), "{clock}: {found:?}");
    }

    let series = std::fs::read_to_string(folder.join(INTERVALS_FILE))?;
    for (tag, figures) in &expected {
        let found = found[tag];
        let number = |name: &str| figures[name].as_u64();
        assert_eq!(Some(found.count), number("count"), "{tag}");
        // A line for each interval in which anything ended, and the same number in the series.
        let phase = if tag.starts_with("warm-up.") { "warm-up," } else { "measure," };
        let intervals = series.lines().filter(|line| line.starts_with(phase) && !ended_nothing(line)).count();
        assert_eq!(found.lines, intervals as u64, "{tag}\n{series}");

        // The document has the exact longest; a bucket has those that share three digits.
        let longest = number("max_ns").with_context(|| format!("no max_ns of {tag}"))?;
        assert!((longest..=longest + longest / 1000 + 1).contains(&found.max_ns), "{tag}: {found:?} {figures}");
        assert_eq!(Some(found.p50_ns.min(longest)), number("p50_ns"), "{tag}");
        // Of 500 samples, only five lie beyond the 99th percentile: too few for the document to name it.
        let p99 = (found.count == 1000).then_some(found.p99_ns.min(longest));
        assert_eq!(p99, number("p99_ns"), "{tag}");
    }
    Ok(())
}

/// Whether the line of an interval has no operation.
fn ended_nothing(line: &str) -> bool {
    // phase, step, start_s, length_s, rows, ok, failed, timed_out
    line.split(',').skip(5).take(3).all(|count| count == "0")
}
