//! How many operations of a schedule are due: what queue and achievement are measured against. Arrivals at random are counted one by one,
//! as the threads draw them, because their number is only near the mean.

use std::iter::Peekable;
use std::time::Duration;

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
    pub(crate) fn new(segment: &'a Segment, threads: u32) -> Self {
        Self { segment, random: random(segment, threads).map(Iterator::peekable).collect(), counted: 0 }
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
pub(crate) fn in_all(segment: &Segment, threads: u32) -> Option<(f64, Duration)> {
    let Pace::Open { profile, .. } = &segment.pace else { return None };
    let all: Vec<Duration> = random(segment, threads).flatten().collect();
    Some(if all.is_empty() { even(profile, segment.batches) } else { drawn(all, profile, segment.batches) })
}

fn even(profile: &Profile, batches: Option<u64>) -> (f64, Duration) {
    match batches.map(|batches| batches as f64) {
        Some(batches) if batches < profile.operations() => {
            (batches, profile.due(batches).unwrap_or_else(|| profile.length()))
        }
        _ => (profile.operations(), profile.length()),
    }
}

fn drawn(mut all: Vec<Duration>, profile: &Profile, batches: Option<u64>) -> (f64, Duration) {
    let enough = batches.and_then(|batches| usize::try_from(batches).ok()).filter(|batches| *batches < all.len());
    match enough {
        Some(batches) => {
            let (_, end, _) = all.select_nth_unstable(batches);
            (batches as f64, *end)
        }
        None => (all.len() as f64, profile.length()),
    }
}

fn random(segment: &Segment, threads: u32) -> impl Iterator<Item = Arrivals> {
    let drawn = match &segment.pace {
        Pace::Open { profile, arrival: Arrival::Poisson, seed } => Some((profile, *seed)),
        Pace::Open { .. } | Pace::Closed => None,
    };
    drawn.into_iter().flat_map(move |(profile, seed)| {
        (0..threads).map(move |thread| Arrivals::new(profile.clone(), Arrival::Poisson, seed, thread, threads))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::PhaseName;
    use crate::schedule::Stage;

    fn segment(arrival: Arrival, batches: Option<u64>) -> Segment {
        let profile = Profile::new(vec![Stage::constant(Duration::from_secs(10), 100.0)]);
        let pace = Pace::Open { profile, arrival, seed: 3 };
        Segment::new(PhaseName::Measure, 1, pace, None, batches)
    }

    #[test]
    fn even_schedules_are_counted_by_arithmetic() {
        let even = segment(Arrival::Uniform, None);
        let mut due = Due::new(&even, 2);
        assert_eq!(due.by(Duration::from_secs(5)), Some(500));
        assert_eq!(in_all(&even, 2), Some((1000.0, Duration::from_secs(10))));
        assert_eq!(in_all(&segment(Arrival::Uniform, Some(200)), 2), Some((200.0, Duration::from_secs(2))));
    }

    #[test]
    fn arrivals_at_random_are_counted_as_they_were_drawn() {
        let random = segment(Arrival::Poisson, None);
        let (all, length) = in_all(&random, 2).unwrap();
        assert!((all - 1000.0).abs() < 200.0 && all != 1000.0, "{all}");
        assert_eq!(length, Duration::from_secs(10));
        let mut due = Due::new(&random, 2);
        let half = due.by(Duration::from_secs(5)).unwrap();
        assert!(half > 0 && (half as f64) < all);
        assert_eq!(due.by(Duration::from_secs(10)), Some(all as u64));
        let (some, until) = in_all(&segment(Arrival::Poisson, Some(half)), 2).unwrap();
        assert_eq!(some as u64, half);
        assert!(until >= Duration::from_secs(4) && until < Duration::from_secs(7), "{until:?}");
    }

    #[test]
    fn a_closed_loop_has_nothing_due() {
        let closed = Segment::new(PhaseName::Measure, 1, Pace::Closed, None, None);
        assert_eq!(Due::new(&closed, 1).by(Duration::from_secs(1)), None);
        assert_eq!(in_all(&closed, 1), None);
    }
}
