//! What a target says when its server asks for less.

use benchhost_core::{ErrorKind, OpError};

use super::samples::Samples;
use super::way::Way;
use crate::Subject;
use crate::book::Book;
use crate::worker::{Trouble, Worker};

const RULE: &str = "fault.throttled";

/// Sends until the server must have throttled one: some allow a few at first.
const ATTEMPTS: usize = 20;

pub(super) async fn check(subject: &Subject<'_>, way: &Way, samples: &Samples, book: &mut Book) -> Result<(), String> {
    if subject.plan.throttling.is_empty() {
        let says = "this server does not throttle on command";
        book.not_run(RULE, says, "check against the reference server, if the plugin can speak to it");
        return Ok(());
    }
    let sample = samples.plain("throttled", 10)?;
    let way = way.with(subject, &subject.plan.throttling).map_err(|blocked| blocked.says)?;
    let targets = way.targets(subject).map_err(|blocked| blocked.says)?;
    let mut worker = Worker::new(&targets, subject.plan.call_limit);
    let begun = async {
        worker.create(&sample.table).await?;
        worker.encode(&sample.batch).await
    };
    let payload = match begun.await {
        Ok(payload) => payload,
        Err(trouble) => {
            let says = format!("the server that throttles cannot be used: {trouble}");
            book.not_run(RULE, says, "see that only its writes are throttled");
            return Ok(());
        }
    };
    let mut answer = Ok(None);
    for _ in 0..ATTEMPTS {
        answer = worker.send(&payload).await;
        if answer.is_err() {
            break;
        }
    }
    judge(answer, book);
    let _ = worker.drop_table(&sample.table).await;
    let _ = worker.close().await;
    Ok(())
}

fn judge(answer: Result<Option<u64>, Trouble>, book: &mut Book) {
    let advice =
        "answer an error of the kind `throttled`, retryable, with the server's Retry-After: for HTTP on 429 and 503";
    match answer {
        Ok(_) => {
            let says = format!("{ATTEMPTS} writes were acknowledged by the server that should throttle");
            book.not_run(RULE, says, "see that the server throttles every write, and that the plugin reports it");
        }
        Err(Trouble::Error(error)) if error.kind == ErrorKind::Throttled && error.retryable => {
            book.pass(RULE, format!("`throttled`, retryable, {}", wait(&error)));
        }
        Err(Trouble::Error(error)) if error.kind == ErrorKind::Throttled => {
            book.fail(RULE, format!("`send` answers {error}, not retryable"), advice);
        }
        Err(trouble) => book.fail(RULE, format!("the server throttles, and `send` answers {trouble}"), advice),
    }
}

fn wait(error: &OpError) -> String {
    match error.retry_after {
        Some(wait) => format!("after {wait:?}"),
        None => "without a time to wait".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Outcome;
    use std::time::Duration;

    fn judged(answer: Result<Option<u64>, OpError>) -> (Outcome, String) {
        let mut book = Book::default();
        judge(answer.map_err(Trouble::Error), &mut book);
        let report = book.report(std::path::Path::new("fake"));
        let finding = &report.findings[0];
        (finding.outcome, finding.says.clone())
    }

    #[test]
    fn only_a_retryable_throttled_error_passes_and_acknowledged_rows_prove_nothing() {
        let throttled = OpError::new(ErrorKind::Throttled, "429");
        assert_eq!(judged(Err(throttled.clone())).0, Outcome::Fail);
        let retryable = OpError { retryable: true, ..throttled };
        assert_eq!(
            judged(Err(retryable.clone())),
            (Outcome::Pass, "`throttled`, retryable, without a time to wait".into())
        );
        let waiting = OpError { retry_after: Some(Duration::from_secs(2)), ..retryable };
        assert_eq!(judged(Err(waiting)).1, "`throttled`, retryable, after 2s");
        assert_eq!(judged(Err(OpError::new(ErrorKind::Rejected, "429"))).0, Outcome::Fail);
        assert_eq!(judged(Ok(None)).0, Outcome::NotRun);
    }
}
