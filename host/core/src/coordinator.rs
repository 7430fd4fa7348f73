//! The thread that called [`crate::run()`], while the load threads work: it lets them go, puts their recordings together, watches the
//! queue, and tells the observer.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::budget::Budget;
use crate::clock::Clock;
use crate::due::{self, Due};
use crate::error::Crash;
use crate::gathered::Gathered;
use crate::generate::TICK;
use crate::load::{Order, Report};
use crate::observer::{Interval, LiveCounters, Observer, Progress};
use crate::operation::Rules;
use crate::plan::Plan;
use crate::pulse::Pulse;
use crate::recording::Recording;
use crate::result::PhaseName;
use crate::run_error::RunError;
use crate::segment::{Segment, SegmentResult};
use crate::stop::StopLevel;
use crate::worker::Shared;

/// Operations in flight have at most this long to end by themselves once the run is stopped.
const GRACE: Duration = Duration::from_secs(10);

/// Drives the load threads.
pub(crate) struct Coordinator<'a, C> {
    plan: &'a Plan,
    clock: &'a C,
    rules: &'a Rules,
    budget: &'a Budget,
    inbox: Receiver<Report>,
    orders: Vec<Sender<Order>>,
    live: &'a [LiveCounters],
    crashes: &'a Mutex<Vec<Crash>>,
    first_crash: Option<Crash>,
    steps: usize,
    /// When the run was first seen to be stopping.
    draining_since: Option<Duration>,
}

impl<'a, C: Clock> Coordinator<'a, C> {
    pub(crate) fn new<T>(
        plan: &'a Plan,
        shared: &'a Shared<'_, T, C>,
        inbox: Receiver<Report>,
        orders: Vec<Sender<Order>>,
        live: &'a [LiveCounters],
    ) -> Self {
        let Shared { clock, rules, budget, crashes, .. } = shared;
        Self {
            plan,
            clock,
            rules,
            budget,
            inbox,
            orders,
            live,
            crashes,
            first_crash: None,
            steps: 0,
            draining_since: None,
        }
    }

    /// Whether nobody has asked the run to stop.
    pub(crate) fn going_on(&self) -> bool {
        self.rules.stop.level() == StopLevel::Running
    }

    /// The first session that died, if any did.
    pub(crate) fn take_first_crash(&mut self) -> Option<Crash> {
        self.first_crash.take()
    }

    /// Waits until every session of every thread is open.
    pub(crate) fn all_opened(&self) -> Result<(), RunError> {
        for _ in &self.orders {
            match self.inbox.recv() {
                Ok(Report::Opened(opened)) => {
                    opened.map_err(|source| RunError::Call { stage: "opening a session", source })?;
                }
                Ok(_) | Err(_) => return Err(RunError::internal("a load thread ended while it opened its sessions")),
            }
        }
        Ok(())
    }

    /// Has all sessions closed.
    pub(crate) fn close(&self) {
        self.order(|| Order::Close);
        let mut open = self.orders.len();
        while open > 0 && self.inbox.recv().is_ok() {
            open -= 1;
        }
    }

    /// Tells every thread. One that is gone already cannot be told, and is missed elsewhere.
    fn order(&self, order: impl Fn() -> Order) {
        for thread in &self.orders {
            let _ = thread.send(order());
        }
    }

    /// Runs a segment on all threads and waits for its end.
    pub(crate) fn run(&mut self, segment: Segment, observer: &mut dyn Observer) -> Result<SegmentResult, RunError> {
        let segment = Arc::new(segment);
        let step = self.steps;
        self.steps += usize::from(segment.phase == PhaseName::Measure);
        let schedule = due::in_all(&segment, self.plan);
        let offered_per_s = schedule.map(|(operations, length)| operations / length.as_secs_f64());
        let mut due = Due::new(&segment, self.plan);
        let before = Totals::of(self.live);
        let cpu = self.clock.process_cpu();
        let start = self.clock.now();
        let mut gathered = Gathered::new(self.orders.len(), start, self.plan.interval);
        self.order(|| Order::Run { segment: Arc::clone(&segment), start });
        let mut max_queue = 0;
        let mut pulse = Pulse::new(start);
        while gathered.running > 0 {
            match self.inbox.recv_timeout(TICK) {
                Ok(Report::Interval { thread, index, recording }) => {
                    gathered.add(index, &recording);
                    gathered.reached[thread] = index + 1;
                    self.give_back(thread, recording);
                }
                Ok(Report::Finished { thread, index, recording, used }) => {
                    gathered.add(index, &recording);
                    gathered.reached[thread] = u64::MAX;
                    gathered.threads.extend(used);
                    gathered.running -= 1;
                    self.give_back(thread, recording);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Ok(_) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(RunError::internal("a load thread ended while the clock ran"));
                }
            }
            gathered.emit(self.clock.now(), |interval| {
                if segment.counts() {
                    observer.interval(Interval { phase: segment.phase, step, offered_per_s, ..interval });
                }
            });
            self.end_of_grace();
            max_queue = max_queue.max(self.watch_queue(&segment, &mut due, start, before, &mut pulse));
            if !self.going_on() || segment.given_up() {
                segment.cut(self.clock.now().saturating_sub(start));
            }
            self.tell(&segment, start, before, observer);
        }
        let finished = self.clock.now();
        let cpu = self.clock.process_cpu().saturating_sub(cpu);
        let started = Totals::of(self.live).started - before.started;
        let acknowledged = gathered.total.last_acknowledged.unwrap_or(finished).saturating_sub(start);
        // A server that died early had the rest of the time too, and did nothing with it.
        let time = segment.length.filter(|_| segment.out_of_time()).unwrap_or_default();
        let measured = acknowledged.max(time);
        // What is stopped after its last operation has begun is not cut short.
        let unfinished = schedule.is_some_and(|(operations, _)| (started as f64) < operations);
        let cut = segment.cut_after().filter(|_| unfinished);
        let cut = cut.and_then(|after| Some((after, due::until(&segment, self.plan, after)?)));
        Ok(SegmentResult {
            measured,
            drained: finished.saturating_sub(start + measured),
            cpu,
            threads: gathered.threads.into_iter().map(|used| used.of_segment(measured)).collect(),
            max_queue,
            schedule,
            unsent: due.by(finished.saturating_sub(start)).map_or(0, |due| due.saturating_sub(started)),
            started,
            given_up: segment.given_up(),
            cut,
            recording: gathered.total,
            intervals: gathered.figures,
        })
    }

    /// A run that is stopped waits for its operations in flight, but not for ever.
    fn end_of_grace(&mut self) {
        if self.rules.stop.level() == StopLevel::Draining {
            let now = self.clock.now();
            let since = *self.draining_since.get_or_insert(now);
            if now.saturating_sub(since) > GRACE {
                self.rules.stop.raise(StopLevel::Cancelled);
            }
        }
    }

    fn give_back(&self, thread: usize, mut recording: Box<Recording>) {
        recording.reset();
        let _ = self.orders[thread].send(Order::Spare(recording));
    }

    /// Operations that are due and not started. Beyond the plan's bound, the run is given up; a probe is, when it is lost.
    fn watch_queue(
        &self,
        segment: &Segment,
        due: &mut Due<'_>,
        start: Duration,
        before: Totals,
        pulse: &mut Pulse,
    ) -> u64 {
        let now = self.clock.now();
        let Some(due) = due.by(now.saturating_sub(start)) else { return 0 };
        let started = Totals::of(self.live).started - before.started;
        let queue = due.saturating_sub(started);
        pulse.beat(now, started);
        if segment.probing() {
            if queue > pulse.lost() {
                segment.give_up();
            }
        } else if queue > self.plan.max_queue {
            self.budget.queue();
        }
        queue
    }

    fn tell(&mut self, segment: &Segment, start: Duration, before: Totals, observer: &mut dyn Observer) {
        let crashes = self.crashes.lock().map(|mut crashes| std::mem::take(&mut *crashes)).unwrap_or_default();
        for crash in crashes {
            observer.crashed(&crash);
            self.first_crash.get_or_insert(crash);
        }
        let now = Totals::of(self.live);
        observer.progress(
            segment.phase,
            Progress {
                elapsed: self.clock.now().saturating_sub(start),
                rows: now.rows - before.rows,
                total_rows: segment.batches.map(|batches| batches.saturating_mul(u64::from(self.plan.batch_rows))),
                length: segment.length,
                errors: now.errors - before.errors,
            },
        );
    }
}

/// The live counters of all threads, added up.
#[derive(Debug, Clone, Copy)]
struct Totals {
    rows: u64,
    errors: u64,
    started: u64,
}

impl Totals {
    fn of(live: &[LiveCounters]) -> Self {
        let sum = |count: fn(&LiveCounters) -> u64| live.iter().map(count).sum();
        Self { rows: sum(LiveCounters::rows), errors: sum(LiveCounters::errors), started: sum(LiveCounters::started) }
    }
}
