//! Times as people and query languages write them: RFC 3339, UTC, the Gregorian calendar.

use crate::{Error, Result};

const NS_PER_S: i64 = 1_000_000_000;
const S_PER_DAY: i64 = 86_400;

/// `ns` since the Unix epoch with nine digits of fraction: `2024-01-01T00:00:00.000000000Z`.
#[must_use]
pub fn rfc3339(ns: i64) -> String {
    let (seconds, fraction) = (ns.div_euclid(NS_PER_S), ns.rem_euclid(NS_PER_S));
    let (day, second) = (seconds.div_euclid(S_PER_DAY), seconds.rem_euclid(S_PER_DAY));
    let (year, month, date) = civil(day);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}.{fraction:09}Z")
}

/// Nanoseconds since the Unix epoch of a time such as `2024-01-01T00:00:00Z`, with up to nine digits of fraction. None
/// for anything else: other zones, leap seconds, days that do not exist, years before 1678 or after 2261.
#[must_use]
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    let text = text.strip_suffix('Z')?;
    let (main, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let fields = main.as_bytes();
    let shape = b"dddd-dd-ddTdd:dd:dd";
    let fits = |(&byte, &kind): (&u8, &u8)| if kind == b'd' { byte.is_ascii_digit() } else { byte == kind };
    if fields.len() != shape.len() || !fields.iter().zip(shape).all(fits) {
        return None;
    }
    let number = |from: usize, to: usize| main[from..to].parse::<i64>().ok();
    let (year, month, date) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let day = days(year, month, date);
    if hour > 23 || minute > 59 || second > 59 || civil(day) != (year, month, date) {
        return None;
    }
    if fraction.is_empty() || fraction.len() > 9 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fraction: i64 = format!("{fraction:0<9}").parse().ok()?;
    let seconds = day * S_PER_DAY + hour * 3600 + minute * 60 + second;
    seconds.checked_mul(NS_PER_S)?.checked_add(fraction)
}

/// Milliseconds since the Unix epoch of a setting's value, which must be a time in whole ones.
///
/// # Errors
///
/// `invalid`, with the name of the setting.
pub fn whole_ms(setting: &str, text: &str) -> Result<i64> {
    match parse_rfc3339(text) {
        Some(ns) if ns % 1_000_000 == 0 => Ok(ns / 1_000_000),
        Some(_) => Err(Error::invalid(format!("setting `{setting}`: `{text}` is finer than a millisecond"))),
        None => Err(Error::invalid(format!("setting `{setting}`: `{text}` is no time such as 2024-01-01T00:00:00Z"))),
    }
}

/// Year, month and date of a day since the Unix epoch. The year is counted from March, so that the leap day is its
/// last.
fn civil(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468; // Since 0000-03-01.
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153; // 0 is March.
    let date = day - (153 * month + 2) / 5 + 1;
    let next = i64::from(month >= 10);
    (era * 400 + year + next, month + 3 - 12 * next, date)
}

/// Days since the Unix epoch.
fn days(year: i64, month: i64, date: i64) -> i64 {
    let year = year - i64::from(month < 3);
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let month = (month + 9) % 12; // 0 is March.
    era * 146_097 + 365 * year + year / 4 - year / 100 + (153 * month + 2) / 5 + date - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_instants_are_written_and_read() {
        for (ns, text) in [
            (0, "1970-01-01T00:00:00.000000000Z"),
            (1_704_067_200_000_000_000, "2024-01-01T00:00:00.000000000Z"),
            (1_709_251_199_999_999_999, "2024-02-29T23:59:59.999999999Z"),
            (-1, "1969-12-31T23:59:59.999999999Z"),
            (i64::MAX, "2262-04-11T23:47:16.854775807Z"),
        ] {
            assert_eq!(rfc3339(ns), text);
            assert_eq!(parse_rfc3339(text), Some(ns));
        }
        assert_eq!(rfc3339(i64::MIN), "1677-09-21T00:12:43.145224192Z");
    }

    #[test]
    fn every_day_of_800_years_has_a_date_of_its_own() {
        let mut previous = civil(-300_001);
        for day in -300_000..0 {
            let today = civil(day);
            assert!(today > previous, "{previous:?} {today:?}");
            assert_eq!(days(today.0, today.1, today.2), day);
            previous = today;
        }
    }

    #[test]
    fn a_fraction_may_be_short_or_missing() {
        assert_eq!(parse_rfc3339("1970-01-01T00:00:01Z"), Some(NS_PER_S));
        assert_eq!(parse_rfc3339("1970-01-01T00:00:00.25Z"), Some(250_000_000));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "2024-01-01",
            "2024-01-01T00:00:00",
            "2024-01-01T00:00:00+01:00",
            "2023-02-29T00:00:00Z",
            "2024-13-01T00:00:00Z",
            "2024-00-01T00:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:00:60Z",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00.1234567890Z",
            "2024-01-01 00:00:00Z",
            "2500-01-01T00:00:00Z",
            "202ü-01-01T00:00:0Z",
        ] {
            assert_eq!(parse_rfc3339(text), None, "{text}");
        }
    }
}
