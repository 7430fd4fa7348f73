//! VictoriaMetrics 1.151.0, which stores numbers: a series for each field, times in milliseconds, values with a precision of its own.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use benchhost_tests::victoriametrics::{count, export};
use benchhost_tests::{Invocation, Row, Shared, generated, sample};
use xtask::servers::Server;

static OPEN: Shared = Shared::open(Server::VictoriaMetrics);
static GUARDED: Shared = Shared::guarded(Server::VictoriaMetrics);

const MILLION: u64 = 1_000_000;
const CPU_START_MS: i64 = 1_704_067_200_000;
/// 2024-02-29T23:59:59.123Z, where the dataset `types` begins in milliseconds.
const TYPES_START_MS: i64 = 1_709_251_199_123;
/// The server keeps decimal numbers, of which twelve digits are sure.
const PRECISION: f64 = 1e-11;

/// Whether two values are the same to a server that stores them beside values of the size of `largest`, with which they share an exponent.
fn close(one: f64, other: f64, largest: f64) -> bool {
    (one - other).abs() <= PRECISION * largest
}

/// A selector of one field of a row, by its tags.
fn selector(table: &str, field: &str, row: &Row, tags: &[&str]) -> String {
    let tags = tags.iter().map(|name| format!(",{name}={}", row[*name])).collect::<String>();
    format!("{{__name__=\"{table}_{field}\"{tags}}}")
}

#[test]
fn a_million_rows_are_stored_as_they_were_generated() -> Result<()> {
    let server = OPEN.always()?;
    let document =
        Invocation::run("victoriametrics", server, "cpu", MILLION)?.args("-P hosts=10 --batch-rows 5000").succeed()?;
    document.expect_all(MILLION)?;
    assert_eq!(document.text("server.version")?, "v1.151.0");

    for field in ["cpu", "net_out"] {
        assert_eq!(count(server, &format!("{{__name__=\"cpu_{field}\"}}"))?, MILLION, "{field}");
    }
    for (number, row) in generated("cpu", &[("hosts", "10")], MILLION, sample(MILLION, 99_991))? {
        for field in ["cpu", "memory", "disk_util", "net_in", "net_out"] {
            let found = export(server, &selector("cpu", field, &row, &["host", "region", "datacenter", "service"]))?;
            assert_eq!(found.len(), 1, "row {number}");
            let time = CPU_START_MS + number as i64;
            let sample =
                found[0].samples.iter().find(|sample| sample.0 == time).context("no sample at the row's time")?;
            let written = row[field].as_f64().context("no number")?;
            assert!(
                close(sample.1, written, written),
                "row {number}: {field} is {} where {written} was written",
                sample.1
            );
        }
    }
    Ok(())
}

/// All integers, labels that need care, and gaps. Floats of all sizes are left out: beside the largest of them nothing else would be
/// left.
#[test]
fn integers_and_awkward_labels_read_back_as_written() -> Result<()> {
    const ROWS: u64 = 3000;
    let settings = [("unit", "ms"), ("text", "false")];
    let server = OPEN.always()?;
    Invocation::run("victoriametrics", server, "types", ROWS)?.set_all(&settings).succeed()?.expect_all(ROWS)?;

    let small = ["sequence", "int8", "int16", "int32", "uint8", "uint16", "uint32"].map(|field| (field, 0.0));
    let large = [("int64", i64::MAX as f64), ("uint64", u64::MAX as f64)];
    for (field, largest) in small.into_iter().chain(large) {
        let mut stored = BTreeMap::new();
        for series in export(server, &format!("{{__name__=\"types_{field}\"}}"))? {
            for (time, value) in series.samples {
                stored.insert(time, (series.labels.clone(), value));
            }
        }
        for (number, row) in generated("types", &settings, ROWS, |_| true)? {
            let found = stored.remove(&(TYPES_START_MS + number as i64));
            let Some(written) = row[field].as_f64() else {
                assert_eq!(found, None, "row {number} has no {field}");
                continue;
            };
            let (labels, value) = found.with_context(|| format!("row {number}: {field} is missing"))?;
            assert!(close(value, written, largest), "row {number}: {field} is {value} where {written} was written");
            for tag in ["site", "label", "zone"] {
                assert_eq!(labels.get(tag).map(String::as_str), row[tag].as_str(), "row {number}: {tag}");
            }
        }
        assert!(stored.is_empty(), "{field}: {stored:?}");
    }
    Ok(())
}

#[test]
fn what_the_server_makes_of_text_is_said_and_done() -> Result<()> {
    let server = OPEN.always()?;
    let run = Invocation::run("victoriametrics", server, "types", 100)?.args("-P unit=ms");
    let finished = run.set("table", "texts").finish()?;
    finished.outcome.expect_code(0)?.expect_words(&["stores numbers only", "boolean", "utf8", "texts"])?;
    finished.document()?.expect_all(100)?;
    let values = |field: &str| -> Result<Vec<f64>> {
        let all = export(server, &format!("{{__name__=\"texts_{field}\"}}"))?;
        Ok(all.iter().flat_map(|series| &series.samples).map(|sample| sample.1).collect())
    };
    let (booleans, texts) = (values("boolean")?, values("utf8")?);
    assert!(
        booleans.contains(&0.0) && booleans.contains(&1.0) && booleans.iter().all(|value| [0.0, 1.0].contains(value))
    );
    assert!(!texts.is_empty() && texts.iter().all(|value| *value == 0.0));
    Ok(())
}

#[test]
fn compressed_batches_on_shared_connections_and_a_short_last_batch_are_all_counted() -> Result<()> {
    const ROWS: u64 = 20_007;
    let server = OPEN.always()?;
    let run = Invocation::run("victoriametrics", server, "cpu", ROWS)?.args("-P table=shared -P gzip=true -P hosts=1");
    let document = run.args("--database label --batch-rows 1000 --workers 8 --connections 2").succeed()?;
    document.expect_all(ROWS)?;
    assert_eq!(document.count("counts.operations.ok")?, 21);
    assert!(document.count("counts.sent_bytes")? < document.count("counts.raw_bytes")?);
    assert_eq!(count(server, "{__name__=\"shared_cpu\",db=\"label\"}")?, ROWS);
    Ok(())
}

#[test]
fn rows_that_are_there_are_refused_and_dropped_on_demand() -> Result<()> {
    let server = OPEN.always()?;
    let run = |rows| {
        Ok::<_, anyhow::Error>(
            Invocation::run("victoriametrics", server, "cpu", rows)?.args("-P table=twice -P hosts=1"),
        )
    };
    run(5000)?.succeed()?.expect_all(5000)?;
    let again = run(3000)?.finish()?;
    again.outcome.expect_code(2)?.expect_words(&["already holds 3000 rows", "--existing drop"])?;
    run(3000)?.args("--existing drop").succeed()?.expect_all(3000)?;
    assert_eq!(count(server, "{__name__=\"twice_cpu\"}")?, 3000);
    Ok(())
}

#[test]
fn a_wrong_password_is_told_and_never_shown_and_the_right_one_is_kept_out_too() -> Result<()> {
    const WRONG: &str = "s3cret-that-is-wrong";
    let server = GUARDED.always()?;
    let run = Invocation::run("victoriametrics", server, "cpu", 1000)?.args("--user benchhost");
    let finished = run.env("BENCHHOST_PASSWORD", WRONG).finish()?;
    finished.outcome.expect_code(4)?.expect_words(&["401", "password"])?;
    finished.expect_hidden(WRONG)?;

    let right = server.access().password.as_deref().context("no password")?;
    let run = Invocation::run("victoriametrics", server, "cpu", 1000)?.args("--user benchhost --verbose");
    let finished = run.env("BENCHHOST_PASSWORD", right).finish()?;
    finished.outcome.expect_code(0)?;
    finished.document()?.expect_all(1000)?;
    finished.expect_hidden(right)?;
    Ok(())
}
