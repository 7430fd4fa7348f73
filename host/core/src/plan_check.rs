//! Whether the parts of a plan agree with each other.

use std::time::Duration;

use crate::plan::{Offered, PROBE_INTERVALS, PlanSpec};
use crate::plan_error::PlanError;

/// The parts of a load that must agree with each other.
pub(crate) fn check_load(spec: &PlanSpec) -> Result<(), PlanError> {
    if let Offered::Search { probe, start_per_s, .. } = spec.offered {
        return check_search(spec, probe, start_per_s);
    }
    // A schedule has an end of its own.
    if spec.offered == Offered::Closed && spec.rows.is_none() && spec.duration.is_none() {
        return Err(PlanError::Endless);
    }
    if spec.duration.is_some_and(|duration| spec.warmup > duration) {
        return Err(PlanError::LongWarmup);
    }
    match &spec.offered {
        Offered::Closed => match spec.objectives.iter().find(|objective| objective.needs_schedule()) {
            Some(objective) => Err(PlanError::NoSuchClock(objective.to_string())),
            None => Ok(()),
        },
        Offered::Open { profile, .. } => {
            let rates = profile.stages().iter().flat_map(|stage| [stage.from_per_s, stage.to_per_s]);
            if let Some(rate) = rates.into_iter().find(|rate| !rate.is_finite() || *rate < 0.0) {
                return Err(PlanError::Rate(rate));
            }
            if profile.operations() <= 0.0 {
                return Err(PlanError::Rate(0.0));
            }
            let stages = profile.length();
            if let Some(duration) = spec.duration.filter(|duration| *duration != stages) {
                return Err(PlanError::DurationWithStages { duration, stages });
            }
            if spec.workers.len() > 1 { Err(PlanError::LadderWithRate) } else { Ok(()) }
        }
        Offered::Search { .. } => Ok(()),
    }
}

/// The parts of a load that a search decides, and those that it does not.
fn check_search(spec: &PlanSpec, probe: Duration, start_per_s: Option<f64>) -> Result<(), PlanError> {
    for (flag, given) in [("--rows", spec.rows.is_some()), ("--duration", spec.duration.is_some())] {
        if given {
            return Err(PlanError::SearchWithAmount { flag });
        }
    }
    // An interval shorter than a nanosecond would be none.
    if (probe / PROBE_INTERVALS).is_zero() {
        return Err(PlanError::Zero { flag: "--probe" });
    }
    if let Some(rate) = start_per_s.filter(|rate| !rate.is_finite() || *rate <= 0.0) {
        return Err(PlanError::Rate(rate));
    }
    if spec.workers.len() > 1 { Err(PlanError::LadderWithSearch) } else { Ok(()) }
}

pub(crate) fn at_least_one(flag: &'static str, given: u64) -> Result<(), PlanError> {
    if given == 0 { Err(PlanError::Zero { flag }) } else { Ok(()) }
}

pub(crate) fn at_least(flag: &'static str, given: Duration, least: Duration) -> Result<(), PlanError> {
    if given < least { Err(PlanError::TooShort { flag, given, least }) } else { Ok(()) }
}

pub(crate) fn at_most(flag: &'static str, given: u64, most: u64) -> Result<(), PlanError> {
    if given > most { Err(PlanError::TooMany { flag, given, most }) } else { Ok(()) }
}
