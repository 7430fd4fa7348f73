//! QuestDB 9.3.4, which makes SQL tables of line protocol. It stores nothing of a request with a bad line, and keeps equal rows.

use anyhow::{Context as _, Result};
use benchhost_tests::questdb::{count, query};
use benchhost_tests::{Invocation, Rows, Shared, expect_row, generated, sample};
use serde_json::Value;
use xtask::servers::Server;

static OPEN: Shared = Shared::open(Server::QuestDb);
static GUARDED: Shared = Shared::guarded(Server::QuestDb);

const MILLION: u64 = 1_000_000;

#[test]
fn a_million_rows_are_stored_as_they_were_generated() -> Result<()> {
    let server = OPEN.always()?;
    let document =
        Invocation::run("questdb", server, "cpu", MILLION)?.args("-P hosts=10 --batch-rows 5000").succeed()?;
    document.expect_all(MILLION)?;
    assert_eq!(document.text("server.version")?, "9.3.4");

    assert_eq!(count(server, "cpu")?, MILLION);
    for (number, row) in generated("cpu", &[("hosts", "10")], MILLION, sample(MILLION, 99_991))? {
        // 1000 s from midnight on.
        let (second, ms) = (number / 1000, number % 1000);
        let time = format!("2024-01-01T00:{:02}:{:02}.{ms:03}000Z", second / 60, second % 60);
        let found = query(server, &format!("SELECT * FROM cpu WHERE timestamp = '{time}'"))?;
        assert_eq!(found.len(), 1, "row {number}");
        expect_row(number, &row, &found[0], "ts")?;
    }
    Ok(())
}

/// What this server cannot hold is known: a boolean is never NULL, and the smallest integer of 64 bits stands for NULL.
#[test]
fn every_type_reads_back_as_written() -> Result<()> {
    const ROWS: u64 = 3000;
    let settings = [("unsigned", "false"), ("unit", "us")];
    let server = OPEN.always()?;
    Invocation::run("questdb", server, "types", ROWS)?.set_all(&settings).succeed()?.expect_all(ROWS)?;

    let stored = query(server, "SELECT * FROM types ORDER BY sequence")?;
    assert_eq!(stored.len() as u64, ROWS);
    for (number, mut row) in generated("types", &settings, ROWS, |_| true)? {
        if row["boolean"].is_null() {
            row["boolean"] = Value::Bool(false);
        }
        if row["int64"].as_i64() == Some(i64::MIN) {
            row["int64"] = Value::Null;
        }
        let found = stored.get(number as usize).context("a row is missing")?;
        expect_row(number, &row, found, "ts")?;
        let micros = 123_456 + number;
        let time = format!("2024-02-29T23:59:59.{micros:06}Z");
        assert_eq!(found["timestamp"].as_str(), Some(time.as_str()));
    }
    Ok(())
}

#[test]
fn compressed_batches_on_shared_connections_and_a_short_last_batch_are_all_counted() -> Result<()> {
    const ROWS: u64 = 20_007;
    let server = OPEN.always()?;
    let run = Invocation::run("questdb", server, "cpu", ROWS)?.args("-P table=shared -P gzip=true -P hosts=1");
    let document = run.args("--batch-rows 1000 --workers 8 --connections 2").succeed()?;
    document.expect_all(ROWS)?;
    assert_eq!(document.count("counts.operations.ok")?, 21);
    assert!(document.count("counts.sent_bytes")? < document.count("counts.raw_bytes")?);
    assert_eq!(count(server, "shared")?, ROWS);
    Ok(())
}

/// The column `boolean` exists with a type that no boolean becomes: rows that have a value in it are refused, with all others of their batch.
#[test]
fn a_batch_with_a_bad_row_is_refused_whole_and_counted_so() -> Result<()> {
    let server = OPEN.always()?;
    // Once in eleven rows there is no value.
    for (table, batch_rows, good) in [("conflict_ones", 1, 70), ("conflict_elevens", 11, 0)] {
        let columns = "timestamp TIMESTAMP, boolean UUID";
        query(server, &format!("CREATE TABLE {table} ({columns}) TIMESTAMP(timestamp) PARTITION BY DAY WAL"))?;
        let run =
            Invocation::run("questdb", server, "types", 770)?.args("-P unsigned=false -P unit=us --max-errors 1000");
        let finished = run.set("table", table).args(&format!("--batch-rows {batch_rows}")).finish()?;
        let document = finished.document()?;
        assert_eq!(document.rows()?, Rows { sent: 770, acknowledged: good, unknown: 0, stored: Some(good) });
        assert_eq!(document.errors(), [("rejected", "400", 770 / batch_rows - good)]);
        assert_eq!(count(server, table)?, good);
        if good == 0 {
            finished.outcome.expect_code(5)?;
            assert!(document.reasons().contains(&"nothing-acknowledged"));
        }
    }
    Ok(())
}

#[test]
fn rows_that_are_there_are_refused_and_dropped_on_demand() -> Result<()> {
    let server = OPEN.always()?;
    let run = |rows| {
        Ok::<_, anyhow::Error>(Invocation::run("questdb", server, "cpu", rows)?.args("-P table=twice -P hosts=1"))
    };
    run(5000)?.succeed()?.expect_all(5000)?;
    let again = run(3000)?.finish()?;
    again.outcome.expect_code(2)?.expect_words(&["already holds 3000 rows", "--existing drop"])?;
    // A server that keeps equal rows shows a run on top as what it added.
    run(3000)?.args("--existing append").succeed()?.expect_all(3000)?;
    assert_eq!(count(server, "twice")?, 8000);
    run(3000)?.args("--existing drop").succeed()?.expect_all(3000)?;
    assert_eq!(count(server, "twice")?, 3000);
    Ok(())
}

#[test]
fn a_wrong_password_is_told_and_never_shown_and_the_right_one_is_kept_out_too() -> Result<()> {
    const WRONG: &str = "s3cret-that-is-wrong";
    let server = GUARDED.always()?;
    let run = Invocation::run("questdb", server, "cpu", 1000)?.args("--user benchhost");
    let finished = run.env("BENCHHOST_PASSWORD", WRONG).finish()?;
    finished.outcome.expect_code(4)?.expect_words(&["401", "password"])?;
    finished.expect_hidden(WRONG)?;

    let right = server.access().password.as_deref().context("no password")?;
    let run = Invocation::run("questdb", server, "cpu", 1000)?.args("--user benchhost --verbose");
    let finished = run.env("BENCHHOST_PASSWORD", right).finish()?;
    finished.outcome.expect_code(0)?;
    finished.document()?.expect_all(1000)?;
    finished.expect_hidden(right)?;
    Ok(())
}
