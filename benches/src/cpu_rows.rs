//! The CPU dataset as the `cpu` plugin makes it, made natively: for measuring encoders without a plugin.

use std::sync::Arc;

use anyhow::Result;
use benchhost_data::{Batch, BatchBuilder, Column, DataType, Interner, Semantic, Table, TimeUnit};

const HOSTS: u32 = 100;
const REGIONS: [&str; 5] = ["us-east-1", "us-west-2", "eu-west-1", "ap-southeast-1", "ap-northeast-1"];
const START_MS: i64 = 1_704_067_200_000;

/// How many digits the values have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Digits {
    /// All 53 bits: 15 to 17 digits of text.
    Full,
    /// Two decimals.
    Two,
}

/// Makes batches of consecutive rows.
pub(crate) struct CpuRows {
    table: Arc<Table>,
    interner: Interner,
    digits: Digits,
}

impl CpuRows {
    pub(crate) fn new(digits: Digits) -> Result<Self> {
        let column =
            |name: &str, semantic, data_type| Column { name: name.into(), semantic, data_type, nullable: false };
        let mut columns = Vec::new();
        for tag in ["host", "region", "datacenter", "service"] {
            columns.push(column(tag, Semantic::Tag, DataType::Utf8));
        }
        for field in ["cpu", "memory", "disk_util", "net_in", "net_out"] {
            columns.push(column(field, Semantic::Field, DataType::Float64));
        }
        columns.push(column("ts", Semantic::Timestamp, DataType::Timestamp(TimeUnit::Millisecond)));
        Ok(Self { table: Arc::new(Table::new("cpu", columns)?), interner: Interner::new(), digits })
    }

    pub(crate) fn batch(&self, first_row: u64, rows: u32) -> Result<Batch> {
        let range = first_row..first_row + u64::from(rows);
        let mut builder = BatchBuilder::new(self.table.clone(), first_row, rows);
        let series = |row: u64| (row % (u64::from(HOSTS) * 1000)) as u32;
        let keys = |key: fn(u32) -> u32| range.clone().map(|row| key(series(row))).collect();
        let named = |count: u32, name: fn(u32) -> String| self.interner.intern((0..count).map(name));
        builder.append_keys(0, &named(HOSTS, |n| format!("host-{n}"))?, keys(|s| s / 1000))?;
        builder.append_keys(1, &named(5, |n| REGIONS[n as usize].into())?, keys(|s| s % 1000 / 200))?;
        builder.append_keys(2, &named(10, |n| format!("dc-{n}"))?, keys(|s| s % 200 / 20))?;
        builder.append_keys(3, &named(20, |n| format!("svc-{n:02}"))?, keys(|s| s % 20))?;
        for field in 0..5 {
            let scale = if field < 3 { 100.0 } else { 1e9 };
            let value = |row: u64| {
                let value = uniform(row * 5 + field) * scale;
                if self.digits == Digits::Two { (value * 100.0).round() / 100.0 } else { value }
            };
            builder.append_float64s(4 + field as usize, range.clone().map(value).collect())?;
        }
        builder.append_timestamps(range.map(|row| START_MS + row as i64).collect())?;
        Ok(builder.finish()?)
    }
}

/// The `index`-th of a repeatable series of doubles in `[0, 1)`, all 53 bits of them.
fn uniform(index: u64) -> f64 {
    let mut bits = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}
