//! Every call into a plugin and out of it, with its time and bytes, for a plugin's author.
//!
//! The generated bindings make each call a span. Usually nobody listens; while [`trace`] runs, a [`Recorder`] does. Bytes are events inside the
//! spans: what was copied between the host and the plugin's memory, and what crossed the wire.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use benchhost_net::Exchange;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The names that the bindings give to their spans.
const IMPORT: &str = "wit-bindgen import";
const EXPORT: &str = "wit-bindgen export";
/// The target of our own events.
const BYTES: &str = "benchhost::bytes";

/// Which way a call went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The host called the plugin.
    IntoPlugin,
    /// The plugin called the host.
    IntoHost,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracedCall {
    /// Which way it went.
    pub direction: Direction,
    /// Interface and function: `ingest.send`, `http.client.send`.
    pub function: String,
    /// When it began, since the trace began.
    pub start: Duration,
    /// How long it took, waiting and the calls inside it included; none when it had not come back when the trace ended.
    pub took: Option<Duration>,
    /// Bytes of lists that were copied between the host's and the plugin's memory in this call.
    pub copied_bytes: u64,
    /// Bytes written to the network in this call.
    pub sent_bytes: u64,
    /// Bytes read from the network in this call.
    pub received_bytes: u64,
}

/// Runs `work` in this thread, and gives every call between the host and a plugin that was made meanwhile, in the order of their beginnings.
///
/// Only calls of this thread are seen. It makes every call slower, by about a microsecond: its figures are for finding out where time goes, not
/// for publishing.
pub fn trace<T>(work: impl FnOnce() -> T) -> (T, Vec<TracedCall>) {
    let recorder = Recorder(Arc::new(Mutex::new(Book { began: Instant::now(), calls: Vec::new(), open: Vec::new() })));
    let value = tracing::subscriber::with_default(recorder.clone(), work);
    let calls = std::mem::take(&mut recorder.book().calls);
    (value, calls)
}

/// How many bytes a list takes in a plugin's memory.
pub(crate) trait Weight {
    fn bytes(&self) -> u64;
}

impl<T: Item> Weight for Vec<T> {
    fn bytes(&self) -> u64 {
        self.iter().map(Item::bytes).sum()
    }
}

/// The same of one value of a list.
pub(crate) trait Item {
    fn bytes(&self) -> u64;
}

macro_rules! items {
    ($($number:ty),*) => { $(impl Item for $number {
        fn bytes(&self) -> u64 {
            size_of::<Self>() as u64
        }
    })* };
}

items!(u8, bool, u32, i64, u64, f64);

impl Item for String {
    fn bytes(&self) -> u64 {
        self.len() as u64
    }
}

/// Notes that these values were copied into or out of a plugin.
pub(crate) fn crossed(values: &impl Weight) {
    tracing::trace!(target: BYTES, copied = values.bytes());
}

/// Notes what crossed the wire.
pub(crate) fn wire(exchange: &Exchange) {
    tracing::trace!(target: BYTES, sent = exchange.bytes_sent, received = exchange.bytes_received);
}

/// Listens to the spans of one thread.
#[derive(Clone)]
struct Recorder(Arc<Mutex<Book>>);

struct Book {
    began: Instant,
    /// A span's number is its place here, counted from 1.
    calls: Vec<TracedCall>,
    /// The calls that have not come back, the innermost last.
    open: Vec<u64>,
}

impl Recorder {
    /// Nothing is left half done where a panic could poison it.
    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    fn call(&mut self, number: u64) -> Option<&mut TracedCall> {
        self.calls.get_mut(usize::try_from(number).ok()?.checked_sub(1)?)
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        if metadata.is_span() { [IMPORT, EXPORT].contains(&metadata.name()) } else { metadata.target() == BYTES }
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut named = Named::default();
        span.record(&mut named);
        let mut book = self.book();
        let direction = if span.metadata().name() == EXPORT { Direction::IntoPlugin } else { Direction::IntoHost };
        let start = book.began.elapsed();
        let function = named.function();
        let (copied_bytes, sent_bytes, received_bytes) = (0, 0, 0);
        book.calls.push(TracedCall {
            direction,
            function,
            start,
            took: None,
            copied_bytes,
            sent_bytes,
            received_bytes,
        });
        let number = book.calls.len() as u64;
        book.open.push(number);
        Id::from_u64(number)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        if event.metadata().target() != BYTES {
            return;
        }
        let mut book = self.book();
        if let Some(&innermost) = book.open.last()
            && let Some(call) = book.call(innermost)
        {
            event.record(call);
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}

    fn try_close(&self, id: Id) -> bool {
        let mut book = self.book();
        let now = book.began.elapsed();
        let number = id.into_u64();
        book.open.retain(|open| *open != number);
        if let Some(call) = book.call(number) {
            call.took = Some(now.saturating_sub(call.start));
        }
        true
    }
}

impl Visit for TracedCall {
    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "copied" => self.copied_bytes += value,
            "sent" => self.sent_bytes += value,
            "received" => self.received_bytes += value,
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

/// What the bindings say a call is.
#[derive(Default)]
struct Named {
    module: String,
    function: String,
}

impl Named {
    /// `http` and `[method]client.send` are `http.client.send`; `benchhost:plugin/ingest@0.1.0` and `send` are `ingest.send`.
    fn function(&self) -> String {
        let module = self.module.rsplit('/').next().unwrap_or_default();
        let module = module.split('@').next().unwrap_or_default();
        let (kind, function) = self.function.split_once(']').unwrap_or(("", &self.function));
        match kind {
            "[constructor" => format!("{module}.{function}.new"),
            "[resource-drop" => format!("{module}.{function}.drop"),
            _ => format!("{module}.{function}"),
        }
    }
}

impl Visit for Named {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "module" => value.clone_into(&mut self.module),
            "function" => value.clone_into(&mut self.function),
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(module: &str, function: &str) -> String {
        Named { module: module.to_owned(), function: function.to_owned() }.function()
    }

    #[test]
    fn calls_are_named_as_the_contract_names_them() {
        assert_eq!(named("http", "[method]client.send"), "http.client.send");
        assert_eq!(named("encode", "[constructor]line-protocol"), "encode.line-protocol.new");
        assert_eq!(named("data", "[static]payload.from-bytes"), "data.payload.from-bytes");
        assert_eq!(named("benchhost:plugin/ingest@0.1.0", "send"), "ingest.send");
    }
}
