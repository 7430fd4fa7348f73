//! From a plan to its segments: what runs, one after the other, and how many rows each may take.

use std::time::Duration;

use crate::batches::{BatchPlan, Parts};
use crate::plan::{Offered, Plan};
use crate::result::PhaseName;
use crate::schedule::{Arrival, Profile, Stage};
use crate::segment::{Pace, Segment};

/// More rows than any client can make in a second. Where time decides, this many a second are set aside in the dataset, so that the
/// range of time that the run may touch is known before it starts.
const MOST_ROWS_PER_SECOND: f64 = 5e7;

/// A search is expected to be over within this many lengths of its probes at that speed. At the speeds that clients reach it may take
/// many times as long; should the rows end all the same, the search says that they did.
const SEARCH_LENGTHS: u32 = 100;
/// How long a closed loop runs, at most, to tell a search where to begin.
const ESTIMATE: Duration = Duration::from_secs(2);

/// The warm-up and the measured steps of a run.
#[derive(Debug)]
pub(crate) struct Segments {
    pub(crate) warmup: Option<Segment>,
    /// None in a search, which makes its own as it goes.
    pub(crate) steps: Vec<Segment>,
    /// Rows of each of them, the warm-up first and those of a search last.
    pub(crate) rows: Vec<u64>,
    /// Whether these are all rows that will be asked for, no more and no less: then they can be made ahead of the clock.
    pub(crate) known: bool,
}

impl Segments {
    /// Those of a plan.
    pub(crate) fn of(plan: &Plan) -> Self {
        let mut segments = Self { warmup: None, steps: Vec::new(), rows: Vec::new(), known: true };
        let warmup = match plan.offered {
            // The warm-up tells where to begin.
            Offered::Search { start_per_s: None, probe, .. } => plan.warmup.max(probe.min(ESTIMATE)),
            _ => plan.warmup,
        };
        if !warmup.is_zero() {
            // Of a ladder, all workers: each step finds those that it needs warm.
            let workers = plan.max_workers();
            let pace = match &plan.offered {
                Offered::Closed | Offered::Search { start_per_s: None, .. } => Pace::Closed,
                Offered::Search { start_per_s: Some(rate), arrival, .. } => {
                    let profile = Profile::new(vec![Stage::constant(warmup, *rate)]);
                    Pace::Open { profile, arrival: *arrival, seed: plan.seed }
                }
                Offered::Open { profile, arrival } => {
                    let rate = profile.stages().first().map_or(0.0, |stage| stage.from_per_s.max(stage.to_per_s));
                    let profile = Profile::new(vec![Stage::constant(warmup, rate)]);
                    // Other arrivals than the measured ones, or bursts would come in the same places.
                    Pace::Open { profile, arrival: *arrival, seed: plan.seed ^ 1 }
                }
            };
            let segment = Segment::new(PhaseName::Warmup, workers, pace, Some(warmup), None);
            segments.add_rows(plan, &segment, None);
            segments.warmup = Some(segment);
        }
        if let Offered::Search { probe, .. } = plan.offered {
            segments.set_aside(plan, probe.saturating_mul(SEARCH_LENGTHS));
            return segments;
        }
        for workers in &plan.workers {
            let pace = match &plan.offered {
                Offered::Closed | Offered::Search { .. } => Pace::Closed,
                Offered::Open { profile, arrival } => {
                    Pace::Open { profile: profile.clone(), arrival: *arrival, seed: plan.seed }
                }
            };
            let segment = Segment::new(PhaseName::Measure, *workers, pace, plan.duration, None);
            segments.add_rows(plan, &segment, plan.rows);
            segments.steps.push(segment);
        }
        segments
    }

    /// Where it is given how many rows a step writes, it writes those of its own part, no more and no less: a shorter batch at the end
    /// of each table is a batch too, and what a warm-up has left is not the step's.
    pub(crate) fn bound(&mut self, parts: &Parts, rows: Option<u64>) {
        if rows.is_none() {
            return;
        }
        let before = usize::from(self.warmup.is_some());
        for (part, segment) in (before..).zip(&mut self.steps) {
            segment.batches = parts.parts().get(part).map(BatchPlan::len);
            segment.part = Some((part, parts.first_batch(part)));
        }
    }

    /// Sets rows aside for a segment.
    fn add_rows(&mut self, plan: &Plan, segment: &Segment, exactly: Option<u64>) {
        let batch_rows = f64::from(plan.batch_rows);
        let most = match &segment.pace {
            Pace::Open { profile, arrival, .. } => {
                let operations = profile.operations();
                // Six standard deviations beyond the mean: once in a billion runs a Poisson process wants more, and gets none.
                let spread = if *arrival == Arrival::Poisson { 6.0 * operations.sqrt() + 10.0 } else { 1.0 };
                Some(((operations + spread).ceil() * batch_rows) as u64)
            }
            Pace::Closed => None,
        };
        match (exactly, most) {
            (Some(rows), _) => self.rows.push(rows),
            (None, Some(most)) => self.rows.push(most),
            (None, None) => self.set_aside(plan, segment.length.unwrap_or(Duration::ZERO)),
        }
    }

    /// Sets rows aside for so long, where nobody knows how many it will be.
    fn set_aside(&mut self, plan: &Plan, length: Duration) {
        self.known = false;
        self.rows.push((length.as_secs_f64() * MOST_ROWS_PER_SECOND + f64::from(plan.batch_rows)) as u64);
    }
}
