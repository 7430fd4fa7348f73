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
        /// From the thread that makes them.
        batches: Mutex<mpsc::Receiver<Arc<Batch>>>,
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
    pub(crate) fn streamed(batches: mpsc::Receiver<Arc<Batch>>) -> Self {
        Self::Streamed { batches: batches.into(), first: OnceLock::new() }
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
            Self::Streamed { batches, first } => {
                let batch = batches.lock().await.recv().await;
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
