//! The figures that are read off a histogram, and the rule for which of them may be shown.

use crate::histogram::Histogram;

/// A percentile is given only when at least this many samples lie beyond it: with fewer, it is the luck of a few operations and not a
/// property of the server.
pub const SAMPLES_BEYOND: u64 = 10;

/// Figures of one histogram. Those that nothing was measured for, or too little, are none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    /// Samples.
    pub count: u64,
    /// The shortest, exactly.
    pub min_ns: Option<u64>,
    /// The mean, from the exact sum.
    pub mean_ns: Option<f64>,
    /// The median, if [enough samples](SAMPLES_BEYOND) lie beyond it; so for all percentiles.
    pub p50_ns: Option<u64>,
    /// The 90th percentile.
    pub p90_ns: Option<u64>,
    /// The 95th percentile.
    pub p95_ns: Option<u64>,
    /// The 99th percentile.
    pub p99_ns: Option<u64>,
    /// The 99.9th percentile.
    pub p999_ns: Option<u64>,
    /// The longest, exactly.
    pub max_ns: Option<u64>,
}

impl Summary {
    pub(crate) fn of(histogram: &Histogram) -> Self {
        let count = histogram.count();
        let percentile = |quantile| earned(count, quantile).then(|| histogram.value_at_quantile(quantile));
        Self {
            count,
            min_ns: histogram.min(),
            mean_ns: histogram.mean(),
            p50_ns: percentile(0.5),
            p90_ns: percentile(0.9),
            p95_ns: percentile(0.95),
            p99_ns: percentile(0.99),
            p999_ns: percentile(0.999),
            max_ns: histogram.max(),
        }
    }
}

/// Whether [enough](SAMPLES_BEYOND) of `count` samples lie beyond the quantile, 0 to 1, for it to be shown or checked.
#[must_use]
pub fn earned(count: u64, quantile: f64) -> bool {
    // Shares such as 0.9 are no exact numbers: `100.0 * (1.0 - 0.9)` is a little less than 10.
    count as f64 * (1.0 - quantile) + 1e-9 >= SAMPLES_BEYOND as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(count: u64) -> Summary {
        let mut histogram = Histogram::new();
        (1..=count).for_each(|ns| histogram.record(ns));
        histogram.summary()
    }

    #[test]
    fn nothing_recorded_gives_no_figures() {
        assert_eq!(of(0), Summary::default());
    }

    #[test]
    fn a_percentile_appears_with_the_tenth_sample_beyond_it() {
        assert_eq!((of(19).p50_ns, of(20).p50_ns), (None, Some(10)));
        assert_eq!((of(99).p90_ns, of(100).p90_ns), (None, Some(90)));
        assert_eq!((of(199).p95_ns, of(200).p95_ns), (None, Some(190)));
        assert_eq!((of(999).p99_ns, of(1000).p99_ns), (None, Some(990)));
        assert_eq!(of(9999).p999_ns, None);
        assert!(of(10_000).p999_ns.is_some_and(|ns| ns.abs_diff(9990) <= 9));
    }

    #[test]
    fn a_percentile_is_earned_by_ten_samples_beyond_it() {
        assert_eq!([99, 100, 999, 1000].map(|count| earned(count, 0.9)), [false, true, true, true]);
        assert_eq!([999, 1000].map(|count| earned(count, 0.99)), [false, true]);
        assert_eq!([9_999_999, 10_000_000].map(|count| earned(count, 0.999_999)), [false, true]);
        assert!(!earned(0, 0.5));
    }

    #[test]
    fn minimum_mean_and_maximum_need_one_sample() {
        let summary = of(1);
        assert_eq!((summary.count, summary.min_ns, summary.max_ns), (1, Some(1), Some(1)));
        assert_eq!(summary.mean_ns, Some(1.0));
        assert_eq!(summary.p50_ns, None);
    }
}
