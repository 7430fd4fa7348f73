//! The way into GreptimeDB, by all three of its gRPC protocols: what the client costs, beside what the official Rust client costs for rows
//! of the same kind, in the same rounds and against the same server. The server counts rows and forgets them.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use benchhost_core::{Existing, PlanSpec, StopToken};
use benchhost_net::{Endpoint, Grants, HttpOptions, Transport};
use benchhost_wasm::{Host, TargetWiring, WasmTargets};
use serde::Deserialize;

use crate::figure::{Figures, median, say};
use crate::load::{self, Shape};
use crate::plugins;

const ROUNDS: usize = 5;
/// Batches in flight, for us and for the official client.
const IN_FLIGHT: u32 = 8;

/// A reference server that counts, in a process of its own; it ends with us.
struct Server {
    child: Child,
    addresses: Addresses,
}

#[derive(Deserialize)]
struct Addresses {
    http: String,
    grpc: String,
}

impl Server {
    fn start() -> Result<Self> {
        let program = std::env::var_os("BENCHHOST_BIN").context("BENCHHOST_BIN is not set: use `cargo xtask bench`")?;
        let mut child = Command::new(program)
            .args(["serve", "--count-only", "--until-stdin-closes"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the reference server")?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("the server has no output")?).read_line(&mut line)?;
        let addresses = serde_json::from_str(&line).with_context(|| format!("the server said `{line}`"))?;
        Ok(Self { child, addresses })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// What the official client says of a run.
#[derive(Deserialize)]
struct Said {
    rows: u64,
    cpu_seconds: f64,
}

/// Processor seconds of the official client for a million rows; none when it was not built.
fn official(server: &Server, mode: &str, rows: u64, batch_rows: u32) -> Result<Option<f64>> {
    let Some(program) = std::env::var_os("BENCHHOST_OFFICIAL_CLIENT") else { return Ok(None) };
    let endpoint = server.addresses.grpc.trim_start_matches("http://");
    let (batch, in_flight) = (batch_rows.to_string(), IN_FLIGHT.to_string());
    let output = Command::new(program).args([endpoint, mode, &rows.to_string(), &batch, &in_flight]).output()?;
    ensure!(output.status.success(), "the official client: {}", String::from_utf8_lossy(&output.stderr));
    let said: Said = serde_json::from_slice(&output.stdout)?;
    ensure!(said.rows == rows, "the official client says that {} of {rows} rows were stored", said.rows);
    Ok(Some(said.cpu_seconds / rows as f64 * 1e6))
}

/// The `greptime` plugin by one of its protocols; workers share one connection.
fn target(host: &Host, server: &Server, protocol: &str) -> Result<WasmTargets> {
    let plugin = plugins::load(host, "greptime")?;
    let Addresses { http, grpc } = &server.addresses;
    let given = [("endpoint", http.as_str()), ("grpc_endpoint", grpc), ("protocol", protocol)];
    let given: Vec<_> = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let settings = plugin.schema().resolve(&given)?;
    let endpoints = [http.parse::<Endpoint>()?, grpc.parse()?];
    let options = HttpOptions { connections: Some(1), ..HttpOptions::default() };
    let transport = Arc::new(Transport::new(options, Grants::new(endpoints))?);
    Ok(host.targets(&plugin, &settings, TargetWiring { transport, stop: StopToken::new() })?)
}

/// Measures all of it.
pub(crate) fn run() -> Result<()> {
    let mut figures = Figures::default();
    let server = Server::start()?;
    let host = plugins::host(64)?;
    let cpu = plugins::cpu(&host)?;
    say(format!(
        "\n{:<8} {:>8} {:>22} {:>22} {:>7}",
        "protocol", "rows/op", "CPU-s per M rows", "official client", "ratio"
    ))?;
    for (protocol, batch_rows, rows) in [
        ("bulk", 1000, 4_000_000),
        ("bulk", 5000, 8_000_000),
        ("unary", 1000, 2_000_000),
        ("unary", 5000, 2_000_000),
        ("stream", 1000, 2_000_000),
        ("stream", 5000, 2_000_000),
    ] {
        let ours = target(&host, &server, protocol)?;
        let (mut costs, mut others, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let shape = Shape { rows, batch_rows, workers: IN_FLIGHT };
            let shared = PlanSpec {
                connections: Some(1),
                existing: Existing::Drop,
                verify_timeout: Duration::ZERO,
                ..PlanSpec::default()
            };
            let result = load::load_as(shape, shared, &ours, &cpu)?;
            let step = result.headline().context("nothing was measured")?;
            let cost = step.cpu_seconds_per_million_rows().context("no rows")?;
            costs.push(cost);
            // It has no streaming insert.
            if protocol != "stream"
                && let Some(other) = official(&server, protocol, rows / 4, batch_rows)?
            {
                others.push(other);
                ratios.push(other / cost);
            }
        }
        let cost = median(costs);
        let name = format!("flight.{protocol}.b{batch_rows}");
        figures.add(format!("{name}.cpu_s_per_million_rows"), rounded(cost), "s");
        if ratios.is_empty() {
            say(format!("{protocol:<8} {batch_rows:>8} {cost:>22.3} {:>22} {:>7}", "none", ""))?;
            continue;
        }
        let (other, ratio) = (median(others), median(ratios));
        say(format!("{protocol:<8} {batch_rows:>8} {cost:>22.3} {other:>22.3} {ratio:>7.1}"))?;
        figures.add(format!("{name}.official_client_cpu_s_per_million_rows"), rounded(other), "s");
        figures.add(format!("{name}.official_client_cpu_ratio"), rounded(ratio), "x");
        if (protocol, batch_rows) == ("bulk", 5000) {
            figures.add("flight.bulk.official_client_cpu_ratio", rounded(ratio), "x");
        }
    }
    figures.print()
}

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
