//! GreptimeDB over gRPC, in three ways: one call a batch, one stream of many batches, and Arrow Flight. Its other doors, line protocol and
//! OTLP, are those of the plugins `influx` and `otlp`.

mod bulk;
mod reply;
mod request;
mod settings;
mod stream;

use benchhost_greptime_sql::TimeColumn;
use benchhost_plugin::{
    Ack, Batch, Channel, Error, Payload, Result, Table, Target, export_streaming_target, server_facts,
};
use bulk::Bulk;
use request::Requests;
pub use settings::{Compression, Create, GrpcCompression, MergeMode, Protocol, Settings};
use stream::Stream;

/// Bytes of a message that the server refuses; a larger one it does not even read.
const LARGEST_MESSAGE: u64 = 536_870_912;

const UNARY: &str = "/greptime.v1.GreptimeDatabase/Handle";

/// A session.
pub struct Greptime {
    settings: Settings,
    channel: Channel,
    requests: Requests,
    stream: Stream,
    bulk: Bulk,
}

export_streaming_target!(Greptime);

impl Target for Greptime {
    type Settings = Settings;
    const NAME: &'static str = "greptime";
    const SUMMARY: &'static str = "GreptimeDB over gRPC: unary calls, streams, or Arrow Flight in bulk";

    fn open(settings: Settings, _worker: Option<u32>) -> Result<Self> {
        settings.check()?;
        let grpc_endpoint = settings.grpc_endpoint()?;
        let channel = Channel::connect(grpc_endpoint)?;
        if let Some(compression) = settings.grpc_compression.of_messages() {
            channel.compress(compression);
        }
        let bulk = Bulk::new(&channel, &settings)?;
        if let Some(hints) = settings.hints() {
            channel.set_metadata("x-greptime-hints", &hints)?;
        }
        let requests = Requests::new(&settings);
        Ok(Self { settings, channel, requests, stream: Stream::default(), bulk })
    }

    fn server(&mut self) -> Result<Vec<(String, String)>> {
        let Settings { protocol, grpc_compression, database, compression, max_in_flight, .. } = &self.settings;
        let mut facts = vec![
            ("product", "GreptimeDB".to_owned()),
            ("version", self.settings.sql()?.version()?.unwrap_or_else(|| "unknown".into())),
            ("protocol", protocol.as_str().to_owned()),
            ("database", database.clone()),
            ("grpc_compression", grpc_compression.as_str().to_owned()),
        ];
        if *protocol == Protocol::Bulk {
            facts.push(("compression", compression.as_str().to_owned()));
            facts.push(("max_in_flight", max_in_flight.to_string()));
        }
        facts.extend(self.settings.table_options());
        Ok(server_facts(facts))
    }

    fn create_table(&mut self, table: &Table) -> Result<()> {
        match self.settings.create {
            Create::Sql => self.settings.sql()?.create_table(table, &self.settings.table_options()),
            Create::Probe => {
                self.settings.sql()?.create_database()?;
                let probe = self.requests.probe(table)?;
                let reply = self.channel.unary(UNARY, &probe)?;
                reply::affected_rows(&reply, "create the table with a probe row").map(drop)
            }
        }
    }

    fn drop_table(&mut self, table: &Table) -> Result<()> {
        self.settings.sql()?.drop_table(&table.name)
    }

    fn count_rows(&mut self, table: &Table, start_ns: i64, end_ns: i64) -> Result<u64> {
        self.settings.sql()?.count_rows(&table.name, &TimeColumn::of(table)?, start_ns, end_ns)
    }

    fn encode(&mut self, batch: &Batch) -> Result<Payload> {
        match self.settings.protocol {
            Protocol::Unary | Protocol::Stream => self.requests.encode(batch),
            Protocol::Bulk => self.bulk.encode(batch),
        }
    }

    fn send(&mut self, payload: &Payload) -> Result<Ack> {
        match self.settings.protocol {
            Protocol::Unary => {
                let reply = self.channel.unary(UNARY, payload)?;
                reply::affected_rows(&reply, "write").map(Ack::of_rows)
            }
            Protocol::Stream => self.stream.send(&self.channel, payload),
            Protocol::Bulk => self.bulk.send(&self.channel, payload, &self.settings),
        }
    }

    fn finish(&mut self) -> Result<Option<u64>> {
        match self.settings.protocol {
            Protocol::Stream => self.stream.finish(),
            other => Err(Error::unsupported(format!(
                "protocol={} acknowledges every batch by itself, so nothing is pending",
                other.as_str()
            ))),
        }
    }
}

#[cfg(test)]
mod tests;
