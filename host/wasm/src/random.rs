//! Random numbers for guests, from the run's seed: the same run gives a plugin in any language the same numbers. Nothing here is fit
//! for secrets, and a benchmark's plugin has none to make.

use std::convert::Infallible;

use rand_core::TryRng;

/// SplitMix64: small, fast, and frozen, so that a seed means the same in every release.
pub(crate) struct Seeded(u64);

impl Seeded {
    /// The sequence of `seed`; `stream` tells sequences of one seed apart.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut start = Self(seed ^ stream.wrapping_mul(0xd134_2543_de82_ef95));
        // Neighbouring seeds differ in one bit; the first output does not show it any more.
        let state = start.next();
        Self(state)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl TryRng for Seeded {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.next() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.next())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            let word = self.next().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_and_stream_always_give_the_same_numbers_and_another_one_others() {
        let first = |seed, stream| Seeded::new(seed, stream).next();
        assert_eq!(first(1, 0), first(1, 0));
        assert_ne!(first(1, 0), first(1, 1));
        assert_ne!(first(1, 0), first(2, 0));
        assert_eq!(Seeded(0).next(), 0xe220_a839_7b1d_cdaf, "the published first output of SplitMix64");
    }
}
