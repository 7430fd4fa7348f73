//! The two sessions that a target is tried with, and one row sample's way through them.

use std::time::Duration;

use benchhost_core::{ErrorKind, Targets};
use benchhost_data::Payload;

use super::samples::Sample;
use crate::book::Book;
use crate::plan::CheckPlan;
use crate::worker::{Trouble, Worker};

/// How the host begins to say that a payload stands for other rows than the batch has.
const MISCOUNT: &str = "its payload says";

/// A worker's session, which encodes and sends, and the control session, which makes tables, counts and drops.
pub(super) struct Bench<'a, T: Targets> {
    pub(super) worker: Worker<'a, T>,
    pub(super) control: Worker<'a, T>,
    pub(super) patience: Duration,
    /// Batches that were encoded, and what was said of one that was miscounted.
    encoded: u64,
    miscounted: Option<String>,
    /// How the first session died that was closed.
    unclosed: Option<Trouble>,
}

/// The call at which a sample's way ended.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) at: &'static str,
    pub(super) trouble: Trouble,
}

impl Step {
    /// Whether the plugin said that it cannot do that, before it reached the server.
    pub(super) fn is_unsupported(&self) -> bool {
        self.at != "send" && self.trouble.is(ErrorKind::Unsupported)
    }

    pub(super) fn says(&self) -> String {
        format!("{}: {}", self.at, self.trouble)
    }
}

fn at(at: &'static str) -> impl FnOnce(Trouble) -> Step {
    move |trouble| Step { at, trouble }
}

impl<'a, T: Targets> Bench<'a, T> {
    pub(super) fn new(targets: &'a T, plan: &CheckPlan) -> Self {
        let (worker, control) = (Worker::new(targets, plan.call_limit), Worker::control(targets, plan.call_limit));
        Self { worker, control, patience: plan.patience, encoded: 0, miscounted: None, unclosed: None }
    }

    /// Encodes, and notes what the payload says of its rows.
    pub(super) async fn encode(&mut self, sample: &Sample) -> Result<Payload, Trouble> {
        let encoded = self.worker.encode(&sample.batch).await;
        match &encoded {
            Ok(_) => self.encoded += 1,
            Err(Trouble::Crash(crash)) if crash.reason.starts_with(MISCOUNT) => {
                self.miscounted.get_or_insert_with(|| crash.reason.clone());
            }
            Err(_) => {}
        }
        encoded
    }

    /// Makes the table, writes the rows, counts them and drops the table. Gives what was counted; none where the server cannot be asked.
    ///
    /// The worker has a session for each table: some protocols bind a session to one.
    pub(super) async fn store(&mut self, sample: &Sample) -> Result<Option<u64>, Step> {
        if let Err(trouble) = self.worker.close().await {
            self.unclosed.get_or_insert(trouble);
        }
        self.control.create(&sample.table).await.map_err(at("create-table"))?;
        let stored = self.write(sample).await;
        // What could not be written has said so; the table is in nobody's way.
        let _ = self.control.drop_table(&sample.table).await;
        stored
    }

    async fn write(&mut self, sample: &Sample) -> Result<Option<u64>, Step> {
        let payload = self.encode(sample).await.map_err(at("encode"))?;
        self.worker.send(&payload).await.map_err(at("send"))?;
        let rows = u64::from(sample.batch.rows());
        match self.control.count_until(&sample.table, sample.range(), rows, self.patience).await {
            Ok(counted) => Ok(Some(counted)),
            Err(trouble) if trouble.is(ErrorKind::Unsupported) => Ok(None),
            Err(trouble) => Err(Step { at: "count-rows", trouble }),
        }
    }

    /// Ends both sessions, and judges how all of them have ended.
    pub(super) async fn close(mut self, book: &mut Book) {
        const RULE: &str = "session.close";
        let (worker, control) = (self.worker.close().await, self.control.close().await);
        match self.unclosed.or(worker.err()).or(control.err()) {
            None => book.pass(RULE, "every session ends"),
            Some(trouble) => book.fail(RULE, trouble.to_string(), trouble.advice()),
        }
    }

    /// Whether every payload stood for the rows of its batch. The host looks at each.
    pub(super) fn judge_payload_rows(&self, book: &mut Book) {
        const RULE: &str = "ingest.payload-rows";
        let advice = "give the payload the rows of its batch: every count of a run is made of them";
        match (&self.miscounted, self.encoded) {
            (Some(says), _) => book.fail(RULE, says, advice),
            (None, 0) => book.not_run(RULE, "nothing could be encoded", "mend `ingest.encode`, and check again"),
            (None, encoded) => book.pass(RULE, format!("those of the batch in each of {encoded} payloads")),
        }
    }
}
