//! A table of 22 columns as services log their requests, most of it text: for measuring encoders without a plugin.
//!
//! What has few distinct values is held as keys, the rest is written out: messages, trace and span ids, addresses, callers.

use std::sync::Arc;

use anyhow::Result;
use benchhost_data::{Batch, BatchBuilder, Column, DataType, Interner, Semantic, Table, TimeUnit};

const SERVICES: [&str; 6] = ["api", "auth", "billing", "search", "stream", "worker"];
const REGIONS: [&str; 4] = ["us-east", "us-west", "eu-west", "ap-south"];
const ENVIRONMENTS: [&str; 4] = ["prod", "staging", "canary", "dev"];
const LEVELS: [&str; 4] = ["INFO", "WARN", "ERROR", "DEBUG"];
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "DELETE", "PATCH"];
const PATHS: [&str; 5] = ["/api/v1/users", "/api/v1/orders", "/api/v1/search", "/health", "/metrics"];
const STATUSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];
const AGENTS: [&str; 4] = ["Mozilla/5.0", "curl/8.0", "Go-http-client/1.1", "greptime-agent/0.3"];
const START_MS: i64 = 1_704_067_200_000;

/// Makes batches of consecutive rows.
pub(crate) struct LogRows {
    table: Arc<Table>,
    interner: Interner,
}

impl LogRows {
    pub(crate) fn new() -> Result<Self> {
        let column =
            |name: &str, semantic, data_type| Column { name: name.into(), semantic, data_type, nullable: false };
        let mut columns = Vec::new();
        for tag in ["service", "host", "region", "env"] {
            columns.push(column(tag, Semantic::Tag, DataType::Utf8));
        }
        let texts = "pod log_level message trace_id span_id http_method http_path http_status_class user_agent client_ip caller";
        for text in texts.split(' ') {
            columns.push(column(text, Semantic::Field, DataType::Utf8));
        }
        columns.push(column("latency_ms", Semantic::Field, DataType::Float64));
        columns.push(column("bytes_in", Semantic::Field, DataType::Int64));
        columns.push(column("bytes_out", Semantic::Field, DataType::Int64));
        columns.push(column("error_flag", Semantic::Field, DataType::Boolean));
        columns.push(column("retry_flag", Semantic::Field, DataType::Boolean));
        columns.push(column("log_ts", Semantic::Timestamp, DataType::Timestamp(TimeUnit::Millisecond)));
        columns.push(column("ingest_ts", Semantic::Field, DataType::Int64));
        Ok(Self { table: Arc::new(Table::new("bench_logs", columns)?), interner: Interner::new() })
    }

    pub(crate) fn batch(&self, first_row: u64, rows: u32) -> Result<Batch> {
        let range = first_row..first_row + u64::from(rows);
        let mut builder = BatchBuilder::new(self.table.clone(), first_row, rows);
        let picks = |column: u64, of: usize| -> Vec<u32> {
            range.clone().map(|row| (bits(row, column) % of as u64) as u32).collect()
        };
        let mut pick = |column: usize, values: &[String]| -> Result<Vec<u32>> {
            let keys = picks(column as u64, values.len());
            builder.append_keys(column, &self.interner.intern(values)?, keys.clone())?;
            Ok(keys)
        };
        let named = |values: &[&str]| values.iter().copied().map(String::from).collect::<Vec<_>>();
        let counted = |name: &str, count: u32| (0..count).map(|n| format!("{name}-{n}")).collect::<Vec<_>>();
        let services = pick(0, &named(&SERVICES))?;
        pick(1, &counted("host", 32))?;
        pick(2, &named(&REGIONS))?;
        pick(3, &named(&ENVIRONMENTS))?;
        pick(4, &counted("pod", 64))?;
        let levels = pick(5, &named(&LEVELS))?;
        pick(9, &named(&METHODS))?;
        let paths = pick(10, &named(&PATHS))?;
        pick(11, &named(&STATUSES))?;
        pick(12, &named(&AGENTS))?;

        let message = |(row, path): (u64, &u32)| format!("request {row} handled via {}", PATHS[*path as usize]);
        builder.append_strings(6, range.clone().zip(&paths).map(message).collect())?;
        let trace = |row| format!("{:016x}{:016x}", bits(row, 7), bits(row, 107));
        builder.append_strings(7, range.clone().map(trace).collect())?;
        builder.append_strings(8, range.clone().map(|row| format!("{:016x}", bits(row, 8))).collect())?;
        let address = |row| {
            let bytes = bits(row, 13).to_le_bytes();
            format!("10.{}.{}.{}", bytes[0], bytes[1], bytes[2])
        };
        builder.append_strings(13, range.clone().map(address).collect())?;
        let caller = |(row, service): (u64, &u32)| {
            format!("src/handler/{}.ts:{}", SERVICES[*service as usize], bits(row, 14) % 500)
        };
        builder.append_strings(14, range.clone().zip(&services).map(caller).collect())?;

        let latency = |row| (bits(row, 15) >> 11) as f64 / (1_u64 << 53) as f64 * 200.0;
        builder.append_float64s(15, range.clone().map(latency).collect())?;
        builder.append_int64s(16, range.clone().map(|row| (bits(row, 16) % 100_000) as i64).collect())?;
        builder.append_int64s(17, range.clone().map(|row| (bits(row, 17) % 200_000) as i64).collect())?;
        builder.append_booleans(18, levels.iter().map(|level| LEVELS[*level as usize] == "ERROR").collect())?;
        builder.append_booleans(19, range.clone().map(|row| bits(row, 19).is_multiple_of(20)).collect())?;
        builder.append_timestamps(range.clone().map(|row| START_MS + row as i64).collect())?;
        builder.append_int64s(21, range.map(|row| START_MS + row as i64).collect())?;
        Ok(builder.finish()?)
    }
}

/// 64 repeatable bits for one cell.
fn bits(row: u64, column: u64) -> u64 {
    let mut bits = (row * 256 + column + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
