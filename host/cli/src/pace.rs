//! How fast a phase goes now, and how long it will take: arithmetic on what it has done so far.

use std::collections::VecDeque;
use std::time::Duration;

/// The present speed is the mean over this long: shorter would flicker, longer would hide a stall.
const WINDOW: Duration = Duration::from_secs(2);

/// Speed over the last moments.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    samples: VecDeque<(Duration, u64)>,
}

impl Pace {
    /// Whether nothing is known yet.
    pub(crate) fn is_new(&self) -> bool {
        self.samples.is_empty()
    }

    /// At `elapsed` since the beginning, `rows` were done.
    pub(crate) fn advance(&mut self, elapsed: Duration, rows: u64) {
        if self.samples.is_empty() {
            self.samples.push_back((Duration::ZERO, 0));
        }
        self.samples.push_back((elapsed, rows));
        while self.samples.get(1).is_some_and(|(time, _)| elapsed.saturating_sub(*time) >= WINDOW) {
            self.samples.pop_front();
        }
    }

    /// Rows per second, now; 0 before anything is known.
    pub(crate) fn rows_per_s(&self) -> f64 {
        let (Some((began, before)), Some((now, rows))) = (self.samples.front(), self.samples.back()) else {
            return 0.0;
        };
        let seconds = now.saturating_sub(*began).as_secs_f64();
        if seconds > 0.0 { rows.saturating_sub(*before) as f64 / seconds } else { 0.0 }
    }

    /// Time until `total` rows are done at the mean speed so far; none while it is standing still.
    pub(crate) fn left(&self, rows: u64, total: u64) -> Option<Duration> {
        let (elapsed, _) = self.samples.back()?;
        if rows == 0 {
            return None;
        }
        Duration::try_from_secs_f64(elapsed.as_secs_f64() / rows as f64 * total.saturating_sub(rows) as f64).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_is_that_of_the_last_moments_and_the_rest_is_judged_by_the_whole() {
        let mut pace = Pace::default();
        assert!(pace.is_new());
        for tenth in 1..=100_u32 {
            pace.advance(Duration::from_millis(100) * tenth, u64::from(tenth) * 100);
        }
        assert!((pace.rows_per_s() - 1000.0).abs() < 1.0);
        for tenth in 101..=130_u32 {
            pace.advance(Duration::from_millis(100) * tenth, 10_000);
        }
        assert_eq!(pace.rows_per_s(), 0.0);
        assert_eq!(pace.left(10_000, 20_000), Some(Duration::from_secs(13)));
        assert_eq!(pace.left(0, 20_000), None);
    }
}
