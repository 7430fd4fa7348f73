//! What the plugins send, value by value, as an independent decoder takes it: C++ gRPC and protobuf, and Arrow's C++ library.

use anyhow::{Context as _, Result, ensure};
use benchhost_tests::{Decoder, Invocation, Row, Rows, expect_decoded, generated};
use serde_json::Value;

/// The setting of a compression, which the streams of rows do not have.
type Setting = (&'static str, &'static str);

const PROTOCOLS: [&str; 3] = ["unary", "stream", "bulk"];

/// A run of the plugin `greptime` against the decoder.
fn run(decoder: &Decoder, protocol: &str, dataset: &str, rows: u64) -> Result<Invocation> {
    let run = Invocation::write("greptime", decoder.http(), dataset, rows)?;
    Ok(run.set("grpc_endpoint", decoder.grpc()).set("protocol", protocol))
}

/// The method that a protocol calls, and nothing but it.
fn expect_called(facts: &Value, protocol: &str) -> Result<()> {
    let method = match protocol {
        "unary" => "Handle",
        "stream" => "HandleRequests",
        _ => "DoPut",
    };
    let calls = facts["calls"].as_object().context("no calls")?;
    ensure!(calls.keys().eq([method]), "{protocol} called {calls:?}");
    ensure!(facts["notes"].as_array().is_some_and(Vec::is_empty), "something went wrong: {facts}");
    Ok(())
}

#[test]
fn every_type_extreme_and_null_arrives_by_each_protocol() -> Result<()> {
    const ROWS: u64 = 3000;
    for protocol in PROTOCOLS {
        for (names, key) in [("plain", "sequence"), ("awkward", "sequence a,b=c \"ü\"")] {
            let Some(decoder) = Decoder::start()? else { return Ok(()) };
            let settings = [("names", names), ("newlines", "true")];
            let document =
                run(&decoder, protocol, "types", ROWS)?.set_all(&settings).args("--batch-rows 700").succeed()?;
            document.expect_all(ROWS).context(protocol)?;
            let rows = generated("types", &settings, ROWS, |_| true)?;
            expect_decoded(&rows, &decoder.rows("public", "types")?, key)
                .with_context(|| format!("{protocol}, {names}"))?;
            expect_called(&decoder.facts()?, protocol)?;
        }
    }
    Ok(())
}

#[test]
fn times_of_every_unit_arrive_as_they_are() -> Result<()> {
    const ROWS: u64 = 200;
    for protocol in PROTOCOLS {
        for unit in ["s", "ms", "us", "ns"] {
            let Some(decoder) = Decoder::start()? else { return Ok(()) };
            let settings = [("unit", unit)];
            run(&decoder, protocol, "types", ROWS)?.set_all(&settings).succeed()?.expect_all(ROWS)?;
            let decoded = decoder.rows("public", "types")?;
            ensure!(decoded.kind("ts")? == format!("timestamp({unit})"), "{protocol}: {:?}", decoded.columns);
            let rows = generated("types", &settings, ROWS, |_| true)?;
            expect_decoded(&rows, &decoded, "sequence").with_context(|| format!("{protocol}, {unit}"))?;
        }
    }
    Ok(())
}

#[test]
fn the_log_table_arrives_by_each_protocol() -> Result<()> {
    const ROWS: u64 = 4000;
    for protocol in PROTOCOLS {
        let Some(decoder) = Decoder::start()? else { return Ok(()) };
        run(&decoder, protocol, "logs", ROWS)?.args("--batch-rows 900 -c 2").succeed()?.expect_all(ROWS)?;
        let decoded = decoder.rows("public", "bench_logs")?;
        ensure!(decoded.columns.len() == 22, "{:?}", decoded.columns);
        // Each says the number of its request.
        expect_decoded(&generated("logs", &[], ROWS, |_| true)?, &decoded, "message").context(protocol)?;
    }
    Ok(())
}

/// A run of the CPU dataset, in which several batches are in flight, and the rows as they came.
fn expect_cpu(protocol: &str, load: &str, setting: Option<Setting>) -> Result<Option<Value>> {
    const ROWS: u64 = 20_500;
    let Some(decoder) = Decoder::start()? else { return Ok(None) };
    let run = run(&decoder, protocol, "cpu", ROWS)?.args("-P hosts=3 --batch-rows 1000").args(load);
    run.set_all(setting.as_slice()).succeed()?.expect_all(ROWS)?;
    let rows = generated("cpu", &[("hosts", "3")], ROWS, |_| true)?;
    // Each row has a time of its own.
    let decoded = decoder.rows("public", "cpu")?;
    expect_decoded(&rows, &decoded, "ts").with_context(|| format!("{protocol} {load} {setting:?}"))?;
    let facts = decoder.facts()?;
    expect_called(&facts, protocol)?;
    Ok(Some(facts))
}

#[test]
fn bulk_arrives_whole_with_every_compression_and_is_compressed_as_asked() -> Result<()> {
    for compression in ["none", "lz4", "zstd"] {
        let setting = Some(("compression", compression));
        let Some(facts) = expect_cpu("bulk", "-c 8 --connections 1", setting)? else { return Ok(()) };
        let batches = facts["batches"].as_object().context("no batches")?;
        ensure!(batches.keys().eq([compression]), "{compression} was asked for, and {batches:?} came");
        ensure!(facts["calls"]["DoPut"] == 1, "eight workers of one connection share one stream: {facts}");
    }
    Ok(())
}

#[test]
fn rows_arrive_whole_from_several_workers_on_shared_and_on_own_connections() -> Result<()> {
    for protocol in PROTOCOLS {
        for load in ["-c 4 --connections 1", "-c 4 --connections 4"] {
            if expect_cpu(protocol, load, None)?.is_none() {
                return Ok(());
            }
        }
    }
    Ok(())
}

#[test]
fn rows_arrive_whole_through_grpcs_own_compression() -> Result<()> {
    for protocol in PROTOCOLS {
        let setting = Some(("grpc_compression", "gzip"));
        let Some(facts) = expect_cpu(protocol, "-c 2", setting)? else { return Ok(()) };
        let metadata = facts["metadata"].as_object().context("no metadata")?;
        ensure!(!metadata.is_empty(), "{protocol}: {facts}");
    }
    Ok(())
}

#[test]
fn user_password_and_database_go_with_every_call() -> Result<()> {
    const ROWS: u64 = 500;
    for protocol in PROTOCOLS {
        let Some(decoder) = Decoder::start()? else { return Ok(()) };
        let run = run(&decoder, protocol, "cpu", ROWS)?.args("-P hosts=1 --database elsewhere --user somebody");
        let finished = run.env("BENCHHOST_PASSWORD", "p:a ss").finish()?;
        finished.outcome.expect_code(0)?;
        finished.document()?.expect_all(ROWS)?;
        finished.expect_hidden("p:a ss")?;
        ensure!(decoder.rows("elsewhere", "cpu")?.rows.len() as u64 == ROWS, "{protocol}");
        let facts = decoder.facts()?;
        let users = facts["users"].as_object().context("no users")?;
        ensure!(users.keys().eq(["somebody:p:a ss"]), "{protocol}: {users:?}");
    }
    Ok(())
}

/// The attributes that a row is sent as: those of its values that are there, but not its time.
fn attributes(row: &Row) -> Row {
    row.iter()
        .filter(|(name, value)| *name != "ts" && !value.is_null())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Passes when the records of a table are exactly the generated rows.
fn expect_logs(decoder: &Decoder, table: &str, settings: &[(&str, &str)], rows: u64) -> Result<()> {
    let mut decoded = decoder.rows("public", table)?.rows;
    ensure!(decoded.len() as u64 == rows, "{} of {rows} records came", decoded.len());
    decoded.sort_by_key(|row| row["Timestamp"].as_u64());
    for ((number, row), record) in generated("types", settings, rows, |_| true)?.iter().zip(&decoded) {
        ensure!(record["Timestamp"] == row["ts"], "row {number} is at {}", record["Timestamp"]);
        ensure!(record["body"] == "benchmark" && record["severity_number"] == 9, "row {number} is {record:?}");
        let found = record["attributes"].as_object().context("no attributes")?;
        benchhost_tests::otlp::expect_attributes(found, &attributes(row)).with_context(|| format!("row {number}"))?;
    }
    Ok(())
}

#[test]
fn log_records_arrive_with_every_attribute_by_http_and_by_grpc() -> Result<()> {
    const ROWS: u64 = 1500;
    // OTLP has no unsigned integers.
    let settings = [("unsigned", "false"), ("newlines", "true")];
    let ways = [("http", "plain", "logs"), ("grpc", "plain", "logs"), ("http", "greptime", "types")];
    for (protocol, dialect, table) in ways {
        for gzip in ["false", "true"] {
            let way = || format!("{protocol}, {dialect}, gzip {gzip}");
            let Some(decoder) = Decoder::start()? else { return Ok(()) };
            let run = Invocation::write("otlp", decoder.http(), "types", ROWS)?.set("grpc_endpoint", decoder.grpc());
            let run = run.set_all(&[("protocol", protocol), ("dialect", dialect), ("gzip", gzip)]).set_all(&settings);
            let finished = run.args("--batch-rows 400").finish()?;
            finished.outcome.expect_code(0)?;
            // Of a plain receiver nobody can ask how many rows it has.
            let stored = (dialect == "greptime").then_some(ROWS);
            let rows = finished.document()?.rows()?;
            ensure!(rows == Rows { stored, ..Rows::all(ROWS) }, "{}: {rows:?}", way());
            expect_logs(&decoder, table, &settings, ROWS).with_context(way)?;
        }
    }
    Ok(())
}
