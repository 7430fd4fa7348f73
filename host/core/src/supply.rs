//! Where workers get their next batch from: a list that was made ahead of the clock, or a bounded channel that a generator
//! fills as the run goes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use benchhost_data::Batch;
use tokio::sync::{Mutex, mpsc};

/// The batches of a run, each given out once.
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
    Streamed(Mutex<mpsc::Receiver<Arc<Batch>>>),
}

impl Supply {
    /// A supply of finished batches.
    pub(crate) fn ready(batches: Vec<Arc<Batch>>) -> Self {
        Self::Ready { batches, next: AtomicUsize::new(0) }
    }

    /// The next batch; none when there is no more.
    pub(crate) async fn next(&self) -> Option<Arc<Batch>> {
        match self {
            Self::Ready { batches, next } => batches.get(next.fetch_add(1, Ordering::Relaxed)).cloned(),
            Self::Streamed(receiver) => receiver.lock().await.recv().await,
        }
    }
}
