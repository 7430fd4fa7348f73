#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! This crate turns the contract in `wit/` into one trait for each kind of plugin, [`Target`] and [`Generator`], and holds what
//! several plugins would otherwise each write: settings, the reading of HTTP answers, line protocol over HTTP, times and names
//! in queries, gRPC replies and protobuf. It knows no database, opens no socket and formats no batch: those are the host's.
//!
//! Handles of the host ([`Batch`], [`Payload`], [`Client`] …) are the generated ones on wasm. With the feature `testing`, and
//! never on wasm, they are the stand-ins of the module `testing`.

mod ack;
#[allow(missing_docs, unreachable_pub, reason = "generated; what an author uses is re-exported and documented")]
pub mod bindings;
#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub mod component;
mod error;
mod export;
mod generator;
pub mod grpc;
mod host;
mod http;
pub mod log;
pub mod lp;
pub mod proto;
pub mod random;
mod schema;
mod secret;
mod settings;
mod table;
mod target;
#[cfg(all(feature = "testing", not(target_arch = "wasm32")))]
pub mod testing;
pub mod text;
pub mod time;

pub use bindings::target::benchhost::plugin::types::{Column, DataType, Error, ErrorKind, Semantic, Setting, Table};
pub use bindings::target::exports::benchhost::plugin::ingest::Ack;
pub use error::Result;
pub use generator::{Facts, Generator};
pub use host::{
    Batch, BatchBuilder, BodyCompression, Channel, Client, ClientStream, Connection, Dictionary, FlightEncoder, Header,
    LineProtocol, MessageCompression, Payload, PutAck, PutStream, Reply, Request, Response, TimeUnit, gzip,
};
pub use http::Query;
pub use schema::settings_schema;
pub use secret::Secret;
pub use settings::parse_settings;
pub use target::{Target, server_facts};
