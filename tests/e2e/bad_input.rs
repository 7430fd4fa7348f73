//! What users do wrong that only a real server can show. What needs no server is tested beside the program.

use anyhow::Result;
use benchhost_tests::influx::Influx;
use benchhost_tests::{Invocation, Shared, TlsFront, benchhost};
use xtask::servers::{Running, Server};

static SERVER: Shared = Shared::open(Server::Influx1);

fn run(server: &Running, database: &str, rows: u64) -> Result<Invocation> {
    let run = Invocation::run("influx", server, "cpu", rows)?;
    Ok(run.args(&format!("--database {database} -P hosts=1 --progress none")))
}

#[test]
fn a_batch_larger_than_all_rows_is_one_short_batch() -> Result<()> {
    let server = SERVER.always()?;
    let document = run(server, "short", 10)?.args("--batch-rows 1000").succeed()?;
    document.expect_all(10)?;
    assert_eq!(document.count("counts.operations.ok")?, 1);
    assert_eq!(Influx::new(server, "short").count("cpu", "cpu")?, 10);
    Ok(())
}

#[test]
fn rows_that_are_there_are_neither_mixed_with_new_ones_nor_lost() -> Result<()> {
    let server = SERVER.always()?;
    run(server, "taken", 500)?.succeed()?.expect_all(500)?;
    let finished = run(server, "taken", 1000)?.finish()?;
    finished.outcome.expect_code(2)?.expect_words(&[
        "table `cpu` already holds 500 rows",
        "--existing drop",
        "--existing append",
        "another --database",
    ])?;
    assert!(!finished.folder().join("result").exists());
    assert_eq!(finished.outcome.stdout, "");
    assert_eq!(Influx::new(server, "taken").count("cpu", "cpu")?, 500);
    run(server, "taken", 1000)?.args("--existing drop").succeed()?.expect_all(1000)?;
    assert_eq!(Influx::new(server, "taken").count("cpu", "cpu")?, 1000);
    Ok(())
}

#[test]
fn an_output_folder_that_cannot_be_made_is_found_before_the_server_is_touched() -> Result<()> {
    let server = SERVER.always()?;
    let endpoint = server.endpoint();
    let run =
        benchhost(&format!("run --plugin influx --endpoint {endpoint} --database untouched --dataset cpu --rows 10"))?;
    let finished = run.file("file", "not a folder")?.args("-o file/result").finish()?;
    finished.outcome.expect_code(2)?.expect_words(&["file/result"])?;
    let databases = Influx::new(server, "").query("SHOW DATABASES")?;
    assert!(databases.iter().all(|row| row["name"] != "untouched"), "{databases:?}");
    Ok(())
}

#[test]
fn https_to_a_plain_server_says_so() -> Result<()> {
    let server = SERVER.always()?;
    let endpoint = server.endpoint().replace("http://", "https://");
    let run = benchhost(&format!("run --plugin influx --endpoint {endpoint} --database tls --dataset cpu --rows 10"))?;
    let finished = run.finish()?;
    finished.outcome.expect_code(4)?.expect_words(&["no TLS session", &endpoint, "http://"])?;
    Ok(())
}

#[test]
fn a_certificate_that_nobody_trusts_is_refused_unless_it_is_named_or_the_check_is_off() -> Result<()> {
    let server = SERVER.always()?;
    let front = TlsFront::start(server)?;
    let run = |database: &str, flags: &str| {
        let endpoint = &front.endpoint;
        let run = benchhost(&format!("run --plugin influx --endpoint {endpoint} --database {database} --dataset cpu"))?;
        run.args("--rows 20k -P hosts=1 --output result").args(flags).file("ca.pem", &front.certificate)?.finish()
    };
    let refused = run("tls_refused", "")?;
    refused.outcome.expect_code(4)?.expect_words(&["no TLS session", &front.endpoint, "--cacert", "--insecure"])?;
    assert!(!refused.has_document());
    for (database, flags) in [("tls_named", "--cacert ca.pem"), ("tls_insecure", "--insecure")] {
        let finished = run(database, flags)?;
        finished.outcome.expect_code(0)?;
        finished.document()?.expect_all(20_000)?;
        assert_eq!(Influx::new(server, database).count("cpu", "cpu")?, 20_000);
    }
    Ok(())
}

#[test]
fn a_plugin_of_another_database_says_what_the_server_answered() -> Result<()> {
    let server = SERVER.always()?;
    let finished = Invocation::run("questdb", server, "cpu", 10)?.finish()?;
    finished.outcome.expect_code(4)?.expect_words(&["/settings", "404"])?;
    assert!(!finished.has_document());
    Ok(())
}
