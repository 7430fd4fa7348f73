//! The histogram against the samples themselves.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use benchhost_stats::{Exact, HIGHEST_NS, Histogram};
use proptest::collection::vec;
use proptest::prelude::*;

fn of(samples: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    samples.iter().for_each(|ns| histogram.record(*ns));
    histogram
}

/// Durations of every magnitude, from nothing to ten hours: spread evenly they would all be hours.
fn durations() -> impl Strategy<Value = Vec<u64>> {
    let one = (0_u32..46, any::<u64>()).prop_map(|(bits, ns)| (ns & ((1_u64 << bits) - 1)).min(10 * HIGHEST_NS));
    vec(one, 1..400)
}

/// Everything that can be asked of a histogram.
#[derive(Debug, PartialEq)]
struct Facts {
    count: u64,
    bounds: Option<(u64, u64)>,
    sum: u128,
    saturated: u64,
    buckets: Vec<(u64, u64)>,
}

fn facts(histogram: &Histogram) -> Facts {
    Facts {
        count: histogram.count(),
        bounds: histogram.min().zip(histogram.max()),
        sum: histogram.sum(),
        saturated: histogram.saturated(),
        buckets: histogram.hdr().iter_recorded().map(|b| (b.value_iterated_to(), b.count_at_value())).collect(),
    }
}

proptest! {
    #[test]
    fn quantiles_are_those_of_the_sorted_samples_to_three_digits(samples in durations(), quantile in 0.0..=1.0_f64) {
        let histogram = of(&samples);
        let mut sorted: Vec<u64> = samples.iter().map(|ns| (*ns).min(HIGHEST_NS)).collect();
        sorted.sort_unstable();
        let rank = ((quantile * sorted.len() as f64).ceil() as usize).max(1);
        let truth = sorted[rank - 1];
        let found = histogram.value_at_quantile(quantile).min(HIGHEST_NS);
        prop_assert!(found.abs_diff(truth) as f64 <= truth as f64 / 1000.0, "found {found}, truth {truth}");
    }

    #[test]
    fn minimum_maximum_sum_and_saturation_are_exact(samples in durations()) {
        let histogram = of(&samples);
        prop_assert_eq!(histogram.count(), samples.len() as u64);
        prop_assert_eq!(histogram.min(), samples.iter().min().copied());
        prop_assert_eq!(histogram.max(), samples.iter().max().copied());
        prop_assert_eq!(histogram.sum(), samples.iter().map(|ns| u128::from(*ns)).sum::<u128>());
        prop_assert_eq!(histogram.saturated(), samples.iter().filter(|ns| **ns > HIGHEST_NS).count() as u64);
    }

    #[test]
    fn merging_is_the_same_as_recording_all_in_one(parts in vec(durations(), 0..5)) {
        let mut merged = Histogram::new();
        parts.iter().for_each(|part| merged.merge(&of(part)));
        prop_assert_eq!(facts(&merged), facts(&of(&parts.concat())));
    }

    #[test]
    fn quantiles_stay_within_the_exact_bounds(samples in durations(), quantile in 0.0..=1.0_f64) {
        let found = of(&samples).value_at_quantile(quantile);
        prop_assert!(found >= *samples.iter().min().unwrap());
        prop_assert!(found <= *samples.iter().max().unwrap());
    }
}

#[test]
fn spans_of_a_hundred_nanoseconds_are_told_apart_to_the_nanosecond() {
    let histogram = of(&(1..=300).collect::<Vec<_>>());
    assert_eq!(histogram.value_at_quantile(0.5), 150);
    assert_eq!(histogram.value_at_quantile(0.51), 153);
}

#[test]
fn durations_over_an_hour_count_as_an_hour_and_keep_the_exact_maximum() {
    let mut histogram = of(&[1000, HIGHEST_NS, HIGHEST_NS + 1, u64::MAX]);
    assert_eq!(histogram.saturated(), 2);
    assert_eq!(histogram.max(), Some(u64::MAX));
    assert!(histogram.value_at_quantile(1.0).abs_diff(HIGHEST_NS) <= HIGHEST_NS / 1000);
    let copy = histogram.clone();
    histogram.merge(&copy);
    assert_eq!((histogram.saturated(), histogram.count()), (4, 8));
    assert_eq!(
        histogram.sum(),
        2 * (1000 + u128::from(HIGHEST_NS) + u128::from(HIGHEST_NS + 1) + u128::from(u64::MAX))
    );
}

#[test]
fn a_reset_histogram_is_like_a_new_one() {
    let mut histogram = of(&[5, 6, u64::MAX]);
    histogram.reset();
    assert_eq!(facts(&histogram), facts(&Histogram::new()));
    assert_eq!(histogram.value_at_quantile(0.5), 0);
    histogram.record(7);
    assert_eq!(facts(&histogram), facts(&of(&[7])));
}

#[test]
fn a_histogram_stays_under_300_kilobytes() {
    let bytes = Histogram::new().hdr().distinct_values() * size_of::<u64>();
    assert!(bytes < 300_000, "{bytes} bytes");
}

proptest! {
    #[test]
    fn a_histogram_that_was_kept_elsewhere_is_as_it_was(samples in durations()) {
        let histogram = of(&samples);
        let exact = Exact {
            min: histogram.min().unwrap(),
            max: histogram.max().unwrap(),
            sum: histogram.sum(),
            saturated: histogram.saturated(),
        };
        prop_assert_eq!(facts(&Histogram::from_hdr(&histogram.hdr(), Some(exact)).unwrap()), facts(&histogram));
        let of_buckets = Histogram::from_hdr(&histogram.hdr(), None).unwrap();
        prop_assert_eq!(facts(&of_buckets).buckets, facts(&histogram).buckets);
        let longest = histogram.max().unwrap().min(HIGHEST_NS);
        prop_assert!(of_buckets.max().unwrap().abs_diff(longest) <= longest / 1000);
    }
}

#[test]
fn what_cannot_be_held_is_refused_and_nothing_stays_nothing() {
    let mut days = hdrhistogram::Histogram::<u64>::new(3).unwrap();
    assert!(Histogram::from_hdr(&days, None).unwrap().is_empty());
    days.record(100 * HIGHEST_NS).unwrap();
    assert!(Histogram::from_hdr(&days, None).is_none());
}

proptest! {
    #[test]
    fn the_slots_are_those_of_the_library(samples in durations(), quantile in 0.0..=1.0_f64) {
        let ours = of(&samples);
        let mut theirs = hdrhistogram::Histogram::<u64>::new_with_bounds(1, benchhost_stats::HIGHEST_NS, 3).unwrap();
        for sample in &samples {
            theirs.saturating_record((*sample).min(benchhost_stats::HIGHEST_NS));
        }
        let counted = |hdr: &hdrhistogram::Histogram<u64>| -> Vec<(u64, u64)> {
            hdr.iter_recorded().map(|step| (step.value_iterated_to(), step.count_at_value())).collect()
        };
        prop_assert_eq!(counted(&ours.hdr()), counted(&theirs));
        if let (Some(min), Some(max)) = (ours.min(), ours.max()) {
            prop_assert_eq!(ours.value_at_quantile(quantile), theirs.value_at_quantile(quantile).clamp(min, max));
        }
    }
}
