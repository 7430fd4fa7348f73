//! Rows that were handed over and not acknowledged yet: targets that stream are told of them at the end.

use std::cell::RefCell;

use benchhost_data::{Batch, Payload};

use crate::clock::Clock;
use crate::error::{CallError, Crash};
use crate::operation::Rules;
use crate::recording::{Ending, Recording, Spans, Stamps};
use crate::target::Target;

/// What one session has handed over since it was last acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Pending {
    rows: u64,
    values: u64,
    raw_bytes: u64,
}

impl Pending {
    /// Takes note of a batch that was handed over.
    pub(crate) fn add(&mut self, batch: &Batch, payload: &Payload) {
        let rows = u64::from(batch.rows());
        self.rows += rows;
        self.values += rows * batch.table().fields() as u64;
        self.raw_bytes += payload.raw_size();
    }

    /// Nobody will ever say what became of them.
    pub(crate) fn lose(&mut self, recording: &mut Recording) {
        recording.rows.unknown += std::mem::take(self).rows;
    }

    /// The server says that it stored so many of them; none: it is silent, which means all.
    fn acknowledge(&mut self, said: Option<u64>, recording: &mut Recording) -> u64 {
        let Self { rows, values, raw_bytes } = std::mem::take(self);
        let acknowledged = said.map_or(rows, |said| said.min(rows));
        recording.rows.acknowledged += acknowledged;
        // Batches may be of several tables, so a part of the rows has its part of the values.
        let share = |whole: u64| (u128::from(whole) * u128::from(acknowledged) / u128::from(rows.max(1))) as u64;
        recording.volume.values += share(values);
        recording.volume.raw_bytes += share(raw_bytes);
        acknowledged
    }
}

/// How the acknowledgement of all that was pending came out.
pub(crate) enum Settled {
    /// There was nothing to wait for.
    Nothing,
    /// So many rows were acknowledged.
    Acknowledged(u64),
    /// The server, or the connection, said no: the rows are unknown.
    Failed,
}

/// Waits for the acknowledgement of all that is pending in a session, and records it. A failure counts as a failed operation. In a rehearsal the
/// answer is that to another stream, so the number in it says nothing.
///
/// # Errors
///
/// The crash that ended the session.
pub(crate) async fn settle<S: Target, C: Clock>(
    session: &mut S,
    pending: &mut Pending,
    rules: &Rules,
    clock: &C,
    recording: &RefCell<Box<Recording>>,
    rehearsal: bool,
) -> Result<Settled, Crash> {
    if *pending == Pending::default() {
        return Ok(Settled::Nothing);
    }
    let sent = clock.now();
    let answer = session.finish().await;
    let now = clock.now();
    let effort = session.take_effort();
    let mut recording = recording.borrow_mut();
    recording.volume.sent_bytes += effort.sent_bytes;
    recording.volume.received_bytes += effort.received_bytes;
    let error = match answer {
        Ok(said) => {
            recording.last_acknowledged = Some(now);
            let said = said.filter(|_| !rehearsal);
            return Ok(Settled::Acknowledged(pending.acknowledge(said, &mut recording)));
        }
        Err(CallError::Crash(crash)) => {
            pending.lose(&mut recording);
            recording.crash(&crash);
            recording.operation(Ending::Failed, Stamps { intended: None, sent, done: now }, Spans::default());
            return Err(crash);
        }
        Err(CallError::Error(error)) => error,
    };
    match error.rows_accepted {
        Some(accepted) => {
            pending.acknowledge(Some(accepted), &mut recording);
        }
        None => pending.lose(&mut recording),
    }
    recording.errors.add(&error);
    let timed_out = error.kind == crate::error::ErrorKind::TimedOut;
    let (ending, done) =
        if timed_out { (Ending::TimedOut, now.max(sent + rules.timeout)) } else { (Ending::Failed, now) };
    recording.operation(ending, Stamps { intended: None, sent, done }, Spans::default());
    Ok(Settled::Failed)
}
