//! Making batches: all of them ahead of the clock, on every thread, or one after the other while the run goes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use benchhost_data::{Batch, Fingerprint};
use tokio::sync::mpsc;

use crate::batches::Parts;
use crate::error::CallError;
use crate::generator::{Generator, Generators};
use crate::observer::{Observer, Progress};
use crate::result::PhaseName;
use crate::run_error::RunError;
use crate::runtime::block_on;
use crate::stop::{StopLevel, StopToken};

/// How often the observer hears of progress.
pub(crate) const TICK: Duration = Duration::from_millis(100);

const STAGE: &str = "generating rows";

/// What is known of the rows that were made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Made {
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    pub(crate) fingerprint: Fingerprint,
    /// Earliest and latest time in nanoseconds, both inclusive.
    pub(crate) time_range_ns: Option<(i64, i64)>,
}

impl Made {
    pub(crate) fn add(&mut self, batch: &Batch) {
        self.rows += u64::from(batch.rows());
        self.bytes += batch.memory_bytes() as u64;
        self.fingerprint.add(batch);
        self.widen(batch.time_range_ns());
    }

    fn merge(&mut self, other: &Self) {
        self.rows += other.rows;
        self.bytes += other.bytes;
        self.fingerprint.merge(&other.fingerprint);
        self.widen(other.time_range_ns);
    }

    /// The range of time, end exclusive; the whole of time where a row's time does not fit nanoseconds.
    pub(crate) fn range(&self) -> (i64, i64) {
        self.time_range_ns.map_or((i64::MIN, i64::MAX), |(first, last)| (first, last.saturating_add(1)))
    }

    fn widen(&mut self, other: Option<(i64, i64)>) {
        self.time_range_ns = match (self.time_range_ns, other) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
    }
}

/// Makes batch number `index`.
pub(crate) async fn make<S: Generator>(
    generator: &mut S,
    plan: &Parts,
    index: u64,
) -> Result<Option<Batch>, CallError> {
    let Some(range) = plan.get(index) else { return Ok(None) };
    generator.fill(range.table, range.first_row, range.rows).await.map(Some)
}

/// Makes all batches, on `threads` threads when the dataset can be entered anywhere, and gives them in the dataset's order.
pub(crate) fn all<G: Generators>(
    generators: &G,
    plan: &Parts,
    threads: u32,
    stop: &StopToken,
    observer: &mut dyn Observer,
) -> Result<(Vec<Arc<Batch>>, Made), RunError> {
    let next = AtomicU64::new(0);
    let rows = AtomicU64::new(0);
    let began = Instant::now();
    std::thread::scope(|scope| {
        let (done, finished) = channel();
        for _ in 0..threads {
            let (done, next, rows) = (done.clone(), &next, &rows);
            scope.spawn(move || {
                let outcome = block_on(share(generators, plan, next, rows, stop));
                // The receiver is gone only when another thread has failed.
                let _ = done.send(outcome);
            });
        }
        drop(done);
        let mut batches = Vec::new();
        let mut made = Made::default();
        loop {
            match finished.recv_timeout(TICK) {
                Ok(outcome) => {
                    let (mine, facts) = outcome?.map_err(|source| RunError::Call { stage: STAGE, source })?;
                    batches.extend(mine);
                    made.merge(&facts);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let rows = rows.load(Ordering::Relaxed);
            observer.progress(
                PhaseName::Generate,
                Progress { elapsed: began.elapsed(), rows, total_rows: Some(plan.rows()), length: None, errors: 0 },
            );
        }
        // Whoever made them: with one worker, a run offers the same rows in the same order every time.
        batches.sort_unstable_by_key(|(index, _)| *index);
        Ok((batches.into_iter().map(|(_, batch)| batch).collect(), made))
    })
}

/// One thread's share: batches as they come up, until there are none left or the run is stopped.
async fn share<G: Generators>(
    generators: &G,
    plan: &Parts,
    next: &AtomicU64,
    rows: &AtomicU64,
    stop: &StopToken,
) -> Result<(Vec<(u64, Arc<Batch>)>, Made), CallError> {
    let mut generator = generators.open().await?;
    let mut batches = Vec::new();
    let mut made = Made::default();
    while stop.level() == StopLevel::Running {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(batch) = make(&mut generator, plan, index).await? else { break };
        made.add(&batch);
        rows.fetch_add(u64::from(batch.rows()), Ordering::Relaxed);
        batches.push((index, Arc::new(batch)));
    }
    Ok((batches, made))
}

/// Makes batches one after the other and hands them out, each with the number of its part, until there are none left or the run is
/// stopped. A part ends early when a later one is `wanted`, which goes on at the row where it ended. An error comes with what was made
/// before it: rows that were handed out are counted.
pub(crate) async fn stream<G: Generators>(
    generators: &G,
    plan: &Parts,
    into: mpsc::Sender<(usize, Arc<Batch>)>,
    wanted: &AtomicUsize,
    stop: &StopToken,
) -> Result<Made, (CallError, Made)> {
    let mut made = Made::default();
    let mut generator = match generators.open().await {
        Ok(generator) => generator,
        Err(error) => return Err((error, made)),
    };
    let mut end_row = 0;
    for (number, part) in plan.parts().iter().enumerate() {
        let part = part.starting_at(end_row);
        let mut index = 0;
        while let Some(range) = part.get(index).filter(|_| wanted.load(Ordering::Relaxed) <= number) {
            let batch = match generator.fill(range.table, range.first_row, range.rows).await {
                Ok(batch) => batch,
                Err(error) => return Err((error, made)),
            };
            made.add(&batch);
            index += 1;
            end_row = end_row.max(range.first_row + u64::from(range.rows));
            tokio::select! {
                sent = into.send((number, Arc::new(batch))) => if sent.is_err() { return Ok(made) },
                () = stop.reached(StopLevel::Draining) => return Ok(made),
            }
        }
    }
    Ok(made)
}

/// The range of time that a run will write, from the first and the last row of each table; the whole of time where the dataset
/// cannot be entered anywhere. Nanoseconds, end exclusive.
pub(crate) async fn time_range<S: Generator>(generator: &mut S, plan: &Parts) -> Result<(i64, i64), CallError> {
    if !generator.facts().seekable {
        return Ok((i64::MIN, i64::MAX));
    }
    let mut made = Made::default();
    for table in 0..generator.facts().tables.len() {
        let rows = plan.rows_per_table();
        if rows > 0 {
            made.widen(generator.fill(table, 0, 1).await?.time_range_ns());
            made.widen(generator.fill(table, rows - 1, 1).await?.time_range_ns());
        }
    }
    Ok(made.range())
}
