//! `encode`: line protocol on one thread, no network and no plugin.

use anyhow::Result;
use benchhost_data::{Batch, LineProtocol, TimeUnit};

use crate::cpu_rows::{CpuRows, Digits};
use crate::figure::{Figures, median, say, thread_cpu};
use crate::prototype::Prototype;

/// Batches that take turns, so that caches see more than one; enough rows for a steady figure.
const BATCHES: u64 = 20;
const ROWS_PER_ROUND: u64 = 1_000_000;
const ROUNDS: usize = 7;

pub(crate) fn run() -> Result<()> {
    let mut figures = Figures::default();
    say(format!(
        "{:<28} {:>12} {:>8} {:>10} {:>16} {:>8}",
        "line protocol, CPU dataset", "rows/s", "ns/row", "bytes/row", "prototype rows/s", "ratio"
    ))?;
    for digits in [Digits::Full, Digits::Two] {
        for batch_rows in [1000, 5000] {
            let measured = measure(digits, batch_rows)?;
            let label = if digits == Digits::Full { "full" } else { "2dp" };
            say(format!(
                "{:<28} {:>12.0} {:>8.1} {:>10.1} {:>16.0} {:>8.3}",
                format!("{label}, {batch_rows} rows a batch"),
                measured.rows_per_s,
                1e9 / measured.rows_per_s,
                measured.bytes_per_row,
                measured.prototype_rows_per_s,
                measured.ratio
            ))?;
            let name = match (digits, batch_rows) {
                (Digits::Full, 1000) => "encode.lp".to_owned(),
                _ => format!("encode.lp.{label}.b{batch_rows}"),
            };
            figures.add(format!("{name}.rows_per_s"), measured.rows_per_s.round(), "rows/s");
            figures.add(format!("{name}.ratio"), (measured.ratio * 1000.0).round() / 1000.0, "encoder/prototype");
        }
    }
    figures.print()
}

struct Measured {
    rows_per_s: f64,
    prototype_rows_per_s: f64,
    ratio: f64,
    bytes_per_row: f64,
}

/// The median of several rounds, encoder and prototype in turn.
fn measure(digits: Digits, batch_rows: u32) -> Result<Measured> {
    let rows = CpuRows::new(digits)?;
    let batches: Vec<Batch> =
        (0..BATCHES).map(|n| rows.batch(n * u64::from(batch_rows), batch_rows)).collect::<Result<_>>()?;
    let mut encoder = LineProtocol::new(TimeUnit::Millisecond);
    let mut prototype = Prototype::default();
    let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let (mut bytes, mut encoded) = (0, 0);
    for round in 0..=ROUNDS {
        let mut size = 0;
        let our = rate(&batches, |batch| {
            size += encoder.encode(batch)?.size();
            Ok(())
        })?;
        let their = rate(&batches, |batch| {
            std::hint::black_box(prototype.encode(batch)?);
            Ok(())
        })?;
        // The first round warms up.
        if round > 0 {
            ours.push(our);
            theirs.push(their);
            ratios.push(our / their);
            bytes += size;
            encoded += passes(&batches) * batches.iter().map(|batch| u64::from(batch.rows())).sum::<u64>();
        }
    }
    Ok(Measured {
        rows_per_s: median(ours),
        prototype_rows_per_s: median(theirs),
        ratio: median(ratios),
        bytes_per_row: bytes as f64 / encoded as f64,
    })
}

fn passes(batches: &[Batch]) -> u64 {
    ROWS_PER_ROUND.div_ceil(batches.iter().map(|batch| u64::from(batch.rows())).sum::<u64>().max(1))
}

/// Rows per second of this thread's processor time.
fn rate(batches: &[Batch], mut encode: impl FnMut(&Batch) -> Result<()>) -> Result<f64> {
    let before = thread_cpu();
    let mut rows = 0;
    for _ in 0..passes(batches) {
        for batch in batches {
            encode(batch)?;
            rows += u64::from(batch.rows());
        }
    }
    Ok(rows as f64 / (thread_cpu() - before).as_secs_f64())
}
