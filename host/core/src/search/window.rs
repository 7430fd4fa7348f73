//! Whether the server sustained a window of load, and whose doing it was if not.
//!
//! **Lag grows** when even the calmest interval of the window's last third had operations start later than the calmest of its first
//! third. "Calmest" is by the median lag of an interval, so that neither a stall nor the backlog that it leaves counts as growth once it
//! has been worked off: a server that keeps up comes back to its usual lag, one that is overtaxed never does. The bound is a quarter of
//! a percent of the time between the two thirds, because a client that falls behind by so much of its rate falls behind for ever; and a
//! millisecond at least, because timers are not better than that on a busy machine.

use std::time::Duration;

use super::Limit;
use crate::health::{SATURATED, SCHEDULE_HELD};
use crate::result::Step;
use crate::segment::IntervalFigures;
use crate::slo::{Kept, Objective};

/// Below this share of the offered rate, no second look is needed.
const PLAIN: f64 = 0.95;
/// What lag may grow by, as a share of the time that it grew in, and at least.
const GROWTH: f64 = 0.0025;
const LEAST_GROWTH: Duration = Duration::from_millis(1);
/// A server answers as fast as under less load while its mean service time is within this of the one there.
const AS_FAST: f64 = 1.25;
/// Operations wait at the client when more than this share of their response time is lag, even if it does not grow.
const WAITING: f64 = 0.2;

/// A window, judged.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judged {
    /// Operations per second that were due.
    pub(super) offered_per_s: f64,
    /// Operations per second that were started when they should, those that failed left out.
    pub(super) achieved_per_s: f64,
    /// Why it did not pass; empty when it did.
    pub(super) why: Vec<String>,
    /// Whether it failed so plainly that no second look is needed.
    pub(super) plain: bool,
    /// Why a failure was not the server's, if it was not.
    pub(super) limit: Option<Limit>,
}

/// Judges a window of an open loop of so long. `unhurried`: the mean service time under little load in nanoseconds, if it is known.
pub(super) fn judge(step: &Step, length: Duration, objectives: &[Objective], unhurried: Option<f64>) -> Judged {
    let mut why = Vec::new();
    let (offered, started) =
        step.schedule.map_or((0.0, 0.0), |schedule| (schedule.offered_per_s, schedule.achieved_per_s));
    let operations = step.recording.operations;
    let all = operations.ok + operations.errors();
    // A server that refuses at once can be asked at any rate.
    let achieved = if all == 0 { 0.0 } else { started * operations.ok as f64 / all as f64 };
    let given_up = step.schedule.is_some_and(|schedule| schedule.given_up);
    if given_up {
        why.push("its queue grew so long that it was given up".to_owned());
    }
    if achieved < SCHEDULE_HELD * offered {
        why.push(format!("{achieved:.0} of {offered:.0} operations/s were achieved"));
    }
    // A rate is what the search is for: an objective that wants one is checked on what it found.
    for objective in objectives.iter().filter(|objective| !objective.is_of_rate()) {
        match objective.check(&step.recording, step.measured) {
            Kept::Yes => {}
            Kept::No(found) => why.push(format!("{objective}: it was {found}")),
            Kept::TooFew => why.push(format!("{objective}: too few operations to say; give a longer --probe")),
        }
    }
    let grown = grown_lag(&step.intervals, length);
    if let Some((early, late)) = grown {
        why.push(format!("lag grew from {} to {}", milliseconds(early), milliseconds(late)));
    }
    let late = grown.is_some() || achieved < SCHEDULE_HELD * offered;
    let limit = if why.is_empty() { None } else { limit(step, late, unhurried) };
    let plain = given_up || achieved < PLAIN * offered;
    Judged { offered_per_s: offered, achieved_per_s: achieved, why, plain, limit }
}

/// Median lag of the calmest interval early and late in a window of so long, where it grew; none where it did not, or nobody can say.
fn grown_lag(intervals: &[IntervalFigures], length: Duration) -> Option<(Duration, Duration)> {
    let calmest = |from: Duration, to: Duration| {
        // By their middles: the lengths of intervals need not divide a third.
        let within = intervals.iter().filter(|interval| (from..to).contains(&(interval.start + interval.length / 2)));
        within.filter_map(|interval| interval.lag).min()
    };
    let early = calmest(Duration::ZERO, length / 3)?;
    let late = calmest(length * 2 / 3, length)?;
    let bound = (length * 2 / 3).mul_f64(GROWTH).max(LEAST_GROWTH);
    (late > early + bound).then_some((early, late))
}

/// Why a failure was not the server's, if it was not. `late`: operations started ever later.
fn limit(step: &Step, late: bool, unhurried: Option<f64>) -> Option<Limit> {
    if step.schedule.is_some_and(|schedule| schedule.unsent > 0 && !schedule.given_up) {
        return Some(Limit::Dataset);
    }
    let busy = step.busiest_thread();
    if busy >= SATURATED {
        return Some(Limit::Thread(busy));
    }
    // The mean, and not the median, so that a server that stalls now and then is not taken for a fast one.
    let (service, lag) = (step.recording.service.mean()?, step.recording.lag.mean()?);
    let as_fast = service <= AS_FAST * unhurried?;
    (as_fast && (late || lag > WAITING * (service + lag))).then_some(Limit::Workers(step.workers))
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: Duration = Duration::from_secs(10);

    /// A window of ten seconds in intervals of one, each with a median lag in microseconds.
    fn intervals(lags: [Option<u64>; 10]) -> Vec<IntervalFigures> {
        let figures = |(second, lag): (u64, Option<u64>)| IntervalFigures {
            start: Duration::from_secs(second),
            length: Duration::from_secs(1),
            rows: 0,
            ok: 0,
            failed: 0,
            timed_out: 0,
            lag: lag.map(Duration::from_micros),
        };
        (0..).zip(lags).map(figures).collect()
    }

    fn grows(lags: [u64; 10]) -> bool {
        grown_lag(&intervals(lags.map(Some)), LENGTH).is_some()
    }

    #[test]
    fn lag_that_rises_all_the_time_grows() {
        // A client that falls behind by half a percent.
        assert!(grows([0, 5_000, 10_000, 15_000, 20_000, 25_000, 30_000, 35_000, 40_000, 45_000]));
        let (early, late) =
            grown_lag(&intervals([9, 9, 9, 0, 0, 0, 0, 70_000, 80_000, 90_000].map(Some)), LENGTH).unwrap();
        assert_eq!((early, late), (Duration::from_micros(9), Duration::from_micros(70_000)));
    }

    #[test]
    fn a_stall_that_was_worked_off_does_not_count_as_growth_wherever_it_is() {
        for at in 0..9 {
            let mut lags = [100; 10];
            (lags[at], lags[at + 1]) = (900_000, 300_000);
            assert!(!grows(lags), "{at}");
        }
    }

    #[test]
    fn steady_lag_is_no_growth_however_long_it_is() {
        assert!(!grows([80_000; 10]));
        assert!(!grows([80_000, 90_000, 70_000, 85_000, 95_000, 80_000, 90_000, 85_000, 75_000, 90_000]));
        assert!(!grows([0, 0, 0, 0, 0, 0, 0, 900, 900, 900]), "less than timers are good for");
    }

    #[test]
    fn windows_without_operations_early_or_late_say_nothing() {
        let mut lags = [Some(5_000_000); 10];
        lags[..3].fill(None);
        assert_eq!(grown_lag(&intervals(lags), LENGTH), None);
        assert_eq!(grown_lag(&[], LENGTH), None);
    }

    #[test]
    fn what_drains_after_the_window_is_not_looked_at() {
        let mut all = intervals([Some(0); 10]);
        let late = IntervalFigures { start: LENGTH, lag: Some(LENGTH), ..all[9] };
        all.push(late);
        assert_eq!(grown_lag(&all, LENGTH), None);
    }
}
