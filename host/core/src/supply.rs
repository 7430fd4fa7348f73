//! Where workers get their next batch from: a list that was made ahead of the clock, or a bounded channel that a generator
//! fills as the run goes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use benchhost_data::Batch;
use tokio::sync::{Mutex, mpsc};

/// Batches that are kept for a rehearsal: enough that no cache holds them all.
const KEPT: usize = 256;
/// As long as they take less memory than this; large batches are larger than caches by themselves.
const KEPT_BYTES: usize = 64 << 20;

/// The batches of a run, each given out once; those of a rehearsal again and again.
#[derive(Debug)]
pub(crate) enum Supply {
    /// All made already. Workers share nothing but a position.
    Ready {
        /// In the order they are given out.
        batches: Vec<Arc<Batch>>,
        /// The next one.
        next: AtomicUsize,
    },
    /// Made as the run goes.
    Streamed {
        /// From the thread that makes them, each with the part of the dataset that it belongs to.
        stream: Mutex<Stream>,
        /// Of earlier parts than this nobody takes any more.
        part: Arc<AtomicUsize>,
    },
    /// Given out in turn, without end.
    Repeated {
        /// At least one.
        batches: Vec<Arc<Batch>>,
        /// The next one.
        next: AtomicUsize,
    },
}

/// The end of the channel that workers take turns at.
#[derive(Debug)]
pub(crate) struct Stream {
    batches: mpsc::Receiver<(usize, Arc<Batch>)>,
    /// The first ones, for a rehearsal.
    kept: Vec<Arc<Batch>>,
    kept_bytes: usize,
}

impl Stream {
    /// The next batch of this part of the dataset, or a later one.
    async fn next(&mut self, part: usize) -> Option<Arc<Batch>> {
        let batch = loop {
            match self.batches.recv().await? {
                (of, _) if of < part => {}
                (_, batch) => break batch,
            }
        };
        if self.kept.is_empty() || (self.kept.len() < KEPT && self.kept_bytes < KEPT_BYTES) {
            self.kept_bytes += batch.memory_bytes();
            self.kept.push(Arc::clone(&batch));
        }
        Some(batch)
    }
}

impl Supply {
    /// A supply of finished batches.
    pub(crate) fn ready(batches: Vec<Arc<Batch>>) -> Self {
        Self::Ready { batches, next: AtomicUsize::new(0) }
    }

    /// A supply of what a thread makes.
    pub(crate) fn streamed(batches: mpsc::Receiver<(usize, Arc<Batch>)>, part: Arc<AtomicUsize>) -> Self {
        Self::Streamed { stream: Mutex::new(Stream { batches, kept: Vec::new(), kept_bytes: 0 }), part }
    }

    /// Whether batches are made as they are taken.
    pub(crate) fn is_streamed(&self) -> bool {
        matches!(self, Self::Streamed { .. })
    }

    /// What is left of earlier parts of the dataset is left out. `first` is the number of the part's first batch. Nobody may take batches
    /// meanwhile.
    pub(crate) fn begin(&self, number: usize, first: u64) {
        match self {
            Self::Ready { next, .. } => next.store(usize::try_from(first).unwrap_or(usize::MAX), Ordering::Relaxed),
            Self::Streamed { part, .. } => part.store(number, Ordering::Relaxed),
            Self::Repeated { .. } => {}
        }
    }

    /// Some of the same batches over and over; none when there was none.
    pub(crate) fn repeated(&self) -> Option<Self> {
        let batches: Vec<_> = match self {
            Self::Ready { batches, .. } | Self::Repeated { batches, .. } => {
                batches.iter().take(KEPT).cloned().collect()
            }
            // Nobody takes batches meanwhile.
            Self::Streamed { stream, .. } => {
                stream.try_lock().map_or_else(|_| Vec::new(), |stream| stream.kept.clone())
            }
        };
        (!batches.is_empty()).then(|| Self::Repeated { batches, next: AtomicUsize::new(0) })
    }

    /// The next batch; none when there is no more.
    pub(crate) async fn next(&self) -> Option<Arc<Batch>> {
        match self {
            Self::Ready { batches, next } => batches.get(next.fetch_add(1, Ordering::Relaxed)).cloned(),
            Self::Streamed { stream, part } => stream.lock().await.next(part.load(Ordering::Relaxed)).await,
            Self::Repeated { batches, next } => {
                batches.get(next.fetch_add(1, Ordering::Relaxed) % batches.len().max(1)).cloned()
            }
        }
    }
}
