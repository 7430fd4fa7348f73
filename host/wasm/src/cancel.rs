//! Gives up a wait when the run is cancelled. A call into a guest is never dropped for it, which would kill the instance: the host
//! function that waits returns an error, and the guest comes back with it.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Poll, Waker};

use benchhost_core::{StopLevel, StopToken};

/// The stop signal as one session waits for it. It subscribes once, not at every request.
pub(crate) struct Cancel {
    stop: StopToken,
    raised: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// Who is woken when the signal rises above this level: the same task all along, as a rule. A rise uses the registration up.
    told: Option<(Waker, StopLevel)>,
}

impl Cancel {
    pub(crate) fn new(stop: StopToken) -> Self {
        let signal = stop.clone();
        let raised = Box::pin(async move { signal.reached(StopLevel::Cancelled).await });
        Self { stop, raised, told: None }
    }

    /// What `work` gives, or `None` when the run was cancelled before or meanwhile.
    pub(crate) async fn race<T>(&mut self, mut work: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        poll_fn(|context| {
            let level = self.stop.level();
            if level >= StopLevel::Cancelled {
                return Poll::Ready(None);
            }
            if let Poll::Ready(done) = work.as_mut().poll(context) {
                return Poll::Ready(Some(done));
            }
            let waker = context.waker();
            if !self.told.as_ref().is_some_and(|(told, at)| *at == level && told.will_wake(waker)) {
                if self.raised.as_mut().poll(context).is_ready() {
                    return Poll::Ready(None);
                }
                self.told = Some((waker.clone(), level));
            }
            Poll::Pending
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;

    #[tokio::test]
    async fn a_wait_that_sees_the_run_drain_still_hears_that_it_is_cancelled() {
        let stop = StopToken::new();
        let mut cancel = Cancel::new(stop.clone());
        // A task of its own, which nothing else wakes.
        let waiting = tokio::spawn(async move { cancel.race(pin!(std::future::pending::<()>())).await });
        for level in [StopLevel::Draining, StopLevel::Cancelled] {
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
            stop.raise(level);
        }
        let heard = tokio::time::timeout(std::time::Duration::from_secs(10), waiting).await;
        assert_eq!(heard.unwrap().unwrap(), None);
    }

    #[tokio::test]
    async fn work_is_given_up_when_the_run_is_cancelled_and_ever_after() {
        let stop = StopToken::new();
        let mut cancel = Cancel::new(stop.clone());
        assert_eq!(cancel.race(pin!(async { 1 })).await, Some(1));
        stop.raise(StopLevel::Draining);
        assert_eq!(cancel.race(pin!(async { 2 })).await, Some(2));
        let raise = async {
            tokio::task::yield_now().await;
            stop.raise(StopLevel::Cancelled);
        };
        let mut never = pin!(std::future::pending::<()>());
        let (given_up, ()) = tokio::join!(cancel.race(never.as_mut()), raise);
        assert_eq!(given_up, None);
        assert_eq!(cancel.race(pin!(async { 3 })).await, None);
    }
}
