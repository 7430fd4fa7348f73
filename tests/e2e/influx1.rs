//! InfluxDB 1.8.3, by its own write path and by that of InfluxDB 2. It keeps the good points of a batch with bad ones.

use anyhow::{Context as _, Result};
use benchhost_tests::influx::{CPU_START_MS, Influx, TYPES_START_NS};
use benchhost_tests::{Invocation, Rows, Shared};
use xtask::servers::Server;

static OPEN: Shared = Shared::open(Server::Influx1);
static GUARDED: Shared = Shared::guarded(Server::Influx1);

const MILLION: u64 = 1_000_000;

#[test]
fn a_million_rows_by_v1_are_stored_as_they_were_generated() -> Result<()> {
    a_million_rows("v1")
}

#[test]
fn a_million_rows_by_v2_are_stored_as_they_were_generated() -> Result<()> {
    a_million_rows("v2")
}

fn a_million_rows(api: &str) -> Result<()> {
    let server = OPEN.always()?;
    let run = Invocation::run("influx", server, "cpu", MILLION)?
        .args(&format!("--database million_{api} -P hosts=10 --batch-rows 5000"));
    let document = run.set("api", api).succeed()?;
    document.expect_all(MILLION)?;
    assert_eq!(document.text("server.version")?, "1.8.3");
    assert_eq!(document.text("server.api")?, api);

    Influx::new(server, &format!("million_{api}")).expect_cpu(&[("hosts", "10")], MILLION)
}

/// Everything at once that this server takes: all types but unsigned integers, NULLs, and names and texts that need care.
#[test]
fn every_type_and_every_awkward_name_reads_back_as_written() -> Result<()> {
    const ROWS: u64 = 3000;
    const TABLE: &str = "types, all = \"of\" thém";
    let server = OPEN.always()?;
    for api in ["v1", "v2"] {
        let settings = [("table", TABLE), ("names", "awkward"), ("unsigned", "false"), ("newlines", "true")];
        let run = Invocation::run("influx", server, "types", ROWS)?.args(&format!("--database types_{api}"));
        run.set_all(&settings).set("api", api).succeed()?.expect_all(ROWS)?;
        Influx::new(server, &format!("types_{api}")).expect_types(TABLE, &settings, ROWS)?;
    }
    Ok(())
}

/// The server answers an unknown spelling of a unit with an error and stores the rows all the same, or reads nanoseconds.
#[test]
fn every_unit_of_time_means_the_same_to_plugin_and_server() -> Result<()> {
    let server = OPEN.always()?;
    for api in ["v1", "v2"] {
        for (unit, nanoseconds) in [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000), ("ns", 1)] {
            let table = format!("in_{unit}");
            let run = Invocation::run("influx", server, "types", 30)?.args(&format!("--database units_{api}"));
            let run = run.set("table", &table).set("unsigned", "false").set("unit", unit).set("precision", unit);
            run.set("api", api).succeed()?.expect_all(30)?;
            let stored =
                Influx::new(server, &format!("units_{api}")).query(&format!("SELECT sequence FROM {table}"))?;
            assert_eq!(stored.len(), 30);
            for row in stored {
                let number = row["sequence"].as_u64().context("no number")?;
                let time = (TYPES_START_NS / nanoseconds + number) * nanoseconds;
                assert_eq!(row["time"].as_u64(), Some(time), "{api} {unit} {number}");
            }
        }
    }
    Ok(())
}

#[test]
fn times_finer_than_the_wire_are_refused_and_not_cut() -> Result<()> {
    let server = OPEN.always()?;
    let run = Invocation::run("influx", server, "types", 50)?.args("--database finer -P unsigned=false");
    let finished = run.set("precision", "ms").finish()?;
    finished.outcome.expect_code(5)?;
    let document = finished.document()?;
    assert_eq!(document.errors().first().map(|error| error.0), Some("invalid"));
    assert_eq!(document.rows()?, Rows { sent: 0, acknowledged: 0, unknown: 0, stored: Some(0) });
    Ok(())
}

#[test]
fn compressed_batches_on_shared_connections_and_a_short_last_batch_are_all_counted() -> Result<()> {
    const ROWS: u64 = 20_007;
    let server = OPEN.always()?;
    let run = Invocation::run("influx", server, "cpu", ROWS)?.args("--database shared -P hosts=1 -P gzip=true");
    let document = run.args("--batch-rows 1000 --workers 8 --connections 2").succeed()?;
    document.expect_all(ROWS)?;
    assert_eq!(document.count("counts.operations.ok")?, 21);
    assert!(document.count("counts.sent_bytes")? < document.count("counts.raw_bytes")?, "{}", document.at("counts"));
    assert_eq!(document.text("server.gzip")?, "true");
    assert_eq!(Influx::new(server, "shared").count("cpu", "cpu")?, ROWS);
    Ok(())
}

/// One row a day; the week around row 50 already has `memory` as an integer, and a type holds for a week's files.
#[test]
fn of_a_batch_with_bad_points_exactly_the_good_ones_are_counted() -> Result<()> {
    const DAY_NS: u64 = 86_400_000_000_000;
    let server = OPEN.always()?;
    let influx = Influx::new(server, "partial");
    influx.query("CREATE DATABASE partial")?;
    let time = CPU_START_MS * 1_000_000 + 50 * DAY_NS;
    assert_eq!(influx.write(format!("cpu,host=other memory=1i {time}"))?.0, 204);

    let run = Invocation::run("influx", server, "cpu", 100)?.args("--database partial -P hosts=1 -P step_ms=86400000");
    let finished = run.args("--batch-rows 20 --existing append").finish()?;
    let document = finished.document()?;
    assert_eq!(document.rows()?, Rows { sent: 100, acknowledged: 93, unknown: 0, stored: Some(93) });
    assert_eq!(document.errors(), [("partial", "400", 1)]);
    assert_eq!(document.count("counts.operations.ok")?, 4);
    assert_eq!(influx.count("cpu", "cpu")?, 93);
    Ok(())
}

/// The same rows replace themselves: nothing is added, so nothing may be called stored.
#[test]
fn a_run_on_top_of_its_own_rows_is_not_called_valid() -> Result<()> {
    let server = OPEN.always()?;
    let run =
        || Ok::<_, anyhow::Error>(Invocation::run("influx", server, "cpu", 1000)?.args("--database again -P hosts=1"));
    run()?.succeed()?.expect_all(1000)?;
    let finished = run()?.args("--existing append --verify-timeout 1s").finish()?;
    finished.outcome.expect_code(5)?;
    let document = finished.document()?;
    assert_eq!(document.rows()?, Rows { sent: 1000, acknowledged: 1000, unknown: 0, stored: Some(0) });
    assert_eq!((document.verdict()?, document.reasons()), ("invalid", vec!["stored-less"]));
    assert_eq!(Influx::new(server, "again").count("cpu", "cpu")?, 1000);
    Ok(())
}

/// This version has no unsigned integers: not one of the lines can be read.
#[test]
fn a_type_that_the_server_lacks_is_refused_and_nothing_is_counted() -> Result<()> {
    let server = OPEN.always()?;
    let finished = Invocation::run("influx", server, "types", 100)?.args("--database lacking").finish()?;
    finished.outcome.expect_code(5)?;
    let document = finished.document()?;
    assert_eq!(document.rows()?, Rows { sent: 100, acknowledged: 0, unknown: 0, stored: Some(0) });
    assert!(document.text("errors.0.example")?.contains("unable to parse"), "{}", document.at("errors"));
    Ok(())
}

#[test]
fn a_wrong_password_is_told_and_never_shown() -> Result<()> {
    const WRONG: &str = "s3cret-that-is-wrong";
    let server = GUARDED.always()?;
    let run = Invocation::run("influx", server, "cpu", 1000)?.args("--database bench --user benchhost");
    let finished = run.env("BENCHHOST_PASSWORD", WRONG).finish()?;
    finished.outcome.expect_code(4)?.expect_words(&["401", "password"])?;
    assert!(!finished.has_document());
    for secret in [WRONG, &xtask::http::base64(format!("benchhost:{WRONG}").as_bytes())] {
        finished.expect_hidden(secret)?;
    }
    Ok(())
}

#[test]
fn the_right_password_opens_the_server_and_stays_out_of_the_result() -> Result<()> {
    let server = GUARDED.always()?;
    let access = server.access();
    let (user, password) = (access.user.as_deref().unwrap_or(""), access.password.as_deref().unwrap_or(""));
    let run = Invocation::run("influx", server, "cpu", 1000)?.file("secret", password)?;
    let finished = run.args(&format!("--database bench --user {user} --password-file secret --verbose")).finish()?;
    finished.outcome.expect_code(0)?;
    finished.document()?.expect_all(1000)?;
    // What is no secret is found, so a secret would be too.
    assert!(finished.expect_hidden(user).is_err());
    for secret in [password, &xtask::http::base64(format!("{user}:{password}").as_bytes())] {
        finished.expect_hidden(secret)?;
    }
    Ok(())
}

#[test]
fn a_user_without_rights_is_told_which_one_is_missing() -> Result<()> {
    let server = GUARDED.always()?;
    let influx = Influx::new(server, "mine");
    influx.query("CREATE DATABASE mine")?;
    influx.query("CREATE USER visitor WITH PASSWORD 'visitor-password'")?;
    influx.query("GRANT ALL ON mine TO visitor")?;
    let run = Invocation::run("influx", server, "cpu", 1000)?.args("--database theirs --user visitor");
    let finished = run.env("BENCHHOST_PASSWORD", "visitor-password").finish()?;
    finished.outcome.expect_code(4)?.expect_words(&["403", "visitor not authorized", "theirs"])?;
    finished.expect_hidden("visitor-password")?;
    Ok(())
}
