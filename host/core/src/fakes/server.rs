//! A database that does as a test says.

use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use benchhost_data::{Batch, Payload, Table};

use super::FakeClock;
use crate::clock::Clock;
use crate::error::{CallError, Crash, ErrorKind, OpError};
use crate::target::{Ack, Effort, Target, Targets};

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
