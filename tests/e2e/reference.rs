//! The embedded reference server as a process, and what a run makes of the faults that it injects.

use std::net::TcpListener;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use benchhost_tests::{Document, Finished, Invocation, Reference, addresses, benchhost, run_client, wait_for};
use serde_json::Value;
use xtask::http;

const PATIENCE: Duration = Duration::from_secs(60);
const ROWS: u64 = 20_000;
/// The targets that write to it, with what each of them needs to be told.
const TARGETS: [(&str, &str); 4] = [
    ("influx", "--database bench"),
    ("greptime", "-P protocol=unary"),
    ("greptime", "-P protocol=stream"),
    ("greptime", "-P protocol=bulk"),
];
const INFLUX: (&str, &str) = TARGETS[0];
const UNARY: (&str, &str) = TARGETS[1];
const BULK: (&str, &str) = TARGETS[3];

/// A run of so many operations of 200 rows against a reference server.
fn run(server: &Reference, (target, settings): (&str, &str)) -> Result<Invocation> {
    let run = Invocation::write(target, server.http(), "cpu", ROWS)?;
    let run = run.args("-P hosts=1 --batch-rows 200 -c 4 --verify-timeout 3s --max-errors 10k").args(settings);
    Ok(if target == "greptime" { run.set("grpc_endpoint", server.grpc()) } else { run })
}

/// No more is acknowledged than was sent, and what is stored is acknowledged or in doubt.
fn expect_sums(document: &Document) -> Result<()> {
    let rows = document.rows()?;
    let stored = rows.stored.context("the server was there to be asked")?;
    ensure!(rows.acknowledged <= rows.sent, "{rows:?}");
    ensure!((rows.acknowledged..=rows.acknowledged + rows.unknown).contains(&stored), "{rows:?}");
    Ok(())
}

/// A finished run, and its document, whatever its verdict.
fn measured(run: Invocation) -> Result<(Finished, Document)> {
    let finished = run.finish()?;
    let document = finished.document()?;
    Ok((finished, document))
}

#[test]
fn it_says_where_it_is_in_one_line_of_json_and_ends_in_good_order() -> Result<()> {
    type End = fn(&mut benchhost_tests::Live) -> Result<()>;
    let ends: [End; 2] = [benchhost_tests::Live::terminate, benchhost_tests::Live::interrupt];
    for end in ends {
        let serve = benchhost("serve")?;
        let mut live = serve.start()?;
        wait_for("the line of addresses", PATIENCE, || {
            ensure!(!live.has_ended()?, "it ended early:\n{}", live.stderr());
            Ok(live.stdout().contains('\n'))
        })?;
        let (http, grpc) = addresses(&live.stdout())?;
        ensure!(http != grpc, "{http} is both");
        ensure!(http::get(format!("{http}/health")).send()?.is_success(), "it is not healthy");
        end(&mut live)?;
        let outcome = serve.wait(live)?.outcome;
        outcome.expect_code(0)?;
        ensure!(outcome.stdout.lines().count() == 1, "more than its addresses on stdout: {}", outcome.stdout);
        ensure!(http::get(format!("{http}/health")).send().is_err(), "it still answers");
    }
    Ok(())
}

#[test]
fn a_port_in_use_is_named() -> Result<()> {
    for flag in ["--http", "--grpc"] {
        let taken = TcpListener::bind("127.0.0.1:0")?;
        let address = taken.local_addr()?.to_string();
        let outcome = benchhost(&format!("serve {flag} {address}"))?.finish()?.outcome;
        outcome.expect_code(2)?.expect_words(&[&address, "in use"])?;
        ensure!(outcome.stdout.is_empty(), "{}", outcome.stdout);
    }
    Ok(())
}

#[test]
fn a_fault_that_makes_no_sense_is_refused() -> Result<()> {
    for fault in ["lose", "lose=often", "lose=200%", "fire=1%", "latency=5", "stall=every:1s"] {
        let outcome = benchhost(&format!("serve --inject {fault}"))?.finish()?.outcome;
        outcome.expect_code(2)?.expect_words(&["--inject", fault])?;
    }
    Ok(())
}

#[test]
fn without_an_endpoint_a_run_starts_one_and_says_so() -> Result<()> {
    for (target, settings) in TARGETS {
        let run = benchhost(&format!("run --plugin {target} --dataset cpu --rows {ROWS} -P hosts=1 --output result"))?;
        let finished = run.args(settings).finish()?;
        finished.outcome.expect_code(0)?;
        let document = finished.document()?;
        document.expect_all(ROWS).context(settings)?;
        ensure!(document.at("embedded_server").as_bool() == Some(true), "{settings}: {}", document.0);
        let said = "no --endpoint was given";
        ensure!(finished.outcome.stdout.contains(said), "{settings}: {}", finished.outcome.stdout);
    }
    Ok(())
}

#[test]
fn with_an_endpoint_nothing_is_said_of_an_embedded_one() -> Result<()> {
    let server = Reference::start("")?;
    for target in TARGETS {
        let document = run(&server, target)?.args("--existing drop").succeed()?;
        document.expect_all(ROWS)?;
        ensure!(document.at("embedded_server").is_null(), "{}", document.0);
    }
    Ok(())
}

#[test]
fn acknowledged_and_lost_rows_make_a_run_invalid() -> Result<()> {
    for target in TARGETS {
        let server = Reference::start("--inject lose=30%")?;
        let (finished, document) = measured(run(&server, target)?)?;
        finished.outcome.expect_code(5)?;
        let rows = document.rows()?;
        ensure!(rows.acknowledged == ROWS && rows.stored < Some(ROWS), "{target:?}: {rows:?}");
        ensure!(document.verdict()? == "invalid", "{target:?}");
        ensure!(document.reasons().contains(&"stored-less"), "{target:?}: {:?}", document.reasons());
    }
    Ok(())
}

#[test]
fn a_connection_that_is_cut_before_the_answer_leaves_rows_in_doubt() -> Result<()> {
    for target in [INFLUX, UNARY] {
        let server = Reference::start("--inject reset=20%")?;
        let (_, document) = measured(run(&server, target)?.args("--retries 0"))?;
        expect_sums(&document).with_context(|| format!("{target:?}"))?;
        let rows = document.rows()?;
        ensure!(rows.sent == ROWS && rows.unknown > 0 && rows.unknown < ROWS, "{target:?}: {rows:?}");
        ensure!(document.count("counts.operations.failed")? > 0, "{target:?}: {}", document.at("counts"));
    }
    Ok(())
}

/// A stream that breaks takes with it what is in flight, and is opened again.
#[test]
fn a_bulk_stream_that_is_cut_is_opened_again_and_its_rows_are_in_doubt_once() -> Result<()> {
    let server = Reference::start("--inject reset=10%")?;
    let (_, document) = measured(run(&server, BULK)?.args("--retries 0 --connections 1"))?;
    expect_sums(&document)?;
    let rows = document.rows()?;
    ensure!(rows.sent == ROWS && rows.unknown > 0 && rows.acknowledged > 0, "{rows:?}");
    Ok(())
}

#[test]
fn throttled_writes_are_tried_again_until_all_are_stored() -> Result<()> {
    for target in [INFLUX, UNARY] {
        let server = Reference::start("--inject throttle=10%")?;
        let document = run(&server, target)?.args("--retries 20").succeed()?;
        let rows = document.rows()?;
        ensure!(rows.acknowledged == ROWS && rows.stored == Some(ROWS), "{target:?}: {rows:?}");
        ensure!(document.count("counts.operations.retried")? > 0, "{target:?}: {}", document.at("counts"));
    }
    Ok(())
}

#[test]
fn refused_writes_are_counted_and_not_stored() -> Result<()> {
    for target in [INFLUX, UNARY] {
        let server = Reference::start("--inject error=20%")?;
        let (_, document) = measured(run(&server, target)?.args("--retries 0"))?;
        expect_sums(&document).with_context(|| format!("{target:?}"))?;
        let rows = document.rows()?;
        ensure!(rows.acknowledged > 0 && rows.acknowledged < ROWS, "{target:?}: {rows:?}");
        ensure!(document.count("counts.operations.failed")? > 0, "{target:?}: {}", document.at("counts"));
        ensure!(!document.errors().is_empty(), "{target:?}: no error is told");
    }
    Ok(())
}

#[test]
fn of_a_batch_that_is_stored_in_part_exactly_that_part_is_acknowledged() -> Result<()> {
    let server = Reference::start("--inject partial=20%")?;
    let run = Invocation::write("otlp", server.http(), "cpu", ROWS)?.args("-P hosts=1 --batch-rows 200");
    let (_, document) = measured(run.args("--retries 0 --max-errors 10k --verify-timeout 3s"))?;
    let rows = document.rows()?;
    ensure!(rows.sent == ROWS && rows.acknowledged > 0 && rows.acknowledged < ROWS, "{rows:?}");
    let stored: u64 = received(&server.truth()?);
    ensure!(stored == rows.acknowledged, "{stored} rows were stored: {rows:?}");
    let errors = document.errors();
    ensure!(errors.iter().any(|(kind, _, _)| *kind == "partial"), "{errors:?}");
    Ok(())
}

/// All rows that the server says it has received, whatever it calls the tables.
fn received(truth: &Value) -> u64 {
    match truth {
        Value::Object(object) => {
            let own = ["rows", "rows_received", "received"].iter().find_map(|name| object.get(*name)?.as_u64());
            own.unwrap_or_else(|| object.values().map(received).sum())
        }
        Value::Array(list) => list.iter().map(received).sum(),
        _ => 0,
    }
}

#[test]
fn injected_latency_is_in_every_operations_time() -> Result<()> {
    let server = Reference::start("--inject latency=20ms")?;
    for target in [INFLUX, UNARY, BULK] {
        let document = run(&server, target)?.args("--existing drop").succeed()?;
        let p50 = document.count("latency.service.write.p50_ns")?;
        ensure!(p50 >= 20_000_000, "{target:?}: half of the operations took less than {p50} ns");
    }
    Ok(())
}

#[test]
fn a_server_that_only_counts_has_the_right_count() -> Result<()> {
    let server = Reference::start("--count-only")?;
    for target in TARGETS {
        let run = run(&server, target)?.args("--existing drop");
        run.succeed()?.expect_all(ROWS).with_context(|| format!("{target:?}"))?;
    }
    Ok(())
}

#[test]
fn a_write_beyond_its_memory_is_refused_and_said_so() -> Result<()> {
    let server = Reference::start("--memory 256KiB")?;
    for target in [INFLUX, UNARY] {
        let finished = run(&server, target)?.args("--retries 0 --existing drop").finish()?;
        let document = finished.document()?;
        let rows = document.rows()?;
        ensure!(rows.acknowledged < ROWS, "{target:?}: {rows:?}");
        let said = document.at("errors").to_string().to_lowercase();
        ensure!(said.contains("memory"), "{target:?}: nobody says why: {said}");
    }
    Ok(())
}

#[test]
fn official_exporters_write_logs_and_metrics_by_greptimedbs_path() -> Result<()> {
    let server = Reference::start("")?;
    let [logs, metrics] = ["logs", "metrics"].map(|kind| format!("{}/v1/otlp/v1/{kind}", server.http()));
    let headers = ["x-greptime-log-table-name=written", "x-greptime-pipeline-name=greptime_identity"];
    let Some(said) = run_client("otlp.py", &["http", &logs, &metrics, headers[0], headers[1]])? else { return Ok(()) };
    let stored = server.sql("public", "SELECT * FROM written ORDER BY \"Timestamp\"")?;
    let logs = said["logs"].as_array().context("no logs")?;
    ensure!(stored.rows.len() == logs.len(), "{} of {} records are stored", stored.rows.len(), logs.len());
    for (log, row) in logs.iter().zip(&stored.rows) {
        let mut expected = vec![("Timestamp", &log["time"]), ("Body", &log["body"])];
        expected.extend([("SeverityNumber", &log["severity_number"]), ("SeverityText", &log["severity_text"])]);
        for (column, value) in expected {
            ensure!(benchhost_tests::same(value, &row[column]), "{column} of {log}: {row:?}");
        }
        for name in ["sequence", "whole", "flag", "text", "ratio"] {
            let found = row.get(&format!("LogAttributes.{name}")).unwrap_or(&Value::Null);
            ensure!(benchhost_tests::same(&log["attributes"][name], found), "{name} of {log}: {row:?}");
        }
    }
    let gauge = server.sql("public", "SELECT greptime_value FROM official_temperature")?;
    ensure!(gauge.rows.len() == 1 && gauge.rows[0]["greptime_value"].as_f64() == Some(-12.25), "{gauge:?}");
    Ok(())
}

#[test]
fn official_exporters_write_logs_and_metrics_by_the_standard_paths_and_by_grpc() -> Result<()> {
    for protocol in ["http", "grpc"] {
        let server = Reference::start("")?;
        let [logs, metrics] = match protocol {
            "grpc" => [server.grpc().to_owned(), server.grpc().to_owned()],
            _ => ["logs", "metrics"].map(|kind| format!("{}/v1/{kind}", server.http())),
        };
        let Some(said) = run_client("otlp.py", &[protocol, &logs, &metrics])? else { return Ok(()) };
        let written = said["logs"].as_array().map_or(0, Vec::len) as u64;
        let points =
            said["metrics"].as_object().map_or(0, |all| all.values().filter_map(Value::as_array).flatten().count());
        // A histogram may be one row or one for each of its parts.
        let rows = received(&server.truth()?);
        ensure!(rows >= written + points as u64, "{protocol}: {rows} rows of {written} records and {points} points");
    }
    Ok(())
}
