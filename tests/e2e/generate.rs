//! Files of a dataset: every format has every row, and a file that is loaded by hand leaves the same rows in a database as a run.

use std::fs::{self, File};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use arrow_ipc::reader::StreamReader;
use benchhost_tests::influx::Influx;
use benchhost_tests::{Invocation, Row, Shared, benchhost};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use xtask::servers::Server;

static SERVER: Shared = Shared::open(Server::Influx1);

const ROWS: u64 = 12_345;

/// Rows in a file of a format.
type CountRows = fn(&Path) -> Result<u64>;

#[test]
fn every_format_has_every_row() -> Result<()> {
    let text_lines: CountRows = |path| Ok(fs::read_to_string(path)?.lines().count() as u64);
    let formats: [(&str, CountRows); 5] = [
        ("line-protocol", text_lines),
        ("jsonl", text_lines),
        // One line has the names.
        ("csv", |path| Ok(fs::read_to_string(path)?.lines().count() as u64 - 1)),
        ("arrow", |path| {
            let reader = StreamReader::try_new(File::open(path)?, None)?;
            reader.map(|batch| Ok(batch?.num_rows() as u64)).sum()
        }),
        ("parquet", |path| {
            let reader = SerializedFileReader::new(File::open(path)?)?;
            Ok(u64::try_from(reader.metadata().file_metadata().num_rows())?)
        }),
    ];
    for (format, count) in formats {
        let run = benchhost(&format!("generate --dataset types --rows {ROWS} --as {format} -o file"))?;
        let finished = run.finish()?;
        finished.outcome.expect_code(0)?;
        assert_eq!(finished.outcome.stdout, "", "{format}");
        assert_eq!(count(&finished.folder().join("file"))?, ROWS, "{format}");
    }
    Ok(())
}

#[test]
fn stdout_gets_what_a_file_would_and_nothing_else() -> Result<()> {
    for format in ["csv", "jsonl", "line-protocol"] {
        let generate = |output: &str| {
            let run =
                benchhost(&format!("generate --dataset types --rows 1000 --as {format} -o {output}"))?.finish()?;
            run.outcome.expect_code(0)?;
            anyhow::Ok(run)
        };
        let file = generate("file")?;
        assert_eq!(fs::read_to_string(file.folder().join("file"))?, generate("-")?.outcome.stdout, "{format}");
    }
    Ok(())
}

#[test]
fn equal_seeds_give_equal_files_and_the_fingerprint_of_a_run_whatever_its_batches() -> Result<()> {
    let generate = |seed: u64| {
        let run = benchhost(&format!("generate --dataset cpu --rows {ROWS} --as csv --seed {seed} -o -"))?.finish()?;
        run.outcome.expect_code(0)?;
        let words = run.outcome.stderr.split_once("fingerprint ").context("no fingerprint on stderr")?;
        let fingerprint = words.1.split_whitespace().next().unwrap_or_default().to_owned();
        anyhow::Ok((run.outcome.stdout, fingerprint))
    };
    let (one, again, other) = (generate(1)?, generate(1)?, generate(2)?);
    ensure!(one == again, "the same seed gave other rows");
    ensure!(one.0 != other.0 && one.1 != other.1, "another seed gave the same rows");
    for (batch_rows, threads, memory) in [(1000, 1, "1GiB"), (7, 2, "1GiB"), (100_000, 2, "1GiB"), (500, 2, "1MiB")] {
        let run = benchhost(&format!("run --plugin null --dataset cpu --rows {ROWS} --seed 1 --output result"))?;
        let run = run.args(&format!("--batch-rows {batch_rows} --threads {threads} --memory {memory}"));
        assert_eq!(run.succeed()?.text("dataset.fingerprint")?, one.1, "{batch_rows} rows a batch");
    }
    Ok(())
}

#[test]
fn line_protocol_loaded_by_hand_leaves_the_same_rows_as_a_run() -> Result<()> {
    const ROWS: u64 = 2000;
    const SETTINGS: &str = "-P unsigned=false -P newlines=true -P names=awkward";
    let server = SERVER.always()?;
    let by_hand = Influx::new(server, "by_hand");
    by_hand.query("CREATE DATABASE by_hand")?;
    let file = benchhost(&format!("generate --dataset types --rows {ROWS} --as line-protocol -o file {SETTINGS}"))?
        .finish()?;
    file.outcome.expect_code(0)?;
    let (status, answer) = by_hand.write(fs::read(file.folder().join("file"))?)?;
    assert_eq!(status, 204, "{answer}");

    let run = Invocation::run("influx", server, "types", ROWS)?.args("--database by_run").args(SETTINGS);
    run.succeed()?.expect_all(ROWS)?;
    let rows = |influx: &Influx<'_>| -> Result<Vec<Row>> { influx.query("SELECT * FROM types") };
    let (by_hand, by_run) = (rows(&by_hand)?, rows(&Influx::new(server, "by_run"))?);
    assert_eq!(by_run.len() as u64, ROWS);
    ensure!(by_hand == by_run, "the file and the run left different rows");
    Ok(())
}
