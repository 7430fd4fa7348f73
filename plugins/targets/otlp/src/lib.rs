//! OTLP logs, over HTTP or gRPC: every row is a log record, whose attributes are the columns. The protocol knows no tables and no questions, so
//! what is needed for those follows the server: GreptimeDB, VictoriaLogs, or one that is not known.

mod answer;
mod logsql;
mod records;
mod settings;
mod writer;

use benchhost_greptime_sql::{Sql, TimeColumn};
use benchhost_plugin::{
    Ack, Batch, Client, DataType, Error, Payload, Result, Table, Target, export_target, gzip, server_facts,
};
use records::Records;
pub use settings::{Dialect, Protocol, Settings};
use writer::Writer;

/// The pipeline of GreptimeDB that makes a column of every attribute.
const IDENTITY: &str = "greptime_identity";

/// A session.
pub struct Otlp {
    settings: Settings,
    writer: Writer,
    records: Records,
}

export_target!(Otlp);

impl Target for Otlp {
    type Settings = Settings;
    const NAME: &'static str = "otlp";
    const SUMMARY: &'static str = "logs over OTLP (HTTP or gRPC): any server, GreptimeDB, VictoriaLogs";

    fn open(settings: Settings, _worker: Option<u32>) -> Result<Self> {
        settings.check()?;
        let writer = Writer::connect(&settings)?;
        let records = Records::new(&settings);
        Ok(Self { settings, writer, records })
    }

    fn server(&mut self) -> Result<Vec<(String, String)>> {
        let Settings { protocol, dialect, gzip, headers, pipeline, database, .. } = &self.settings;
        let mut facts = match dialect {
            Dialect::Plain => vec![("product", "OTLP logs".to_owned())],
            Dialect::Victorialogs => vec![("product", "VictoriaLogs".to_owned())],
            Dialect::Greptime => {
                let version = self.sql()?.version()?.unwrap_or_else(|| "unknown".into());
                vec![
                    ("product", "GreptimeDB".to_owned()),
                    ("version", version),
                    ("database", database.clone()),
                    ("pipeline", pipeline.clone()),
                ]
            }
        };
        facts.push(("protocol", protocol.as_str().to_owned()));
        facts.push(("gzip", gzip.to_string()));
        if *protocol == Protocol::Http {
            facts.push(("path", self.settings.path().to_owned()));
        }
        if !headers.is_empty() {
            facts.push(("headers", headers.clone()));
        }
        Ok(server_facts(facts))
    }

    fn create_table(&mut self, _: &Table) -> Result<()> {
        match self.settings.dialect {
            // A server makes what it needs at the first record; GreptimeDB the table, but not the database.
            Dialect::Plain | Dialect::Victorialogs => Ok(()),
            Dialect::Greptime => self.sql()?.create_database(),
        }
    }

    fn drop_table(&mut self, table: &Table) -> Result<()> {
        match self.settings.dialect {
            Dialect::Greptime => self.sql()?.drop_table(&table.name),
            other => Err(Error::unsupported(format!(
                "dialect={} has no way to drop a table: set another table name",
                other.as_str()
            ))),
        }
    }

    fn count_rows(&mut self, table: &Table, start_ns: i64, end_ns: i64) -> Result<u64> {
        match self.settings.dialect {
            Dialect::Plain => Err(Error::unsupported(
                "OTLP has no way to count records: set `dialect` if the server is one that can be asked",
            )),
            Dialect::Victorialogs => logsql::count(self.client()?, &table.name, start_ns, end_ns),
            Dialect::Greptime => {
                let time = time_column(&self.settings.pipeline)?;
                self.sql()?.count_rows(&table.name, &time, start_ns, end_ns)
            }
        }
    }

    fn encode(&mut self, batch: &Batch) -> Result<Payload> {
        self.writer.expect(&batch.table(), &self.settings)?;
        let plain = self.records.encode(batch)?;
        // Over gRPC the connection compresses.
        if self.settings.gzip && self.settings.protocol == Protocol::Http { gzip(&plain, None) } else { Ok(plain) }
    }

    fn send(&mut self, payload: &Payload) -> Result<Ack> {
        self.writer.send(payload)
    }
}

impl Otlp {
    fn client(&self) -> Result<&Client> {
        match &self.writer {
            Writer::Http { client, .. } => Ok(client),
            Writer::Grpc(_) => Err(Error::unsupported("the server can be asked only over HTTP: set protocol=http")),
        }
    }

    fn sql(&self) -> Result<Sql> {
        let Settings { database, user, password, .. } = &self.settings;
        Sql::connect(self.settings.endpoint()?, database, user.as_deref(), password.as_ref())
    }
}

/// Where GreptimeDB keeps the time of a record. With the pipeline that makes columns of attributes, the table's own time is when the server got it.
fn time_column(pipeline: &str) -> Result<TimeColumn> {
    match pipeline {
        IDENTITY => Ok(TimeColumn::Nanoseconds { name: "Timestamp".into() }),
        "" => Ok(TimeColumn::Timestamp { name: "timestamp".into(), data_type: DataType::TimestampNanosecond }),
        other => Err(Error::unsupported(format!(
            "what the pipeline `{other}` makes of a record's time is not known, so rows cannot be counted"
        ))),
    }
}

#[cfg(test)]
mod tests;
