//! What all protocols of a reference server share.

use std::sync::Arc;

use tokio::time::Instant;

use crate::inject::Injector;
use crate::options::ReferenceOptions;
use crate::store::{Store, StoreOptions};

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
}
