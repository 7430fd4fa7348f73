//! The load: threads that open sessions, wait for each other, run one segment after the other, and hand over what they recorded.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use tokio::runtime::Runtime;

use crate::clock::Clock;
use crate::coordinator::Coordinator;
use crate::error::CallError;
use crate::observer::{LiveCounters, Observer};
use crate::pacer::Pacer;
use crate::plan::Plan;
use crate::recording::Recording;
use crate::result::{Phase, PhaseName};
use crate::run_error::RunError;
use crate::runtime::event_loop;
use crate::schedule::Arrivals;
use crate::segment::{Pace, Segment, ThreadUse};
use crate::target::{Target, Targets};
use crate::worker::{Shared, Stretch, work};

/// Pauses of a spinning thread between two looks at its sockets: about half a microsecond.
const PAUSES: u32 = 16;

/// Sessions that a thread opens at the same time.
const OPENED_AT_ONCE: usize = 16;

/// What a thread tells the coordinator. A thread that panics says nothing more; its end of the channel is dropped then.
pub(crate) enum Report {
    Opened(Result<(), CallError>),
    /// What was recorded in an interval that is over.
    Interval {
        thread: usize,
        index: u64,
        recording: Box<Recording>,
    },
    /// The thread has no more work in this segment. The recording is of its last, incomplete interval.
    Finished {
        thread: usize,
        index: u64,
        recording: Box<Recording>,
        /// None when none of its workers took part.
        used: Option<ThreadUse>,
    },
    Closed,
}

/// What a thread is told. When the other end of the channel is gone, the run has been given up.
pub(crate) enum Order {
    Run {
        segment: Arc<Segment>,
        start: Duration,
    },
    /// A recording to be used again.
    Spare(Box<Recording>),
    Close,
}

/// Opens one session per worker, lets `body` run segments, and closes the sessions. Gives what the body gave, and the phases `open` and
/// `close`.
pub(crate) fn with_load<T: Targets, C: Clock, R>(
    plan: &Plan,
    shared: &Shared<'_, T, C>,
    observer: &mut dyn Observer,
    body: impl FnOnce(&mut Coordinator<'_, C>, &mut dyn Observer) -> Result<R, RunError>,
) -> Result<(R, [Phase; 2]), RunError> {
    let live: Vec<LiveCounters> = (0..plan.threads).map(|_| LiveCounters::default()).collect();
    std::thread::scope(|scope| {
        let (reports, inbox) = channel();
        let mut orders = Vec::new();
        observer.begins(PhaseName::Open);
        let opening = shared.clock.now();
        for (number, live) in live.iter().enumerate() {
            let (order, ordered) = channel();
            orders.push(order);
            let reports = reports.clone();
            let workers = (0..plan.max_workers()).filter(|worker| plan.thread_of(*worker) as usize == number).collect();
            let thread = Thread { number, plan, shared, live, reports, ordered };
            scope.spawn(move || thread.main(workers));
        }
        drop(reports);
        let mut coordinator = Coordinator::new(plan, shared, inbox, orders, &live);
        coordinator.all_opened()?;
        let ended = |name, from: Duration, observer: &mut dyn Observer| {
            let phase = Phase { name, time: shared.clock.now().saturating_sub(from), rows: 0 };
            observer.ended(phase);
            phase
        };
        let open = ended(PhaseName::Open, opening, observer);
        let result = body(&mut coordinator, observer)?;
        observer.begins(PhaseName::Close);
        let closing = shared.clock.now();
        coordinator.close();
        Ok((result, [open, ended(PhaseName::Close, closing, observer)]))
    })
}

/// A load thread.
struct Thread<'a, T, C> {
    number: usize,
    plan: &'a Plan,
    shared: &'a Shared<'a, T, C>,
    live: &'a LiveCounters,
    reports: Sender<Report>,
    ordered: Receiver<Order>,
}

impl<T: Targets, C: Clock> Thread<'_, T, C> {
    /// From its first session to its last. A coordinator that no longer listens has given the run up: so does the thread.
    fn main(self, workers: Vec<u32>) {
        let Ok(event_loop) = event_loop() else { return };
        // In the order of the workers, some at a time: a thousand connections at once overrun the queue of a server that accepts them,
        // and what it drops is tried again a second later.
        let opening = stream::iter(&workers).map(|number| self.shared.targets.open(*number)).buffered(OPENED_AT_ONCE);
        let opened: Result<Vec<_>, _> = event_loop.block_on(opening.try_collect());
        let mut sessions: Vec<(u32, T::Session)> = match opened {
            Ok(sessions) => workers.into_iter().zip(sessions).collect(),
            Err(error) => return drop(self.reports.send(Report::Opened(Err(error)))),
        };
        let mut listening = self.reports.send(Report::Opened(Ok(()))).is_ok();
        let mut spares = vec![Box::<Recording>::default()];
        while listening {
            match self.ordered.recv() {
                Ok(Order::Run { segment, start }) => {
                    let (left, report) = self.run(&event_loop, sessions, &segment, start, &mut spares);
                    sessions = left;
                    listening = self.reports.send(report).is_ok();
                }
                Ok(Order::Spare(recording)) => spares.push(recording),
                Ok(Order::Close) | Err(_) => break,
            }
        }
        event_loop.block_on(join_all(sessions.iter_mut().map(|(_, session)| session.close())));
        // Nobody may be listening any more; the sessions are closed all the same.
        let _ = self.reports.send(Report::Closed);
    }

    /// Runs a segment. Gives the sessions back, and the report of its end.
    #[expect(clippy::vec_box, reason = "recordings travel between threads in their boxes: they are large")]
    fn run(
        &self,
        event_loop: &Runtime,
        sessions: Vec<(u32, T::Session)>,
        segment: &Segment,
        start: Duration,
        spares: &mut Vec<Box<Recording>>,
    ) -> (Vec<(u32, T::Session)>, Report) {
        let (busy, mut idle): (Vec<_>, Vec<_>) =
            sessions.into_iter().partition(|(worker, _)| *worker < segment.workers);
        let takes_part = !busy.is_empty();
        let recording = RefCell::new(spares.pop().unwrap_or_default());
        let (cpu, wall) = (self.shared.clock.thread_cpu(), self.shared.clock.now());
        let index = Cell::new(0);
        let idle_spinning = Cell::new(Duration::ZERO);
        let left = event_loop.block_on(async {
            let pacer = match &segment.pace {
                Pace::Closed => None,
                Pace::Open { profile, arrival, seed } => {
                    let thread = u32::try_from(self.number).unwrap_or(u32::MAX);
                    let arrivals =
                        Arrivals::new(profile.clone(), *arrival, *seed, self.plan.share(thread, segment.workers));
                    Some(Pacer::new(&self.shared.clock, start, arrivals, &self.shared.rules.stop))
                }
            };
            // A schedule ends by itself: what is due is sent, however late.
            let deadline = segment.length.filter(|_| pacer.is_none()).map(|length| start + length);
            let stretch = Stretch { segment, start, pacer, deadline, recording: &recording, live: self.live };
            let stretch = &stretch;
            let work = join_all(busy.into_iter().map(|(worker, session)| async move {
                work(worker, session, self.shared, stretch).await.map(|session| (worker, session))
            }));
            tokio::select! {
                biased;
                left = work => left,
                never = self.ship(start, &recording, &index, spares) => match never {},
                never = self.spin(&idle_spinning), if self.plan.spin => match never {},
            }
        });
        idle.extend(left.into_iter().flatten());
        // A thread without work is over at once, and so short a time says nothing of how busy it is.
        let used = takes_part.then(|| ThreadUse {
            // A thread that spins is always on its processor. What it had nothing to do for is no work.
            cpu: self.shared.clock.thread_cpu().saturating_sub(cpu).saturating_sub(idle_spinning.get()),
            wall: self.shared.clock.now().saturating_sub(wall),
        });
        let recording = recording.into_inner();
        (idle, Report::Finished { thread: self.number, index: index.get(), recording, used })
    }

    /// Keeps the event loop awake, and adds up the time in which no worker did anything.
    async fn spin(&self, idle: &Cell<Duration>) -> std::convert::Infallible {
        let clock = &self.shared.clock;
        let (mut then, mut seen) = (clock.now(), self.live.activity());
        loop {
            tokio::task::yield_now().await;
            // Leaves the core to the other of its two hardware threads for a moment, where the server may run.
            (0..PAUSES).for_each(|_| std::hint::spin_loop());
            let (now, activity) = (clock.now(), self.live.activity());
            if activity == seen {
                idle.set(idle.get() + now.saturating_sub(then));
            }
            (then, seen) = (now, activity);
        }
    }

    /// Hands the recording over at the end of every interval, beside the workers and not in their way.
    #[expect(clippy::vec_box, reason = "recordings travel between threads in their boxes: they are large")]
    async fn ship(
        &self,
        start: Duration,
        recording: &RefCell<Box<Recording>>,
        index: &Cell<u64>,
        spares: &mut Vec<Box<Recording>>,
    ) -> std::convert::Infallible {
        loop {
            let number = index.get();
            let end = start + self.plan.interval.saturating_mul(u32::try_from(number + 1).unwrap_or(u32::MAX));
            self.shared.clock.sleep(end.saturating_sub(self.shared.clock.now())).await;
            while let Ok(order) = self.ordered.try_recv() {
                if let Order::Spare(spare) = order {
                    spares.push(spare);
                }
            }
            let full = recording.replace(spares.pop().unwrap_or_default());
            // A coordinator that is gone has given the run up, and the workers are told by the stop signal.
            let _ = self.reports.send(Report::Interval { thread: self.number, index: number, recording: full });
            index.set(number + 1);
        }
    }
}
