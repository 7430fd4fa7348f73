//! Random numbers that are pure functions of a position, so that a dataset can be entered anywhere.

/// What SplitMix64 adds from one number to the next.
pub const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64: neighbouring inputs give outputs that have nothing in common.
#[must_use]
pub fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_splitmix64() {
        // The first numbers of the reference implementation with seed 1234567.
        let numbers = [1_u64, 2, 3].map(|n| mix(1_234_567_u64.wrapping_add(GAMMA.wrapping_mul(n))));
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
