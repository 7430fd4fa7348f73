//! The target that drops everything, which shows what the client alone can do.

use anyhow::Result;
use benchhost_tests::{Document, Rows, benchhost};

fn run(flags: &str) -> Result<Document> {
    let run = benchhost("run --plugin null --dataset cpu --rows 1m -P hosts=10 --output result")?;
    run.args(flags).succeed()
}

#[test]
fn a_million_rows_are_acknowledged_and_nobody_claims_that_they_are_stored() -> Result<()> {
    let document = run("")?;
    assert_eq!(document.verdict()?, "valid");
    let million = 1_000_000;
    assert_eq!(document.rows()?, Rows { sent: million, acknowledged: million, unknown: 0, stored: None });
    assert_eq!(document.reasons(), ["stored-not-asked"]);
    assert_eq!(document.count("counts.values")?, 5 * million);
    assert_eq!((document.count("counts.sent_bytes")?, document.count("counts.raw_bytes")?), (0, 0));
    Ok(())
}

#[test]
fn with_a_format_rows_are_encoded_before_they_are_dropped() -> Result<()> {
    let document = run("-P format=line-protocol")?;
    let bytes_a_row = document.count("counts.raw_bytes")? / 1_000_000;
    assert!((100..300).contains(&bytes_a_row), "{bytes_a_row}");
    assert_eq!(document.count("counts.sent_bytes")?, 0);
    assert_eq!(document.count("spans.encode.write.count")?, 1000);
    Ok(())
}

#[test]
fn rows_that_do_not_fit_in_memory_are_made_as_the_run_goes_and_are_the_same() -> Result<()> {
    let (ahead, streamed) = (run("")?, run("--memory 4MiB --batch-rows 777")?);
    assert_eq!(ahead.at("dataset.streamed").as_bool(), Some(false));
    assert_eq!(streamed.at("dataset.streamed").as_bool(), Some(true));
    assert_eq!(ahead.text("dataset.fingerprint")?, streamed.text("dataset.fingerprint")?);
    assert_eq!(streamed.count("counts.rows.acknowledged")?, 1_000_000);
    Ok(())
}

#[test]
fn every_value_of_the_types_dataset_passes() -> Result<()> {
    let run = benchhost("run --plugin null -P format=line-protocol --dataset types --rows 10007 --output result")?;
    let document = run.set("names", "awkward").succeed()?;
    assert_eq!(document.count("counts.rows.acknowledged")?, 10_007);
    assert_eq!(document.count("counts.operations.ok")?, 11);
    Ok(())
}
