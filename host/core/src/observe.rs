//! Samples what the server uses, on a thread of its own, from before the warm-up to the end of the drain. A sample that fails is counted;
//! it never ends a run.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crate::clock::Clock;
use crate::probe::{Probe, Usage};

/// What was seen, not yet put in relation to the steps of the run.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// What was looked at.
    pub(crate) probe: String,
    /// Moments on the run's clock, and what had been used until then.
    pub(crate) samples: Vec<(Duration, Usage)>,
    pub(crate) failed: u64,
    pub(crate) first_failure: Option<String>,
    /// Processor time of the observing thread.
    pub(crate) cpu: Duration,
}

impl Seen {
    fn failure(&mut self, text: String) {
        self.failed += 1;
        self.first_failure.get_or_insert(text);
    }

    fn sample<C: Clock>(&mut self, probe: &mut dyn Probe, clock: &C) {
        let before = clock.now();
        match probe.sample() {
            // A server that is asked over the network answers some time between the two.
            Ok(usage) => self.samples.push((before + clock.now().saturating_sub(before) / 2, usage)),
            Err(error) => self.failure(error.to_string()),
        }
    }

    /// Takes the sample at the end. One just before it is dropped then: it would leave an interval that is too short for the clock that
    /// counts the server's time, and as counters only grow, nothing is lost with it. The first one stays in any case.
    fn last_sample<C: Clock>(&mut self, probe: &mut dyn Probe, clock: &C, interval: Duration) {
        let taken = self.samples.len();
        self.sample(probe, clock);
        if let [_, .., (before, _), (last, _)] = self.samples[..]
            && self.samples.len() > taken
            && last.saturating_sub(before) < interval / 2
        {
            self.samples.remove(taken - 1);
        }
    }
}

/// The observing thread. It ends when this is dropped.
pub(crate) struct Sampler {
    /// Never sends: that it is gone is the message.
    stop: Sender<()>,
    thread: Option<JoinHandle<Seen>>,
    name: String,
}

impl Sampler {
    /// Starts to sample every `interval`, and returns when the first sample has been taken.
    pub(crate) fn start<C: Clock + 'static>(probe: Box<dyn Probe>, clock: &C, interval: Duration) -> Self {
        let name = probe.name();
        let (stop, stopped) = channel();
        let (ready, first) = channel();
        let clock = clock.clone();
        let thread =
            Builder::new().name("observe".into()).spawn(move || watch(probe, &clock, interval, &ready, &stopped));
        // A thread that could not be started, or ended in a panic, has dropped its end of the channel.
        let _ = first.recv();
        Self { stop, thread: thread.ok(), name }
    }

    /// Takes a last sample, and hands over what was seen.
    pub(crate) fn finish(self) -> Seen {
        drop(self.stop);
        match self.thread.map(JoinHandle::join) {
            Some(Ok(seen)) => seen,
            None | Some(Err(_)) => {
                let mut seen = Seen { probe: self.name, ..Seen::default() };
                seen.failure("the observing thread could not be started, or ended early".into());
                seen
            }
        }
    }
}

fn watch<C: Clock>(
    mut probe: Box<dyn Probe>,
    clock: &C,
    interval: Duration,
    ready: &Sender<()>,
    stopped: &Receiver<()>,
) -> Seen {
    let cpu = clock.thread_cpu();
    let start = clock.now();
    let mut seen = Seen { probe: probe.name(), ..Seen::default() };
    seen.sample(&mut *probe, clock);
    // Nobody listens when the run has been given up: the other channel says so too.
    let _ = ready.send(());
    while stopped.recv_timeout(until_next(clock.now().saturating_sub(start), interval))
        == Err(RecvTimeoutError::Timeout)
    {
        seen.sample(&mut *probe, clock);
    }
    seen.last_sample(&mut *probe, clock, interval);
    seen.cpu = clock.thread_cpu().saturating_sub(cpu);
    seen
}

/// Time until the next moment that is a multiple of `interval`: a sample that took long makes those that were due meanwhile fall out,
/// and shifts none.
fn until_next(elapsed: Duration, interval: Duration) -> Duration {
    let interval_ns = interval.as_nanos().max(1);
    let over = elapsed.as_nanos() % interval_ns;
    Duration::from_nanos(u64::try_from(interval_ns - over).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::MonotonicClock;
    use crate::fakes::{FakeClock, FakeProbe};

    const SECOND: Duration = Duration::from_secs(1);
    /// Longer than any test lasts.
    const NEVER: Duration = Duration::from_secs(3600);

    #[test]
    fn a_slow_sample_shifts_none_of_the_following() {
        assert_eq!(until_next(Duration::ZERO, SECOND), SECOND);
        assert_eq!(until_next(SECOND / 4, SECOND), SECOND * 3 / 4);
        assert_eq!(until_next(SECOND * 7 / 2, SECOND), SECOND / 2);
        assert_eq!(until_next(SECOND * 2, SECOND), SECOND);
    }

    #[test]
    fn the_first_sample_is_taken_before_the_load_and_the_last_after_it() {
        let clock = FakeClock::default();
        clock.advance(SECOND * 3);
        let sampler = Sampler::start(FakeProbe::new(&clock), &clock, NEVER);
        clock.advance(SECOND * 7200);
        let seen = sampler.finish();
        let at: Vec<_> = seen.samples.iter().map(|(at, _)| at.as_secs()).collect();
        assert_eq!((at, seen.failed, seen.probe.as_str()), (vec![3, 7203], 0, "fake"));
    }

    #[test]
    fn it_samples_on_its_own_until_it_is_told_to_end() {
        let clock = MonotonicClock::start();
        let (taken, tick) = channel();
        let probe = FakeProbe::with(move |_| {
            let _ = taken.send(());
            Ok(Usage::default())
        });
        let sampler = Sampler::start(probe, &clock, Duration::from_millis(1));
        for _ in 0..5 {
            tick.recv().unwrap();
        }
        let seen = sampler.finish();
        assert!(seen.samples.len() >= 5);
        assert!(seen.samples.is_sorted_by_key(|(at, _)| *at));
        assert!(tick.iter().count() > 0, "a last sample at the end, and then the probe is gone");
    }

    /// Moments of the samples when the last one is taken at `last`.
    fn moments(taken: &[u64], last: u64, answer: fn(u64) -> Result<Usage, String>) -> Vec<u64> {
        let clock = FakeClock::default();
        clock.advance(SECOND * u32::try_from(last).unwrap());
        let samples = taken.iter().map(|at| (Duration::from_secs(*at), Usage::default())).collect();
        let mut seen = Seen { samples, ..Seen::default() };
        seen.last_sample(&mut *FakeProbe::with(answer), &clock, SECOND * 10);
        seen.samples.iter().map(|(at, _)| at.as_secs()).collect()
    }

    #[test]
    fn a_sample_right_before_the_last_one_makes_room_for_it() {
        let works = |_| Ok(Usage::default());
        assert_eq!(moments(&[0, 10, 20], 24, works), [0, 10, 24]);
        assert_eq!(moments(&[0, 10, 20], 25, works), [0, 10, 20, 25]);
        assert_eq!(moments(&[0], 1, works), [0, 1], "the first one stays");
        assert_eq!(moments(&[0, 10, 20], 24, |_| Err("gone".into())), [0, 10, 20], "nothing came in its place");
    }

    #[test]
    fn failures_are_counted_and_the_first_text_is_kept() {
        let clock = FakeClock::default();
        let sampler = Sampler::start(FakeProbe::with(|number| Err(format!("no sample {number}"))), &clock, NEVER);
        let seen = sampler.finish();
        assert_eq!((seen.samples.len(), seen.failed), (0, 2));
        assert_eq!(seen.first_failure.as_deref(), Some("no sample 0"));
    }

    #[test]
    fn a_probe_that_panics_is_a_failure_and_not_the_end_of_the_run() {
        let clock = FakeClock::default();
        let seen = Sampler::start(FakeProbe::with(|_| panic!("a bug")), &clock, NEVER).finish();
        assert_eq!((seen.samples.len(), seen.failed, seen.probe.as_str()), (0, 1, "fake"));
    }
}
