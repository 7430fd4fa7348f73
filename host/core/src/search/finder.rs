//! Drives a search: makes the segments of its probes, judges their steps, and puts together what was found.

use std::time::Duration;

use super::window::{self, Judged};
use super::{Answer, Ask, Bound, Found, Limit, Next, RateProbe, Search};
use crate::health::NO_HEADROOM;
use crate::plan::{Offered, Plan};
use crate::result::{PhaseName, Step};
use crate::schedule::{Arrival, Profile, Stage};
use crate::segment::{Pace, Segment};
use crate::slo::Objective;

/// The search begins at this share of what a closed loop reached: low enough to pass in most cases, and two doublings away from it.
const FIRST_SHARE: f64 = 0.25;
/// Where it begins when the closed loop did nothing: the first probe will fail, and the result says why.
const LEAST_RATE: f64 = 1.0;
/// A probe lasts as long as its objectives need samples, but no longer than this many times what was asked for.
const MOST_LENGTHS: u32 = 10;

/// Fewer operations than these tell nothing of a rate.
const LEAST_OPERATIONS: f64 = 10.0;

/// A search with what it has found so far.
pub(crate) struct Finder<'a> {
    plan: &'a Plan,
    arrival: Arrival,
    search: Search,
    /// The window that runs, and how long it lasts.
    asked: Option<(Ask, Duration)>,
    probes: Vec<RateProbe>,
    /// The lowest rate that passed, and the mean service time there in nanoseconds.
    unhurried: Option<(f64, f64)>,
}

impl<'a> Finder<'a> {
    /// The search that a plan asks for, if it does. `warmup` is what a closed loop reached, where the plan does not say where to begin.
    pub(crate) fn of(plan: &'a Plan, warmup: Option<&Step>) -> Option<Self> {
        let Offered::Search { arrival, probe, start_per_s } = plan.offered else { return None };
        let reached = || warmup.and_then(Step::throughput).map(|reached| reached.operations_per_s * FIRST_SHARE);
        let start = start_per_s.or_else(reached).filter(|rate| *rate > 0.0).unwrap_or(LEAST_RATE);
        let longest = probe.saturating_mul(MOST_LENGTHS).as_secs_f64();
        let search = Search::new(start, probe, samples(plan).max(LEAST_OPERATIONS) / longest);
        Some(Self { plan, arrival, search, asked: None, probes: Vec::new(), unhurried: None })
    }

    /// The next window; none when the search has ended.
    pub(crate) fn next(&mut self) -> Option<Segment> {
        let Next::Ask(ask) = self.search.next() else { return None };
        let length = self.length(ask);
        self.asked = Some((ask, length));
        let profile = Profile::new(vec![Stage::constant(length, ask.rate_per_s)]);
        // Other arrivals in every window: bursts in the same places would make five confirmations one.
        let seed = self.plan.seed ^ (self.probes.len() as u64 + 1).rotate_right(16);
        let pace = Pace::Open { profile, arrival: self.arrival, seed };
        Some(Segment::probe(PhaseName::Measure, self.plan.max_workers(), pace, length))
    }

    /// As long as the search wants it, and longer where too few operations would be due to check the objectives.
    fn length(&self, ask: Ask) -> Duration {
        let needed = Duration::try_from_secs_f64(samples(self.plan) / ask.rate_per_s);
        needed.unwrap_or(Duration::MAX).clamp(ask.length, ask.length.saturating_mul(MOST_LENGTHS))
    }

    /// Takes in what came of the window; the step is number `index` of the run. A window in which the run was stopped is no answer.
    pub(crate) fn take(&mut self, step: &Step, index: usize, stopped: bool) {
        let Some((ask, length)) = self.asked.take() else { return };
        let unhurried = self.unhurried.map(|(_, service)| service);
        let mut judged = window::judge(step, length, &self.plan.objectives, unhurried);
        if stopped {
            judged.why = vec!["the run was stopped".to_owned()];
        } else {
            self.answer(&judged, step);
        }
        let Judged { offered_per_s, achieved_per_s, why, .. } = judged;
        let passed = why.is_empty();
        let purpose = ask.purpose;
        self.probes.push(RateProbe { offered_per_s, achieved_per_s, purpose, passed, why, step: index });
    }

    fn answer(&mut self, judged: &Judged, step: &Step) {
        let passed = judged.why.is_empty();
        if let Some(service) = step.recording.service.mean().filter(|_| passed)
            && self.unhurried.is_none_or(|(rate, _)| judged.offered_per_s < rate)
        {
            self.unhurried = Some((judged.offered_per_s, service));
        }
        self.search.answer(Answer { passed, plain: judged.plain, limit: judged.limit });
    }

    /// What was found. `steps` are those of the run.
    pub(crate) fn finish(self, steps: &[Step]) -> Found {
        let (rate_per_s, bound) = match self.search.next() {
            Next::Ask(_) => (None, Bound::Unfinished),
            Next::Done(outcome) => match (outcome.rate_per_s, outcome.limit) {
                (None, _) => (None, Bound::NothingHeld),
                (rate, Some(limit)) => (rate, Bound::Client(limit)),
                (rate, None) => (rate, Bound::Server),
            },
        };
        let confirmed = self.search.confirmed();
        let mut found = Found { rate_per_s, rows_per_s: None, bound, probes: self.probes, confirmed };
        found.rows_per_s = rate_per_s.and_then(|rate| Some(rate * rows_each(found.confirmed_steps(steps))?));
        found
    }
}

/// Operations that a probe needs to check the plan's objectives.
fn samples(plan: &Plan) -> f64 {
    let samples = plan.objectives.iter().map(Objective::samples).fold(0.0, f64::max);
    // A few more, because some operations may fail and Poisson arrivals vary.
    samples + 4.0 * samples.sqrt()
}

/// Acknowledged rows of an operation, on average; none when there was no operation.
fn rows_each(steps: &[Step]) -> Option<f64> {
    let sum = |count: fn(&Step) -> u64| steps.iter().map(count).sum::<u64>() as f64;
    let operations = sum(|step| step.recording.operations.ok);
    (operations > 0.0).then(|| sum(|step| step.recording.rows.acknowledged) / operations)
}

impl Found {
    /// Takes in what the client alone reached, as a multiple of the found rate: with little to spare, the ceiling is its own.
    pub(crate) fn compare(&mut self, headroom: Option<f64>) {
        if let Some(headroom) = headroom.filter(|headroom| *headroom < NO_HEADROOM)
            && self.bound == Bound::Server
        {
            self.bound = Bound::Client(Limit::Headroom(headroom));
        }
    }
}
