//! The result folder: its document is valid against the published schema, and `--format json` prints that document and nothing else.

use std::fs;

use anyhow::{Context as _, Result};
use benchhost_tests::{Document, Finished, Invocation, Shared, benchhost, free_port};
use jsonschema::Validator;
use serde_json::Value;
use xtask::servers::Server;

static SERVER: Shared = Shared::open(Server::VictoriaMetrics);

fn schema() -> Result<Validator> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../host/report/schema/run-1.schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).context(path)?)?;
    jsonschema::validator_for(&schema).context("the schema is no JSON Schema")
}

fn expect_valid(document: &Document) -> Result<()> {
    let errors: Vec<String> =
        schema()?.iter_errors(&document.0).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{:#}", document.0);
    Ok(())
}

/// stdout is one document and a newline, the same as the file.
fn expect_printed(finished: &Finished) -> Result<()> {
    let printed = &finished.outcome.stdout;
    assert_eq!(printed, &fs::read_to_string(finished.folder().join("result/run.json"))?);
    assert!(printed.starts_with('{') && printed.ends_with("}\n"), "{printed}");
    Document::parse(printed).map(drop)
}

#[test]
fn a_run_against_a_server_leaves_a_valid_document_and_prints_it() -> Result<()> {
    let server = SERVER.always()?;
    let run =
        Invocation::run("victoriametrics", server, "cpu", 100_000)?.args("-P hosts=1 --format json --tag why=test");
    let finished = run.args("--verbose --color always --progress plain").finish()?;
    finished.outcome.expect_code(0)?;
    let document = finished.document()?;
    expect_valid(&document)?;
    expect_printed(&finished)?;

    document.expect_all(100_000)?;
    assert_eq!(document.text("schema_version")?, "1");
    assert_eq!(document.text("plan.tags.why")?, "test");
    assert_eq!(document.text("plan.endpoint")?, server.endpoint());
    assert_eq!(document.count("dataset.rows")?, 100_000);
    assert_eq!(document.count("latency.service.write.count")?, 100);
    // On the wire there is a request head with every batch, and not much more.
    let (raw, sent) = (document.count("counts.raw_bytes")?, document.count("counts.sent_bytes")?);
    assert!(sent > raw && sent < raw + raw / 20, "{raw} {sent}");
    assert!(document.at("throughput.rows_per_s").as_f64().is_some_and(|rate| rate > 0.0));
    let plugins = document.at("plugins").as_array().context("no plugins")?;
    let roles: Vec<_> = plugins.iter().map(|plugin| (&plugin["role"], &plugin["name"])).collect();
    assert_eq!(roles, [(&"target".into(), &"victoriametrics".into()), (&"dataset".into(), &"cpu".into())]);
    assert!(plugins.iter().all(|plugin| plugin["sha256"].as_str().is_some_and(|hash| hash.len() == 64)));
    Ok(())
}

#[test]
fn runs_of_every_kind_leave_valid_documents() -> Result<()> {
    let null = |flags: &str| {
        benchhost("run --plugin null --dataset cpu --rows 10k --output result --format json").map(|run| run.args(flags))
    };
    for flags in ["", "-P format=line-protocol", "--batch-rows 7 --memory 1MiB", "--batch-rows 100000 -c 1"] {
        let finished = null(flags)?.finish()?;
        finished.outcome.expect_code(0)?;
        expect_valid(&finished.document()?)?;
        expect_printed(&finished)?;
    }
    // Not one row can be encoded: nothing is acknowledged, so there are no rates and no percentiles.
    let server = SERVER.always()?;
    let run = Invocation::run("victoriametrics", server, "types", 1000)?.args("-P table=finer --format json");
    let finished = run.finish()?;
    finished.outcome.expect_code(5)?;
    let document = finished.document()?;
    expect_valid(&document)?;
    expect_printed(&finished)?;
    assert_eq!(document.at("throughput"), &Value::Null);
    Ok(())
}

#[test]
fn a_run_that_cannot_begin_leaves_neither_folder_nor_output() -> Result<()> {
    let endpoint = format!("http://127.0.0.1:{}", free_port()?);
    let run = benchhost(&format!("run --plugin victoriametrics --endpoint {endpoint} --dataset cpu --rows 10"))?;
    let finished = run.args("--output result --format json").finish()?;
    finished.outcome.expect_code(4)?.expect_words(&["connection refused", &endpoint])?;
    assert_eq!(finished.outcome.stdout, "");
    assert!(!finished.folder().join("result").exists());
    Ok(())
}
