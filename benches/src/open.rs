//! `open`: how long many workers take to be ready, and how soon after its start the program sends its first request.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};
use benchhost_core::{Target, Targets};

use crate::figure::{Figures, median, say};
use crate::plugins;
use crate::sink::Sink;

const WORKERS: u32 = 1000;
const ROUNDS: usize = 5;

pub(crate) fn run() -> Result<()> {
    let sink = Sink::start()?;
    let host = plugins::host(WORKERS + 8)?;
    let transport = plugins::transport(&sink.endpoint)?;
    let influx = plugins::influx(&host, &transport, &sink.endpoint)?;
    let mut times = Vec::new();
    let mut memory = Vec::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for round in 0..=ROUNDS {
        let before = private_bytes()?;
        let began = Instant::now();
        let mut sessions = Vec::with_capacity(WORKERS as usize);
        runtime.block_on(async {
            for worker in 0..WORKERS {
                sessions.push(influx.open(worker).await?);
            }
            Ok::<_, benchhost_core::CallError>(())
        })?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
        // Only the first round takes memory that was not there; later ones reuse it.
        if round == 0 {
            memory.push(private_bytes()?.saturating_sub(before) as f64 / f64::from(WORKERS));
        }
        runtime.block_on(async {
            for mut session in sessions {
                session.close().await;
            }
        });
    }
    let first = (0..ROUNDS).map(|_| first_request()).collect::<Result<Vec<_>>>()?;
    let (open, bytes, first) = (median(times), median(memory), median(first));
    say(format!("{WORKERS} workers open in {open:.1} ms, {:.1} KiB each", bytes / 1024.0))?;
    say(format!("first request {first:.1} ms after the start"))?;
    let mut figures = Figures::default();
    figures.add(format!("open.w{WORKERS}.ms"), (open * 10.0).round() / 10.0, "ms");
    figures.add(format!("open.w{WORKERS}.bytes_per_worker"), bytes.round(), "bytes");
    figures.add("start.first_request.ms", (first * 10.0).round() / 10.0, "ms");
    figures.print()
}

/// Memory that is this process's own: pages of the compiled plugin, which all workers and processes share, are not in it.
fn private_bytes() -> Result<u64> {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup")?;
    let mut kib = 0;
    for name in ["Private_Dirty:", "Private_Clean:"] {
        let line =
            rollup.lines().find_map(|line| line.strip_prefix(name)).context("no private pages in smaps_rollup")?;
        kib += line.trim().trim_end_matches("kB").trim().parse::<u64>()?;
    }
    Ok(kib * 1024)
}

/// Milliseconds from starting `benchhost run` to its first byte at the server.
fn first_request() -> Result<f64> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let endpoint = format!("http://{}", listener.local_addr()?);
    let program = std::env::current_exe()?.with_file_name("benchhost");
    let began = Instant::now();
    let mut child = Command::new(&program)
        .args(["run", "--plugin", "influx", "--dataset", "cpu", "--rows", "1000", "--progress", "none"])
        .args(["-P", "api=v1", "--endpoint", &endpoint, "--output", "none"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {}: run `cargo xtask build` first", program.display()))?;
    let (stream, _) = listener.accept()?;
    BufReader::new(stream).read_until(b'\n', &mut Vec::new())?;
    let elapsed = began.elapsed().as_secs_f64() * 1e3;
    child.kill()?;
    child.wait()?;
    Ok(elapsed)
}
