//! Tables, batches, payloads and native encoders.
//!
//! Rows live here, in Arrow columns, from the moment that a generator has written them: a [`BatchBuilder`] checks them and
//! makes a read-only [`Batch`], which all workers share. Encoders turn a batch into a [`Payload`], the bytes that go on the
//! wire; a [`Fingerprint`] says which rows they were; an [`Exporter`] writes them to a file.
//!
//! This crate opens no socket, prints nothing and knows no database and no WebAssembly.

mod batch;
mod builder;
mod column;
pub mod compress;
mod dictionary;
mod error;
mod export;
mod fingerprint;
mod flight;
mod lp;
mod payload;
mod pending;
mod pool;
mod rule;
mod table;
mod types;

pub use batch::{Batch, BatchError};
pub use builder::BatchBuilder;
pub use compress::gzip;
pub use dictionary::{Dictionary, DictionaryError, Interner, MAX_DICTIONARY_VALUES};
pub use error::{EncodeError, Place, Problem};
pub use export::{ExportError, Exporter, FileFormat, UnknownFormat};
pub use fingerprint::Fingerprint;
pub use flight::{BodyCompression, FlightEncoder, flight_metadata, flight_schema, flight_schema_message};
pub use lp::LineProtocol;
pub use payload::Payload;
pub use rule::{BuilderError, Rule};
pub use table::{Column, Table, TableError};
pub use types::{DataType, Semantic, TimeUnit};
