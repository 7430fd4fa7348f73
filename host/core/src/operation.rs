//! One operation: a batch encoded once and sent until it is acknowledged or has failed.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use benchhost_data::{Batch, Payload};

use crate::clock::Clock;
use crate::error::{CallError, Crash, ErrorKind, OpError};
use crate::pending::Pending;
use crate::recording::{Ending, Recording, Spans, Stamps};
use crate::stop::{StopLevel, StopToken};
use crate::target::{Ack, Effort, Target};

/// The first back-off between attempts; it doubles with each.
const FIRST_BACKOFF: Duration = Duration::from_millis(50);
/// The longest back-off, also where the server asks for more: a run must not be stopped by one header.
const LONGEST_BACKOFF: Duration = Duration::from_secs(10);

/// The rules for operations, the same for all workers.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    /// Attempts after the first.
    pub(crate) retries: u32,
    /// The limit of one attempt: what a time-out counts at least.
    pub(crate) timeout: Duration,
    /// The run's stop signal.
    pub(crate) stop: StopToken,
}

/// What a worker's loop needs to know of an operation; the rest is in the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Done {
    /// Rows acknowledged.
    pub(crate) acknowledged: u64,
    /// Whether the operation succeeded whole.
    pub(crate) ok: bool,
    /// Whether it waited for a server.
    pub(crate) waited: bool,
}

/// Writes one batch, which was due at `intended` unless the loop is closed, and records what came of it.
///
/// What a streaming target has been handed goes to `pending`, and with it what the caller must ask for at the end.
///
/// # Errors
///
/// The crash that ended the session; the operation is recorded as failed then, and what was pending as unknown.
pub(crate) async fn write<S: Target, C: Clock>(
    session: &mut S,
    pending: &mut Pending,
    batch: &Arc<Batch>,
    intended: Option<Duration>,
    rules: &Rules,
    clock: &C,
    recording: &RefCell<Box<Recording>>,
) -> Result<Done, Crash> {
    let sent = clock.now();
    let mut op = Operation {
        intended,
        sent,
        calls: Duration::ZERO,
        effort: Effort::default(),
        acknowledged: 0,
        recording,
        pending,
    };
    let payload = session.encode(batch).await;
    op.account(session, clock.now().saturating_sub(sent), 0);
    let payload = match payload {
        Ok(payload) => payload,
        Err(CallError::Error(error)) => return Ok(op.failed(&error, rules, clock)),
        Err(CallError::Crash(crash)) => return Err(op.crashed(crash, clock)),
    };
    let rows = u64::from(batch.rows());
    recording.borrow_mut().rows.sent += rows;

    let mut attempt = 0;
    loop {
        let before = clock.now();
        let answer = session.send(&payload).await;
        let after = clock.now();
        op.account(session, after.saturating_sub(before), rows);
        match answer {
            Ok(ack) if ack.pending => return Ok(op.handed_over(batch, &payload, after)),
            Ok(ack) => return Ok(op.succeeded(batch, &payload, ack, after)),
            Err(CallError::Crash(crash)) => return Err(op.crashed(crash, clock)),
            Err(CallError::Error(error)) => {
                op.count_partial(&error, batch, rows, after);
                if !may_try_again(&error, attempt, rules) {
                    return Ok(op.failed(&error, rules, clock));
                }
                op.recording.borrow_mut().errors.add(&error);
                if !back_off(&error, attempt, rules, clock).await {
                    return Ok(op.gave_up(&error, rules, clock));
                }
                op.recording.borrow_mut().operations.retried += 1;
                attempt += 1;
            }
        }
    }
}

/// An error that was partly a success is not tried again: rows would be counted, and perhaps stored, twice.
fn may_try_again(error: &OpError, attempt: u32, rules: &Rules) -> bool {
    error.retryable
        && error.kind != ErrorKind::Partial
        && attempt < rules.retries
        && rules.stop.level() == StopLevel::Running
}

/// Waits before the next attempt; false when the run was stopped meanwhile.
async fn back_off<C: Clock>(error: &OpError, attempt: u32, rules: &Rules, clock: &C) -> bool {
    let own = FIRST_BACKOFF.saturating_mul(1 << attempt.min(16));
    let wait = error.retry_after.unwrap_or(own).min(LONGEST_BACKOFF);
    tokio::select! {
        () = clock.sleep(wait) => true,
        () = rules.stop.reached(StopLevel::Draining) => false,
    }
}

/// An operation under way.
struct Operation<'a> {
    intended: Option<Duration>,
    sent: Duration,
    /// Time in calls to the session.
    calls: Duration,
    effort: Effort,
    acknowledged: u64,
    recording: &'a RefCell<Box<Recording>>,
    pending: &'a mut Pending,
}

impl Operation<'_> {
    /// Takes note of a call that has returned: its time, its bytes, and whether it left `rows` in doubt.
    fn account<S: Target>(&mut self, session: &mut S, took: Duration, rows: u64) {
        let effort = session.take_effort();
        self.calls += took;
        self.effort.encode += effort.encode;
        self.effort.wait += effort.wait;
        let mut recording = self.recording.borrow_mut();
        recording.volume.sent_bytes += effort.sent_bytes;
        recording.volume.received_bytes += effort.received_bytes;
        if effort.unanswered {
            recording.rows.unknown += rows;
            // A stream that breaks takes along what it was given before.
            self.pending.lose(&mut recording);
        }
    }

    fn acknowledge(&mut self, batch: &Batch, rows: u64, at: Duration) {
        self.acknowledged += rows;
        let mut recording = self.recording.borrow_mut();
        recording.rows.acknowledged += rows;
        recording.volume.values += rows * batch.table().fields() as u64;
        recording.last_acknowledged = Some(at);
    }

    fn succeeded(mut self, batch: &Batch, payload: &Payload, ack: Ack, at: Duration) -> Done {
        // A server may say that it stored fewer; that it stored more than it was sent is no acknowledgement of anything.
        let rows = u64::from(batch.rows());
        self.acknowledge(batch, ack.rows.map_or(rows, |said| said.min(rows)), at);
        let spans = self.spans();
        let mut recording = self.recording.borrow_mut();
        recording.volume.raw_bytes += payload.raw_size();
        recording.operation(Ending::Ok, self.stamps(at), spans);
        Done { acknowledged: self.acknowledged, ok: true, waited: !self.effort.wait.is_zero() }
    }

    fn handed_over(self, batch: &Batch, payload: &Payload, at: Duration) -> Done {
        self.pending.add(batch, payload);
        let spans = self.spans();
        let mut recording = self.recording.borrow_mut();
        recording.operations.handed_over += 1;
        recording.operation(Ending::Ok, self.stamps(at), spans);
        Done { acknowledged: 0, ok: true, waited: !self.effort.wait.is_zero() }
    }

    /// Rows that an error says were stored all the same; where it does not say, nobody knows.
    fn count_partial(&mut self, error: &OpError, batch: &Batch, rows: u64, at: Duration) {
        match error.rows_accepted {
            Some(accepted) => self.acknowledge(batch, accepted.min(rows), at),
            None if error.kind == ErrorKind::Partial => self.recording.borrow_mut().rows.unknown += rows,
            None => {}
        }
    }

    fn failed<C: Clock>(self, error: &OpError, rules: &Rules, clock: &C) -> Done {
        self.recording.borrow_mut().errors.add(error);
        self.gave_up(error, rules, clock)
    }

    /// Ends an operation whose last error is counted already.
    fn gave_up<C: Clock>(self, error: &OpError, rules: &Rules, clock: &C) -> Done {
        let now = clock.now();
        let spans = self.spans();
        let mut recording = self.recording.borrow_mut();
        if error.kind == ErrorKind::TimedOut {
            recording.operation(Ending::TimedOut, self.stamps(now.max(self.sent + rules.timeout)), spans);
        } else {
            recording.operation(Ending::Failed, self.stamps(now), spans);
        }
        Done { acknowledged: self.acknowledged, ok: false, waited: !self.effort.wait.is_zero() }
    }

    fn crashed<C: Clock>(self, crash: Crash, clock: &C) -> Crash {
        let spans = self.spans();
        let mut recording = self.recording.borrow_mut();
        self.pending.lose(&mut recording);
        recording.crash(&crash);
        recording.operation(Ending::Failed, self.stamps(clock.now()), spans);
        crash
    }

    fn stamps(&self, done: Duration) -> Stamps {
        Stamps { intended: self.intended, sent: self.sent, done }
    }

    fn spans(&self) -> Spans {
        let native = self.effort.encode + self.effort.wait;
        Spans { encode: self.effort.encode, wait: self.effort.wait, plugin: self.calls.saturating_sub(native) }
    }
}
