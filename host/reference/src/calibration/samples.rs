//! Exact percentiles of samples that are all kept.

use serde::{Deserialize, Serialize};

/// Durations in nanoseconds, sorted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Samples {
    sorted: Vec<u64>,
}

impl Samples {
    /// Sorts the durations.
    #[must_use]
    pub fn new(mut ns: Vec<u64>) -> Self {
        ns.sort_unstable();
        Self { sorted: ns }
    }

    /// All of them, in ascending order.
    #[must_use]
    pub fn as_slice(&self) -> &[u64] {
        &self.sorted
    }

    /// The shortest duration that at least the share `q` (0 to 1) of all samples does not exceed: no interpolation. None when there
    /// are no samples.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Option<u64> {
        // The product is rounded down a little: 0.9 of 10 samples are 9, although 0.9 * 10.0 could come out above it.
        let rank = (q.clamp(0.0, 1.0) * self.sorted.len() as f64 - 1e-9).ceil().max(1.0) as usize;
        self.sorted.get(rank - 1).or(self.sorted.last()).copied()
    }

    /// The percentiles that are usually asked for.
    #[must_use]
    pub fn percentiles(&self) -> Percentiles {
        let count = self.sorted.len() as u64;
        let sum: u128 = self.sorted.iter().map(|&ns| u128::from(ns)).sum();
        Percentiles {
            count,
            mean_ns: (count > 0).then(|| sum as f64 / count as f64),
            p50_ns: self.quantile(0.5),
            p90_ns: self.quantile(0.9),
            p99_ns: self.quantile(0.99),
            p999_ns: self.quantile(0.999),
            max_ns: self.sorted.last().copied(),
        }
    }
}

/// Percentiles of samples; none where there are no samples.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Percentiles {
    /// Samples.
    pub count: u64,
    /// The mean.
    pub mean_ns: Option<f64>,
    /// The median.
    pub p50_ns: Option<u64>,
    /// The 90th percentile.
    pub p90_ns: Option<u64>,
    /// The 99th percentile.
    pub p99_ns: Option<u64>,
    /// The 99.9th percentile.
    pub p999_ns: Option<u64>,
    /// The longest.
    pub max_ns: Option<u64>,
}

impl Percentiles {
    /// The percentile of one of the shares 0.5, 0.9, 0.99 and 0.999; none for any other.
    #[must_use]
    pub fn at(&self, q: f64) -> Option<u64> {
        let known = [(0.5, self.p50_ns), (0.9, self.p90_ns), (0.99, self.p99_ns), (0.999, self.p999_ns)];
        known.into_iter().find(|(share, _)| (share - q).abs() < 1e-12)?.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_a_sample_that_the_share_does_not_exceed() {
        let samples = Samples::new((1..=10).rev().collect());
        let at = |q| samples.quantile(q).unwrap();
        assert_eq!([0.0, 0.1, 0.11, 0.5, 0.9, 0.91, 1.0].map(at), [1, 1, 2, 5, 9, 10, 10]);
        assert_eq!(Samples::default().quantile(0.5), None);
        assert_eq!(Samples::new(vec![7]).quantile(0.999), Some(7));
    }

    #[test]
    fn percentiles_come_with_count_mean_and_maximum() {
        let percentiles = Samples::new((1..=1000).collect()).percentiles();
        assert_eq!((percentiles.count, percentiles.mean_ns, percentiles.max_ns), (1000, Some(500.5), Some(1000)));
        assert_eq!([0.5, 0.9, 0.99, 0.999].map(|q| percentiles.at(q)), [500, 900, 990, 999].map(Some));
        assert_eq!(percentiles.at(0.95), None);
        assert_eq!(Samples::default().percentiles(), Percentiles::default());
    }
}
