//! The same target for Redis in five languages, and a generator: each is built as its author would, and run against the real server.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use benchhost_tests::{LANGUAGES, Project, Shared, benchhost, redis};
use serde_json::Value;
use xtask::servers::Server;

static REDIS: Shared = Shared::open(Server::Redis);

const ROWS: u64 = 100_000;

/// Reasons that are about the speed of the client, which is not what is tried here: an interpreter shares two processors with a server.
const SLOW_CLIENT: [&str; 2] = ["client-busy", "headroom"];

/// A run of a target; its result, which may be that the client is slow, and nothing worse.
fn run(plugin: &Path, more: &[(&str, &str)]) -> Result<Value> {
    let mut run = benchhost(&format!("run --rows {ROWS} --batch-rows 1000 -c 2 --headroom 0s --format json"))?
        .arg("--plugin")
        .arg(plugin);
    for (flag, value) in more {
        run = run.arg(*flag).arg(*value);
    }
    let ran = run.finish()?;
    let words = || format!("{:?} {}{}", ran.outcome.code, ran.outcome.stdout, ran.outcome.stderr);
    let sheet: Value = serde_json::from_str(&ran.outcome.stdout).with_context(words)?;
    let reasons = sheet["verdict"]["reasons"].as_array().map_or(&[][..], Vec::as_slice);
    let grave = |reason: &&Value| {
        reason["weight"] == "invalid" && !reason["code"].as_str().is_some_and(|code| SLOW_CLIENT.contains(&code))
    };
    ensure!(matches!(ran.outcome.code, Some(0 | 5)) && !reasons.iter().any(|reason| grave(&reason)), "{}", words());
    let rows = &sheet["counts"]["rows"];
    ensure!(rows["acknowledged"] == ROWS && rows["stored"] == ROWS && rows["unknown"] == 0, "{rows}");
    Ok(sheet)
}

fn writes_to_redis(language: &str, packages: &[&str]) -> Result<()> {
    let server = REDIS.always()?;
    let project = Project::example(&format!("redis-{language}"), language)?;
    project.test(packages)?;
    let plugin = project.build()?;
    let table = format!("cpu_{language}");
    let set_table = format!("table={table}");
    run(&plugin, &[("--dataset", "cpu"), ("--endpoint", server.endpoint()), ("-P", &set_table)])?;
    // Asked in another way than the plugin counts.
    assert_eq!(redis::members(server, &table)?, ROWS);
    let checked = benchhost("plugin check --endpoint")?.arg(server.endpoint()).arg(&plugin).finish()?;
    ensure!(checked.outcome.code == Some(0), "{}{}", checked.outcome.stdout, checked.outcome.stderr);
    Ok(())
}

#[test]
fn the_example_in_rust_writes_to_redis() -> Result<()> {
    writes_to_redis("rust", &[])
}

#[test]
fn the_example_in_c_writes_to_redis() -> Result<()> {
    writes_to_redis("c", &[])
}

#[test]
fn the_example_in_go_writes_to_redis() -> Result<()> {
    writes_to_redis("go", &["./rows", "./resp"])
}

#[test]
fn the_example_in_python_writes_to_redis() -> Result<()> {
    writes_to_redis("python", &[])
}

#[test]
fn the_example_in_javascript_writes_to_redis() -> Result<()> {
    writes_to_redis("javascript", &[])
}

#[test]
fn the_generator_in_python_makes_rows_that_are_stored() -> Result<()> {
    let project = Project::example("walk-python", "python")?;
    project.test(&[])?;
    let dataset = project.build()?;
    let checked = benchhost("plugin check")?.arg(&dataset).finish()?;
    ensure!(checked.outcome.code == Some(0), "{}{}", checked.outcome.stdout, checked.outcome.stderr);
    run(Path::new("influx"), &[("--dataset", dataset.to_str().context("a path that is no text")?)])?;
    Ok(())
}

#[test]
fn every_language_has_its_example() {
    for language in LANGUAGES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../examples/plugins/redis-{language}"));
        assert!(folder.join("plugin.toml").is_file(), "{}", folder.display());
    }
}
