//! Gives up a wait when the run is cancelled. A call into a guest is never dropped for it, which would kill the instance: the host
//! function that waits returns an error, and the guest comes back with it.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;

use benchhost_core::{StopLevel, StopToken};

/// The stop signal as one session waits for it. It subscribes once, not at every request.
pub(crate) struct Cancel {
    raised: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Cancel {
    pub(crate) fn new(stop: StopToken) -> Self {
        Self { raised: Some(Box::pin(async move { stop.reached(StopLevel::Cancelled).await })) }
    }

    /// What `work` gives, or `None` when the run was cancelled before or meanwhile.
    pub(crate) async fn race<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        poll_fn(|context| {
            let cancelled = self.raised.as_mut().is_none_or(|raised| raised.as_mut().poll(context).is_ready());
            if cancelled {
                self.raised = None;
                return Poll::Ready(None);
            }
            work.as_mut().poll(context).map(Some)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_is_given_up_when_the_run_is_cancelled_and_ever_after() {
        let stop = StopToken::new();
        let mut cancel = Cancel::new(stop.clone());
        assert_eq!(cancel.race(async { 1 }).await, Some(1));
        stop.raise(StopLevel::Draining);
        assert_eq!(cancel.race(async { 2 }).await, Some(2));
        let raise = async {
            tokio::task::yield_now().await;
            stop.raise(StopLevel::Cancelled);
        };
        let (given_up, ()) = tokio::join!(cancel.race(std::future::pending::<()>()), raise);
        assert_eq!(given_up, None);
        assert_eq!(cancel.race(async { 3 }).await, None);
    }
}
