//! What goes wrong on purpose: delays, refusals, cut connections, and rows that are acknowledged and not stored.
//!
//! Every fault is drawn from a seed, write by write, so that a run can be repeated. At most one fault hits a write: it is throttled, or else
//! refused, or else cut off, or else lost, or else stored in part. Delays come on top of it.

mod parse;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use crate::calibration::{Distribution, MAX_HOLD, Stall, unit};
pub use parse::InjectError;

/// What a client that is throttled is told to wait.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// One thing that is done to writes. Read from text: `latency=5ms`, `latency=uniform:1ms:5ms`, `stall=every:10s,for:1s`, `error=1%`,
/// `throttle=10%`, `partial=1%`, `reset=1%`, `lose=0.1%`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Inject {
    /// Every write is held for a time of this distribution.
    Latency(Distribution),
    /// Every write is held for a time between these two, all of them equally likely.
    Uniform {
        /// The shortest.
        least: Duration,
        /// The longest.
        most: Duration,
    },
    /// Nothing is answered for a while, over and over. The first stall begins half a period after the first write.
    Stall(Stall),
    /// This share of writes (0 to 1) is refused as by a fault of the server: HTTP 500, gRPC `INTERNAL`.
    Error(f64),
    /// This share of writes is refused as too many: HTTP 429, gRPC `RESOURCE_EXHAUSTED`.
    Throttle(f64),
    /// Of this share of writes only some rows are stored, and the answer says so where the protocol can.
    Partial(f64),
    /// For this share of writes the connection is cut before the answer; one in two of them is stored.
    Reset(f64),
    /// This share of writes is acknowledged and not stored.
    Lose(f64),
}

/// What becomes of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// It is stored and acknowledged.
    Store,
    /// It is acknowledged and not stored.
    Lose,
    /// It is refused.
    Refuse,
    /// It is refused, and the client is to wait this long.
    Throttle(Duration),
    /// The connection is cut, and the write stored or not.
    Reset {
        /// Whether it is stored.
        store: bool,
    },
    /// The first rows are stored, and the others refused.
    Partial {
        /// How many are stored: fewer than there are.
        accepted: usize,
    },
}

/// Draws what becomes of each write.
#[derive(Debug, Default)]
pub(crate) struct Injector {
    injects: Vec<Inject>,
    seed: u64,
    drawn: AtomicU64,
    began: OnceLock<Instant>,
}

/// The faults, each with a sequence of random numbers of its own: one injection does not change the draws of another.
#[derive(Debug, Clone, Copy)]
enum Draw {
    Latency = 1,
    Throttle,
    Error,
    Reset,
    ResetStores,
    Lose,
    Partial,
    PartialRows,
}

impl Injector {
    /// An injector; of two of a kind, both act.
    pub(crate) fn new(injects: Vec<Inject>, seed: u64) -> Self {
        Self { injects, seed, ..Self::default() }
    }

    /// Holds a write of so many rows as long as it is to be held, and says what becomes of it.
    pub(crate) async fn before_write(&self, rows: usize) -> Action {
        if self.injects.is_empty() {
            return Action::Store;
        }
        let number = self.drawn.fetch_add(1, Ordering::Relaxed);
        let began = *self.began.get_or_init(Instant::now);
        let hold = self.latency(number);
        if !hold.is_zero() {
            tokio::time::sleep(hold).await;
        }
        for inject in &self.injects {
            if let Inject::Stall(stall) = inject
                && let Some(rest) = rest_of_stall(*stall, began.elapsed())
            {
                tokio::time::sleep(rest).await;
            }
        }
        self.action(number, rows)
    }

    /// How long the `number`-th write is held, without stalls.
    fn latency(&self, number: u64) -> Duration {
        let mut hold = Duration::ZERO;
        for (place, inject) in self.injects.iter().enumerate() {
            let seed = self.seed_of(Draw::Latency).wrapping_add(place as u64);
            hold += match inject {
                Inject::Latency(distribution) => distribution.draw(seed, number),
                Inject::Uniform { least, most } => *least + most.saturating_sub(*least).mul_f64(unit(seed, number)),
                _ => Duration::ZERO,
            };
        }
        hold.min(MAX_HOLD)
    }

    /// What becomes of the `number`-th write.
    fn action(&self, number: u64, rows: usize) -> Action {
        let draw = |draw| unit(self.seed_of(draw), number);
        let share = |of: fn(&Inject) -> Option<f64>| self.injects.iter().filter_map(of).fold(0.0, f64::max);
        let hit = |kind, of| draw(kind) < share(of);
        if hit(Draw::Throttle, |i| if let Inject::Throttle(share) = i { Some(*share) } else { None }) {
            return Action::Throttle(RETRY_AFTER);
        }
        if hit(Draw::Error, |i| if let Inject::Error(share) = i { Some(*share) } else { None }) {
            return Action::Refuse;
        }
        if hit(Draw::Reset, |i| if let Inject::Reset(share) = i { Some(*share) } else { None }) {
            return Action::Reset { store: draw(Draw::ResetStores) < 0.5 };
        }
        if hit(Draw::Lose, |i| if let Inject::Lose(share) = i { Some(*share) } else { None }) {
            return Action::Lose;
        }
        if rows > 0 && hit(Draw::Partial, |i| if let Inject::Partial(share) = i { Some(*share) } else { None }) {
            return Action::Partial { accepted: (draw(Draw::PartialRows) * rows as f64) as usize };
        }
        Action::Store
    }

    fn seed_of(&self, draw: Draw) -> u64 {
        self.seed ^ (draw as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// How much of a stall is left, `elapsed` after the first write; none between stalls.
fn rest_of_stall(stall: Stall, elapsed: Duration) -> Option<Duration> {
    let into = elapsed.checked_sub(stall.every / 2)?;
    let into = Duration::from_nanos((into.as_nanos() % stall.every.as_nanos().max(1)) as u64);
    stall.length.checked_sub(into).filter(|rest| !rest.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actions(texts: &[&str], seed: u64) -> Vec<Action> {
        let injector = Injector::new(texts.iter().map(|text| text.parse().unwrap()).collect(), seed);
        (0..20_000).map(|number| injector.action(number, 1000)).collect()
    }

    #[test]
    fn faults_come_as_often_as_they_are_asked_for_and_can_be_repeated() {
        let all = actions(&["lose=2%", "error=10%", "reset=5%", "partial=3%", "throttle=20%"], 7);
        assert_eq!(all, actions(&["throttle=20%", "lose=2%", "error=10%", "reset=5%", "partial=3%"], 7));
        assert_ne!(all, actions(&["lose=2%", "error=10%", "reset=5%", "partial=3%", "throttle=20%"], 8));
        let share = |is: fn(&Action) -> bool| all.iter().filter(|action| is(action)).count() as f64 / all.len() as f64;
        for (found, expected) in [
            (share(|a| matches!(a, Action::Throttle(_))), 0.2),
            (share(|a| *a == Action::Refuse), 0.8 * 0.1),
            (share(|a| matches!(a, Action::Reset { store: true })), 0.72 * 0.025),
            (share(|a| matches!(a, Action::Reset { store: false })), 0.72 * 0.025),
            (share(|a| *a == Action::Lose), 0.684 * 0.02),
            (share(|a| matches!(a, Action::Partial { .. })), 0.67 * 0.03),
        ] {
            assert!((found - expected).abs() < 0.01, "{found} for {expected}");
        }
        assert!(all.iter().all(|action| !matches!(action, Action::Partial { accepted } if *accepted >= 1000)));
        assert!(actions(&["latency=1ms"], 7).iter().all(|action| *action == Action::Store));
    }

    #[test]
    fn a_stall_holds_for_what_is_left_of_it() {
        let second = Duration::from_secs(1);
        let stall = Stall { every: 10 * second, length: second };
        let rest = |millis| rest_of_stall(stall, Duration::from_millis(millis)).map(|rest| rest.as_millis());
        assert_eq!([rest(0), rest(4_999), rest(6_000), rest(14_999)], [None; 4]);
        assert_eq!((rest(5_000), rest(5_900), rest(15_250)), (Some(1000), Some(100), Some(750)));
    }

    #[tokio::test]
    async fn writes_are_held_at_least_as_long_as_the_latency_says() {
        let injector =
            Injector::new(vec!["latency=5ms".parse().unwrap(), "latency=uniform:10ms:20ms".parse().unwrap()], 1);
        for _ in 0..3 {
            let before = Instant::now();
            assert_eq!(injector.before_write(1).await, Action::Store);
            let held = before.elapsed();
            assert!(held >= Duration::from_millis(15), "{held:?}");
        }
    }
}
