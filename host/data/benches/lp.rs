//! How long line protocol and fingerprints take for a row of the CPU dataset, on one thread: for tuning.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use std::sync::Arc;
use std::time::Instant;

use benchhost_data::{
    Batch, BatchBuilder, Column, DataType, Dictionary, Fingerprint, Interner, LineProtocol, Semantic, Table, TimeUnit,
};

const HOSTS: u64 = 100;

fn table() -> Arc<Table> {
    let column = |name: &str, semantic, data_type| Column { name: name.into(), semantic, data_type, nullable: false };
    let mut columns: Vec<_> =
        ["host", "region", "datacenter", "service"].map(|name| column(name, Semantic::Tag, DataType::Utf8)).into();
    for name in ["cpu", "memory", "disk_util", "net_in", "net_out"] {
        columns.push(column(name, Semantic::Field, DataType::Float64));
    }
    columns.push(column("ts", Semantic::Timestamp, DataType::Timestamp(TimeUnit::Millisecond)));
    Arc::new(Table::new("cpu", columns).unwrap())
}

fn dictionaries() -> [Dictionary; 4] {
    let interner = Interner::new();
    let regions = ["us-east-1", "us-west-2", "eu-west-1", "ap-southeast-1", "ap-northeast-1"];
    [
        interner.intern((0..HOSTS).map(|host| format!("host-{host}"))).unwrap(),
        interner.intern(regions).unwrap(),
        interner.intern((0..10).map(|dc| format!("dc-{dc}"))).unwrap(),
        interner.intern((0..20).map(|service| format!("svc-{service:02}"))).unwrap(),
    ]
}

fn random(state: &mut u64) -> f64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

fn batch(table: &Arc<Table>, dictionaries: &[Dictionary; 4], first: u64, rows: u32, decimals: Option<i32>) -> Batch {
    let mut builder = BatchBuilder::new(Arc::clone(table), first, rows);
    let positions = first..first + u64::from(rows);
    let series = positions.clone().map(|row| row % (HOSTS * 1000));
    let of = |key: fn(u64) -> u64| series.clone().map(|series| key(series) as u32).collect::<Vec<_>>();
    builder.append_keys(0, &dictionaries[0], of(|series| series / 1000)).unwrap();
    builder.append_keys(1, &dictionaries[1], of(|series| series % 1000 / 200)).unwrap();
    builder.append_keys(2, &dictionaries[2], of(|series| series % 200 / 20)).unwrap();
    builder.append_keys(3, &dictionaries[3], of(|series| series % 20)).unwrap();
    let mut state = first + 0x9e37_79b9;
    for (column, range) in [(4, 100.0), (5, 100.0), (6, 100.0), (7, 1e9), (8, 1e9)] {
        let values = (0..rows).map(|_| {
            let value = random(&mut state) * range;
            // With decimals, every column is a percentage, as in the prototype's measurements.
            decimals.map_or(value, |decimals| {
                let unit = 10_f64.powi(decimals);
                (value / range * 100.0 * unit).round() / unit
            })
        });
        builder.append_float64s(column, values.collect()).unwrap();
    }
    builder.append_timestamps(positions.map(|row| 1_704_067_200_000 + row as i64).collect()).unwrap();
    builder.finish().unwrap()
}

fn main() {
    // `cargo bench` says so; everything else, such as `cargo test`, only sees that it runs. A number is a number of rounds.
    let rounds = std::env::args().find_map(|argument| argument.parse().ok());
    let rounds = rounds.unwrap_or(if std::env::args().any(|argument| argument == "--bench") { 400 } else { 1 });
    let (table, dictionaries) = (table(), dictionaries());
    for decimals in [None, Some(2)] {
        for rows in [1000, 5000] {
            let count = 20_000 / rows;
            let batches: Vec<_> =
                (0..count).map(|index| batch(&table, &dictionaries, u64::from(index * rows), rows, decimals)).collect();
            let mut encoder = LineProtocol::new(TimeUnit::Millisecond);
            let (mut best, mut bytes) = (f64::MAX, 0);
            for _ in 0..rounds {
                let start = Instant::now();
                for batch in &batches {
                    bytes = encoder.encode(batch).unwrap().size();
                }
                best = best.min(start.elapsed().as_nanos() as f64 / f64::from(rows * count));
            }
            println!(
                "lp: {rows} rows a batch, {} decimals: {best:.1} ns a row, {:.1}M rows/s, {:.1} bytes a row",
                decimals.map_or("all".to_owned(), |decimals| decimals.to_string()),
                1e3 / best,
                bytes as f64 / f64::from(rows)
            );
            let mut best = f64::MAX;
            let mut fingerprint = Fingerprint::new();
            for _ in 0..rounds {
                let start = Instant::now();
                batches.iter().for_each(|batch| fingerprint.add(batch));
                best = best.min(start.elapsed().as_nanos() as f64 / f64::from(rows * count));
            }
            println!("fingerprint: {best:.1} ns a row ({fingerprint})");
        }
    }
}
