//! `sink`: what the client costs when the server costs nothing.

use anyhow::{Context, Result};

use crate::figure::{Figures, median, say};
use crate::load::{Shape, load};
use crate::plugins;
use crate::sink::Sink;

const ROUNDS: usize = 5;

pub(crate) fn run() -> Result<()> {
    let sink = Sink::start()?;
    let host = plugins::host(64)?;
    let transport = plugins::transport(&sink.endpoint)?;
    let influx = plugins::influx(&host, &transport, &sink.endpoint)?;
    let cpu = plugins::cpu(&host)?;
    let mut figures = Figures::default();
    say(format!("{:>8} {:>20} {:>14}", "rows/op", "CPU-s per M rows", "rows/s"))?;
    for (batch_rows, rows) in [(100, 1_000_000), (1000, 4_000_000), (5000, 4_000_000)] {
        let mut costs = Vec::new();
        let mut rates = Vec::new();
        for _ in 0..ROUNDS {
            let result = load(Shape { rows, batch_rows, workers: 8 }, &influx, &cpu)?;
            let step = result.headline().context("nothing was measured")?;
            costs.push(step.cpu_seconds_per_million_rows().context("no rows")?);
            rates.push(step.throughput().context("no rows")?.rows_per_s);
        }
        let (cost, rate) = (median(costs), median(rates));
        say(format!("{batch_rows:>8} {cost:>20.3} {rate:>14.0}"))?;
        figures.add(format!("sink.b{batch_rows}.cpu_s_per_million_rows"), (cost * 1000.0).round() / 1000.0, "s");
        figures.add(format!("sink.b{batch_rows}.rows_per_s"), rate.round(), "rows/s");
    }
    figures.print()
}
