//! Asking the database what it holds, until what was acknowledged can be seen or time is up.

use std::sync::Arc;
use std::time::Duration;

use benchhost_data::Table;

use crate::clock::Clock;
use crate::counts::RowCounts;
use crate::error::{CallError, OpError};
use crate::stop::{StopLevel, StopToken};
use crate::target::Target;
use crate::verdict::Stored;

const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Rows of all tables in a range of time, end exclusive.
pub(crate) async fn count<S: Target>(
    session: &mut S,
    tables: &[Arc<Table>],
    range: (i64, i64),
) -> Result<u64, CallError> {
    let mut rows = 0;
    for table in tables {
        rows += session.count_rows(table, range.0, range.1).await?;
    }
    Ok(rows)
}

/// What to look for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expected<'a> {
    pub(crate) tables: &'a [Arc<Table>],
    pub(crate) range: (i64, i64),
    /// Rows that were there before the run.
    pub(crate) before: u64,
    pub(crate) rows: RowCounts,
    /// How long a server may take to show what it acknowledged.
    pub(crate) patience: Duration,
}

/// Counts until the rows are as expected, or until nothing changes any more.
pub(crate) async fn stored<S: Target, C: Clock>(
    session: &mut S,
    expected: Expected<'_>,
    clock: &C,
    stop: &StopToken,
) -> Stored {
    let deadline = clock.now() + expected.patience;
    let least = expected.rows.acknowledged;
    let mut last = None;
    let mut pause = FIRST_PAUSE;
    loop {
        match count(session, expected.tables, expected.range).await {
            Ok(found) => {
                let found = found.saturating_sub(expected.before);
                // With answers missing, rows may still be on their way: wait until two counts agree.
                let settled = expected.rows.unknown == 0 || last == Some(found);
                if (found >= least && settled) || clock.now() >= deadline {
                    return Stored::Rows(found);
                }
                last = Some(found);
            }
            Err(CallError::Error(error)) if may_pass(&error) && clock.now() < deadline => {}
            Err(error) => return last.map_or_else(|| Stored::NotAsked { why: error.to_string() }, Stored::Rows),
        }
        if stop.level() == StopLevel::Cancelled {
            return last.map_or_else(|| Stored::NotAsked { why: "the run was cancelled".into() }, Stored::Rows);
        }
        clock.sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// A server that is busy or restarting may answer later; one that says no, or cannot be asked, will not.
fn may_pass(error: &OpError) -> bool {
    error.retryable
}
