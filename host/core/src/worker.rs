//! The load loop: a worker takes a batch, writes it, takes the next. A thread runs many workers; nothing on the way locks or
//! allocates.

use std::cell::RefCell;
use std::sync::Mutex;

use crate::budget::Budget;
use crate::clock::Clock;
use crate::error::{CallError, Crash};
use crate::observer::LiveCounters;
use crate::operation::{self, Rules};
use crate::recording::Recording;
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

/// Writes batches until there are none left or the run is stopped. Gives the session back, if it is still alive.
pub(crate) async fn work<T: Targets, C: Clock>(
    number: u32,
    session: T::Session,
    shared: &Shared<'_, T, C>,
    recording: &RefCell<Recording>,
    live: &LiveCounters,
) -> Option<T::Session> {
    let mut session = session;
    // What opening it took is not the first operation's.
    session.take_effort();
    while shared.rules.stop.level() == StopLevel::Running {
        let Some(batch) = shared.supply.next().await else { break };
        match operation::write(&mut session, &batch, shared.rules, &shared.clock, recording).await {
            Ok(done) => {
                live.add_rows(done.acknowledged);
                if !done.ok {
                    live.add_error();
                    shared.budget.error();
                }
            }
            Err(crash) => {
                live.add_error();
                report(crash, shared);
                session = replace(number, shared, recording, live).await?;
            }
        }
    }
    Some(session)
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
    recording: &RefCell<Recording>,
    live: &LiveCounters,
) -> Option<T::Session> {
    while shared.rules.stop.level() == StopLevel::Running {
        match shared.targets.open(number).await {
            Ok(mut session) => {
                session.take_effort();
                return Some(session);
            }
            Err(CallError::Crash(crash)) => report(crash, shared),
            Err(CallError::Error(error)) => {
                recording.borrow_mut().errors.add(&error);
                live.add_error();
                shared.budget.error();
                // The loop ends by the budget at the latest; the pause keeps it from spinning through it.
                shared.clock.sleep(std::time::Duration::from_millis(100)).await;
            }
        }
    }
    None
}
