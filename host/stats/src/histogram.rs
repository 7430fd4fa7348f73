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

/// The layout of an HdrHistogram with these bounds: 2048 slots for the first bucket, and the upper 1024 of them for each that follows, whose
/// slots are twice as wide as those before.
const HALF: usize = 1024;
const BUCKETS: usize = 32;
const SLOTS: usize = (BUCKETS + 1) * HALF;

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
    /// As HdrHistogram lays them out. The library's own recording keeps books that are kept here already, and costs a half more.
    counts: Box<[u64]>,
    count: u64,
    min: u64,
    max: u64,
    sum: u128,
    saturated: u64,
}

impl Histogram {
    /// An empty histogram. It holds all the memory that it will ever need: 264 KiB.
    #[must_use]
    pub fn new() -> Self {
        let counts = vec![0; SLOTS].into_boxed_slice();
        Self { counts, count: 0, min: u64::MAX, max: 0, sum: 0, saturated: 0 }
    }

    /// A histogram that was kept elsewhere, such as in a log. Without `exact`, the minimum, maximum and sum are those of the buckets. None
    /// when it holds durations that this type cannot.
    #[must_use]
    pub fn from_hdr(hdr: &Hdr<u64>, exact: Option<Exact>) -> Option<Self> {
        let mut histogram = Self::new();
        for step in hdr.iter_recorded() {
            let slot = histogram.counts.get_mut(slot(step.value_iterated_to()))?;
            *slot += step.count_at_value();
            histogram.count += step.count_at_value();
        }
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
        self.count += 1;
        // The slots reach beyond the bound, up to the next power of two: without this, some durations over it would be counted as they
        // are and others as the bound.
        if let Some(count) = self.counts.get_mut(slot(ns.min(HIGHEST_NS))) {
            *count += 1;
        }
    }

    /// Adds all samples of another histogram; the result is the same as if they had been recorded here.
    pub fn merge(&mut self, other: &Self) {
        // Most of those of an interval are of clocks that did not tick.
        if other.count == 0 {
            return;
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum += other.sum;
        self.saturated += other.saturated;
    }

    /// Forgets all samples and keeps the memory.
    pub fn reset(&mut self) {
        if self.count > 0 {
            self.counts.fill(0);
        }
        self.count = 0;
        self.min = u64::MAX;
        self.max = 0;
        self.sum = 0;
        self.saturated = 0;
    }

    /// How many durations were recorded.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
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
        let rank = ((quantile.clamp(0.0, 1.0) * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        let found = self.counts.iter().position(|count| {
            seen += count;
            seen >= rank
        });
        // A rank that rounding has put beyond the last sample is that of the last one.
        found.map_or(self.max, |slot| highest_of(slot).clamp(self.min, self.max))
    }

    /// What a report shows of this histogram.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary::of(self)
    }

    /// The same samples as the library's type, for export in HdrHistogram's own formats.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the bounds are constants, and every test builds a histogram with them")]
    pub fn hdr(&self) -> Hdr<u64> {
        let mut hdr =
            Hdr::new_with_bounds(LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS).expect("the constant bounds are valid");
        for (slot, count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            hdr.saturating_record_n(highest_of(slot), *count);
        }
        hdr
    }
}

/// Where a duration is counted.
#[inline]
fn slot(ns: u64) -> usize {
    // Twice as wide with each binary digit beyond the eleven of the first bucket.
    let bucket = (53 - (ns | (2 * HALF as u64 - 1)).leading_zeros()) as usize;
    bucket * HALF + (ns >> bucket) as usize
}

/// The longest duration that is counted in a slot.
fn highest_of(slot: usize) -> u64 {
    let bucket = (slot / HALF).saturating_sub(1);
    let within = (slot - bucket * HALF) as u64;
    ((within + 1) << bucket) - 1
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}
