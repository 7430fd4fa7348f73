//! InfluxDB 2.8.0: tokens, organisations, buckets and unsigned integers. It keeps the good points of a batch
//! in which others are of another type than before.

use anyhow::{Context as _, Result};
use benchhost_tests::influx::{CPU_START_MS, Influx};
use benchhost_tests::{Invocation, Rows, Shared};
use serde_json::{Value, json};
use xtask::http;
use xtask::servers::{Running, Server};

static SERVER: Shared = Shared::open(Server::Influx2);

const MILLION: u64 = 1_000_000;

/// A run with the token that may do everything.
fn run(server: &Running, dataset: &str, rows: u64) -> Result<Invocation> {
    let access = server.access();
    let (token, org) = (access.token.as_deref().context("no token")?, access.org.as_deref().context("no org")?);
    let run = Invocation::run("influx", server, dataset, rows)?.file("token", token)?;
    Ok(run.args("--token-file token").set("org", org))
}

#[test]
fn a_million_rows_in_a_bucket_that_the_run_makes_are_stored_as_they_were_generated() -> Result<()> {
    let Some(server) = SERVER.get()? else { return Ok(()) };
    let document = run(server, "cpu", MILLION)?.args("--database million -P hosts=10 --batch-rows 5000").succeed()?;
    document.expect_all(MILLION)?;
    assert_eq!(document.text("server.version")?, "2.8.0");
    assert_eq!(document.text("server.api")?, "v2");

    Influx::new(server, "million").expect_cpu(&[("hosts", "10")], MILLION)
}

#[test]
fn every_type_and_every_awkward_name_reads_back_as_written() -> Result<()> {
    const ROWS: u64 = 3000;
    const TABLE: &str = "types, all = \"of\" thém";
    let Some(server) = SERVER.get()? else { return Ok(()) };
    let bucket = server.access().bucket.as_deref().context("no bucket")?;
    let settings = [("table", TABLE), ("names", "awkward"), ("newlines", "true")];
    let run = run(server, "types", ROWS)?.args(&format!("--database {bucket}"));
    run.set_all(&settings).succeed()?.expect_all(ROWS)?;
    Influx::new(server, bucket).expect_types(TABLE, &settings, ROWS)
}

#[test]
fn the_v1_path_takes_a_token_and_a_bucket_and_rows_that_are_there_are_dropped_on_demand() -> Result<()> {
    let Some(server) = SERVER.get()? else { return Ok(()) };
    let args = "--database by_v1 -P api=v1 -P gzip=true -P precision=ms -P hosts=1";
    run(server, "cpu", 5000)?.args(args).succeed()?.expect_all(5000)?;
    let again = run(server, "cpu", 3000)?.args(args).finish()?;
    again.outcome.expect_code(2)?.expect_words(&["already holds 3000 rows", "--existing drop"])?;
    assert!(!again.has_document());
    run(server, "cpu", 3000)?.args(args).args("--existing drop").succeed()?.expect_all(3000)?;
    assert_eq!(Influx::new(server, "by_v1").count("cpu", "cpu")?, 3000);
    Ok(())
}

/// One row a day; the week around row 50 already has `memory` as an integer.
#[test]
fn of_a_batch_with_points_of_another_type_exactly_the_good_ones_are_counted() -> Result<()> {
    const DAY_NS: u64 = 86_400_000_000_000;
    let Some(server) = SERVER.get()? else { return Ok(()) };
    // The first run makes the bucket.
    run(server, "cpu", 1)?.args("--database partial -P table=unused").succeed()?.expect_all(1)?;
    let influx = Influx::new(server, "partial");
    let time = CPU_START_MS * 1_000_000 + 50 * DAY_NS;
    let (status, answer) = influx.write(format!("cpu,host=other memory=1i {time}"))?;
    assert_eq!(status, 204, "{answer}");

    let run = run(server, "cpu", 100)?.args("--database partial -P hosts=1 -P step_ms=86400000 --batch-rows 20");
    let document = run.args("--existing append").finish()?.document()?;
    assert_eq!(document.rows()?, Rows { sent: 100, acknowledged: 93, unknown: 0, stored: Some(93) });
    assert_eq!(document.errors(), [("partial", "422", 1)]);
    assert_eq!(document.count("counts.operations.ok")?, 4);
    assert_eq!(influx.count("cpu", "cpu")?, 93);
    Ok(())
}

#[test]
fn a_wrong_token_is_told_and_never_shown() -> Result<()> {
    const WRONG: &str = "t0ken-that-is-wrong";
    let Some(server) = SERVER.get()? else { return Ok(()) };
    let run = Invocation::run("influx", server, "cpu", 1000)?.args("--database bench -P org=benchhost");
    let finished = run.env("BENCHHOST_TOKEN", WRONG).finish()?;
    finished.outcome.expect_code(4)?.expect_words(&["401", "token"])?;
    assert!(!finished.has_document());
    finished.expect_hidden(WRONG)?;
    Ok(())
}

#[test]
fn the_right_token_stays_out_of_what_is_printed_and_kept() -> Result<()> {
    let Some(server) = SERVER.get()? else { return Ok(()) };
    let token = server.access().token.as_deref().context("no token")?;
    let finished = run(server, "cpu", 1000)?.args("--database secret --verbose").finish()?;
    finished.outcome.expect_code(0)?;
    finished.document()?.expect_all(1000)?;
    finished.expect_hidden(token)?;
    Ok(())
}

#[test]
fn an_organisation_that_is_not_there_is_named_with_what_to_do() -> Result<()> {
    let Some(server) = SERVER.get()? else { return Ok(()) };
    let token = server.access().token.as_deref().context("no token")?;
    let run = Invocation::run("influx", server, "cpu", 1000)?.args("--database b -P org=nobody");
    let finished = run.env("BENCHHOST_TOKEN", token).finish()?;
    finished.outcome.expect_code(4)?.expect_words(&["nobody", "`org`"])?;
    Ok(())
}

#[test]
fn a_token_that_may_not_make_buckets_is_told_so() -> Result<()> {
    let Some(server) = SERVER.get()? else { return Ok(()) };
    let access = server.access();
    let all = access.token.as_deref().context("no token")?;
    let api = |path: &str| format!("{}{path}", server.endpoint());
    let orgs = http::get(api("/api/v2/orgs?org=benchhost")).token(all).send()?;
    let orgs: Value = serde_json::from_slice(&orgs.body)?;
    let org_id = orgs["orgs"][0]["id"].as_str().context("no organisation")?;
    let document = json!({ "orgID": org_id, "permissions": [
        { "action": "read", "resource": { "type": "buckets", "orgID": org_id } },
        { "action": "read", "resource": { "type": "orgs", "id": org_id } },
    ] });
    let made = http::post(api("/api/v2/authorizations"), document.to_string());
    let made = made.header("Content-Type", "application/json").token(all).send()?;
    let made: Value = serde_json::from_slice(&made.body)?;
    let reader = made["token"].as_str().with_context(|| made.to_string())?;

    let run = Invocation::run("influx", server, "cpu", 1000)?.args("--database unmade -P org=benchhost");
    let finished = run.env("BENCHHOST_TOKEN", reader).finish()?;
    finished.outcome.expect_code(4)?.expect_words(&["create the bucket", "token"])?;
    finished.expect_hidden(reader)?;
    Ok(())
}
