//! `encode`: line protocol on one thread, no network and no plugin.

use anyhow::Result;
use benchhost_data::{Batch, LineProtocol, TimeUnit};

use crate::cpu_rows::{CpuRows, Digits};
use crate::figure::{Figures, median, say, thread_cpu};

/// Batches that take turns, so that caches see more than one; enough rows for a steady figure.
const BATCHES: u64 = 20;
const ROWS_PER_ROUND: u64 = 1_000_000;
const ROUNDS: usize = 7;

pub fn run() -> Result<()> {
    let mut figures = Figures::default();
    say(format!("{:<28} {:>12} {:>10} {:>10}", "line protocol, CPU dataset", "rows/s", "ns/row", "bytes/row"))?;
    for digits in [Digits::Full, Digits::Two] {
        for batch_rows in [1000, 5000] {
            let (per_second, bytes) = rows_per_second(digits, batch_rows)?;
            let label = if digits == Digits::Full { "full" } else { "2dp" };
            say(format!(
                "{:<28} {per_second:>12.0} {:>10.1} {bytes:>10.1}",
                format!("{label}, {batch_rows} rows a batch"),
                1e9 / per_second
            ))?;
            let name = match (digits, batch_rows) {
                (Digits::Full, 1000) => "encode.lp.rows_per_s".to_owned(),
                _ => format!("encode.lp.{label}.b{batch_rows}.rows_per_s"),
            };
            figures.add(name, per_second.round(), "rows/s");
        }
    }
    figures.print()
}

/// The median of several rounds, and bytes per row.
fn rows_per_second(digits: Digits, batch_rows: u32) -> Result<(f64, f64)> {
    let rows = CpuRows::new(digits)?;
    let batches: Vec<Batch> =
        (0..BATCHES).map(|n| rows.batch(n * u64::from(batch_rows), batch_rows)).collect::<Result<_>>()?;
    let mut encoder = LineProtocol::new(TimeUnit::Millisecond);
    let mut rounds = Vec::new();
    let (mut bytes, mut encoded) = (0, 0_u64);
    for round in 0..=ROUNDS {
        let before = thread_cpu();
        let mut done = 0;
        while done < ROWS_PER_ROUND {
            for batch in &batches {
                let payload = encoder.encode(batch)?;
                bytes += payload.size();
                done += u64::from(payload.rows());
            }
        }
        encoded += done;
        // The first round warms up.
        if round > 0 {
            rounds.push(done as f64 / (thread_cpu() - before).as_secs_f64());
        }
    }
    Ok((median(rounds), bytes as f64 / encoded as f64))
}
