//! Whole numbers in decimal, four digits at a time.

use super::put::put;

/// Writes a signed integer and returns where it ends.
#[inline(always)]
pub(super) fn put_i64(out: &mut [u8], at: usize, value: i64) -> usize {
    out[at] = b'-';
    put_u64(out, at + usize::from(value < 0), value.unsigned_abs())
}

/// Writes an unsigned integer and returns where it ends.
#[inline(always)]
pub(super) fn put_u64(out: &mut [u8], at: usize, value: u64) -> usize {
    if value < 100_000_000 { put_leading(out, at, value) } else { put_long(out, at, value) }
}

fn put_long(out: &mut [u8], at: usize, value: u64) -> usize {
    let (rest, low) = (value / 100_000_000, value % 100_000_000);
    let at = if rest < 100_000_000 {
        put_leading(out, at, rest)
    } else {
        let at = put_leading(out, at, rest / 100_000_000);
        put_digits8(out, at, rest % 100_000_000)
    };
    put_digits8(out, at, low)
}

/// Writes a number of at most eight digits without leading zeros.
#[inline(always)]
pub(super) fn put_leading(out: &mut [u8], at: usize, value: u64) -> usize {
    let text = text8(value as u32);
    // The last digit stays, though it be zero.
    let zeros = ((text ^ ZEROS | 1 << 56).trailing_zeros() / 8) as usize;
    put(out, at, &(text >> (zeros * 8)).to_le_bytes());
    at + 8 - zeros
}

/// Writes exactly eight digits.
#[inline(always)]
pub(super) fn put_digits8(out: &mut [u8], at: usize, value: u64) -> usize {
    put(out, at, &text8(value as u32).to_le_bytes());
    at + 8
}

/// The character `0`, eight times.
pub(super) const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The text of every number of four digits, the first one in the lowest byte. Its 40 KB are worth their place in the cache:
/// looking up is half the work of dividing on.
pub(super) static FOURS: [u32; 10_000] = fours();

const fn fours() -> [u32; 10_000] {
    let mut texts = [0; 10_000];
    let mut number = 0;
    while number < 10_000 {
        let digits = [number / 1000, number / 100 % 10, number / 10 % 10, number % 10];
        texts[number] = 0x3030_3030 | (digits[0] | digits[1] << 8 | digits[2] << 16 | digits[3] << 24) as u32;
        number += 1;
    }
    texts
}

/// The text of a number of at most eight digits, with leading zeros, the first digit in the lowest byte.
#[inline(always)]
fn text8(value: u32) -> u64 {
    let high = value / 10_000;
    let low = value - high * 10_000;
    u64::from(FOURS[high as usize]) | u64::from(FOURS[low as usize]) << 32
}

/// The same for sixteen digits, in two words.
#[inline(always)]
pub(super) fn text16(value: u64) -> (u64, u64) {
    let high = value / 100_000_000;
    (text8(high as u32), text8((value - high * 100_000_000) as u32))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn integers_of_every_length_are_exact() {
        let mut values = vec![0, 1, u64::MAX, i64::MAX as u64, 1 << 63];
        for digits in 1..20 {
            let power = 10_u64.pow(digits);
            values.extend([power - 1, power, power + 1]);
            values.extend((0..500_u64).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % power));
        }
        let mut out = [0; 64];
        for value in values {
            let end = put_u64(&mut out, 0, value);
            assert_eq!(std::str::from_utf8(&out[..end]).unwrap(), value.to_string());
            let end = put_i64(&mut out, 0, value as i64);
            assert_eq!(std::str::from_utf8(&out[..end]).unwrap(), (value as i64).to_string());
        }
    }

    #[test]
    fn eight_digits_are_exact() {
        for value in (0..100_000_000).step_by(37).chain([99_999_999]) {
            assert_eq!(std::str::from_utf8(&text8(value).to_le_bytes()).unwrap(), format!("{value:08}"));
        }
    }
}
