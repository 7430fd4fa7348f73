//! The load loop: a worker takes a batch, writes it, takes the next. A thread runs many workers; nothing on the way locks or
//! allocates.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use benchhost_data::Batch;

use crate::budget::Budget;
use crate::clock::Clock;
use crate::error::{CallError, Crash};
use crate::observer::LiveCounters;
use crate::operation::{self, Rules};
use crate::pacer::Pacer;
use crate::pending::{self, Pending, Settled};
use crate::recording::Recording;
use crate::segment::Segment;
use crate::stop::StopLevel;
use crate::supply::Supply;
use crate::target::{Target, Targets};

/// What all workers of all threads share.
#[derive(Debug)]
pub(crate) struct Shared<'a, T, C> {
    pub(crate) targets: &'a T,
    pub(crate) supply: &'a Supply,
    pub(crate) rules: &'a Rules,
    pub(crate) budget: &'a Budget,
    pub(crate) clock: C,
    /// Crashes that the observer has not been told of yet.
    pub(crate) crashes: &'a Mutex<Vec<Crash>>,
}

/// What the workers of a thread share while a segment runs.
pub(crate) struct Stretch<'a, C: Clock> {
    pub(crate) segment: &'a Segment,
    /// When it began.
    pub(crate) start: Duration,
    /// None in a closed loop.
    pub(crate) pacer: Option<Pacer<C>>,
    /// When the last operation may start.
    pub(crate) deadline: Option<Duration>,
    pub(crate) recording: &'a RefCell<Box<Recording>>,
    pub(crate) live: &'a LiveCounters,
}

/// Writes batches until there are none left, time is up, or the run is stopped. Gives the session back, if it is still alive.
pub(crate) async fn work<T: Targets, C: Clock>(
    number: u32,
    session: T::Session,
    shared: &Shared<'_, T, C>,
    stretch: &Stretch<'_, C>,
) -> Option<T::Session> {
    let mut session = session;
    let mut pending = Pending::default();
    // What opening it took is not the first operation's.
    session.take_effort();
    while shared.rules.stop.level() == StopLevel::Running && stretch.segment.has_more() {
        let intended = match &stretch.pacer {
            None => None,
            Some(pacer) => match pacer.next(|| stretch.segment.has_more()).await {
                None => break,
                due => due,
            },
        };
        if stretch.deadline.is_some_and(|deadline| shared.clock.now() >= deadline) {
            stretch.segment.end_of_time();
            break;
        }
        if !stretch.segment.take() {
            break;
        }
        let Some(batch) = next_batch(shared, stretch).await else { break };
        stretch.live.add_started();
        let written = operation::write(
            &mut session,
            &mut pending,
            &batch,
            intended,
            shared.rules,
            &shared.clock,
            stretch.recording,
        )
        .await;
        stretch.live.add_ended();
        match written {
            Ok(done) => {
                stretch.live.add_rows(done.acknowledged);
                if !done.ok {
                    stretch.live.add_error();
                    if stretch.segment.charged() {
                        shared.budget.error();
                    }
                }
                if !done.waited {
                    // Without a network nothing else lets the other workers of this thread, and the timers, have their turn.
                    tokio::task::yield_now().await;
                }
            }
            // In a rehearsal, a session that dies is missed by nobody.
            Err(_) if !stretch.segment.counts() => return None,
            Err(crash) => {
                stretch.live.add_error();
                report(crash, shared);
                session = replace(number, shared, stretch).await?;
            }
        }
    }
    let rehearsal = !stretch.segment.counts();
    let settled =
        pending::settle(&mut session, &mut pending, shared.rules, &shared.clock, stretch.recording, rehearsal).await;
    match settled {
        Ok(Settled::Nothing) => {}
        Ok(Settled::Acknowledged(rows)) => stretch.live.add_rows(rows),
        Ok(Settled::Failed) => {
            stretch.live.add_error();
            if stretch.segment.charged() {
                shared.budget.error();
            }
        }
        Err(_) if !stretch.segment.counts() => return None,
        Err(crash) => {
            stretch.live.add_error();
            report(crash, shared);
            session = replace(number, shared, stretch).await?;
        }
    }
    if stretch.segment.given_up() || shared.rules.stop.level() > StopLevel::Running {
        stretch.segment.cut(shared.clock.now().saturating_sub(stretch.start));
    }
    Some(session)
}

/// The next batch; none when there is no more. Waiting for one that is still being made is recorded.
async fn next_batch<T, C: Clock>(shared: &Shared<'_, T, C>, stretch: &Stretch<'_, C>) -> Option<Arc<Batch>> {
    let supply = stretch.segment.own_supply().unwrap_or(shared.supply);
    // Batches that were made ahead are there at once: nothing is to be timed.
    if !supply.is_streamed() {
        return supply.next().await;
    }
    let asked = shared.clock.now();
    let batch = supply.next().await;
    stretch.recording.borrow_mut().starved += shared.clock.now().saturating_sub(asked);
    batch
}

fn report<T, C>(crash: Crash, shared: &Shared<'_, T, C>) {
    shared.budget.crash();
    if let Ok(mut crashes) = shared.crashes.lock() {
        crashes.push(crash);
    }
}

/// A new session in place of a dead one; none when it cannot be had, which ends the worker.
async fn replace<T: Targets, C: Clock>(
    number: u32,
    shared: &Shared<'_, T, C>,
    stretch: &Stretch<'_, C>,
) -> Option<T::Session> {
    while shared.rules.stop.level() == StopLevel::Running {
        match shared.targets.open(number).await {
            Ok(mut session) => {
                session.take_effort();
                return Some(session);
            }
            Err(CallError::Crash(crash)) => report(crash, shared),
            Err(CallError::Error(error)) => {
                stretch.recording.borrow_mut().errors.add(&error);
                stretch.live.add_error();
                shared.budget.error();
                // The loop ends by the budget at the latest; the pause keeps it from spinning through it.
                shared.clock.sleep(Duration::from_millis(100)).await;
            }
        }
    }
    None
}
