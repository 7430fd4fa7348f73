//! Whether a series still moves: the Mann-Kendall test for a trend, and Theil and Sen's slope for its size. Both look at ranks and
//! medians, so single stalls and bursts do not make a drift.

/// Fewer values than this say nothing about a trend.
const LEAST_VALUES: usize = 10;
/// The trend must be so improbable by chance: two-sided, 1 %.
const CRITICAL_Z: f64 = 2.576;
/// And it must matter: change over the whole series, as a share of the median.
const LEAST_CHANGE: f64 = 0.10;
/// More values than this are averaged in groups first: the test looks at all pairs.
const MOST_VALUES: usize = 256;

/// The change over a series, as a share of its median, if it has a trend that is both significant and of at least a tenth. Values
/// are evenly spaced in time.
#[must_use]
pub fn drift(values: &[f64]) -> Option<f64> {
    let group = values.len().div_ceil(MOST_VALUES).max(1);
    let values: Vec<f64> =
        values.chunks_exact(group).map(|chunk| chunk.iter().sum::<f64>() / chunk.len() as f64).collect();
    let n = values.len();
    if n < LEAST_VALUES {
        return None;
    }
    let mut slopes = Vec::with_capacity(n * (n - 1) / 2);
    let mut score = 0_i64;
    for (i, earlier) in values.iter().enumerate() {
        for (j, later) in values.iter().enumerate().skip(i + 1) {
            score += i64::from(later > earlier) - i64::from(later < earlier);
            slopes.push((later - earlier) / (j - i) as f64);
        }
    }
    let n = n as f64;
    let variance = n * (n - 1.0) * (2.0 * n + 5.0) / 18.0;
    // The continuity correction: one pair less in the direction of the trend.
    let z = (score - score.signum()) as f64 / variance.sqrt();
    let change = median(slopes)? * (n - 1.0) / median(values)?.max(f64::MIN_POSITIVE);
    (z.abs() > CRITICAL_Z && change.abs() >= LEAST_CHANGE).then_some(change)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Repeatable noise in -1 to 1.
    fn noise(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    #[test]
    fn steady_series_with_noise_are_seldom_called_drifting() {
        let drifting = (1..=1000_u64)
            .filter(|seed| {
                let mut noise = noise(*seed);
                let values: Vec<f64> = (0..30).map(|_| 100.0 + 20.0 * noise()).collect();
                drift(&values).is_some()
            })
            .count();
        assert!(drifting <= 20, "{drifting} of 1000");
    }

    #[test]
    fn a_ramp_under_noise_is_found_with_its_size_and_sign() {
        let mut noise = noise(5);
        let rising: Vec<f64> = (0..60).map(|i| 100.0 + f64::from(i) + 5.0 * noise()).collect();
        let change = drift(&rising).unwrap();
        assert!((change - 59.0 / 130.0).abs() < 0.1, "{change}");
        let falling: Vec<f64> = rising.iter().rev().copied().collect();
        assert!(drift(&falling).unwrap() < 0.0);
    }

    #[test]
    fn a_stall_is_no_drift_and_few_values_say_nothing() {
        let mut values = vec![100.0; 60];
        values[30] = 0.0;
        assert_eq!(drift(&values), None);
        assert_eq!(drift(&[1.0, 2.0, 3.0]), None);
        assert_eq!(drift(&[]), None);
    }

    #[test]
    fn long_series_are_grouped_and_still_found() {
        let values: Vec<f64> = (0..10_000).map(f64::from).map(|i| 1000.0 + i).collect();
        assert!(drift(&values).unwrap() > 1.0);
    }
}
