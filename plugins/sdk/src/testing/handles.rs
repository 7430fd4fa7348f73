//! Stand-ins for the host's handles, with the methods of `wit/`. Where the host would trap, they panic.

use std::cell::RefCell;
use std::fmt::Display;
use std::sync::{Arc, LazyLock};

use benchhost_data as data;

use super::convert::{encode_error, table_of_data, table_to_data, unit_to_data};
use super::server;
use crate::log::Level;
use crate::{BodyCompression, Error, Header, Result, Table, TimeUnit};

pub use super::channel::{Channel, ClientStream, Reply};
pub use super::flight::PutStream;
pub use super::stream::Connection;

/// Bytes that one `payload.read` gives at most.
const READ_BYTES: u32 = 16 << 20;

static INTERNER: LazyLock<data::Interner> = LazyLock::new(data::Interner::new);

thread_local! {
    pub(super) static LOG: RefCell<Vec<(Level, String)>> = const { RefCell::new(Vec::new()) };
}

pub(crate) fn log(level: Level, message: &str) {
    LOG.with_borrow_mut(|log| log.push((level, message.to_owned())));
}

/// The value, or the panic that stands for a trap.
fn or_trap<T, E: Display>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        // Only tests come here, and a trap is what they are to see.
        Err(error) => panic!("the host would trap: {error}"),
    }
}

/// Rows of one table, as in the contract's `data.batch`.
#[derive(Debug)]
#[allow(missing_docs, reason = "described in wit/data.wit")]
pub struct Batch(data::Batch);

#[allow(missing_docs, reason = "described in wit/data.wit")]
impl Batch {
    pub fn table(&self) -> Table {
        table_of_data(self.0.table())
    }
    pub fn rows(&self) -> u32 {
        self.0.rows()
    }
    pub fn timestamps(&self) -> Vec<i64> {
        self.0.timestamps().to_vec()
    }
    pub fn float64s(&self, column: u32) -> Vec<f64> {
        or_trap(self.0.float64s(column as usize)).into_owned()
    }
    pub fn int64s(&self, column: u32) -> Vec<i64> {
        or_trap(self.0.int64s(column as usize)).into_owned()
    }
    pub fn uint64s(&self, column: u32) -> Vec<u64> {
        or_trap(self.0.uint64s(column as usize)).into_owned()
    }
    pub fn booleans(&self, column: u32) -> Vec<bool> {
        or_trap(self.0.booleans(column as usize))
    }
    pub fn dictionary(&self, column: u32) -> Vec<String> {
        or_trap(self.0.dictionary(column as usize)).values().map(str::to_owned).collect()
    }
    pub fn keys(&self, column: u32) -> Vec<u32> {
        or_trap(self.0.keys(column as usize)).into_owned()
    }
    pub fn strings(&self, column: u32) -> Vec<String> {
        or_trap(self.0.strings(column as usize))
    }
    pub fn nulls(&self, column: u32) -> Vec<u32> {
        or_trap(self.0.nulls(column as usize))
    }
}

/// Bytes, as in the contract's `data.payload`.
#[derive(Debug)]
pub struct Payload(data::Payload);

#[allow(missing_docs, reason = "described in wit/data.wit")]
impl Payload {
    pub fn from_bytes(bytes: &[u8], rows: u32) -> Self {
        Self(data::Payload::new(bytes.to_vec(), rows))
    }
    pub fn size(&self) -> u64 {
        self.0.size()
    }
    pub fn rows(&self) -> u32 {
        self.0.rows()
    }
    pub fn read(&self, offset: u64, max: u32) -> Vec<u8> {
        let bytes = self.0.bytes();
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        let end = start.saturating_add(max.min(READ_BYTES) as usize).min(bytes.len());
        bytes[start..end].to_vec()
    }
}

/// Distinct values, as in the contract's `data.dictionary`.
#[derive(Debug)]
pub struct Dictionary(data::Dictionary);

#[allow(missing_docs, reason = "described in wit/data.wit")]
impl Dictionary {
    pub fn new(values: &[String]) -> Self {
        Self(or_trap(INTERNER.intern(values)))
    }
}

/// Columns in the making, as in the contract's `data.batch-builder`.
#[derive(Debug)]
pub struct BatchBuilder(RefCell<data::BatchBuilder>);

#[allow(missing_docs, reason = "described in wit/data.wit")]
impl BatchBuilder {
    pub fn append_timestamps(&self, values: &[i64]) {
        or_trap(self.0.borrow_mut().append_timestamps(values.to_vec()));
    }
    pub fn append_float64s(&self, column: u32, values: &[f64]) {
        or_trap(self.0.borrow_mut().append_float64s(column as usize, values.to_vec()));
    }
    pub fn append_int64s(&self, column: u32, values: &[i64]) {
        or_trap(self.0.borrow_mut().append_int64s(column as usize, values.to_vec()));
    }
    pub fn append_uint64s(&self, column: u32, values: &[u64]) {
        or_trap(self.0.borrow_mut().append_uint64s(column as usize, values.to_vec()));
    }
    pub fn append_booleans(&self, column: u32, values: &[bool]) {
        or_trap(self.0.borrow_mut().append_booleans(column as usize, values.to_vec()));
    }
    pub fn append_strings(&self, column: u32, values: &[String]) {
        or_trap(self.0.borrow_mut().append_strings(column as usize, values.to_vec()));
    }
    pub fn append_keys(&self, column: u32, values: &Dictionary, keys: &[u32]) {
        or_trap(self.0.borrow_mut().append_keys(column as usize, &values.0, keys.to_vec()));
    }
    pub fn mark_nulls(&self, column: u32, rows: &[u32]) {
        or_trap(self.0.borrow_mut().mark_nulls(column as usize, rows.to_vec()));
    }
}

/// An empty builder.
pub(super) fn builder(table: &Table, first_row: u64, rows: u32) -> Result<BatchBuilder> {
    let table = Arc::new(table_to_data(table)?);
    Ok(BatchBuilder(RefCell::new(data::BatchBuilder::new(table, first_row, rows))))
}

/// The batch that a builder holds.
pub(super) fn finish(builder: BatchBuilder) -> Result<Batch> {
    let built = builder.0.into_inner().finish();
    built.map(Batch).map_err(|error| Error::internal(error.to_string()))
}

/// The native encoder, as in the contract's `encode.line-protocol`.
#[derive(Debug)]
pub struct LineProtocol(RefCell<data::LineProtocol>);

#[allow(missing_docs, reason = "described in wit/encode.wit")]
impl LineProtocol {
    pub fn new(precision: TimeUnit) -> Self {
        Self(RefCell::new(data::LineProtocol::new(unit_to_data(precision))))
    }
    pub fn double_backslashes(&self) {
        self.0.borrow_mut().double_backslashes();
    }
    pub fn encode(&self, batch: &Batch) -> Result<Payload> {
        self.0.borrow_mut().encode(&batch.0).map(Payload).map_err(|error| encode_error(&error))
    }
}

/// Record batches for Flight, as in the contract's `flight.encoder`.
#[derive(Debug)]
pub struct FlightEncoder(RefCell<data::FlightEncoder>);

#[allow(missing_docs, reason = "described in wit/flight.wit")]
impl FlightEncoder {
    pub fn new(compression: BodyCompression) -> Self {
        Self(RefCell::new(data::FlightEncoder::new(match compression {
            BodyCompression::None => data::BodyCompression::None,
            BodyCompression::Lz4Frame => data::BodyCompression::Lz4Frame,
            BodyCompression::Zstd => data::BodyCompression::Zstd,
        })))
    }
    pub fn encode(&self, batch: &Batch) -> Result<Payload> {
        self.0.borrow_mut().encode(&batch.0).map(Payload).map_err(|error| encode_error(&error))
    }
}

/// gzip, as in the contract's `encode.gzip`.
pub fn gzip(payload: &Payload, level: Option<u8>) -> Result<Payload> {
    data::gzip(&payload.0, level).map(Payload).map_err(|error| encode_error(&error))
}

/// A client of a [`Server`](super::Server), as in the contract's `http.client`.
#[derive(Debug)]
pub struct Client {
    base_url: String,
    headers: RefCell<Vec<Header>>,
}

#[allow(missing_docs, reason = "described in wit/http.wit")]
impl Client {
    pub fn connect(base_url: &str) -> Result<Self> {
        server::find(base_url)?;
        Ok(Self { base_url: base_url.to_owned(), headers: RefCell::default() })
    }
    pub fn set_header(&self, name: &str, value: &str) -> Result<()> {
        let mut headers = self.headers.borrow_mut();
        headers.retain(|header| !header.name.eq_ignore_ascii_case(name));
        headers.push(Header::new(name, value));
        Ok(())
    }
    pub fn send(&self, method: &str, path: &str, headers: &[Header], body: Option<&Payload>) -> Result<Response> {
        let headers = self.headers.borrow().iter().chain(headers).cloned().collect();
        send(&self.base_url, method, path, headers, body)
    }
    pub fn prepare(&self, method: &str, path: &str, headers: &[Header]) -> Result<Request> {
        let headers = self.headers.borrow().iter().chain(headers).cloned().collect();
        Ok(Request { base_url: self.base_url.clone(), method: method.to_owned(), path: path.to_owned(), headers })
    }
}

fn send(base_url: &str, method: &str, path: &str, headers: Vec<Header>, body: Option<&Payload>) -> Result<Response> {
    let (server, base_path) = server::find(base_url)?;
    let body = body.map_or_else(Vec::new, |body| body.0.bytes().to_vec());
    let answer = server.take(server::Request::new(method, &format!("{base_path}{path}"), headers, body))?;
    Ok(Response { status: answer.status, headers: answer.headers, body: answer.body })
}

/// A request that is sent many times, as in the contract's `http.request`.
#[derive(Debug)]
pub struct Request {
    base_url: String,
    method: String,
    path: String,
    headers: Vec<Header>,
}

#[allow(missing_docs, reason = "described in wit/http.wit")]
impl Request {
    pub fn send(&self, body: &Payload) -> Result<Option<Response>> {
        let answer = send(&self.base_url, &self.method, &self.path, self.headers.clone(), Some(body))?;
        Ok(Some(answer).filter(|answer| !answer.body.is_empty() || !(200..300).contains(&answer.status)))
    }
}

/// An answer, as in the contract's `http.response`.
#[derive(Debug)]
pub struct Response {
    status: u16,
    headers: Vec<Header>,
    body: Vec<u8>,
}

#[allow(missing_docs, reason = "described in wit/http.wit")]
impl Response {
    pub fn status(&self) -> u16 {
        self.status
    }
    pub fn header(&self, name: &str) -> Option<String> {
        let found = self.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        found.map(|header| header.value.clone())
    }
    pub fn body(&self) -> Payload {
        Payload::from_bytes(&self.body, 0)
    }
}
