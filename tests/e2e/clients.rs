//! The official clients of GreptimeDB and InfluxDB write into the reference server, and everything reads back equal.
//!
//! The same scripts write into a real InfluxDB 2 and into the independent decoder as well: that shows that the scripts and the comparison are
//! right, whoever wrote the reference server.

use anyhow::{Context as _, Result, ensure};
use benchhost_tests::influx::Influx;
use benchhost_tests::{Decoder, Reference, Stored, Written, quoted, run_client, start};
use serde_json::Value;
use xtask::servers::Server;

const DATABASE: &str = "official";
/// Clients want one, and a server without passwords takes any.
const TOKEN: &str = "unused";

/// Passes when every table that a script wrote is stored with every value.
fn expect_all(said: &Value, stored: impl Fn(&str) -> Result<Stored>) -> Result<()> {
    let written = Written::all(said)?;
    for table in &written {
        let stored = stored(&table.table).with_context(|| format!("table {}", table.table))?;
        table.expect_stored(&stored, stored.time_column()?)?;
    }
    // The tables of `rows.json` and the long one.
    ensure!(written.len() >= 3 && written.iter().any(|table| table.rows() >= 2500), "tables are missing: {written:?}");
    Ok(())
}

/// A reference server with a database.
fn reference() -> Result<Reference> {
    let server = Reference::start("")?;
    server.sql("public", &format!("CREATE DATABASE {DATABASE}"))?;
    Ok(server)
}

fn expect_in(server: &Reference, database: &str, said: &Value) -> Result<()> {
    expect_all(said, |table| server.sql(database, &format!("SELECT * FROM {}", quoted(table))))
}

#[test]
fn greptimedbs_client_by_rows_and_by_bulk_with_each_compression() -> Result<()> {
    let server = reference()?;
    let Some(said) = run_client("greptime.py", &[server.http(), server.grpc(), DATABASE])? else { return Ok(()) };
    // Four tables for each: by rows, and by bulk without compression, with LZ4 and with Zstandard.
    ensure!(Written::all(&said)?.len() == 12, "not all were written: {said}");
    expect_in(&server, DATABASE, &said)
}

#[test]
fn greptimedbs_client_is_understood_by_the_independent_decoder() -> Result<()> {
    let Some(decoder) = Decoder::start()? else { return Ok(()) };
    let Some(said) = run_client("greptime.py", &[decoder.http(), decoder.grpc(), DATABASE])? else { return Ok(()) };
    expect_all(&said, |table| decoder.rows(DATABASE, table))?;
    let facts = decoder.facts()?;
    for compression in ["none", "lz4", "zstd"] {
        ensure!(facts["batches"][compression].as_u64() > Some(0), "no batch came with {compression}: {facts}");
    }
    ensure!(facts["notes"].as_array().is_some_and(Vec::is_empty), "something went wrong: {facts}");
    Ok(())
}

#[test]
fn influxdb_2_clients_of_both_languages() -> Result<()> {
    for script in ["influx2.py", "influx2.mjs"] {
        let server = reference()?;
        let Some(said) = run_client(script, &[server.http(), "benchhost", DATABASE, TOKEN])? else { return Ok(()) };
        expect_in(&server, DATABASE, &said).context(script)?;
    }
    Ok(())
}

#[test]
fn influxdb_2_clients_of_both_languages_by_greptimedbs_path() -> Result<()> {
    for script in ["influx2.py", "influx2.mjs"] {
        let server = reference()?;
        let url = format!("{}/v1/influxdb", server.http());
        let Some(said) = run_client(script, &[&url, "benchhost", DATABASE, "user:password"])? else { return Ok(()) };
        expect_in(&server, DATABASE, &said).context(script)?;
        let stored = server.sql(DATABASE, "SELECT * FROM every_type")?;
        ensure!(stored.time_column()? == "greptime_timestamp", "{:?}", stored.columns);
    }
    Ok(())
}

#[test]
fn influxdb_3_clients_of_both_languages_by_both_of_their_paths() -> Result<()> {
    for script in ["influx3.py", "influx3.mjs"] {
        for path in ["v2", "v3"] {
            let server = reference()?;
            let Some(said) = run_client(script, &[server.http(), DATABASE, TOKEN, path])? else { return Ok(()) };
            expect_in(&server, DATABASE, &said).with_context(|| format!("{script} by {path}"))?;
        }
    }
    Ok(())
}

/// What InfluxDB gives for a table: it tells no types, and its times are nanoseconds.
fn influx_table(influx: &Influx<'_>, table: &str) -> Result<Stored> {
    let rows = influx.query(&format!("SELECT * FROM {}", quoted(table)))?;
    let names = rows.first().map(|row| row.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let kind = |name: &str| if name == "time" { "timestamp(ns)" } else { "" }.to_owned();
    Ok(Stored { columns: names.into_iter().map(|name| (name.clone(), kind(&name))).collect(), rows })
}

#[test]
fn influxdb_2_clients_of_both_languages_into_a_real_influxdb_2() -> Result<()> {
    for script in ["influx2.py", "influx2.mjs"] {
        let Some(server) = start(Server::Influx2, true)? else { return Ok(()) };
        let access = server.access();
        let [org, bucket, token] =
            [&access.org, &access.bucket, &access.token].map(|part| part.as_deref().unwrap_or(""));
        let Some(said) = run_client(script, &[server.endpoint(), org, bucket, token])? else { return Ok(()) };
        let influx = Influx::new(&server, bucket);
        expect_all(&said, |table| influx_table(&influx, table)).context(script)?;
    }
    Ok(())
}
