//! Random numbers that can be entered anywhere: the n-th is known without the ones before.

/// What SplitMix64 adds from one number to the next.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The `n`-th number of a seed's sequence: uniform in `[0, 1)`, of 53 random bits.
pub(crate) fn unit(seed: u64, n: u64) -> f64 {
    // Neighbouring seeds would give the same sequence, shifted: mixing parts them.
    let state = mix(seed.wrapping_add(GAMMA)).wrapping_add(GAMMA.wrapping_mul(n.wrapping_add(1)));
    (mix(state) >> 11) as f64 / (1_u64 << 53) as f64
}

/// The finalizer of SplitMix64.
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_repeatable_and_uniform_and_differ_by_seed() {
        assert_eq!(unit(7, 3).to_bits(), unit(7, 3).to_bits());
        assert_ne!(unit(7, 3).to_bits(), unit(8, 2).to_bits());
        let mean = (0..100_000).map(|n| unit(1, n)).sum::<f64>() / 100_000.0;
        // The standard deviation of that mean is 0.0009.
        assert!((mean - 0.5).abs() < 0.005, "{mean}");
        assert!((0..100_000).all(|n| (0.0..1.0).contains(&unit(2, n))));
    }
}
