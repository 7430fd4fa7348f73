//! `flight`: record batches for Arrow Flight on one thread, no network and no plugin.

use anyhow::Result;
use benchhost_data::{Batch, BodyCompression, FlightEncoder};

use crate::cpu_rows::{CpuRows, Digits};
use crate::figure::{Figures, median, say, thread_cpu};
use crate::log_rows::LogRows;

/// Batches that take turns, so that caches see more than one.
const BATCHES: u64 = 20;

/// Processor time of a round, long against the clock's steps.
const ROUND_S: f64 = 0.1;
const ROUNDS: usize = 9;

const COMPRESSIONS: [(&str, BodyCompression); 3] =
    [("", BodyCompression::None), (".lz4", BodyCompression::Lz4Frame), (".zstd", BodyCompression::Zstd)];

pub(crate) fn run() -> Result<()> {
    let cpu = CpuRows::new(Digits::Full)?;
    let logs = LogRows::new()?;
    let batches = |rows: u32, batch: &dyn Fn(u64, u32) -> Result<Batch>| -> Result<Vec<Batch>> {
        (0..BATCHES).map(|n| batch(n * u64::from(rows), rows)).collect()
    };
    // At 1000 rows a batch the CPU dataset has the same keys in three of its four tags each time, which the encoder sees; at 997
    // no batch has the keys of the one before.
    let datasets = [
        ("cpu", batches(1000, &|first, rows| cpu.batch(first, rows))?),
        ("cpu.b5000", batches(5000, &|first, rows| cpu.batch(first, rows))?),
        ("cpu.b997", batches(997, &|first, rows| cpu.batch(first, rows))?),
        ("logs", batches(5000, &|first, rows| logs.batch(first, rows))?),
    ];
    let mut figures = Figures::default();
    say(format!(
        "{:<28} {:>8} {:>12} {:>8} {:>10} {:>10}",
        "Flight record batches", "rows", "rows/s", "ns/row", "bytes/row", "raw/row"
    ))?;
    for (dataset, batches) in &datasets {
        for (suffix, compression) in COMPRESSIONS {
            let measured = measure(compression, batches)?;
            say(format!(
                "{:<28} {:>8} {:>12.0} {:>8.1} {:>10.1} {:>10.1}",
                format!("{dataset}{suffix}"),
                batches.first().map_or(0, Batch::rows),
                measured.rows_per_s,
                1e9 / measured.rows_per_s,
                measured.bytes_per_row,
                measured.raw_bytes_per_row
            ))?;
            let name = format!("flight.encode.{dataset}{suffix}.rows_per_s");
            figures.add(name, measured.rows_per_s.round(), "rows/s");
        }
    }
    figures.print()
}

struct Measured {
    rows_per_s: f64,
    bytes_per_row: f64,
    raw_bytes_per_row: f64,
}

/// The median of several rounds; the first one warms up.
fn measure(compression: BodyCompression, batches: &[Batch]) -> Result<Measured> {
    let mut encoder = FlightEncoder::new(compression);
    let (mut rates, mut bytes, mut raw_bytes) = (Vec::new(), 0, 0);
    let rows: u64 = batches.iter().map(|batch| u64::from(batch.rows())).sum();
    for round in 0..=ROUNDS {
        let before = thread_cpu();
        let mut encoded = 0;
        let seconds = loop {
            (bytes, raw_bytes) = (0, 0);
            for batch in batches {
                let payload = encoder.encode(batch)?;
                bytes += payload.size();
                raw_bytes += payload.raw_size();
            }
            encoded += rows;
            let seconds = (thread_cpu() - before).as_secs_f64();
            if seconds >= ROUND_S {
                break seconds;
            }
        };
        if round > 0 {
            rates.push(encoded as f64 / seconds);
        }
    }
    let per_row = |bytes: u64| bytes as f64 / rows as f64;
    Ok(Measured { rows_per_s: median(rates), bytes_per_row: per_row(bytes), raw_bytes_per_row: per_row(raw_bytes) })
}
