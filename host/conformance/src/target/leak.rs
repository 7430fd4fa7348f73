//! Handles that are taken and never dropped.

use benchhost_core::Targets;

use super::samples::Samples;
use crate::Leaks;
use crate::book::Book;
use crate::plan::CheckPlan;
use crate::worker::{Trouble, Worker};

/// Calls of a kind: the host compares the handles of a session after 128, 256 and 512 calls.
const CALLS: usize = 300;

/// Sends, and then encodes, often enough for the host to see handles grow.
pub(super) async fn check<T: Targets>(
    plan: &CheckPlan,
    leaks: &Leaks,
    targets: &T,
    samples: &Samples,
    book: &mut Book,
) -> Result<(), String> {
    const RULE: &str = "handles.leak";
    let sample = samples.plain("leak", 1)?;
    let mut worker = Worker::new(targets, plan.call_limit);
    let tried: Result<(), Trouble> = async {
        worker.create(&sample.table).await?;
        let payload = worker.encode(&sample.batch).await?;
        for _ in 0..CALLS {
            worker.send(&payload).await?;
        }
        for _ in 0..CALLS {
            worker.encode(&sample.batch).await?;
        }
        Ok(())
    }
    .await;
    let _ = worker.drop_table(&sample.table).await;
    let _ = worker.close().await;
    match (leaks.heard(), tried) {
        (Some(says), _) => {
            book.fail(
                RULE,
                says,
                "drop every handle that is not needed for the next call: a session has a limit of them",
            );
        }
        (None, Ok(())) => book.pass(RULE, format!("none in {CALLS} calls of `send` and as many of `encode`")),
        (None, Err(trouble)) => {
            let says = format!("it could not be called often enough: {trouble}");
            book.not_run(RULE, says, "mend what failed above, and check again");
        }
    }
    Ok(())
}
