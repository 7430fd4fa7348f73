//! Floats in the shortest form that reads back equal.
//!
//! They are what line protocol costs most of its time for. Most measured values lie between 2⁻¹² and 2⁵², and there one exact
//! 64 × 64 bit product finds the digits, because the powers of ten in question fit 64 bits; see [`put_f64`]. Numbers of at
//! most two decimals are quicker still; see [`put_short_f64`]. All others go through the zmij crate, whose text is the same.

use super::digits::{FOURS, ZEROS, put_leading, text16};
use super::put::{NUMBER_BOUND, put};

/// What is needed for doubles of one binary exponent: values `m / 2^s` with `2^52 <= m < 2^53`.
#[derive(Clone, Copy)]
struct Scale {
    /// `10^j · 2^(64 - s)` for the largest `j` with `10^j < 2^s`, so that it fits 64 bits exactly.
    power: u64,
    /// `j`.
    decimals: usize,
}

/// The exponent of the smallest doubles that have a scale, as it is stored: the one for which `s` is 64.
const LOWEST_EXPONENT: usize = 1011;

/// The scales for `s` from 64 down to 1, in the order of exponents.
const SCALES: [Scale; 64] = scales();

const fn scales() -> [Scale; 64] {
    let mut scales = [Scale { power: 0, decimals: 0 }; 64];
    let mut s = 1;
    while s <= 64 {
        let (mut power, mut decimals) = (1_u128, 0);
        while power * 10 < 1 << s {
            power *= 10;
            decimals += 1;
        }
        scales[64 - s] = Scale { power: (power << (64 - s)) as u64, decimals };
        s += 1;
    }
    scales
}

/// Writes a finite double in the shortest form that reads back equal, without `.0`, and returns where it ends.
///
/// For `v = m / 2^s` let `c = v · 10^j = m · power / 2^64`: the product's upper half is the whole part of `c`, 15 or 16
/// digits, and the lower half its fraction, both exact. Every number closer to `v` than half an ulp, which is `power / 2` in
/// units of that fraction, reads back as `v`. If that reaches the whole number below or above, its digits do; it cannot
/// reach both, since `10^j < 2^s`. Otherwise one more digit does: the nearest one. A power of two has only half as much room
/// below it, but here it is a whole number of `c`.
#[inline(always)]
pub(super) fn put_f64(out: &mut [u8], at: usize, value: f64) -> usize {
    let bits = value.to_bits();
    let exponent = (bits >> 52) as usize & 0x7ff;
    let Some(scale) = SCALES.get(exponent.wrapping_sub(LOWEST_EXPONENT)) else {
        return put_f64_slow(out, at, value);
    };
    // The bit that is not stored, in place of sign and exponent.
    let m = (bits << 11 | 1 << 63) >> 11;
    let product = u128::from(m) * u128::from(scale.power);
    let (whole, fraction) = ((product >> 64) as u64, product as u64);
    // The ends of the interval belong to it if `m` is even, because ties are read as the even one.
    let reach = (scale.power >> 1) + (!m & 1);
    let below = fraction < reach;
    let above = fraction.overflowing_add(reach - 1).1;
    let tenths = ((u128::from(fraction) * 10 + (1 << 63)) >> 64) as u64;
    // 2.5 is the one tie that does not already go to the even digit.
    let tenths = if fraction == 1 << 62 { 2 } else { tenths };
    let last = if below | above { 0 } else { tenths };
    let whole = whole + u64::from(above);

    // The first sixteen digits, of which the first is not zero, and perhaps one more.
    let short = whole < 1_000_000_000_000_000;
    let (whole, last) = if short { (whole * 10 + last, 0) } else { (whole, last) };
    let decimals = scale.decimals + usize::from(short);
    let (high, low) = text16(whole);
    let text = u128::from(high) | u128::from(low) << 64;
    let kept = significant(high ^ ZEROS, low ^ ZEROS, last);

    // One check of the bounds for all that follows.
    let number = &mut out[at..at + NUMBER_BOUND];
    number[0] = b'-';
    let start = (bits >> 63) as usize;
    if decimals >= 16 {
        // Below 1: the digits stand behind at most four zeros.
        let digits = start + 2 + (decimals - 16);
        put(number, start, b"0.000000");
        put(number, digits, &text.to_le_bytes());
        number[digits + 16] = b'0' + last as u8;
        return at + digits + kept;
    }
    let before = 16 - decimals;
    let point = start + before;
    put(number, start, &text.to_le_bytes());
    number[point] = b'.';
    // Without decimals the shift wraps to none, and the last digit overwrites all that counts.
    put(number, point + 1, &text.wrapping_shr(before as u32 * 8).to_le_bytes());
    number[point + 1 + decimals] = b'0' + last as u8;
    let after = kept.saturating_sub(before);
    at + point + after + usize::from(after > 0)
}

/// Numbers below this have hundredths of at most eight digits.
const MAX_SHORT: f64 = 1e6;

/// The hundredths of `value`, if it is the double nearest to a number of at most two decimals.
///
/// Both the hundredths and 100 are exact, so the quotient is the double nearest to the decimal number; and of so few digits
/// there is at most one number that reads back as `value`.
#[inline(always)]
fn hundredths(value: f64) -> Option<u32> {
    /// Adding it leaves no room for a fraction, so that the sum is rounded to a whole number.
    const WHOLE: f64 = (1_u64 << 52) as f64;
    let magnitude = value.abs();
    let rounded = magnitude * 100.0 + WHOLE;
    let same = magnitude < MAX_SHORT && (rounded - WHOLE) / 100.0 == magnitude;
    same.then_some(rounded.to_bits() as u32)
}

/// Whether [`put_short_f64`] pays for a column that begins with these values.
pub(super) fn are_short(values: &[f64]) -> bool {
    values.iter().all(|value| hundredths(*value).is_some())
}

/// As [`put_f64`], but in less than half of the time for numbers of at most two decimals, and longer for all others.
#[inline(always)]
pub(super) fn put_short_f64(out: &mut [u8], at: usize, value: f64) -> usize {
    let Some(hundredths) = hundredths(value) else {
        return put_f64(out, at, value);
    };
    out[at] = b'-';
    let at = at + (value.to_bits() >> 63) as usize;
    let before = hundredths / 100;
    let after = hundredths - before * 100;
    let at = if before < 10_000 {
        let text = FOURS[before as usize];
        let zeros = ((text ^ ZEROS as u32 | 1 << 24).trailing_zeros() / 8) as usize;
        put(out, at, &(text >> (zeros * 8)).to_le_bytes());
        at + 4 - zeros
    } else {
        put_leading(out, at, u64::from(before))
    };
    // The lower two of four digits, behind the point.
    let text = FOURS[after as usize] >> 8 & 0xffff_ff00 | u32::from(b'.');
    put(out, at, &text.to_le_bytes());
    let tenths_only = after % 10 == 0;
    at + if after == 0 { 0 } else { 3 - usize::from(tenths_only) }
}

#[cold]
fn put_f64_slow(out: &mut [u8], at: usize, value: f64) -> usize {
    put_without_point_zero(out, at, zmij::Buffer::new().format_finite(value))
}

/// Writes a finite float in the shortest form that reads back equal as a float of 32 bits.
pub(super) fn put_f32(out: &mut [u8], at: usize, value: f32) -> usize {
    put_without_point_zero(out, at, zmij::Buffer::new().format_finite(value))
}

fn put_without_point_zero(out: &mut [u8], at: usize, text: &str) -> usize {
    let text = text.strip_suffix(".0").unwrap_or(text).as_bytes();
    out[at..at + text.len()].copy_from_slice(text);
    at + text.len()
}

/// How many of seventeen digits, one a byte, are left without the zeros at the end; of all zeros, one.
#[inline(always)]
fn significant(high: u64, low: u64, last: u64) -> usize {
    // All ones above the lowest bit of the last digit, or nothing: a comparison would become a jump that nobody can predict.
    let full = last.wrapping_neg();
    let low = low | full;
    let zeros = if low != 0 { low.leading_zeros() } else { 64 + (high | 1).leading_zeros() };
    16 + (full >> 63) as usize - (zeros / 8) as usize
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn f64_text(value: f64) -> String {
        let mut out = [0; 64];
        let end = put_f64(&mut out, 0, value);
        assert!(end <= NUMBER_BOUND - 2, "{value:e} takes {end} bytes");
        String::from_utf8(out[..end].to_vec()).unwrap()
    }

    fn expected(value: f64) -> String {
        let mut buffer = zmij::Buffer::new();
        let text = buffer.format_finite(value);
        text.strip_suffix(".0").unwrap_or(text).to_owned()
    }

    #[track_caller]
    fn check(value: f64) {
        let text = f64_text(value);
        assert_eq!(text, expected(value), "bits {:016x}", value.to_bits());
        let mut out = [0; 64];
        let end = put_short_f64(&mut out, 0, value);
        assert_eq!(text.as_bytes(), &out[..end]);
        assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits());
    }

    /// A simple generator: the tests need many values, not good ones.
    fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state ^ *state >> 29
    }

    #[test]
    fn doubles_of_every_exponent_are_shortest() {
        let mut state = 1;
        for exponent in 0..2047_u64 {
            let rounds = if (1000..1090).contains(&exponent) { 2_000 } else { 20 };
            for _ in 0..rounds {
                let bits = random(&mut state) & ((1 << 52) - 1) | exponent << 52;
                check(f64::from_bits(bits));
                check(-f64::from_bits(bits));
            }
        }
    }

    #[test]
    fn powers_of_two_and_their_neighbours_are_shortest() {
        for exponent in 1..2046_u64 {
            let power = exponent << 52;
            for bits in power - 3..=power + 3 {
                check(f64::from_bits(bits));
            }
        }
    }

    #[test]
    fn short_decimals_and_their_neighbours_are_shortest() {
        let mut state = 2;
        for decimals in 0..16 {
            let unit = 10_f64.powi(decimals);
            for _ in 0..2_000 {
                let digits = random(&mut state) % 10_u64.pow(1 + (state >> 60) as u32);
                let bits = (digits as f64 / unit).to_bits();
                for bits in bits.saturating_sub(2)..=bits + 2 {
                    check(f64::from_bits(bits));
                }
            }
        }
    }

    #[test]
    fn hundredths_are_found_and_all_other_numbers_are_not() {
        for number in (0..100_000_000).step_by(997).chain(0..20_000) {
            let value = f64::from(number) / 100.0;
            check(value);
            check(-value);
            assert_eq!(hundredths(value), (value < MAX_SHORT).then_some(number));
            assert_eq!(hundredths(value + 0.001), None);
        }
        assert!(are_short(&[0.0, -0.0, 1.5, 2.25, -99.99]));
        assert!(!are_short(&[0.0, 1.125]));
        assert!(!are_short(&[1e9]));
    }

    #[test]
    fn halves_tenths_and_extremes_have_the_text_one_expects() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (0.1, "0.1"),
            (0.3, "0.3"),
            (0.1 + 0.2, "0.30000000000000004"),
            (100.0, "100"),
            (123_456_789.0, "123456789"),
            (2_251_799_813_685_249.5, "2251799813685249.5"),
            (9_007_199_254_740_993.0, "9007199254740992"),
            (1e300, "1e+300"),
            (f64::MAX, "1.7976931348623157e+308"),
            (5e-324, "5e-324"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        ] {
            assert_eq!(f64_text(value), text);
        }
    }

    #[test]
    fn small_floats_are_shortest_as_floats() {
        for (value, text) in [(0.1_f32, "0.1"), (16_777_216.0, "16777216"), (-0.0, "-0"), (f32::MAX, "3.4028235e+38")] {
            let mut out = [0; 64];
            let end = put_f32(&mut out, 0, value);
            assert_eq!(std::str::from_utf8(&out[..end]).unwrap(), text);
        }
    }
}
