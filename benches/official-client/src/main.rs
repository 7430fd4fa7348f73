//! Writes the rows of the `cpu` dataset with the official GreptimeDB client, as its own examples do, and says what it took:
//! `official-client ENDPOINT bulk|unary ROWS BATCH_ROWS IN_FLIGHT`. The table must be there.

use std::error::Error;
use std::time::Instant;

use greptimedb_ingester::api::v1::{ColumnSchema, RowInsertRequest, RowInsertRequests, Rows as ProtoRows};
use greptimedb_ingester::client::Client;
use greptimedb_ingester::database::Database;
use greptimedb_ingester::helpers::schema::{field, tag, timestamp};
use greptimedb_ingester::helpers::values::{f64_value, string_value, timestamp_millisecond_value};
use greptimedb_ingester::{
    BulkInserter, BulkWriteOptions, ColumnDataType, CompressionType, Row, TableSchema, Value,
};

const TABLE: &str = "cpu";
const TAGS: [&str; 4] = ["host", "region", "datacenter", "service"];
const FIELDS: [&str; 5] = ["cpu", "memory", "disk_util", "net_in", "net_out"];
const REGIONS: [&str; 5] = ["us-east-1", "us-west-2", "eu-west-1", "ap-southeast-1", "ap-northeast-1"];
const HOSTS: u64 = 100;
const START_MS: i64 = 1_704_067_200_000;

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [endpoint, mode, rows, batch, in_flight] = arguments.as_slice() else {
        return Err("usage: official-client ENDPOINT bulk|unary ROWS BATCH_ROWS IN_FLIGHT".into());
    };
    let (rows, batch, in_flight): (u64, u64, usize) = (rows.parse()?, batch.parse()?, in_flight.parse()?);
    let client = Client::with_urls([endpoint.as_str()]);
    let start = Instant::now();
    let before = cpu_seconds();
    let affected = match mode.as_str() {
        "bulk" => bulk(client, rows, batch, in_flight).await?,
        "unary" => unary(client, rows, batch, in_flight).await?,
        other => return Err(format!("`{other}` is neither bulk nor unary").into()),
    };
    let (cpu, wall) = (cpu_seconds() - before, start.elapsed().as_secs_f64());
    println!("{{\"rows\":{affected},\"cpu_seconds\":{cpu},\"seconds\":{wall}}}");
    Ok(())
}

/// One stream, so many requests in flight.
async fn bulk(client: Client, rows: u64, batch: u64, in_flight: usize) -> Result<u64, Box<dyn Error>> {
    let mut schema = TableSchema::builder().name(TABLE).build()?;
    for name in TAGS {
        schema = schema.add_tag(name, ColumnDataType::String);
    }
    for name in FIELDS {
        schema = schema.add_field(name, ColumnDataType::Float64);
    }
    schema = schema.add_timestamp("ts", ColumnDataType::TimestampMillisecond);
    let options =
        BulkWriteOptions::default().with_compression(CompressionType::None).with_parallelism(in_flight);
    let mut writer =
        BulkInserter::new(client, "public").create_bulk_stream_writer(&schema, Some(options)).await?;
    let mut random = Random(42);
    let mut affected = 0;
    for first in (0..rows).step_by(batch as usize) {
        let mut buffer = writer.alloc_rows_buffer(batch as usize)?;
        for row in first..(first + batch).min(rows) {
            let mut values: Vec<Value> = tags(row).into_iter().map(Value::String).collect();
            values.extend(random.fields().into_iter().map(Value::Float64));
            values.push(Value::TimestampMillisecond(START_MS + row as i64));
            buffer.add_row(Row::new().add_values(values))?;
        }
        writer.write_rows_async(buffer).await?;
        affected += writer.flush_completed_responses().iter().map(|answer| answer.affected_rows() as u64).sum::<u64>();
    }
    let rest = writer.finish_with_responses().await?;
    Ok(affected + rest.iter().map(|answer| answer.affected_rows() as u64).sum::<u64>())
}

/// So many tasks, one request after the other in each.
async fn unary(client: Client, rows: u64, batch: u64, in_flight: usize) -> Result<u64, Box<dyn Error>> {
    let mut tasks = Vec::new();
    for task in 0..in_flight as u64 {
        let database = Database::new_with_dbname("public", client.clone());
        tasks.push(tokio::spawn(async move {
            let mut random = Random(42 + task);
            let mut affected = 0;
            for first in (task * batch..rows).step_by((batch as usize) * in_flight) {
                let rows = (first..(first + batch).min(rows))
                    .map(|row| {
                        let mut values: Vec<_> = tags(row).into_iter().map(string_value).collect();
                        values.extend(random.fields().map(f64_value));
                        values.push(timestamp_millisecond_value(START_MS + row as i64));
                        greptimedb_ingester::api::v1::Row { values }
                    })
                    .collect();
                let insert = RowInsertRequest {
                    table_name: TABLE.into(),
                    rows: Some(ProtoRows { schema: columns(), rows }),
                };
                let answer = database.insert(RowInsertRequests { inserts: vec![insert] }).await;
                affected += u64::from(answer.map_err(|error| error.to_string())?);
            }
            Ok::<u64, String>(affected)
        }));
    }
    let mut affected = 0;
    for task in tasks {
        affected += task.await??;
    }
    Ok(affected)
}

fn columns() -> Vec<ColumnSchema> {
    let mut columns: Vec<_> = TAGS.iter().map(|name| tag(name, ColumnDataType::String)).collect();
    columns.extend(FIELDS.iter().map(|name| field(name, ColumnDataType::Float64)));
    columns.push(timestamp("ts", ColumnDataType::TimestampMillisecond));
    columns
}

fn tags(row: u64) -> [String; 4] {
    let series = row % (HOSTS * 1000);
    let region = REGIONS[(series % 1000 / 200) as usize];
    [
        format!("host-{}", series / 1000),
        region.to_owned(),
        format!("dc-{}", series % 200 / 20),
        format!("svc-{:02}", series % 20),
    ]
}

/// A small generator of numbers, so that the rows cost next to nothing.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn fields(&mut self) -> [f64; 5] {
        [100.0, 100.0, 100.0, 1e9, 1e9].map(|scale| self.unit() * scale)
    }
}

/// Processor time of this process, user and system.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
