//! The part of InfluxDB 1 that a run needs, in the words of version 1.8.

mod line;
mod query;
mod runs;
mod statement;
mod store;

use std::time::{SystemTime, UNIX_EPOCH};

use crate::calibration::http::{Answer, Request};
use line::Lines;
use store::{Rows, Store, StoreError};

/// What the server says it is.
pub(crate) const VERSION: &str = "1.8.10";

/// Bad lines that an answer names.
const NAMED: usize = 5;
/// Bytes of a bad line in an answer.
const SHOWN: usize = 120;

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// Which version this is.
    Ping,
    /// Rows.
    Write,
    /// A statement.
    Query,
    /// What the server did.
    Truth,
    /// To forget what it did.
    Reset,
    /// A path with another method; these are allowed.
    Method(&'static str),
    /// A path that is not there.
    Unknown,
}

impl Route {
    pub(crate) fn of(request: &Request) -> Self {
        match (request.path.as_str(), request.method.as_str()) {
            ("/ping", "GET" | "HEAD") => Self::Ping,
            ("/ping", _) => Self::Method("GET or HEAD"),
            ("/write", "POST") => Self::Write,
            ("/write" | "/truth/reset", method) if method != "POST" => Self::Method("POST"),
            ("/query", "GET" | "POST") => Self::Query,
            ("/query", _) => Self::Method("GET or POST"),
            ("/truth", "GET") => Self::Truth,
            ("/truth", _) => Self::Method("GET"),
            ("/truth/reset", _) => Self::Reset,
            _ => Self::Unknown,
        }
    }
}

/// The database server.
#[derive(Debug)]
pub(crate) struct Influx {
    store: Store,
    forget: bool,
}

impl Influx {
    /// `forget`: it acknowledges rows and stores none.
    pub(crate) fn new(forget: bool) -> Self {
        Self { store: Store::default(), forget }
    }

    /// `POST /write`. As in InfluxDB, the good lines of a body with bad ones are stored.
    pub(crate) fn write(&self, request: &Request, body: &[u8]) -> Answer {
        if let Some(encoding) = &request.encoding {
            return Answer::error(
                415,
                format!("bodies encoded by {encoding} are not taken: send plain text (gzip=false)"),
            );
        }
        let Some(database) = request.param("db").filter(|name| !name.is_empty()) else {
            return Answer::error(400, "database is required");
        };
        let Some(unit) = unit(request.param("precision")) else {
            return Answer::error(400, "invalid precision (use n, ns, u, ms, s, m or h)");
        };
        let mut rows = Rows::default();
        let mut bad = Vec::new();
        let mut bad_lines = 0_u64;
        for line in Lines::new(body) {
            let taken = line.and_then(|line| {
                let time = match line.time {
                    Some(time) => time.checked_mul(unit).ok_or_else(|| line.bad("time outside range"))?,
                    None => now(),
                };
                rows.add(&line.measurement, time).map_err(|problem| line.bad(problem))
            });
            if let Err(line) = taken {
                bad_lines += 1;
                if bad.len() < NAMED {
                    bad.push(format!("unable to parse '{}': {}", shown(line.text), line.problem));
                }
            }
        }
        let good = rows.count();
        let stored = if self.forget { self.store.knows(database) } else { self.store.add(database, &rows) };
        match stored {
            Err(error @ StoreError::NoDatabase(_)) => Answer::error(404, error.to_string()),
            Err(error) => Answer::error(507, error.to_string()),
            Ok(()) if bad_lines == 0 => Answer::no_content(),
            Ok(()) => {
                let words = bad.join("\n");
                let unnamed = bad_lines - bad.len() as u64;
                let words = if good > 0 { format!("partial write: {words} dropped={unnamed}") } else { words };
                Answer::error(400, words)
            }
        }
    }

    /// `/query`.
    pub(crate) fn query(&self, request: &Request) -> Answer {
        query::answer(&self.store, request)
    }
}

/// Nanoseconds of the unit that a write names; none for one that is not known.
fn unit(precision: Option<&str>) -> Option<i64> {
    Some(match precision {
        None | Some("" | "n" | "ns") => 1,
        Some("u") => 1_000,
        Some("ms") => 1_000_000,
        Some("s") => 1_000_000_000,
        Some("m") => 60_000_000_000,
        Some("h") => 3_600_000_000_000,
        Some(_) => return None,
    })
}

/// The wall clock, in nanoseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// The beginning of a line, as text.
fn shown(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(SHOWN)]).into_owned()
}
