//! The histogram that every duration is recorded in: fixed bounds, fixed memory, three significant digits.

use hdrhistogram::Histogram as Hdr;

use crate::summary::Summary;

/// The longest duration that is told apart from longer ones: one hour, in nanoseconds.
pub const HIGHEST_NS: u64 = 3_600_000_000_000;

/// One nanosecond, not the microsecond that suits service times: the same type records spans of some hundred nanoseconds, which would
/// all fall into one bucket. The finer bound costs 10 more buckets of 8 KiB each, 264 KiB in all, of which only the touched cache
/// lines matter while recording.
const LOWEST_NS: u64 = 1;

const SIGNIFICANT_DIGITS: u8 = 3;

/// What the buckets of a histogram do not tell exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exact {
    /// The shortest duration, in nanoseconds.
    pub min: u64,
    /// The longest.
    pub max: u64,
    /// The sum of all.
    pub sum: u128,
    /// How many were longer than [one hour](HIGHEST_NS).
    pub saturated: u64,
}

/// Durations in nanoseconds, to three significant digits between 1 ns and [one hour](HIGHEST_NS). Longer ones count as one hour and are
/// [counted](Self::saturated) as such. Minimum, maximum and sum are kept exactly beside the buckets.
///
/// All histograms have the same bounds, so any two can be merged.
#[derive(Debug, Clone)]
pub struct Histogram {
    hdr: Hdr<u64>,
    min: u64,
    max: u64,
    sum: u128,
    saturated: u64,
}

impl Histogram {
    /// An empty histogram. It holds all the memory that it will ever need: 264 KiB.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the bounds are constants, and every test builds a histogram with them")]
    pub fn new() -> Self {
        let hdr =
            Hdr::new_with_bounds(LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS).expect("the constant bounds are valid");
        Self { hdr, min: u64::MAX, max: 0, sum: 0, saturated: 0 }
    }

    /// A histogram that was kept elsewhere, such as in a log. Without `exact`, the minimum, maximum and sum are those of the buckets. None
    /// when it holds durations that this type cannot.
    #[must_use]
    pub fn from_hdr(hdr: &Hdr<u64>, exact: Option<Exact>) -> Option<Self> {
        let mut histogram = Self::new();
        histogram.hdr.add(hdr).ok()?;
        if hdr.is_empty() {
            return Some(histogram);
        }
        let Exact { min, max, sum, saturated } = exact.unwrap_or_else(|| Exact {
            min: hdr.min(),
            max: hdr.max(),
            sum: (hdr.mean() * hdr.len() as f64).round() as u128,
            saturated: 0,
        });
        Some(Self { min, max, sum, saturated, ..histogram })
    }

    /// Records one duration in nanoseconds. Never fails and never allocates.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
        self.sum += u128::from(ns);
        self.saturated += u64::from(ns > HIGHEST_NS);
        // The bucket array reaches beyond the bound, up to the next power of two: without this, some durations over it would be
        // counted as they are and others as the bound.
        self.hdr.saturating_record(ns.min(HIGHEST_NS));
    }

    /// Adds all samples of another histogram; the result is the same as if they had been recorded here.
    #[expect(clippy::expect_used, reason = "adding fails only for other bounds, and all histograms have the same")]
    pub fn merge(&mut self, other: &Self) {
        self.hdr.add(&other.hdr).expect("all histograms have the same bounds");
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum += other.sum;
        self.saturated += other.saturated;
    }

    /// Forgets all samples and keeps the memory.
    pub fn reset(&mut self) {
        self.hdr.reset();
        self.min = u64::MAX;
        self.max = 0;
        self.sum = 0;
        self.saturated = 0;
    }

    /// How many durations were recorded.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.hdr.len()
    }

    /// Whether nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hdr.is_empty()
    }

    /// The shortest duration, exactly; none when nothing was recorded.
    #[must_use]
    pub fn min(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.min)
    }

    /// The longest duration, exactly, also when it is over an hour; none when nothing was recorded.
    #[must_use]
    pub fn max(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.max)
    }

    /// The sum of all durations, exactly.
    #[must_use]
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// The mean, from the exact sum; none when nothing was recorded.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (!self.is_empty()).then(|| self.sum as f64 / self.count() as f64)
    }

    /// How many durations were longer than [one hour](HIGHEST_NS).
    #[must_use]
    pub fn saturated(&self) -> u64 {
        self.saturated
    }

    /// The shortest duration that at least the share `quantile` (0 to 1) of all samples does not exceed, to three significant digits
    /// and never outside the exact minimum and maximum. 0 when nothing was recorded.
    #[must_use]
    pub fn value_at_quantile(&self, quantile: f64) -> u64 {
        if self.is_empty() {
            return 0;
        }
        self.hdr.value_at_quantile(quantile).clamp(self.min, self.max)
    }

    /// What a report shows of this histogram.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary::of(self)
    }

    /// The buckets themselves, for export in HdrHistogram's own formats.
    #[must_use]
    pub fn hdr(&self) -> &Hdr<u64> {
        &self.hdr
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}
