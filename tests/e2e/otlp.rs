//! OTLP logs in real receivers: VictoriaLogs, which is asked in LogsQL, and the OpenTelemetry Collector's own receiver, which prints what it got.
//! OpenTelemetry's own exporter writes into both as well: that shows that what is read back is read rightly.

use anyhow::{Context as _, Result, ensure};
use benchhost_tests::otlp::{Record, attributes, collected, collected_metrics, expect_attributes, stored};
use benchhost_tests::{Decoder, Invocation, Row, generated, run_client, start};
use serde_json::{Value, json};
use xtask::servers::{Running, Server};

const ROWS: u64 = 1500;
/// OTLP has no unsigned integers.
const SETTINGS: [(&str, &str); 2] = [("unsigned", "false"), ("newlines", "true")];

fn server(server: Server) -> Result<Running> {
    start(server, false)?.context("this server is in every run")
}

/// The attributes that a row is sent as: those of its values that are there, but not its time.
fn sent(row: &Row) -> Row {
    let there = row.iter().filter(|(name, value)| *name != "ts" && !value.is_null());
    there.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Passes when the records are exactly the generated rows.
fn expect_rows(mut records: Vec<Record>) -> Result<()> {
    records.sort_by_key(|record| record.time);
    for ((number, row), record) in generated("types", &SETTINGS, ROWS, |_| true)?.iter().zip(&records) {
        let time = row["ts"].as_i64().context("no time")?;
        ensure!(record.time == i128::from(time), "row {number} is at {}", record.time);
        let severity = record.severity.to_string();
        ensure!(record.body == "benchmark" && severity.trim_matches('"') == "9", "row {number} is {record:?}");
        // The resource says who sent it, which is not the dataset's.
        let own = record.attributes.iter().filter(|(name, _)| !name.starts_with("service."));
        let own: Row = own.map(|(name, value)| (name.clone(), value.clone())).collect();
        expect_attributes(&own, &sent(row)).with_context(|| format!("row {number}"))?;
    }
    Ok(())
}

#[test]
fn rows_are_stored_in_victorialogs_as_they_were_generated_and_counted_there() -> Result<()> {
    for gzip in ["false", "true"] {
        let server = server(Server::VictoriaLogs)?;
        let run = Invocation::run("otlp", &server, "types", ROWS)?.args("--batch-rows 400 -c 2");
        let run = run.set("dialect", "victorialogs").set("gzip", gzip).set_all(&SETTINGS);
        run.succeed()?.expect_all(ROWS)?;
        expect_rows(stored(&server, ROWS as usize)?).with_context(|| format!("gzip {gzip}"))?;
    }
    Ok(())
}

#[test]
fn rows_arrive_at_a_collector_by_http_and_by_grpc() -> Result<()> {
    for protocol in ["http", "grpc"] {
        let server = server(Server::OtelCollector)?;
        let run = Invocation::run("otlp", &server, "types", ROWS)?.args("--batch-rows 400 -c 2");
        let run = run.set("protocol", protocol).set("grpc_endpoint", server.grpc().context("no gRPC")?);
        let finished = run.set_all(&SETTINGS).finish()?;
        finished.outcome.expect_code(0)?;
        let rows = finished.document()?.rows()?;
        ensure!((rows.sent, rows.acknowledged, rows.unknown) == (ROWS, ROWS, 0), "{protocol}: {rows:?}");
        expect_rows(collected(&server, ROWS as usize)?).context(protocol)?;
    }
    Ok(())
}

/// Passes when the records are those that the exporter's script says it wrote.
fn expect_official(mut records: Vec<Record>, said: &Value) -> Result<()> {
    records.sort_by_key(|record| record.time);
    let logs = said["logs"].as_array().context("no logs")?;
    ensure!(records.len() == logs.len(), "{} of {} records", records.len(), logs.len());
    for (log, record) in logs.iter().zip(&records) {
        let time = log["time"].as_i64().context("no time")?;
        ensure!(record.time == i128::from(time) && record.body == log["body"], "{record:?} where {log} was written");
        let severity = &log["severity_number"];
        let as_text = severity.to_string();
        ensure!(
            record.severity == *severity || record.severity == as_text.as_str(),
            "{record:?} where {log} was written"
        );
        let mut expected = log["attributes"].as_object().context("no attributes")?.clone();
        expected.extend(said["resource"].as_object().context("no resource")?.clone());
        expect_attributes(&record.attributes, &expected).with_context(|| log.to_string())?;
    }
    Ok(())
}

#[test]
fn the_official_exporters_records_read_back_from_both() -> Result<()> {
    let logs = server(Server::VictoriaLogs)?;
    let url = format!("{}/insert/opentelemetry/v1/logs", logs.endpoint());
    let Some(said) = run_client("otlp.py", &["http", &url, "-"])? else { return Ok(()) };
    expect_official(stored(&logs, 300)?, &said).context("VictoriaLogs")?;
    for protocol in ["http", "grpc"] {
        let collector = server(Server::OtelCollector)?;
        let [to_logs, to_metrics] = match (protocol, collector.grpc()) {
            ("grpc", Some(grpc)) => [grpc.to_owned(), grpc.to_owned()],
            _ => ["logs", "metrics"].map(|kind| format!("{}/v1/{kind}", collector.endpoint())),
        };
        let Some(said) = run_client("otlp.py", &[protocol, &to_logs, &to_metrics])? else { return Ok(()) };
        expect_official(collected(&collector, 300)?, &said).context(protocol)?;
        expect_metrics(&collected_metrics(&collector)?, &said["metrics"]).context(protocol)?;
    }
    Ok(())
}

/// The records that the independent decoder has taken.
fn decoded(decoder: &Decoder) -> Result<Vec<Record>> {
    let object = |value: &Value| value.as_object().cloned().context("no attributes");
    let record = |row: &Row| {
        let mut attributes = object(&row["attributes"])?;
        attributes.extend(object(&row["resource"])?);
        let time = row["Timestamp"].as_i64().context("no time")?.into();
        Ok(Record { time, body: row["body"].clone(), severity: row["severity_number"].clone(), attributes })
    };
    decoder.rows("public", "logs")?.rows.iter().map(record).collect()
}

#[test]
fn the_official_exporters_records_are_understood_by_the_independent_decoder() -> Result<()> {
    for protocol in ["http", "grpc"] {
        let Some(decoder) = Decoder::start()? else { return Ok(()) };
        let to = if protocol == "grpc" { decoder.grpc().to_owned() } else { format!("{}/v1/logs", decoder.http()) };
        let Some(said) = run_client("otlp.py", &[protocol, &to, "-"])? else { return Ok(()) };
        expect_official(decoded(&decoder)?, &said).context(protocol)?;
    }
    Ok(())
}

/// Passes when the metrics are those that the exporter's script says it wrote.
fn expect_metrics(metrics: &[Value], said: &Value) -> Result<()> {
    let said = said.as_object().context("no metrics")?;
    ensure!(metrics.len() == said.len(), "{} of {} metrics: {metrics:?}", metrics.len(), said.len());
    for metric in metrics {
        let expected = said.get(metric["name"].as_str().unwrap_or("")).with_context(|| metric.to_string())?;
        let points = ["sum", "gauge", "histogram"].into_iter().find_map(|kind| metric[kind]["dataPoints"].as_array());
        let found = points.context("no points")?.iter().map(point).collect::<Result<Vec<Value>>>()?;
        let mut expected = expected.as_array().context("no points")?.clone();
        expected.retain(|point| !found.contains(point));
        ensure!(expected.is_empty(), "{metric}: {expected:?} were written");
    }
    Ok(())
}

/// A point of a metric as the script writes it.
fn point(point: &Value) -> Result<Value> {
    let labels = attributes(&point["attributes"])?;
    let integer = |value: &Value| value.as_str().and_then(|digits| digits.parse::<i64>().ok());
    if let Some(buckets) = point["bucketCounts"].as_array() {
        let buckets: Vec<_> = buckets.iter().filter_map(integer).collect();
        return Ok(
            json!({"attributes": labels, "count": integer(&point["count"]), "sum": point["sum"], "buckets": buckets}),
        );
    }
    let value = integer(&point["asInt"]).map_or_else(|| point["asDouble"].clone(), Value::from);
    Ok(json!({"attributes": labels, "value": value}))
}
