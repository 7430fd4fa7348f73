//! From a plan to its segments: what runs, one after the other, and how many rows each may take.

use std::time::Duration;

use crate::plan::{Offered, Plan};
use crate::result::PhaseName;
use crate::schedule::{Arrival, Profile, Stage};
use crate::segment::{Pace, Segment};

/// More rows than any client can make in a second. Where time decides, this many a second are set aside in the dataset, so that the
/// range of time that the run may touch is known before it starts.
const MOST_ROWS_PER_SECOND: f64 = 5e7;

/// The warm-up and the measured steps of a run.
#[derive(Debug)]
pub(crate) struct Segments {
    pub(crate) warmup: Option<Segment>,
    pub(crate) steps: Vec<Segment>,
    /// Rows of each of them, the warm-up first.
    pub(crate) rows: Vec<u64>,
    /// Whether these are all rows that will be asked for, no more and no less: then they can be made ahead of the clock.
    pub(crate) known: bool,
}

impl Segments {
    /// Those of a plan.
    pub(crate) fn of(plan: &Plan) -> Self {
        let mut segments = Self { warmup: None, steps: Vec::new(), rows: Vec::new(), known: true };
        if !plan.warmup.is_zero() {
            let workers = plan.workers.first().copied().unwrap_or(1);
            let pace = match &plan.offered {
                Offered::Closed => Pace::Closed,
                Offered::Open { profile, arrival } => {
                    let rate = profile.stages().first().map_or(0.0, |stage| stage.from_per_s.max(stage.to_per_s));
                    let profile = Profile::new(vec![Stage::constant(plan.warmup, rate)]);
                    // Other arrivals than the measured ones, or bursts would come in the same places.
                    Pace::Open { profile, arrival: *arrival, seed: plan.seed ^ 1 }
                }
            };
            let segment = Segment::new(PhaseName::Warmup, workers, pace, Some(plan.warmup), None);
            segments.add_rows(plan, &segment, None);
            segments.warmup = Some(segment);
        }
        for workers in &plan.workers {
            let pace = match &plan.offered {
                Offered::Closed => Pace::Closed,
                Offered::Open { profile, arrival } => {
                    Pace::Open { profile: profile.clone(), arrival: *arrival, seed: plan.seed }
                }
            };
            let batches = plan.rows.map(|rows| rows.div_ceil(u64::from(plan.batch_rows)));
            let segment = Segment::new(PhaseName::Measure, *workers, pace, plan.duration, batches);
            segments.add_rows(plan, &segment, plan.rows);
            segments.steps.push(segment);
        }
        segments
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
        self.rows.push(match (exactly, most) {
            (Some(rows), _) => rows,
            (None, Some(most)) => most,
            (None, None) => {
                self.known = false;
                (segment.length.unwrap_or(Duration::ZERO).as_secs_f64() * MOST_ROWS_PER_SECOND + batch_rows) as u64
            }
        });
    }
}
