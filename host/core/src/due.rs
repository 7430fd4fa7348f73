//! How many operations of a schedule are due: what queue and achievement are measured against. Arrivals at random are counted one by one,
//! as the threads draw them, because their number is only near the mean.

use std::iter::Peekable;
use std::time::Duration;

use crate::plan::Plan;
use crate::schedule::{Arrival, Arrivals, Profile};
use crate::segment::{Pace, Segment};

/// Counts what is due, as time goes on.
pub(crate) struct Due<'a> {
    segment: &'a Segment,
    /// The arrivals of each thread, up to what was counted; none of an even schedule, which is arithmetic.
    random: Vec<Peekable<Arrivals>>,
    counted: u64,
}

impl<'a> Due<'a> {
    pub(crate) fn new(segment: &'a Segment, plan: &Plan) -> Self {
        Self { segment, random: random(segment, plan).map(Iterator::peekable).collect(), counted: 0 }
    }

    /// Operations that are due by `elapsed` into the segment, which never goes back; none in a closed loop.
    pub(crate) fn by(&mut self, elapsed: Duration) -> Option<u64> {
        let Pace::Open { profile, .. } = &self.segment.pace else { return None };
        let due = if self.random.is_empty() {
            profile.operations_by(elapsed) as u64
        } else {
            for thread in &mut self.random {
                while thread.next_if(|due| *due <= elapsed).is_some() {
                    self.counted += 1;
                }
            }
            self.counted
        };
        Some(self.segment.batches.map_or(due, |batches| due.min(batches)))
    }
}

/// Operations that a segment's schedule wants in all, and in what time; none in a closed loop.
pub(crate) fn in_all(segment: &Segment, plan: &Plan) -> Option<(f64, Duration)> {
    let Pace::Open { profile, arrival, .. } = &segment.pace else { return None };
    Some(match arrival {
        Arrival::Uniform => even(profile, segment.batches),
        Arrival::Poisson => drawn(random(segment, plan), profile, segment.batches),
    })
}

/// Operations that a segment's schedule wanted until it was cut short, `elapsed` after its start; none in a closed loop.
pub(crate) fn until(segment: &Segment, plan: &Plan, elapsed: Duration) -> Option<f64> {
    match &segment.pace {
        Pace::Open { profile, arrival: Arrival::Uniform, .. } => {
            let due = profile.operations_by(elapsed);
            Some(segment.batches.map_or(due, |batches| due.min(batches as f64)))
        }
        _ => Due::new(segment, plan).by(elapsed).map(|due| due as f64),
    }
}

fn even(profile: &Profile, batches: Option<u64>) -> (f64, Duration) {
    match batches.map(|batches| batches as f64) {
        Some(batches) if batches < profile.operations() => {
            (batches, profile.due(batches).unwrap_or_else(|| profile.length()))
        }
        _ => (profile.operations(), profile.length()),
    }
}

fn drawn(threads: impl Iterator<Item = Arrivals>, profile: &Profile, batches: Option<u64>) -> (f64, Duration) {
    let Some(batches) = batches else {
        return (threads.map(Iterator::count).sum::<usize>() as f64, profile.length());
    };
    // The earliest of all threads, one after the other: a long schedule is never held in memory.
    let mut threads: Vec<_> = threads.map(Iterator::peekable).collect();
    for drawn in 0..batches {
        if next_of(&mut threads).is_none() {
            return (drawn as f64, profile.length());
        }
    }
    (batches as f64, next_of(&mut threads).unwrap_or_else(|| profile.length()))
}

/// The next arrival of all threads.
fn next_of(threads: &mut [Peekable<Arrivals>]) -> Option<Duration> {
    let next = threads.iter_mut().filter_map(|thread| Some((*thread.peek()?, thread)));
    next.min_by_key(|(due, _)| *due)?.1.next()
}

fn random(segment: &Segment, plan: &Plan) -> impl Iterator<Item = Arrivals> {
    let drawn = match &segment.pace {
        Pace::Open { profile, arrival: Arrival::Poisson, seed } => Some((profile, *seed)),
        Pace::Open { .. } | Pace::Closed => None,
    };
    drawn.into_iter().flat_map(move |(profile, seed)| {
        (0..plan.threads).map(move |thread| {
            Arrivals::new(profile.clone(), Arrival::Poisson, seed, plan.share(thread, segment.workers))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::PlanSpec;
    use crate::plan::tests::spec;
    use crate::result::PhaseName;
    use crate::schedule::Stage;

    fn segment(arrival: Arrival, batches: Option<u64>) -> Segment {
        let profile = Profile::new(vec![Stage::constant(Duration::from_secs(10), 100.0)]);
        let pace = Pace::Open { profile, arrival, seed: 3 };
        Segment::new(PhaseName::Measure, 3, pace, None, batches)
    }

    /// Three workers on two threads.
    fn plan() -> Plan {
        Plan::new(PlanSpec { workers: vec![3], ..spec() }).unwrap()
    }

    #[test]
    fn even_schedules_are_counted_by_arithmetic() {
        let even = segment(Arrival::Uniform, None);
        let mut due = Due::new(&even, &plan());
        assert_eq!(due.by(Duration::from_secs(5)), Some(500));
        assert_eq!(in_all(&even, &plan()), Some((1000.0, Duration::from_secs(10))));
        assert_eq!(in_all(&segment(Arrival::Uniform, Some(200)), &plan()), Some((200.0, Duration::from_secs(2))));
    }

    #[test]
    fn arrivals_at_random_are_counted_as_they_were_drawn() {
        let random = segment(Arrival::Poisson, None);
        let (all, length) = in_all(&random, &plan()).unwrap();
        assert!((all - 1000.0).abs() < 200.0 && all != 1000.0, "{all}");
        assert_eq!(length, Duration::from_secs(10));
        let mut due = Due::new(&random, &plan());
        let half = due.by(Duration::from_secs(5)).unwrap();
        assert!(half > 0 && (half as f64) < all);
        assert_eq!(due.by(Duration::from_secs(10)), Some(all as u64));
        let (some, until) = in_all(&segment(Arrival::Poisson, Some(half)), &plan()).unwrap();
        assert_eq!(some as u64, half);
        assert!(until >= Duration::from_secs(4) && until < Duration::from_secs(7), "{until:?}");
    }

    #[test]
    fn of_arrivals_at_random_the_earliest_of_all_threads_are_those_that_batches_are_left_for() {
        let mut all: Vec<_> = random(&segment(Arrival::Poisson, None), &plan()).flatten().collect();
        all.sort_unstable();
        for batches in [0, 1, 17, all.len() - 1] {
            let few = segment(Arrival::Poisson, Some(batches as u64));
            assert_eq!(in_all(&few, &plan()), Some((batches as f64, all[batches])));
        }
        let many = segment(Arrival::Poisson, Some(1_000_000));
        assert_eq!(in_all(&many, &plan()), Some((all.len() as f64, Duration::from_secs(10))));
    }

    #[test]
    fn a_schedule_that_is_cut_short_wanted_what_was_due_by_then() {
        let half = Duration::from_secs(5);
        assert_eq!(until(&segment(Arrival::Uniform, None), &plan(), half), Some(500.0));
        let random = segment(Arrival::Poisson, None);
        assert_eq!(until(&random, &plan(), half).map(|due| due as u64), Due::new(&random, &plan()).by(half));
        assert_eq!(until(&segment(Arrival::Uniform, Some(20)), &plan(), half), Some(20.0));
    }

    #[test]
    fn a_closed_loop_has_nothing_due() {
        let closed = Segment::new(PhaseName::Measure, 1, Pace::Closed, None, None);
        assert_eq!(Due::new(&closed, &plan()).by(Duration::from_secs(1)), None);
        assert_eq!(in_all(&closed, &plan()), None);
    }
}
