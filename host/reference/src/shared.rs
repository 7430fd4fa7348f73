//! What all protocols of a reference server share.

use std::sync::Arc;

use arrow::array::RecordBatch;
use tokio::time::Instant;

use crate::inject::Injector;
use crate::options::ReferenceOptions;
use crate::store::{Extra, Missing, Rows, Store, StoreError, StoreOptions};

/// The store, the faults, and the options of a server.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Where rows are kept.
    pub(crate) store: Arc<Store>,
    /// What becomes of each write.
    pub(crate) injector: Injector,
    /// What the server was started with.
    pub(crate) options: ReferenceOptions,
    began: Instant,
}

impl Shared {
    /// For a server with these options.
    pub(crate) fn new(options: ReferenceOptions) -> Arc<Self> {
        let store = Store::new(StoreOptions { max_bytes: options.max_bytes, count_only: options.count_only });
        let injector = Injector::new(options.inject.clone(), options.seed);
        Arc::new(Self { store, injector, options, began: Instant::now() })
    }

    /// Waits for the next flush of an InfluxDB 3, if there are any: all that wait share it.
    pub(crate) async fn flushed(&self) {
        let Some(interval) = self.options.flush_interval.filter(|interval| !interval.is_zero()) else { return };
        let passed = self.began.elapsed().as_nanos() / interval.as_nanos() + 1;
        let next = u32::try_from(passed).ok().and_then(|passed| interval.checked_mul(passed));
        match next.and_then(|next| self.began.checked_add(next)) {
            Some(next) => tokio::time::sleep_until(next).await,
            None => tokio::time::sleep(interval).await,
        }
    }

    /// Stores the first `most` rows of a write.
    ///
    /// # Errors
    ///
    /// As [`Store::write`].
    pub(crate) fn write_first(
        &self,
        database: &str,
        rows: Vec<Rows>,
        most: usize,
        missing: &Missing,
        extra: Extra,
    ) -> Result<u64, StoreError> {
        let mut left = most;
        let mut first = Vec::new();
        for rows in rows {
            let taken = rows.batch.num_rows().min(left);
            left -= taken;
            if taken > 0 {
                let batch: RecordBatch = rows.batch.slice(0, taken);
                first.push(Rows { batch, ..rows });
            }
        }
        self.store.write(database, first, missing, extra)
    }
}
