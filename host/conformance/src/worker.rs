//! A session of a target, used as a run uses it, and opened again after it died.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use benchhost_core::{CONTROL_SESSION, CallError, Crash, ErrorKind, OpError, Target, Targets};
use benchhost_data::{Batch, Payload, Table};

/// Between two looks at what a server shows.
const LOOK: Duration = Duration::from_millis(50);

/// Why a call came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It answered with an error; the session lives.
    Error(OpError),
    /// The session died.
    Crash(Crash),
    /// It did not return; the session was given up.
    Hung(Duration),
}

impl Trouble {
    /// Whether it answered with an error of this kind.
    pub(crate) fn is(&self, kind: ErrorKind) -> bool {
        matches!(self, Self::Error(error) if error.kind == kind)
    }

    /// What an author does about it.
    pub(crate) fn advice(&self) -> &'static str {
        match self {
            Self::Error(error) => match error.kind {
                ErrorKind::Denied => "connect to nothing but the settings of the format `endpoint`",
                ErrorKind::Unsupported => "do it: every target must",
                ErrorKind::Invalid => "take settings and rows that fit the schema and the contract",
                ErrorKind::Rejected | ErrorKind::Partial => "look at what is sent: the server says no to it",
                _ => {
                    "look at what is sent and what the server answers: `benchhost plugin run --trace` shows every call"
                }
            },
            Self::Crash(_) => "answer with an error instead of a trap: a trap costs the worker its session",
            Self::Hung(_) => "return: wait only in calls of the host, which have the run's time-out",
        }
    }
}

impl From<CallError> for Trouble {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Error(error) => Self::Error(error),
            CallError::Crash(crash) => Self::Crash(crash),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => error.fmt(f),
            Self::Crash(crash) => crash.fmt(f),
            Self::Hung(limit) => write!(f, "it did not return within {limit:?}"),
        }
    }
}

/// Waits for a call into a plugin, but not forever.
pub(crate) async fn within<T>(limit: Duration, call: impl Future<Output = Result<T, CallError>>) -> Result<T, Trouble> {
    match tokio::time::timeout(limit, call).await {
        Ok(answer) => answer.map_err(Trouble::from),
        Err(_) => Err(Trouble::Hung(limit)),
    }
}

/// A session with its number. It is opened by the first call, and anew by the first one after it died.
pub(crate) struct Worker<'a, T: Targets> {
    targets: &'a T,
    number: u32,
    limit: Duration,
    session: Option<T::Session>,
}

impl<'a, T: Targets> Worker<'a, T> {
    /// Worker number 0.
    pub(crate) fn new(targets: &'a T, limit: Duration) -> Self {
        Self { targets, number: 0, limit, session: None }
    }

    /// The control session.
    pub(crate) fn control(targets: &'a T, limit: Duration) -> Self {
        Self { number: CONTROL_SESSION, ..Self::new(targets, limit) }
    }

    /// Enters the session.
    pub(crate) async fn call<V>(
        &mut self,
        enter: impl AsyncFnOnce(&mut T::Session) -> Result<V, CallError>,
    ) -> Result<V, Trouble> {
        let session = match &mut self.session {
            Some(session) => session,
            none => none.insert(within(self.limit, self.targets.open(self.number)).await?),
        };
        let answer = within(self.limit, enter(session)).await;
        if matches!(answer, Err(Trouble::Crash(_) | Trouble::Hung(_))) {
            self.session = None;
        }
        answer
    }

    /// Lets the session go without closing it.
    pub(crate) fn give_up(&mut self) {
        self.session = None;
    }

    pub(crate) async fn create(&mut self, table: &Table) -> Result<(), Trouble> {
        self.call(async |session| session.create_table(table).await).await
    }

    pub(crate) async fn drop_table(&mut self, table: &Table) -> Result<(), Trouble> {
        self.call(async |session| session.drop_table(table).await).await
    }

    pub(crate) async fn encode(&mut self, batch: &Arc<Batch>) -> Result<Payload, Trouble> {
        self.call(async |session| session.encode(batch).await).await
    }

    /// Sends and waits until the server has said something of it: the rows that it says it stored.
    pub(crate) async fn send(&mut self, payload: &Payload) -> Result<Option<u64>, Trouble> {
        self.call(async |session| {
            let ack = session.send(payload).await?;
            if ack.pending { session.finish().await } else { Ok(ack.rows) }
        })
        .await
    }

    /// The rows of a table in a time range, its end exclusive.
    pub(crate) async fn count(&mut self, table: &Table, (start, end): (i64, i64)) -> Result<u64, Trouble> {
        self.call(async |session| session.count_rows(table, start, end).await).await
    }

    /// Counts again until it is `wanted`, for `patience` at most; gives what was counted last.
    pub(crate) async fn count_until(
        &mut self,
        table: &Table,
        range: (i64, i64),
        wanted: u64,
        patience: Duration,
    ) -> Result<u64, Trouble> {
        let began = Instant::now();
        loop {
            let rows = self.count(table, range).await?;
            if rows == wanted || began.elapsed() >= patience {
                return Ok(rows);
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Ends the session, and says how it died of that. The next call opens another one.
    pub(crate) async fn close(&mut self) -> Result<(), Trouble> {
        let Some(mut session) = self.session.take() else { return Ok(()) };
        within(self.limit, async {
            session.close().await;
            Ok(())
        })
        .await?;
        // Closing tells nothing; a session that it killed says so when it is asked for anything more.
        match within(self.limit, session.server()).await {
            Err(Trouble::Crash(crash)) if crash.call == "session.close" => Err(Trouble::Crash(crash)),
            _ => Ok(()),
        }
    }
}
