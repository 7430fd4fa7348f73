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
    /// Who is woken by the signal already: the same task all along, as a rule.
    told: Option<Waker>,
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
            if self.stop.level() >= StopLevel::Cancelled {
                return Poll::Ready(None);
            }
            if let Poll::Ready(done) = work.as_mut().poll(context) {
                return Poll::Ready(Some(done));
            }
            if !self.told.as_ref().is_some_and(|told| told.will_wake(context.waker())) {
                if self.raised.as_mut().poll(context).is_ready() {
                    return Poll::Ready(None);
                }
                self.told = Some(context.waker().clone());
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
