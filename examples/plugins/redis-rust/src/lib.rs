//! A benchhost target for Redis, in Rust and without the SDK. The contract is in `wit/` at the root of the repository; `resp.rs` has the
//! protocol, `rows.rs` the way rows lie in it.
//!
//! One instance of this component is one session of one worker, so a session's state is a thread-local variable.

mod resp;
mod rows;

wit_bindgen::generate!({ path: "../../../wit", world: "target" });

use std::cell::RefCell;

use benchhost::plugin::data::{Batch, Payload};
use benchhost::plugin::tcp::Connection;
use benchhost::plugin::types::{DataType, Error, ErrorKind, Semantic, Setting, Table};
use exports::benchhost::plugin::about::{Description, Guest as About};
use exports::benchhost::plugin::ingest::{Ack, Guest as Ingest};
use exports::benchhost::plugin::session::Guest as Host;
use resp::Reply;
use rows::{Column, Values};

const SETTINGS: &str = r#"{
  "type": "object",
  "properties": {
    "endpoint": {"type": "string", "description": "Address of the server: `tcp://host:port`."},
    "password": {"type": ["string", "null"], "description": "Password of the server.", "writeOnly": true}
  },
  "required": ["endpoint"]
}"#;

/// The longest line that a reply begins with.
const LINE: u32 = 64 * 1024;

struct Plugin;

export!(Plugin);

/// What one session keeps.
#[derive(Default)]
struct Session {
    endpoint: String,
    password: Option<String>,
    /// Made when it is needed, and again after it broke.
    connection: Option<Connection>,
}

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
}

/// What is sent: bytes of our own, or a payload that stays in the host.
enum Request<'a> {
    Command(&'a [&'a [u8]]),
    Payload(&'a Payload),
}

impl Session {
    /// Sends a request and gives the reply. An error of the network, or a reply that is none, ends the connection: what would come next
    /// on it is not known. An error that the server tells does not.
    fn ask(&mut self, request: &Request<'_>) -> Result<Reply, Error> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let reply = exchange(&connection, request);
        if !matches!(&reply, Err(error) if error.kind != ErrorKind::Rejected && error.kind != ErrorKind::Throttled) {
            self.connection = Some(connection);
        }
        reply
    }

    fn connect(&self) -> Result<Connection, Error> {
        let connection = Connection::connect(&self.endpoint)?;
        if let Some(password) = &self.password {
            exchange(&connection, &Request::Command(&[b"AUTH", password.as_bytes()]))?;
        }
        Ok(connection)
    }
}

/// Sends a command of the control session.
fn command(parts: &[&[u8]]) -> Result<Reply, Error> {
    SESSION.with_borrow_mut(|session| session.ask(&Request::Command(parts)))
}

fn exchange(connection: &Connection, request: &Request<'_>) -> Result<Reply, Error> {
    match request {
        Request::Command(parts) => connection.write(&resp::command(parts))?,
        Request::Payload(payload) => connection.write_payload(payload)?,
    }
    match resp::parse(&connection.read_until(b"\r\n", LINE)?) {
        Reply::Bulk(Some(length)) => {
            // The text is followed by the end of a line.
            let mut text = connection.read_exact(length.saturating_add(2))?;
            text.truncate(length as usize);
            Ok(Reply::Text(String::from_utf8_lossy(&text).into_owned()))
        }
        Reply::Error { code, message, busy } => {
            let kind = if busy { ErrorKind::Throttled } else { ErrorKind::Rejected };
            Err(Error { code: Some(code), retryable: busy, ..error(kind, message) })
        }
        Reply::Strange(start) => Err(strange(&start)),
        reply => Ok(reply),
    }
}

impl About for Plugin {
    fn describe() -> Description {
        Description {
            name: "redis-rust".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            summary: "Redis sorted sets, written in Rust".to_owned(),
            settings_schema: SETTINGS.to_owned(),
        }
    }
}

impl Host for Plugin {
    fn open(settings: Vec<Setting>, _worker: Option<u32>) -> Result<(), Error> {
        let setting =
            |name: &str| settings.iter().find(|setting| setting.name == name).map(|setting| setting.value.clone());
        let endpoint = setting("endpoint")
            .ok_or_else(|| error(ErrorKind::Invalid, "the setting `endpoint` is missing".to_owned()))?;
        SESSION.set(Session { endpoint, password: setting("password"), connection: None });
        Ok(())
    }

    fn server() -> Result<Vec<(String, String)>, Error> {
        let Reply::Text(info) = command(&[b"INFO", b"server"])? else {
            return Err(strange("no text for INFO"));
        };
        let fact =
            |name: &str| info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap_or("unknown");
        Ok([("product", "Redis"), ("version", fact("redis_version")), ("mode", fact("redis_mode"))]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into())
    }

    fn create_table(table: Table) -> Result<(), Error> {
        let mut fields = table.columns.iter().filter(|column| column.semantic != Semantic::Timestamp);
        if let Some(column) = fields.find(|column| !readable(column.data_type)) {
            let message = format!("column `{}`: no text for values of type {}", column.name, name(column.data_type));
            return Err(error(ErrorKind::Unsupported, message));
        }
        // A sorted set comes into being with its first member.
        command(&[b"PING"]).map(drop)
    }

    fn drop_table(table: Table) -> Result<(), Error> {
        command(&[b"DEL", table.name.as_bytes()]).map(drop)
    }

    fn count_rows(table: Table, start_ns: i64, end_ns: i64) -> Result<u64, Error> {
        let (start, end) = rows::bounds(start_ns, end_ns);
        match command(&[b"ZCOUNT", table.name.as_bytes(), start.as_bytes(), end.as_bytes()])? {
            Reply::Number(count) => u64::try_from(count).map_err(|_| strange("a negative count")),
            _ => Err(strange("no number for ZCOUNT")),
        }
    }

    fn close() {
        SESSION.set(Session::default());
    }
}

impl Ingest for Plugin {
    fn encode(batch: &Batch) -> Result<Payload, Error> {
        let table = batch.table();
        let times = times(batch, &table)?;
        let columns: Vec<Column> = (0..)
            .zip(&table.columns)
            .filter(|(_, column)| column.semantic != Semantic::Timestamp)
            .map(|(position, column)| Column {
                name: column.name.clone(),
                values: values(batch, position, column.semantic, column.data_type),
                nulls: if column.nullable { batch.nulls(position) } else { Vec::new() },
            })
            .collect();
        Ok(Payload::from_bytes(&rows::write(&table.name, &times, columns), batch.rows()))
    }

    fn send(payload: &Payload) -> Result<Ack, Error> {
        if payload.size() > 0 {
            // The number that comes back counts new members only, which says nothing of a payload that is sent again.
            SESSION.with_borrow_mut(|session| session.ask(&Request::Payload(payload)))?;
        }
        Ok(Ack { pending: false, rows: None, server_time_ns: None })
    }
}

/// Whether `values` can read a column of that type.
fn readable(data_type: DataType) -> bool {
    use DataType::{Boolean, Float32, Float64, Utf8};
    signed(data_type) || unsigned(data_type) || matches!(data_type, Utf8 | Boolean | Float32 | Float64)
}

fn signed(data_type: DataType) -> bool {
    matches!(data_type, DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64)
}

fn unsigned(data_type: DataType) -> bool {
    matches!(data_type, DataType::Uint8 | DataType::Uint16 | DataType::Uint32 | DataType::Uint64)
}

/// The values of one column. Tags come as keys into a short list, which is the cheapest way to get text.
fn values(batch: &Batch, position: u32, semantic: Semantic, data_type: DataType) -> Values {
    match data_type {
        DataType::Utf8 if semantic == Semantic::Tag => Values::Keys(batch.dictionary(position), batch.keys(position)),
        DataType::Utf8 => Values::Texts(batch.strings(position)),
        DataType::Boolean => Values::Booleans(batch.booleans(position)),
        other if signed(other) => Values::Signed(batch.int64s(position)),
        other if unsigned(other) => Values::Unsigned(batch.uint64s(position)),
        _ => Values::Floats(batch.float64s(position)),
    }
}

/// The rows' times in whole milliseconds.
fn times(batch: &Batch, table: &Table) -> Result<Vec<i64>, Error> {
    let column = table.columns.iter().find(|column| column.semantic == Semantic::Timestamp);
    let unit = column.map_or(DataType::TimestampMillisecond, |column| column.data_type);
    let milliseconds = |time: i64| match unit {
        DataType::TimestampSecond => time.checked_mul(1_000),
        DataType::TimestampMicrosecond => rows::whole(time, 1_000),
        DataType::TimestampNanosecond => rows::whole(time, 1_000_000),
        _ => Some(time),
    };
    let times = batch.timestamps();
    let whole = times.iter().map(|time| milliseconds(*time).ok_or(time)).collect::<Result<Vec<i64>, &i64>>();
    whole.map_err(|time| {
        let message = format!("the time {time} ({}) is no whole millisecond", name(unit));
        let remedy = "a sorted set cannot keep it: choose a dataset with coarser times";
        error(ErrorKind::Invalid, format!("{message}, and {remedy}"))
    })
}

/// A type's name, as the bindings write it.
fn name(data_type: DataType) -> String {
    format!("{data_type:?}").trim_start_matches("DataType::").to_owned()
}

fn strange(what: &str) -> Error {
    error(ErrorKind::Internal, format!("the server answered with what is no reply of Redis: {what}"))
}

fn error(kind: ErrorKind, message: String) -> Error {
    Error { kind, code: None, message, retryable: false, retry_after_ms: None, rows_accepted: None }
}
