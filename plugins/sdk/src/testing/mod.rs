//! A host in the same process, for the tests of plugins: plain `cargo test`, no wasm, no network. Data and encoders are
//! the real ones; a [`Server`] answers what the test tells it to, and remembers what it was sent. Everything belongs to
//! the thread of the test, so that tests do not see each other.

mod channel;
mod convert;
mod flight;
mod grpc;
pub(crate) mod handles;
mod server;
mod stream;

use serde_json::Value;

use crate::log::Level;
use crate::{
    Batch, BatchBuilder, Error, Facts, Generator, Result, Setting, Table, Target, parse_settings, settings_schema,
};

pub use grpc::{Call, GrpcAnswer, GrpcServer, Put};
pub use server::{Answer, Request, Server};
pub use stream::StreamServer;

/// Opens a session of worker 0 as the host would: with the defaults of all settings that are not given.
///
/// # Errors
///
/// `invalid` for a setting that the plugin does not have, and whatever the plugin says.
pub fn open_target<T: Target>(settings: &[(&str, &str)]) -> Result<T> {
    T::open(parse_settings(&with_defaults(&settings_schema::<T::Settings>(), settings)?)?, Some(0))
}

/// Opens an instance as the host would: with the defaults of all settings that are not given.
///
/// # Errors
///
/// `invalid` for a setting that the plugin does not have, and whatever the plugin says.
pub fn open_generator<G: Generator>(settings: &[(&str, &str)], seed: u64) -> Result<(G, Facts)> {
    G::open(parse_settings(&with_defaults(&settings_schema::<G::Settings>(), settings)?)?, seed)
}

/// Rows of a generator's table number `number`, whose `facts` it gave.
///
/// # Errors
///
/// Whatever the plugin says; `internal` when it leaves out a column or a row.
pub fn fill<G: Generator>(generator: &mut G, facts: &Facts, number: u32, first_row: u64, rows: u32) -> Result<Batch> {
    let table = facts.tables.get(number as usize);
    let table = table.ok_or_else(|| Error::invalid(format!("the dataset has no table number {number}")))?;
    let builder = handles::builder(table, first_row, rows)?;
    generator.fill(number, first_row, rows, &builder)?;
    handles::finish(builder)
}

/// A batch of `rows` rows that `write` fills.
///
/// # Errors
///
/// `internal` when the table breaks a rule, or `write` leaves out a column or a row.
pub fn batch(table: &Table, rows: u32, write: impl FnOnce(&BatchBuilder)) -> Result<Batch> {
    let builder = handles::builder(table, 0, rows)?;
    write(&builder);
    handles::finish(builder)
}

/// What was logged in this thread since this was last asked.
#[must_use]
pub fn logged() -> Vec<(Level, String)> {
    handles::LOG.take()
}

/// The settings in wire form, with the defaults that the schema names.
fn with_defaults(schema: &str, given: &[(&str, &str)]) -> Result<Vec<Setting>> {
    let schema: Value = serde_json::from_str(schema).map_err(|error| Error::internal(error.to_string()))?;
    let known = schema["properties"].as_object().cloned().unwrap_or_default();
    if let Some((name, _)) = given.iter().find(|(name, _)| !known.contains_key(*name)) {
        return Err(Error::invalid(format!("the plugin has no setting `{name}`")));
    }
    let mut settings: Vec<Setting> =
        given.iter().map(|(name, value)| Setting { name: (*name).into(), value: (*value).into() }).collect();
    for (name, property) in &known {
        let default = match &property["default"] {
            Value::Null => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if given.iter().all(|(other, _)| other != name) {
            settings.push(Setting { name: name.clone(), value: default });
        }
    }
    Ok(settings)
}
