//! What every write goes through: the faults that were asked for.

use std::time::Duration;

use crate::inject::Action;
use crate::shared::Shared;
use crate::store::{Rows, StoreError};

/// A write that is not acknowledged. Each protocol says it in its own way.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Denied {
    /// The store refuses it.
    Refused(StoreError),
    /// Injected: the server fails.
    Fault,
    /// Injected: the client shall come again after a while.
    Throttled(Duration),
    /// Injected: the connection is cut before the answer.
    Cut,
}

/// Has `store` store the first rows of a write of `rows`, as many as it is told, unless a fault is injected.
///
/// # Returns
///
/// The rows that are acknowledged: fewer than `rows` if only a part was accepted.
pub(crate) async fn write(
    shared: &Shared,
    rows: u64,
    store: impl FnOnce(u64) -> Result<u64, StoreError> + Send,
) -> Result<u64, Denied> {
    match shared.injector.before_write(usize::try_from(rows).unwrap_or(usize::MAX)).await {
        Action::Store => store(rows).map_err(Denied::Refused),
        Action::Lose => Ok(rows),
        Action::Refuse => Err(Denied::Fault),
        Action::Throttle(after) => Err(Denied::Throttled(after)),
        Action::Partial { accepted } => store(rows.min(accepted as u64)).map_err(Denied::Refused),
        Action::Reset { store: stored } => {
            if stored {
                // Whether it could be stored is what the client will never know.
                let _ = store(rows);
            }
            Err(Denied::Cut)
        }
    }
}

/// How many rows there are in all.
pub(crate) fn count(rows: &[Rows]) -> u64 {
    rows.iter().map(|rows| rows.batch.num_rows() as u64).sum()
}

/// The first rows of several tables' rows, `count` of them.
pub(crate) fn first(rows: Vec<Rows>, count: u64) -> Vec<Rows> {
    let mut left = usize::try_from(count).unwrap_or(usize::MAX);
    let mut taken = Vec::with_capacity(rows.len());
    for mut rows in rows {
        let here = rows.batch.num_rows().min(left);
        left -= here;
        rows.batch = rows.batch.slice(0, here);
        taken.push(rows);
    }
    taken
}
