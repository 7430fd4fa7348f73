//! Rows as record batches in an Arrow Flight stream.

use benchhost_greptime_sql::StoredColumn;
use benchhost_plugin::text::base64;
use benchhost_plugin::{
    Ack, Batch, Channel, Error, ErrorKind, FlightEncoder, Payload, PutStream, Result, Secret, Table,
};

use crate::LARGEST_MESSAGE;
use crate::request::too_large;
use crate::settings::Settings;

/// All that GreptimeDB 1.0 says of a batch that it does not take, whatever the reason.
const SILENT_REFUSAL: &str = "Execute gRPC request error";

/// One session's way into a stream of one table.
#[derive(Debug)]
pub(crate) struct Bulk {
    encoder: FlightEncoder,
    max_in_flight: u32,
    /// The table of the batches. A payload does not name it, so that all batches of a session must be of one.
    table: Option<Table>,
    stream: Option<PutStream>,
    /// Why the server refuses, as far as SQL could tell: asked for once.
    reason: Option<String>,
}

impl Bulk {
    pub(crate) fn new(channel: &Channel, settings: &Settings) -> Result<Self> {
        channel.set_metadata("x-greptime-db-name", &settings.database)?;
        if let Some(user) = &settings.user {
            let password = settings.password.as_ref().map_or("", Secret::expose);
            let credentials = base64(format!("{user}:{password}").as_bytes());
            channel.set_metadata("x-greptime-auth", &format!("Basic {credentials}"))?;
        }
        let encoder = FlightEncoder::new(settings.compression.of_body());
        Ok(Self { encoder, max_in_flight: settings.max_in_flight, table: None, stream: None, reason: None })
    }

    pub(crate) fn encode(&mut self, batch: &Batch) -> Result<Payload> {
        let table = batch.table();
        match &self.table {
            None => self.table = Some(table),
            Some(known) if *known == table => {}
            Some(known) => {
                return Err(Error::unsupported(format!(
                    "protocol=bulk writes one table in a session, and batches of `{}` and `{}` came: set protocol=unary",
                    known.name, table.name
                )));
            }
        }
        let payload = self.encoder.encode(batch)?;
        if payload.size() >= LARGEST_MESSAGE { Err(too_large(payload.size())) } else { Ok(payload) }
    }

    pub(crate) fn send(&mut self, channel: &Channel, payload: &Payload, settings: &Settings) -> Result<Ack> {
        let Some(table) = &self.table else {
            return Err(Error::unsupported(
                "protocol=bulk sends what the same session has encoded: only that tells which table the rows are of",
            ));
        };
        let stream = self.stream.get_or_insert_with(|| {
            PutStream::new(channel, std::slice::from_ref(&table.name), table, self.max_in_flight)
        });
        match stream.put(payload) {
            Ok(ack) => Ok(Ack { pending: false, rows: ack.rows, server_time_ns: ack.server_time_ns }),
            Err(error) if error.kind == ErrorKind::Rejected && error.message.contains(SILENT_REFUSAL) => {
                let reason = self.reason.get_or_insert_with(|| reason(settings, table));
                Err(error.advise(reason))
            }
            Err(error) => Err(error.advise_if_refused("check `user` and `password`")),
        }
    }
}

/// What may be wrong with the table, as far as SQL tells.
fn reason(settings: &Settings, table: &Table) -> String {
    match settings.sql().and_then(|sql| sql.columns(&table.name)) {
        Err(error) => format!("the server gives no reason, and its tables could not be looked at: {}", error.message),
        Ok(None) => format!("there is no table `{}`: let the run create it", table.name),
        Ok(Some(stored)) => StoredColumn::difference(&stored, table).unwrap_or_else(|| {
            "the server gives no reason, and its table has the columns of the batch: look into the server's log".into()
        }),
    }
}
