//! A clock, a database and a dataset that do as a test says.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use benchhost_data::{Batch, BatchBuilder, Column, DataType, Payload, Semantic, Table, TimeUnit};

use crate::clock::{Clock, Timer};
use crate::error::{CallError, Crash, ErrorKind, OpError};
use crate::generator::{Facts, Generator, Generators};
use crate::probe::{Probe, ProbeError, Usage};
use crate::target::{Ack, Effort, Target, Targets};

/// A clock that moves when somebody says so, and when all that goes on is waiting for it: then it jumps to the next moment that
/// somebody waits for.
#[derive(Debug, Clone, Default)]
pub(crate) struct FakeClock(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    now: AtomicU64,
    /// Counts everything that happens; while it stands still, everybody waits.
    activity: AtomicU64,
    sleepers: Mutex<BTreeSet<(u64, u64)>>,
}

/// So often must a sleeper be asked in vain before it takes it that everybody waits.
const PATIENCE: u32 = 50;

impl FakeClock {
    pub(crate) fn advance(&self, time: Duration) {
        self.0.now.fetch_add(time.as_nanos() as u64, Ordering::SeqCst);
        self.0.activity.fetch_add(1, Ordering::SeqCst);
    }

    fn sleeper(&self, until: Duration) -> Sleeper {
        let id = self.0.activity.fetch_add(1, Ordering::SeqCst);
        let key = (until.as_nanos() as u64, id);
        self.0.sleepers.lock().unwrap().insert(key);
        Sleeper { clock: self.clone(), key, seen: id, idle: 0, quiet: Instant::now() }
    }
}

/// Waits for a moment of a fake clock.
struct Sleeper {
    clock: FakeClock,
    key: (u64, u64),
    seen: u64,
    idle: u32,
    quiet: Instant,
}

impl Future for Sleeper {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let inner = Arc::clone(&self.clock.0);
        if inner.now.load(Ordering::SeqCst) >= self.key.0 {
            return Poll::Ready(());
        }
        let activity = inner.activity.load(Ordering::SeqCst);
        if activity == self.seen {
            self.idle += 1;
        } else {
            (self.idle, self.seen, self.quiet) = (0, activity, Instant::now());
        }
        // A long jump may have been forestalled by a thread that the machine keeps waiting: it needs real patience.
        let far = self.key.0.saturating_sub(inner.now.load(Ordering::SeqCst)) > 100_000_000;
        let patient = self.idle > PATIENCE && (!far || self.quiet.elapsed() > Duration::from_millis(100));
        if patient && inner.sleepers.lock().unwrap().first() == Some(&self.key) {
            inner.now.fetch_max(self.key.0, Ordering::SeqCst);
            inner.activity.fetch_add(1, Ordering::SeqCst);
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.clock.0.sleepers.lock().unwrap().remove(&self.key);
        self.clock.0.activity.fetch_add(1, Ordering::SeqCst);
    }
}

pub(crate) struct FakeTimer(FakeClock);

impl Timer for FakeTimer {
    async fn until(&mut self, moment: Duration) {
        self.0.sleeper(moment).await;
    }
}

impl Clock for FakeClock {
    type Timer = FakeTimer;

    fn now(&self) -> Duration {
        Duration::from_nanos(self.0.now.load(Ordering::SeqCst))
    }

    async fn sleep(&self, time: Duration) {
        self.sleeper(self.now() + time).await;
    }

    fn thread_cpu(&self) -> Duration {
        Duration::ZERO
    }

    fn process_cpu(&self) -> Duration {
        Duration::ZERO
    }

    fn timer(&self) -> FakeTimer {
        FakeTimer(self.clone())
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
    /// Stores and acknowledges, after so long.
    Stall(Duration),
    /// The plugin dies.
    Crash,
    /// Takes the rows into a stream, which is acknowledged at its end.
    Take,
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
    /// Whether requests are answered without it; none: it does not know how.
    pub(crate) replaying: Option<AtomicBool>,
    /// What requests without it fail with; none: they succeed.
    pub(crate) replay_failure: Option<OpError>,
    /// What it says of the rows of a stream at its end.
    pub(crate) at_end: AtEnd,
}

/// The answer to a stream of so many rows.
pub(crate) type AtEnd = Box<dyn Fn(u64) -> Result<Option<u64>, CallError> + Send + Sync>;

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
            replaying: Some(AtomicBool::new(false)),
            replay_failure: None,
            at_end: Box::new(|_| Ok(None)),
        }
    }
}

impl FakeServer {
    /// A server that takes so long for a request and does one after the other, so that it has a capacity.
    pub(crate) fn one_at_a_time(service: impl Fn(u64) -> Duration + Send + Sync + 'static) -> Self {
        let clock = FakeClock::default();
        let (now, free) = (clock.clone(), Mutex::new(Duration::ZERO));
        let behave = move |number| {
            let mut free = free.lock().unwrap();
            *free = free.max(now.now()) + service(number);
            Behaviour::Stall(free.saturating_sub(now.now()))
        };
        Self { clock, ..Self::new(behave) }
    }
}

/// Time that the fake spends in each part of an operation.
pub(crate) const ENCODE: Duration = Duration::from_micros(10);
pub(crate) const WAIT: Duration = Duration::from_millis(2);
pub(crate) const PLUGIN: Duration = Duration::from_micros(1);

pub(crate) struct FakeSession<'a> {
    server: &'a FakeServer,
    /// Rows in its open stream.
    streamed: u64,
    effort: Effort,
}

impl<'a> Targets for &'a FakeServer {
    type Session = FakeSession<'a>;

    async fn open(&self, _worker: u32) -> Result<FakeSession<'a>, CallError> {
        self.opened.fetch_add(1, Ordering::SeqCst);
        // A greeting, as many protocols have one.
        Ok(FakeSession { server: self, streamed: 0, effort: Effort { wait: WAIT, sent_bytes: 7, ..Effort::default() } })
    }

    fn replay(&self, on: bool) -> bool {
        self.replaying.as_ref().is_some_and(|replaying| {
            replaying.store(on, Ordering::SeqCst);
            true
        })
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
        if self.server.replaying.as_ref().is_some_and(|replaying| replaying.load(Ordering::SeqCst)) {
            self.server.clock.advance(PLUGIN);
            return self.server.replay_failure.clone().map_or_else(|| Ok(Ack::default()), |error| Err(error.into()));
        }
        let number = self.server.requests.fetch_add(1, Ordering::SeqCst);
        self.server.clock.advance(PLUGIN);
        let behaviour = (self.server.behave)(number);
        let wait = if let Behaviour::Stall(time) = behaviour { time } else { WAIT };
        self.server.clock.sleep(wait).await;
        self.effort.wait += wait;
        self.effort.sent_bytes += payload.size() + 50;
        let rows = u64::from(payload.rows());
        let store = |rows| {
            self.server.stored.fetch_add(rows, Ordering::SeqCst);
        };
        match behaviour {
            Behaviour::Take => {
                self.streamed += rows;
                return Ok(Ack { pending: true, ..Ack::default() });
            }
            Behaviour::Store | Behaviour::Stall(_) => store(rows),
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

    async fn finish(&mut self) -> Result<Option<u64>, CallError> {
        self.server.clock.sleep(WAIT).await;
        let rows = std::mem::take(&mut self.streamed);
        let end = (self.server.at_end)(rows)?;
        self.server.stored.fetch_add(rows, Ordering::SeqCst);
        Ok(end)
    }

    fn take_effort(&mut self) -> Effort {
        std::mem::take(&mut self.effort)
    }

    fn close(&mut self) -> impl Future<Output = ()> {
        self.server.closed.fetch_add(1, Ordering::SeqCst);
        std::future::ready(())
    }
}

/// Rows of one field, one millisecond apart, the same in every table. `fails_at`: the row from which on it cannot give any. `takes`: how
/// long a batch takes on a clock.
pub(crate) struct FakeRows {
    pub(crate) table: Arc<Table>,
    pub(crate) tables: usize,
    pub(crate) rows: Option<u64>,
    pub(crate) fails_at: Option<u64>,
    pub(crate) takes: Option<(FakeClock, Duration)>,
}

impl Default for FakeRows {
    fn default() -> Self {
        let column =
            |name: &str, semantic, data_type| Column { name: name.into(), semantic, data_type, nullable: false };
        let columns = vec![
            column("value", Semantic::Field, DataType::Float64),
            column("ts", Semantic::Timestamp, DataType::Timestamp(TimeUnit::Millisecond)),
        ];
        let table = Arc::new(Table::new("fake", columns).unwrap());
        Self { table, tables: 1, rows: None, fails_at: None, takes: None }
    }
}

pub(crate) struct FakeGenerator {
    facts: Facts,
    fails_at: Option<u64>,
    takes: Option<(FakeClock, Duration)>,
}

impl Generators for FakeRows {
    type Session = FakeGenerator;

    async fn open(&self) -> Result<FakeGenerator, CallError> {
        let tables = vec![self.table.clone(); self.tables];
        let facts = Facts { tables, rows: self.rows, series: 1, seekable: true };
        Ok(FakeGenerator { facts, fails_at: self.fails_at, takes: self.takes.clone() })
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
        if let Some((clock, time)) = self.takes.as_ref().filter(|_| rows > 1) {
            clock.sleep(*time).await;
        }
        let mut builder = BatchBuilder::new(self.facts.tables[table].clone(), first_row, rows);
        builder.append_float64s(0, range.clone().map(|row| row as f64).collect()).unwrap();
        builder.append_timestamps(range.map(|row| 1_700_000_000_000 + row as i64).collect()).unwrap();
        Ok(builder.finish().unwrap())
    }
}

/// Tells of each sample, by its number, what a test says.
pub(crate) struct FakeProbe {
    answer: Box<dyn FnMut(u64) -> Result<Usage, String> + Send>,
    taken: u64,
}

impl FakeProbe {
    /// A server that keeps half a processor busy and holds 1 MB.
    pub(crate) fn new(clock: &FakeClock) -> Box<Self> {
        let clock = clock.clone();
        let usage = move || Usage { cpu: Some(clock.now() / 2), memory_bytes: Some(1_000_000), ..Usage::default() };
        Self::with(move |_| Ok(usage()))
    }

    pub(crate) fn with(answer: impl FnMut(u64) -> Result<Usage, String> + Send + 'static) -> Box<Self> {
        Box::new(Self { answer: Box::new(answer), taken: 0 })
    }
}

impl Probe for FakeProbe {
    fn name(&self) -> String {
        "fake".into()
    }

    fn sample(&mut self) -> Result<Usage, ProbeError> {
        self.taken += 1;
        (self.answer)(self.taken - 1).map_err(ProbeError::new)
    }
}
