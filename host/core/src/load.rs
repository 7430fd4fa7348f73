//! The load: threads that open sessions, wait for each other, run their workers, and hand back what they recorded.

use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use tokio::runtime::Runtime;

use crate::budget::Budget;
use crate::clock::Clock;
use crate::error::{CallError, Crash};
use crate::generate::TICK;
use crate::observer::{LiveCounters, Observer, Progress};
use crate::operation::Rules;
use crate::plan::Plan;
use crate::recording::Recording;
use crate::result::{Phase, PhaseName};
use crate::run_error::RunError;
use crate::runtime::event_loop;
use crate::supply::Supply;
use crate::target::{Target, Targets};
use crate::usage;
use crate::worker::{Shared, work};

/// Sessions that a thread opens at the same time.
const OPENED_AT_ONCE: usize = 16;

/// What came of the load.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) recording: Recording,
    /// Processor time of the process while the clock ran.
    pub(crate) cpu: Duration,
    pub(crate) first_crash: Option<Crash>,
    pub(crate) phases: Vec<Phase>,
}

/// What a thread tells the coordinator. A thread that panics says nothing more; its end of the channel is dropped then.
enum Report {
    Opened(Result<(), CallError>),
    Finished(Box<Recording>),
    Closed,
}

/// Opens one session per worker, runs them against the supply, and closes them.
pub(crate) fn load<T: Targets, C: Clock>(
    plan: &Plan,
    targets: &T,
    supply: &Supply,
    rules: &Rules,
    budget: &Budget,
    clock: &C,
    observer: &mut dyn Observer,
) -> Result<Loaded, RunError> {
    let crashes = Mutex::new(Vec::new());
    let shared = Shared { targets, supply, rules, budget, clock: clock.clone(), crashes: &crashes };
    let live: Vec<LiveCounters> = (0..plan.threads).map(|_| LiveCounters::default()).collect();
    std::thread::scope(|scope| {
        let (reports, inbox) = channel();
        let mut signals = Vec::new();
        for (thread, live) in live.iter().enumerate() {
            let (signal, signalled) = channel();
            signals.push(signal);
            let (reports, shared) = (reports.clone(), &shared);
            let workers: Vec<u32> =
                (0..plan.workers).filter(|worker| plan.thread_of(*worker) as usize == thread).collect();
            scope.spawn(move || thread_main(&workers, shared, live, &reports, &signalled));
        }
        drop(reports);
        let coordinator = Coordinator { plan, clock, inbox, signals, live: &live, crashes: &crashes };
        coordinator.run(observer)
    })
}

/// A load thread, from its first session to its last.
fn thread_main<T: Targets, C: Clock>(
    workers: &[u32],
    shared: &Shared<'_, T, C>,
    live: &LiveCounters,
    reports: &Sender<Report>,
    go: &Receiver<()>,
) {
    // A coordinator that no longer listens has given the run up: so does the thread.
    let Ok(event_loop) = event_loop() else { return };
    // In the order of the workers, some at a time: a thousand connections at once overrun the queue of a server that accepts them, and
    // what it drops is tried again a second later.
    let opening = stream::iter(workers).map(|number| shared.targets.open(*number)).buffered(OPENED_AT_ONCE);
    let sessions: Vec<_> = match event_loop.block_on(opening.try_collect()) {
        Ok(sessions) => sessions,
        Err(error) => return drop(reports.send(Report::Opened(Err(error)))),
    };
    if reports.send(Report::Opened(Ok(()))).is_err() || go.recv().is_err() {
        return close(&event_loop, sessions);
    }
    let recording = RefCell::new(Recording::default());
    let work = workers.iter().zip(sessions).map(|(number, session)| work(*number, session, shared, &recording, live));
    let sessions: Vec<_> = event_loop.block_on(join_all(work)).into_iter().flatten().collect();
    if reports.send(Report::Finished(Box::new(recording.into_inner()))).is_err() {
        return;
    }
    // The signal to close may be missing when another thread has failed; sessions are closed all the same.
    let _ = go.recv();
    close(&event_loop, sessions);
    let _ = reports.send(Report::Closed);
}

fn close<S: Target>(event_loop: &Runtime, mut sessions: Vec<S>) {
    event_loop.block_on(join_all(sessions.iter_mut().map(Target::close)));
}

/// The thread that called [`load`]: it lets the others go, and tells the observer how far they are.
struct Coordinator<'a, C> {
    plan: &'a Plan,
    clock: &'a C,
    inbox: Receiver<Report>,
    signals: Vec<Sender<()>>,
    live: &'a [LiveCounters],
    crashes: &'a Mutex<Vec<Crash>>,
}

impl<C: Clock> Coordinator<'_, C> {
    fn run(self, observer: &mut dyn Observer) -> Result<Loaded, RunError> {
        let mut phases = Vec::new();
        let mut end = |name, from: Duration, to: Duration, rows, observer: &mut dyn Observer| {
            let phase = Phase { name, time: to.saturating_sub(from), rows };
            phases.push(phase);
            observer.ended(phase);
        };
        observer.begins(PhaseName::Open);
        let opening = self.clock.now();
        self.all_opened()?;
        end(PhaseName::Open, opening, self.clock.now(), 0, observer);

        observer.begins(PhaseName::Measure);
        let mut first_crash = None;
        let cpu_before = usage::process_cpu();
        let start = self.clock.now();
        self.signal();
        let recording = self.all_finished(start, &mut first_crash, observer)?;
        let finished = self.clock.now();
        let cpu = usage::process_cpu().saturating_sub(cpu_before);
        // Without any acknowledgement there is nothing to measure, but the time has passed all the same.
        let measured = recording.last_acknowledged.unwrap_or(finished);
        end(PhaseName::Measure, start, measured, recording.rows.acknowledged, observer);
        end(PhaseName::Drain, measured, finished, 0, observer);

        observer.begins(PhaseName::Close);
        self.signal();
        while let Ok(Report::Closed) = self.inbox.recv() {}
        end(PhaseName::Close, finished, self.clock.now(), 0, observer);
        Ok(Loaded { recording, cpu, first_crash, phases })
    }

    /// Tells every thread to go on. A thread that is gone already cannot be told, and need not be.
    fn signal(&self) {
        for signal in &self.signals {
            let _ = signal.send(());
        }
    }

    /// Waits until every session of every thread is open.
    fn all_opened(&self) -> Result<(), RunError> {
        for _ in &self.signals {
            match self.inbox.recv() {
                Ok(Report::Opened(opened)) => {
                    opened.map_err(|source| RunError::Call { stage: "opening a session", source })?;
                }
                Ok(_) | Err(_) => return Err(RunError::internal("a load thread ended while it opened its sessions")),
            }
        }
        Ok(())
    }

    /// Waits until every thread has no more work.
    fn all_finished(
        &self,
        start: Duration,
        first_crash: &mut Option<Crash>,
        observer: &mut dyn Observer,
    ) -> Result<Recording, RunError> {
        let mut recording = Recording::default();
        let mut running = self.signals.len();
        while running > 0 {
            match self.inbox.recv_timeout(TICK) {
                Ok(Report::Finished(mine)) => {
                    recording.merge(&mine);
                    running -= 1;
                }
                Err(RecvTimeoutError::Timeout) => self.tell(start, first_crash, observer),
                Ok(_) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(RunError::internal("a load thread ended while the clock ran"));
                }
            }
        }
        self.tell(start, first_crash, observer);
        Ok(recording)
    }

    fn tell(&self, start: Duration, first_crash: &mut Option<Crash>, observer: &mut dyn Observer) {
        let crashes = self.crashes.lock().map(|mut crashes| std::mem::take(&mut *crashes)).unwrap_or_default();
        for crash in crashes {
            observer.crashed(&crash);
            first_crash.get_or_insert(crash);
        }
        observer.progress(
            PhaseName::Measure,
            Progress {
                elapsed: self.clock.now().saturating_sub(start),
                rows: self.live.iter().map(LiveCounters::rows).sum(),
                total_rows: self.plan.rows,
                errors: self.live.iter().map(LiveCounters::errors).sum(),
            },
        );
    }
}
