//! `overhead`: what a component adds to the same loop written natively. Both run in this process, in turn.

use anyhow::Result;

use crate::figure::{Figures, median, say};
use crate::load::{Shape, load};
use crate::native::NativeTargets;
use crate::plugins;
use crate::sink::Sink;

const BATCH_ROWS: [u32; 5] = [1, 10, 100, 1000, 5000];
const WORKERS: [u32; 4] = [1, 8, 64, 200];
const PAIRS: usize = 5;

pub(crate) fn run() -> Result<()> {
    let sink = Sink::start()?;
    let host = plugins::host(512)?;
    let transport = plugins::transport(&sink.endpoint)?;
    let influx = plugins::influx(&host, &transport, &sink.endpoint)?;
    let native = NativeTargets { transport, endpoint: sink.endpoint.clone() };
    let cpu = plugins::cpu(&host)?;
    let mut figures = Figures::default();
    say(format!(
        "{:>8} {:>8} {:>12} {:>12} {:>12} {:>8}",
        "workers", "rows/op", "native ns", "component ns", "added ns", "ratio"
    ))?;
    for workers in WORKERS {
        for batch_rows in BATCH_ROWS {
            let shape = Shape { rows: operations(batch_rows) * u64::from(batch_rows), batch_rows, workers };
            let mut pairs = Vec::new();
            // Turn and turn about, so that a drift of the machine hits both alike.
            for pair in 0..PAIRS {
                let with = |component: bool| -> Result<f64> {
                    let result = if component { load(shape, &influx, &cpu)? } else { load(shape, &native, &cpu)? };
                    Ok(result.steps[0].cpu.as_nanos() as f64 / result.operations.ok as f64)
                };
                let first = with(pair % 2 == 0)?;
                let second = with(pair % 2 != 0)?;
                pairs.push(if pair % 2 == 0 { (second, first) } else { (first, second) });
            }
            let native = median(pairs.iter().map(|pair| pair.0).collect());
            let component = median(pairs.iter().map(|pair| pair.1).collect());
            let ratio = median(pairs.iter().map(|pair| pair.1 / pair.0).collect());
            let added = median(pairs.iter().map(|pair| pair.1 - pair.0).collect());
            say(format!("{workers:>8} {batch_rows:>8} {native:>12.0} {component:>12.0} {added:>12.0} {ratio:>8.3}"))?;
            let name = format!("overhead.w{workers}.b{batch_rows}");
            figures.add(format!("{name}.ns_per_operation"), added.round(), "ns");
            figures.add(format!("{name}.ratio"), (ratio * 1000.0).round() / 1000.0, "component/native");
        }
    }
    figures.print()
}

/// Enough operations for a few tenths of a second.
fn operations(batch_rows: u32) -> u64 {
    match batch_rows {
        1 | 10 => 20_000,
        100 => 10_000,
        1000 => 2_000,
        _ => 500,
    }
}
