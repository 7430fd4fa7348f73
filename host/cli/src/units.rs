//! Numbers with units, as people write them: one parser for each unit, used by flags, environment and files alike. How numbers are
//! shown is in `benchhost_report::units`.

use std::time::Duration;

/// A number that cannot be read. The message names the forms that can.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UnitError {
    /// Not a count.
    #[error("`{0}` is not a count: write 250, 1_000_000, 10k, 1.5m or 2g")]
    Count(String),
    /// Not a size.
    #[error("`{0}` is not a size: write bytes with a unit, such as 512MiB, 1.5GiB or 2GB")]
    Size(String),
    /// Not a length of time.
    #[error("`{0}` is not a length of time: write a number with a unit, such as 30s, 250ms or 1m 30s")]
    Time(String),
    /// Not a rate.
    #[error("`{0}` is not a rate: write rows or operations per second, such as 50krows, 1.5mrows or 200op")]
    Rate(String),
    /// Not a stage of a schedule.
    #[error("`{0}` is not a stage: write its length and the rate at its end, such as 30s:50krows")]
    Stage(String),
    /// It can be read, but it does not fit.
    #[error("`{0}` is too large")]
    TooLarge(String),
}

/// Units of counts: decimal, lower or upper case.
const COUNT_UNITS: &[(&str, u64)] = &[("", 1), ("k", 1_000), ("m", 1_000_000), ("g", 1_000_000_000)];

/// Units of sizes. Never a bare `k` or `m`: nobody knows which of the two it means.
const SIZE_UNITS: &[(&str, u64)] = &[
    ("", 1),
    ("b", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
];

/// A count: `250`, `1_000_000`, `10k`, `1.5m`, `2g`.
pub(crate) fn count(text: &str) -> Result<u64, UnitError> {
    scaled(text, COUNT_UNITS, UnitError::Count)
}

/// A count that fits 32 bits.
pub(crate) fn small_count(text: &str) -> Result<u32, UnitError> {
    u32::try_from(count(text)?).map_err(|_| UnitError::TooLarge(text.into()))
}

/// A size in bytes: `1000`, `512MiB`, `2GB`.
pub(crate) fn size(text: &str) -> Result<u64, UnitError> {
    scaled(text, SIZE_UNITS, UnitError::Size)
}

/// A length of time: `30s`, `250ms`, `1m 30s`.
pub(crate) fn time(text: &str) -> Result<Duration, UnitError> {
    humantime::parse_duration(text.trim()).map_err(|_| UnitError::Time(text.into()))
}

/// How much is offered in a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rate {
    /// Rows.
    Rows(f64),
    /// Operations, each of one batch.
    Operations(f64),
}

impl Rate {
    /// Operations per second, with so many rows in each.
    pub(crate) fn operations(self, batch_rows: u32) -> f64 {
        match self {
            Self::Rows(rows) => rows / f64::from(batch_rows.max(1)),
            Self::Operations(operations) => operations,
        }
    }
}

/// A rate: `50krows`, `200op`, `1.5mrows/s`; without a word, rows.
pub(crate) fn rate(text: &str) -> Result<Rate, UnitError> {
    let bad = || UnitError::Rate(text.into());
    let per_second = text.trim().to_ascii_lowercase();
    let words = per_second.strip_suffix("/s").unwrap_or(&per_second).trim_end();
    let named = [("rows", true), ("row", true), ("ops", false), ("op", false)]
        .iter()
        .find_map(|(word, rows)| Some((words.strip_suffix(word)?, *rows)));
    let (number, rows) = named.unwrap_or((words, true));
    let number = number.trim_end();
    let (digits, unit) = match number.char_indices().next_back() {
        Some((at, last)) if last.is_ascii_alphabetic() => number.split_at(at),
        _ => (number, ""),
    };
    let factor = COUNT_UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(bad)?.1 as f64;
    if !digits.starts_with(|first: char| first.is_ascii_digit()) || digits.contains('e') {
        return Err(bad());
    }
    let value = digits.replace('_', "").parse::<f64>().map_err(|_| bad())? * factor;
    Ok(if rows { Rate::Rows(value) } else { Rate::Operations(value) })
}

/// A stage of a schedule: `30s:50krows` goes in a straight line to that rate, in that time.
pub(crate) fn stage(text: &str) -> Result<(Duration, Rate), UnitError> {
    let (length, end) = text.split_once(':').ok_or_else(|| UnitError::Stage(text.into()))?;
    let (length, end) = (time(length)?, rate(end)?);
    if length.is_zero() { Err(UnitError::Stage(text.into())) } else { Ok((length, end)) }
}

/// Reads a decimal number and its unit in whole numbers, so that no digit is lost. A fraction must come out whole.
fn scaled(text: &str, units: &[(&str, u64)], malformed: fn(String) -> UnitError) -> Result<u64, UnitError> {
    let bad = || malformed(text.into());
    let large = || UnitError::TooLarge(text.into());
    let trimmed = text.trim();
    let end = trimmed.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(end);
    let unit = unit.trim_start().to_ascii_lowercase();
    let factor = units.iter().find(|(name, _)| *name == unit).ok_or_else(bad)?.1;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if number.ends_with('.') || number.starts_with('_') || fraction.contains('.') {
        return Err(bad());
    }
    let whole: u128 = digits(whole).ok_or_else(bad)?;
    let fraction_digits = fraction.replace('_', "");
    if fraction_digits.len() > 18 {
        return Err(bad());
    }
    let fraction: u128 = if fraction.is_empty() { 0 } else { digits(fraction).ok_or_else(bad)? };
    let divisor = 10_u128.pow(fraction_digits.len() as u32);
    let scaled_fraction = fraction * u128::from(factor);
    if !scaled_fraction.is_multiple_of(divisor) {
        return Err(bad());
    }
    let value =
        whole.checked_mul(factor.into()).and_then(|v| v.checked_add(scaled_fraction / divisor)).ok_or_else(large)?;
    u64::try_from(value).map_err(|_| large())
}

/// Digits with `_` between them; none for anything else, also for a number beyond 128 bits.
fn digits(text: &str) -> Option<u128> {
    text.replace('_', "").parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn counts_have_decimal_units_and_underscores() {
        for (text, value) in [
            ("0", 0),
            ("250", 250),
            ("1_000_000", 1_000_000),
            ("10k", 10_000),
            ("10K", 10_000),
            ("1.5m", 1_500_000),
            ("2g", 2_000_000_000),
            ("0.001k", 1),
            (" 7 ", 7),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(count(text).unwrap(), value, "{text}");
        }
    }

    #[test]
    fn a_count_that_is_not_whole_or_not_a_number_is_refused_with_the_forms_that_work() {
        for text in ["", "k", "-1", "1.5", "1.0005k", "1x", "1..5k", "1.k", "_1", "1e6", "ten", "1 000", ".5k"] {
            assert_eq!(count(text), Err(UnitError::Count(text.into())), "{text}");
        }
        assert!(count("x").unwrap_err().to_string().contains("1.5m"));
    }

    #[test]
    fn a_count_that_does_not_fit_says_so() {
        assert_eq!(count("18446744073709551616"), Err(UnitError::TooLarge("18446744073709551616".into())));
        assert_eq!(small_count("5g"), Err(UnitError::TooLarge("5g".into())));
        assert_eq!(small_count("4g").unwrap(), 4_000_000_000);
    }

    #[test]
    fn sizes_tell_binary_from_decimal_units_and_refuse_a_bare_letter() {
        assert_eq!(size("512MiB").unwrap(), 512 << 20);
        assert_eq!(size("2GB").unwrap(), 2_000_000_000);
        assert_eq!(size("1.5 GiB").unwrap(), 3 << 29);
        assert_eq!(size("1000").unwrap(), 1000);
        assert_eq!(size("2G"), Err(UnitError::Size("2G".into())));
    }

    #[test]
    fn rates_are_of_rows_or_of_operations() {
        for (text, value) in [
            ("50krows", Rate::Rows(50_000.0)),
            ("1.5m", Rate::Rows(1_500_000.0)),
            ("200op", Rate::Operations(200.0)),
            ("0.5 ops/s", Rate::Operations(0.5)),
            ("1_000 rows/s", Rate::Rows(1000.0)),
            ("2Kop", Rate::Operations(2000.0)),
            ("0", Rate::Rows(0.0)),
        ] {
            assert_eq!(rate(text), Ok(value), "{text}");
        }
        for text in ["", "k", "-1", "ten rows", "5x", "1e3", "inf", "nan", "rows", "10/m"] {
            assert_eq!(rate(text), Err(UnitError::Rate(text.into())), "{text}");
        }
        assert_eq!(Rate::Rows(500.0).operations(100), 5.0);
        assert_eq!(Rate::Operations(7.0).operations(100), 7.0);
    }

    #[test]
    fn a_stage_is_a_time_and_a_rate() {
        assert_eq!(stage("30s:10krows"), Ok((Duration::from_secs(30), Rate::Rows(10_000.0))));
        assert!(stage("10krows").unwrap_err().to_string().contains("30s:50krows"));
        assert!(stage("0s:1op").unwrap_err().to_string().contains("stage"));
        assert!(stage("30:1op").unwrap_err().to_string().contains("length of time"));
    }

    #[test]
    fn times_need_a_unit() {
        assert_eq!(time("1m 30s").unwrap(), Duration::from_secs(90));
        assert_eq!(time("250ms").unwrap(), Duration::from_millis(250));
        assert!(time("30").unwrap_err().to_string().contains("30s"));
    }
}
