//! What a row holds: functions of the seed and the row's position, which `cargo test` runs without a host.

/// When the first row was, in milliseconds since the Unix epoch: the start of 2026.
const START_MS: i64 = 1_767_225_600_000;

/// Between two readings of one host, in milliseconds.
const STEP_MS: i64 = 1_000;

/// The dataset: row after row, each host in turn.
#[derive(Clone, Copy)]
pub struct Readings {
    pub seed: u64,
    /// At least 1.
    pub hosts: u32,
}

impl Readings {
    /// Which host the row is of.
    pub fn host(&self, row: u64) -> u32 {
        // Less than `hosts`, so nothing is cut off.
        (row % u64::from(self.hosts)) as u32
    }

    /// The row's time in milliseconds. None past the last one that there is.
    pub fn time(&self, row: u64) -> Option<i64> {
        let readings = i64::try_from(row / u64::from(self.hosts)).ok()?;
        readings.checked_mul(STEP_MS)?.checked_add(START_MS)
    }

    /// From 0 to 100, with two decimals.
    pub fn value(&self, row: u64) -> f64 {
        (self.chance(row, 0) % 10_001) as f64 / 100.0
    }

    /// From 0 to 999; one row in ten has none.
    pub fn count(&self, row: u64) -> Option<i64> {
        let chance = self.chance(row, 1);
        (!chance.is_multiple_of(10)).then_some((chance / 10 % 1_000) as i64)
    }

    /// 64 bits that look random: the same for the same seed, row and purpose, whatever was asked before.
    fn chance(&self, row: u64, purpose: u64) -> u64 {
        mixed(mixed(self.seed ^ mixed(purpose)) ^ row)
    }
}

/// Stirs 64 bits so that each depends on all (the last step of SplitMix64).
fn mixed(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const READINGS: Readings = Readings { seed: 42, hosts: 3 };

    #[test]
    fn hosts_take_turns_and_time_goes_on_after_the_last() {
        let told: Vec<(u32, Option<i64>)> = (2..5)
            .map(|row| (READINGS.host(row), READINGS.time(row)))
            .collect();
        assert_eq!(
            told,
            [
                (2, Some(START_MS)),
                (0, Some(START_MS + 1_000)),
                (1, Some(START_MS + 1_000))
            ]
        );
        assert_eq!(READINGS.time(u64::MAX), None);
    }

    #[test]
    fn values_are_in_range_and_depend_on_seed_and_row_alone() {
        let other = Readings {
            seed: 43,
            ..READINGS
        };
        let all = |readings: Readings| -> Vec<f64> {
            (0..1_000).map(|row| readings.value(row)).collect()
        };
        assert!(
            all(READINGS)
                .iter()
                .all(|value| (0.0..=100.0).contains(value))
        );
        assert_eq!(all(READINGS), all(READINGS));
        assert_ne!(all(READINGS), all(other));
    }

    #[test]
    fn about_one_count_in_ten_is_missing() {
        let missing = (0..10_000)
            .filter(|row| READINGS.count(*row).is_none())
            .count();
        assert!((900..1_100).contains(&missing), "{missing}");
        assert!(
            (0..1_000)
                .filter_map(|row| READINGS.count(row))
                .all(|count| (0..1_000).contains(&count))
        );
    }
}
