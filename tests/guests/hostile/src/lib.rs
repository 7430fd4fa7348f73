//! A target that attacks its host, in the one way that its marker names. What each way must lead to is said by the tests named
//! `hostile_…` and by `docs/sandbox.md`.
//!
//! It is an attacker: it calls the host past its own bindings, with unsafe code, as any component may.

// Plugins export nothing where they are not WebAssembly, and the rest would be unused there.
#![cfg(target_arch = "wasm32")]

mod marker;
mod raw;
mod sending;
mod telling;

use std::cell::RefCell;

use bindings::benchhost::plugin::data::{Batch, Payload};
use bindings::benchhost::plugin::types::{Error, ErrorKind, Setting, Table};
use bindings::exports::benchhost::plugin::{about, ingest, session, streaming};
use marker::{behaviour, enter};

mod bindings {
    wit_bindgen::generate!({ path: "../../../wit", world: "streaming-target", generate_all });
}

struct Hostile;

thread_local! {
    static SETTINGS: RefCell<Vec<Setting>> = const { RefCell::new(Vec::new()) };
    /// The number of a batch's handle after the call that lent it.
    static BATCH: RefCell<u32> = const { RefCell::new(0) };
}

fn setting(name: &str) -> String {
    let of = |all: &Vec<Setting>| all.iter().find(|one| one.name == name).map(|one| one.value.clone());
    SETTINGS.with_borrow(of).unwrap_or_default()
}

fn error(message: impl Into<String>) -> Error {
    Error {
        kind: ErrorKind::Internal,
        code: None,
        message: message.into(),
        retryable: false,
        retry_after_ms: None,
        rows_accepted: None,
    }
}

impl about::Guest for Hostile {
    fn describe() -> about::Description {
        enter("about.describe");
        let mut said = about::Description {
            name: "hostile".to_owned(),
            version: "0.1.0".to_owned(),
            summary: "attacks its host".to_owned(),
            settings_schema: r#"{"type":"object","properties":{"endpoint":{"type":"string","default":""},"token":{"type":"string","default":"","writeOnly":true}}}"#.to_owned(),
        };
        telling::describe(&mut said);
        said
    }
}

impl session::Guest for Hostile {
    fn open(settings: Vec<Setting>, _worker: Option<u32>) -> Result<(), Error> {
        SETTINGS.set(settings);
        enter("session.open");
        Ok(())
    }

    fn server() -> Result<Vec<(String, String)>, Error> {
        enter("session.server");
        telling::server()
    }

    fn create_table(_table: Table) -> Result<(), Error> {
        enter("session.create-table");
        Ok(())
    }

    fn drop_table(_table: Table) -> Result<(), Error> {
        enter("session.drop-table");
        Ok(())
    }

    fn count_rows(_table: Table, _start_ns: i64, _end_ns: i64) -> Result<u64, Error> {
        enter("session.count-rows");
        Ok(0)
    }

    fn close() {
        enter("session.close");
    }
}

impl ingest::Guest for Hostile {
    fn encode(batch: &Batch) -> Result<Payload, Error> {
        enter("ingest.encode");
        if behaviour() == "batch kept" {
            BATCH.set(batch.handle());
        }
        if behaviour() == "batch dropped twice" {
            // The bindings drop it again when this returns.
            unsafe { raw::drop_batch(batch.handle()) };
        }
        // A column that is not there, and a getter of each type at a column of another one: 0 tag, 1 float64, 2 time.
        match marker::behaviour() {
            "float64s of no column" => drop(batch.float64s(u32::MAX)),
            "float64s of text" => drop(batch.float64s(0)),
            "int64s of float64" => drop(batch.int64s(1)),
            "uint64s of float64" => drop(batch.uint64s(1)),
            "booleans of float64" => drop(batch.booleans(1)),
            "dictionary of float64" => drop(batch.dictionary(1)),
            "keys of float64" => drop(batch.keys(1)),
            "strings of float64" => drop(batch.strings(1)),
            "nulls of no column" => drop(batch.nulls(99)),
            "rows too many" => return Ok(Payload::from_bytes(b"rows", u32::MAX)),
            "rows too few" => return Ok(Payload::from_bytes(b"rows", 0)),
            _ => {}
        }
        let sum: f64 = batch.float64s(1).iter().sum();
        Ok(Payload::from_bytes(sum.to_string().as_bytes(), batch.rows()))
    }

    fn send(payload: &Payload) -> Result<ingest::Ack, Error> {
        enter("ingest.send");
        sending::send(payload)
    }
}

impl streaming::Guest for Hostile {
    fn finish() -> Result<Option<u64>, Error> {
        enter("streaming.finish");
        Ok(None)
    }
}

bindings::export!(Hostile with_types_in bindings);
