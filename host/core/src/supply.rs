//! Where workers get their next batch from: a list that was made ahead of the clock, or a bounded channel that a generator
//! fills as the run goes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use benchhost_data::Batch;
use tokio::sync::{Mutex, mpsc};

/// Batches that are kept for a rehearsal: enough that no cache holds them all.
const KEPT: usize = 256;

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
        batches: Mutex<mpsc::Receiver<(usize, Arc<Batch>)>>,
        /// Of earlier parts than this nobody takes any more.
        part: Arc<AtomicUsize>,
        /// The first one, for a rehearsal.
        first: OnceLock<Arc<Batch>>,
    },
    /// Given out in turn, without end.
    Repeated {
        /// At least one.
        batches: Vec<Arc<Batch>>,
        /// The next one.
        next: AtomicUsize,
    },
}

impl Supply {
    /// A supply of finished batches.
    pub(crate) fn ready(batches: Vec<Arc<Batch>>) -> Self {
        Self::Ready { batches, next: AtomicUsize::new(0) }
    }

    /// A supply of what a thread makes.
    pub(crate) fn streamed(batches: mpsc::Receiver<(usize, Arc<Batch>)>, part: Arc<AtomicUsize>) -> Self {
        Self::Streamed { batches: batches.into(), part, first: OnceLock::new() }
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
            Self::Streamed { first, .. } => first.get().cloned().into_iter().collect(),
        };
        (!batches.is_empty()).then(|| Self::Repeated { batches, next: AtomicUsize::new(0) })
    }

    /// The next batch; none when there is no more.
    pub(crate) async fn next(&self) -> Option<Arc<Batch>> {
        match self {
            Self::Ready { batches, next } => batches.get(next.fetch_add(1, Ordering::Relaxed)).cloned(),
            Self::Streamed { batches, part, first } => {
                let mut batches = batches.lock().await;
                let batch = loop {
                    match batches.recv().await {
                        Some((of, _)) if of < part.load(Ordering::Relaxed) => {}
                        batch => break batch.map(|(_, batch)| batch),
                    }
                };
                if let Some(batch) = batch.as_ref().filter(|_| first.get().is_none()) {
                    let _ = first.set(Arc::clone(batch));
                }
                batch
            }
            Self::Repeated { batches, next } => {
                batches.get(next.fetch_add(1, Ordering::Relaxed) % batches.len().max(1)).cloned()
            }
        }
    }
}
