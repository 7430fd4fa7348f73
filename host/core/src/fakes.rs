//! A clock, a database and a dataset that do as a test says.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use benchhost_data::{Batch, BatchBuilder, Column, DataType, Payload, Semantic, Table, TimeUnit};

use crate::clock::Clock;
use crate::error::{CallError, Crash, ErrorKind, OpError};
use crate::generator::{Facts, Generator, Generators};
use crate::target::{Ack, Effort, Target, Targets};

/// A clock that only moves when somebody waits on it, or when the fake server takes its time.
#[derive(Debug, Clone, Default)]
pub(crate) struct FakeClock(Arc<AtomicU64>);

impl FakeClock {
    pub(crate) fn advance(&self, time: Duration) {
        self.0.fetch_add(time.as_nanos() as u64, Ordering::SeqCst);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::SeqCst))
    }

    async fn sleep(&self, time: Duration) {
        self.advance(time);
        tokio::task::yield_now().await;
    }
}

/// What the fake server does with one request.
#[derive(Debug, Clone)]
pub(crate) enum Behaviour {
    /// Stores and acknowledges.
    Store,
    /// Acknowledges only.
    Pretend,
    /// Stores, but the answer is lost.
    LoseAnswer(OpError),
    /// Says no.
    Refuse(OpError),
    /// Stores some, and says so.
    Partly(u64),
    /// The plugin dies.
    Crash,
}

/// A database, and how it behaves at each request, by the request's number.
pub(crate) struct FakeServer {
    pub(crate) clock: FakeClock,
    pub(crate) behave: Box<dyn Fn(u64) -> Behaviour + Send + Sync>,
    pub(crate) requests: AtomicU64,
    pub(crate) stored: AtomicU64,
    pub(crate) opened: AtomicU64,
    pub(crate) encoded: AtomicU64,
    pub(crate) closed: AtomicU64,
    pub(crate) dropped: AtomicU64,
    /// Ranges of time that it was asked to count, in order.
    pub(crate) counted: Mutex<Vec<(i64, i64)>>,
    /// Whether it can be asked what it holds.
    pub(crate) countable: bool,
}

impl FakeServer {
    pub(crate) fn new(behave: impl Fn(u64) -> Behaviour + Send + Sync + 'static) -> Self {
        Self {
            clock: FakeClock::default(),
            behave: Box::new(behave),
            requests: AtomicU64::new(0),
            stored: AtomicU64::new(0),
            opened: AtomicU64::new(0),
            encoded: AtomicU64::new(0),
            closed: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            counted: Mutex::default(),
            countable: true,
        }
    }
}

/// Time that the fake spends in each part of an operation.
pub(crate) const ENCODE: Duration = Duration::from_micros(10);
pub(crate) const WAIT: Duration = Duration::from_millis(2);
pub(crate) const PLUGIN: Duration = Duration::from_micros(1);

pub(crate) struct FakeSession<'a> {
    server: &'a FakeServer,
    effort: Effort,
}

impl<'a> Targets for &'a FakeServer {
    type Session = FakeSession<'a>;

    async fn open(&self, _worker: u32) -> Result<FakeSession<'a>, CallError> {
        self.opened.fetch_add(1, Ordering::SeqCst);
        // A greeting, as many protocols have one.
        Ok(FakeSession { server: self, effort: Effort { wait: WAIT, sent_bytes: 7, ..Effort::default() } })
    }
}

impl Target for FakeSession<'_> {
    async fn server(&mut self) -> Result<Vec<(String, String)>, CallError> {
        Ok(vec![("product".into(), "fake".into())])
    }

    async fn create_table(&mut self, _: &Table) -> Result<(), CallError> {
        Ok(())
    }

    async fn drop_table(&mut self, _: &Table) -> Result<(), CallError> {
        self.server.dropped.fetch_add(1, Ordering::SeqCst);
        self.server.stored.store(0, Ordering::SeqCst);
        Ok(())
    }

    async fn count_rows(&mut self, _: &Table, start_ns: i64, end_ns: i64) -> Result<u64, CallError> {
        self.server.counted.lock().unwrap().push((start_ns, end_ns));
        if self.server.countable {
            Ok(self.server.stored.load(Ordering::SeqCst))
        } else {
            Err(OpError::new(ErrorKind::Unsupported, "it cannot count").into())
        }
    }

    async fn encode(&mut self, batch: &Arc<Batch>) -> Result<Payload, CallError> {
        self.server.encoded.fetch_add(1, Ordering::SeqCst);
        self.server.clock.advance(ENCODE + PLUGIN);
        self.effort.encode += ENCODE;
        Ok(Payload::new(vec![b'x'; 100], batch.rows()))
    }

    async fn send(&mut self, payload: &Payload) -> Result<Ack, CallError> {
        let number = self.server.requests.fetch_add(1, Ordering::SeqCst);
        self.server.clock.advance(WAIT + PLUGIN);
        self.effort.wait += WAIT;
        self.effort.sent_bytes += payload.size() + 50;
        let rows = u64::from(payload.rows());
        let store = |rows| {
            self.server.stored.fetch_add(rows, Ordering::SeqCst);
        };
        match (self.server.behave)(number) {
            Behaviour::Store => store(rows),
            Behaviour::Pretend => {}
            Behaviour::LoseAnswer(error) => {
                store(rows);
                self.effort.unanswered = true;
                return Err(error.into());
            }
            Behaviour::Refuse(error) => return Err(error.into()),
            Behaviour::Partly(some) => {
                store(some);
                let error = OpError::new(ErrorKind::Partial, "some were bad");
                return Err(OpError { rows_accepted: Some(some), ..error }.into());
            }
            Behaviour::Crash => {
                return Err(CallError::Crash(Crash {
                    plugin: "fake 1.0.0".into(),
                    call: "ingest.send".into(),
                    reason: "unreachable".into(),
                    stderr: "oh no".into(),
                }));
            }
        }
        Ok(Ack::default())
    }

    fn take_effort(&mut self) -> Effort {
        std::mem::take(&mut self.effort)
    }

    fn close(&mut self) -> impl Future<Output = ()> {
        self.server.closed.fetch_add(1, Ordering::SeqCst);
        std::future::ready(())
    }
}

/// Rows of one field, one millisecond apart. `fails_at`: the row from which on it cannot give any.
pub(crate) struct FakeRows {
    pub(crate) table: Arc<Table>,
    pub(crate) rows: Option<u64>,
    pub(crate) fails_at: Option<u64>,
}

impl Default for FakeRows {
    fn default() -> Self {
        let column =
            |name: &str, semantic, data_type| Column { name: name.into(), semantic, data_type, nullable: false };
        let columns = vec![
            column("value", Semantic::Field, DataType::Float64),
            column("ts", Semantic::Timestamp, DataType::Timestamp(TimeUnit::Millisecond)),
        ];
        Self { table: Arc::new(Table::new("fake", columns).unwrap()), rows: None, fails_at: None }
    }
}

pub(crate) struct FakeGenerator {
    facts: Facts,
    fails_at: Option<u64>,
}

impl Generators for FakeRows {
    type Session = FakeGenerator;

    async fn open(&self) -> Result<FakeGenerator, CallError> {
        let facts = Facts { tables: vec![self.table.clone()], rows: self.rows, series: 1, seekable: true };
        Ok(FakeGenerator { facts, fails_at: self.fails_at })
    }
}

impl Generator for FakeGenerator {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    async fn fill(&mut self, table: usize, first_row: u64, rows: u32) -> Result<Batch, CallError> {
        let range = first_row..first_row + u64::from(rows);
        // The last row is asked for before the run; only batches shall fail.
        if rows > 1 && self.fails_at.is_some_and(|row| range.contains(&row)) {
            return Err(OpError::new(ErrorKind::Internal, format!("no row {first_row}")).into());
        }
        let mut builder = BatchBuilder::new(self.facts.tables[table].clone(), first_row, rows);
        builder.append_float64s(0, range.clone().map(|row| row as f64).collect()).unwrap();
        builder.append_timestamps(range.map(|row| 1_700_000_000_000 + row as i64).collect()).unwrap();
        Ok(builder.finish().unwrap())
    }
}
