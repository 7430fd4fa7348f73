//! A target of benchhost: rows as line protocol over HTTP, as InfluxDB 1 takes them.
//!
//! The host calls the functions below, which are the exports of the world `target` in `wit/`. Rows, request bodies and connections live
//! in the host; here are only handles to them. One instance of this component is one session of one worker, so nothing is ever shared.

mod influx;

wit_bindgen::generate!({ path: "wit", world: "target" });

use std::cell::RefCell;

use benchhost::plugin::data::{Batch, Payload};
use benchhost::plugin::encode::{LineProtocol, TimeUnit};
use benchhost::plugin::http::{Client, Request, Response};
use benchhost::plugin::types::{Error, ErrorKind, Semantic, Setting, Table};
use exports::benchhost::plugin::about::{Description, Guest as About};
use exports::benchhost::plugin::ingest::{Ack, Guest as Ingest};
use exports::benchhost::plugin::session::Guest as Host;

/// What a user can set with `-P name=value`, as a JSON Schema. The host checks it and fills in the defaults.
const SETTINGS: &str = r#"{
  "type": "object",
  "properties": {
    "endpoint": {"type": "string", "description": "Address of the server: `http://host:port`."},
    "database": {"type": "string", "description": "Name of the database; it is made when it is not there.", "default": "benchhost"}
  },
  "required": ["endpoint"]
}"#;

struct Plugin;

export!(Plugin);

/// What one session keeps.
struct Session {
    client: Client,
    /// The request that carries every batch. The host has checked and copied it once.
    write: Request,
    /// It remembers what it can reuse between batches.
    encoder: LineProtocol,
    database: String,
}

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// Runs `work` in the session that `open` has made.
fn with_session<T>(work: impl FnOnce(&Session) -> Result<T, Error>) -> Result<T, Error> {
    SESSION.with_borrow(|session| match session {
        Some(session) => work(session),
        None => Err(error(
            ErrorKind::Internal,
            "there is no open session".to_owned(),
        )),
    })
}

impl About for Plugin {
    fn describe() -> Description {
        Description {
            name: "@NAME@".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            summary: "Line protocol over HTTP, as InfluxDB 1 takes it".to_owned(),
            settings_schema: SETTINGS.to_owned(),
        }
    }
}

impl Host for Plugin {
    fn open(settings: Vec<Setting>, _worker: Option<u32>) -> Result<(), Error> {
        let setting = |name: &str| {
            let found = settings.iter().find(|setting| setting.name == name);
            found.map(|setting| setting.value.clone()).ok_or_else(|| {
                error(
                    ErrorKind::Invalid,
                    format!("the setting `{name}` is missing"),
                )
            })
        };
        let database = setting("database")?;
        let client = Client::connect(&setting("endpoint")?)?;
        let path = format!(
            "/write?db={}&precision=ns",
            influx::percent_encoded(&database)
        );
        let write = client.prepare("POST", &path, &[])?;
        let encoder = LineProtocol::new(TimeUnit::Nanosecond);
        SESSION.set(Some(Session {
            client,
            write,
            encoder,
            database,
        }));
        Ok(())
    }

    fn server() -> Result<Vec<(String, String)>, Error> {
        with_session(|session| {
            let response = accepted(session.client.send("GET", "/ping", &[], None)?)?;
            let version = response
                .header("X-Influxdb-Version")
                .unwrap_or_else(|| "unknown".to_owned());
            Ok(vec![
                ("product".to_owned(), "InfluxDB".to_owned()),
                ("version".to_owned(), version),
            ])
        })
    }

    fn create_table(_table: Table) -> Result<(), Error> {
        // A measurement comes into being with its first row.
        with_session(|session| {
            let statement = format!("CREATE DATABASE {}", influx::identifier(&session.database));
            session.query("POST", &statement).map(drop)
        })
    }

    fn drop_table(table: Table) -> Result<(), Error> {
        with_session(|session| {
            let statement = format!("DROP MEASUREMENT {}", influx::identifier(&table.name));
            session.query("POST", &statement).map(drop)
        })
    }

    fn count_rows(table: Table, start_ns: i64, end_ns: i64) -> Result<u64, Error> {
        // `COUNT` counts values, so it counts rows only where every row has one.
        let field = table
            .columns
            .iter()
            .find(|column| column.semantic == Semantic::Field && !column.nullable);
        let Some(field) = field else {
            let message = format!(
                "rows of `{}` cannot be counted: no field has a value in every row",
                table.name
            );
            return Err(error(ErrorKind::Unsupported, message));
        };
        let Some(statement) = influx::count_statement(&table.name, &field.name, start_ns, end_ns)
        else {
            return Ok(0);
        };
        with_session(|session| {
            let answer = session.query("GET", &statement)?;
            influx::count(&answer).ok_or_else(|| {
                error(
                    ErrorKind::Internal,
                    format!("no count in the answer: {answer}"),
                )
            })
        })
    }

    fn close() {
        SESSION.set(None);
    }
}

impl Ingest for Plugin {
    fn encode(batch: &Batch) -> Result<Payload, Error> {
        with_session(|session| session.encoder.encode(batch))
    }

    fn send(payload: &Payload) -> Result<Ack, Error> {
        with_session(|session| {
            // None is the usual answer to a write: 2xx without a body.
            if let Some(response) = session.write.send(payload)? {
                accepted(response)?;
            }
            // The server does not say how many rows it stored.
            Ok(Ack {
                pending: false,
                rows: None,
                server_time_ns: None,
            })
        })
    }
}

impl Session {
    /// Sends an InfluxQL statement and gives the answer, which is empty where there is nothing of that name.
    fn query(&self, method: &str, statement: &str) -> Result<String, Error> {
        let (database, statement) = (
            influx::percent_encoded(&self.database),
            influx::percent_encoded(statement),
        );
        let path = format!("/query?db={database}&epoch=ns&q={statement}");
        let answer = text(
            &accepted(self.client.send(method, &path, &[], None)?)?,
            u32::MAX,
        );
        match influx::refusal(&answer) {
            // An error may come with status 200. That something is not there is none for those who remove it or count in it.
            Some(words) if words.contains("not found") => Ok(String::new()),
            Some(words) => Err(error(ErrorKind::Rejected, words.to_owned())),
            None => Ok(answer),
        }
    }
}

/// The response, if its status is 2xx; otherwise the error that it stands for.
fn accepted(response: Response) -> Result<Response, Error> {
    let status = response.status();
    let kind = match status {
        200..=299 => return Ok(response),
        429 | 503 => ErrorKind::Throttled,
        500..=599 => ErrorKind::Unavailable,
        _ => ErrorKind::Rejected,
    };
    Err(Error {
        kind,
        code: Some(status.to_string()),
        message: text(&response, 200),
        // The host sends the same payload again, after its own back-off where the server names no time.
        retryable: kind != ErrorKind::Rejected,
        retry_after_ms: response
            .header("Retry-After")
            .and_then(|value| influx::retry_after_ms(&value)),
        rows_accepted: None,
    })
}

/// At most `max` bytes of an answer's body.
fn text(response: &Response, max: u32) -> String {
    String::from_utf8_lossy(&response.body().read(0, max)).into_owned()
}

/// An error of this plugin's own, for which trying again is of no use.
fn error(kind: ErrorKind, message: String) -> Error {
    Error {
        kind,
        code: None,
        message,
        retryable: false,
        retry_after_ms: None,
        rows_accepted: None,
    }
}
