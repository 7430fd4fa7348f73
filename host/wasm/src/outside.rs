//! Waits that a guest has asked for, done outside of its fiber.
//!
//! A host function that waits could do so where it is called, on the guest's own stack. But then every worker has a deep stack of its own
//! under each request: pages to keep, and caches to fill again whenever the next worker has its turn. So the function hands its work over
//! and is suspended at once; the work runs on the stack of the thread, which all its workers share, and the guest is resumed when it is
//! done.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use tokio_util::sync::ReusableBoxFuture;

/// The place where one session's host functions leave their work. A clone is the same place.
#[derive(Clone)]
pub(crate) struct Outside(Arc<Desk>);

struct Desk {
    /// Kept from one piece of work to the next, so that the usual one needs no new memory.
    work: Mutex<ReusableBoxFuture<'static, ()>>,
    /// Whether there is work. A session is run by one task at a time, so nothing else has to be ordered by it.
    busy: AtomicBool,
}

impl Outside {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Desk { work: Mutex::new(ReusableBoxFuture::new(pending())), busy: AtomicBool::new(false) }))
    }

    /// What `work` gives. It is for host functions, and only comes back while [`Outside::beside`] runs the guest.
    pub(crate) async fn run<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        let result = Arc::new(Mutex::new(None));
        let given = Arc::clone(&result);
        lock(&self.0.work).set(async move {
            let value = work.await;
            *lock(&given) = Some(value);
        });
        self.0.busy.store(true, Relaxed);
        poll_fn(|_| match lock(&result).take() {
            Some(value) => Poll::Ready(value),
            // Whoever finishes the work resumes the guest next: nobody has to be woken.
            None => Poll::Pending,
        })
        .await
    }

    /// Runs a guest, and the work that it waits for beside it. Dropping the future drops the work.
    pub(crate) async fn beside<T>(&self, guest: impl Future<Output = T>) -> T {
        let mut guest = pin!(guest);
        let _clear = Clear(self);
        poll_fn(|context| {
            loop {
                if !self.finished(context) {
                    return Poll::Pending;
                }
                if let Poll::Ready(value) = guest.as_mut().poll(context) {
                    return Poll::Ready(value);
                }
                // It may wait for something else than work of this desk, such as a timer of WASI.
                if !self.0.busy.load(Relaxed) {
                    return Poll::Pending;
                }
            }
        })
        .await
    }

    /// Goes on with the work; true when there is none left.
    fn finished(&self, context: &mut std::task::Context<'_>) -> bool {
        if self.0.busy.load(Relaxed) && lock(&self.0.work).poll(context).is_ready() {
            self.0.busy.store(false, Relaxed);
        }
        !self.0.busy.load(Relaxed)
    }
}

/// Drops work that nobody waits for any more.
struct Clear<'a>(&'a Outside);

impl Drop for Clear<'_> {
    fn drop(&mut self) {
        let Outside(desk) = self.0;
        if desk.busy.swap(false, Relaxed) {
            lock(&desk.work).set(pending());
        }
    }
}

/// Nothing is left half done where a panic could poison a lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn work_that_waits_is_done_and_its_result_comes_back() {
        let outside = Outside::new();
        for round in 0..3 {
            let guest = async {
                let first = outside.run(async { 1 }).await;
                let later = outside.run(tokio::time::sleep(Duration::from_millis(1))).await;
                tokio::task::yield_now().await;
                (first + round, later)
            };
            assert_eq!(outside.beside(guest).await, (1 + round, ()));
        }
    }

    #[tokio::test]
    async fn a_guest_that_is_given_up_takes_its_work_with_it() {
        let outside = Outside::new();
        let held = Arc::new(());
        let also = Arc::clone(&held);
        let guest = outside.run(async move {
            pending::<()>().await;
            drop(also);
        });
        assert!(tokio::time::timeout(Duration::from_millis(1), outside.beside(guest)).await.is_err());
        assert_eq!(Arc::strong_count(&held), 1);
        assert_eq!(outside.beside(outside.run(async { 7 })).await, 7);
    }
}
