//! Figures for people: the one place where numbers get their units. Three significant digits for what varies from run to run, exact
//! integers for what must add up.

pub use benchhost_core::words::{count, counted};

const THOUSANDS: [&str; 5] = ["", "k", "M", "G", "T"];

/// A quantity in thousands and millions, without a unit: `642`, `8.53k`, `1.23M`.
#[must_use]
pub fn quantity(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let (value, prefix) = scale(value, 999.5, &THOUSANDS);
    format!("{}{prefix}", three_digits(value))
}

/// Bytes in decimal units, as network links and disks are sold: `512 B`, `221.9 MB`.
#[must_use]
pub fn bytes(value: f64) -> String {
    let (scaled, prefix) = scale(value, 999.95, &["B", "kB", "MB", "GB", "TB"]);
    if prefix == "B" { format!("{value:.0} B") } else { format!("{scaled:.1} {prefix}") }
}

/// A duration in nanoseconds: `312 ns`, `94.1 µs`, `1.23 ms`, `12.3 s`, `2m04s`, `1h02m`.
#[must_use]
pub fn nanoseconds(ns: f64) -> String {
    let seconds = ns / 1e9;
    if seconds >= 3599.5 {
        let minutes = (seconds / 60.0).round() as u64;
        return format!("{}h{:02}m", minutes / 60, minutes % 60);
    }
    if seconds >= 99.95 {
        let whole = seconds.round() as u64;
        return format!("{}m{:02}s", whole / 60, whole % 60);
    }
    let (scaled, unit) = scale(ns, 999.5, &["ns", "µs", "ms", "s"]);
    if unit == "ns" { format!("{scaled:.0} ns") } else { format!("{} {unit}", three_digits(scaled)) }
}

/// A duration in seconds, in the unit that suits it.
#[must_use]
pub fn seconds(value: f64) -> String {
    nanoseconds(value * 1e9)
}

/// A share between 0 and 1: `7.8 %`.
#[must_use]
pub fn share(value: f64) -> String {
    if value > 0.0 && value < 0.0005 { "<0.1 %".into() } else { format!("{:.1} %", value * 100.0) }
}

/// Three significant digits of a value under 1000, at most three of them decimals: `0.123`, `1.23`, `12.3`, `123`. The bounds are where rounding would make a fourth.
#[must_use]
pub fn three_digits(value: f64) -> String {
    match value.abs() {
        part if part < 0.9995 => format!("{value:.3}"),
        small if small < 9.995 => format!("{value:.2}"),
        middle if middle < 99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Divides by 1000 until the value would be printed with fewer than four digits, or the units are used up.
fn scale(mut value: f64, limit: f64, units: &[&'static str]) -> (f64, &'static str) {
    let mut unit = "";
    for (index, name) in units.iter().enumerate() {
        unit = name;
        if value.abs() < limit || index + 1 == units.len() {
            break;
        }
        value /= 1000.0;
    }
    (value, unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_and_separated() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(counted(1, "retry", "retries"), "1 retry");
        assert_eq!(counted(0, "retry", "retries"), "0 retries");
        assert_eq!(counted(2000, "row", "rows"), "2,000 rows");
    }

    #[test]
    fn quantities_have_three_digits_and_never_four() {
        assert_eq!(quantity(0.0), "0");
        assert_eq!(quantity(0.5), "0.500");
        assert_eq!(quantity(0.9996), "1.00");
        assert_eq!(quantity(9.996), "10.0");
        assert_eq!(quantity(99.96), "100");
        assert_eq!(quantity(642.3), "642");
        assert_eq!(quantity(999.6), "1.00k");
        assert_eq!(quantity(8532.0), "8.53k");
        assert_eq!(quantity(999_600.0), "1.00M");
        assert_eq!(quantity(1_234_567.0), "1.23M");
        assert_eq!(quantity(12.6e9), "12.6G");
    }

    #[test]
    fn bytes_are_decimal() {
        assert_eq!(bytes(0.0), "0 B");
        assert_eq!(bytes(512.0), "512 B");
        assert_eq!(bytes(1000.0), "1.0 kB");
        assert_eq!(bytes(221_914_000.0), "221.9 MB");
        assert_eq!(bytes(999_960_000.0), "1.0 GB");
        assert_eq!(bytes(5e15), "5000.0 TB");
    }

    #[test]
    fn durations_take_the_unit_that_suits_them() {
        assert_eq!(nanoseconds(0.0), "0 ns");
        assert_eq!(nanoseconds(312.4), "312 ns");
        assert_eq!(nanoseconds(999.6), "1.00 µs");
        assert_eq!(nanoseconds(94_123.0), "94.1 µs");
        assert_eq!(nanoseconds(1_230_000.0), "1.23 ms");
        assert_eq!(seconds(1.0), "1.00 s");
        assert_eq!(seconds(99.94), "99.9 s");
        assert_eq!(seconds(99.96), "1m40s");
        assert_eq!(seconds(124.2), "2m04s");
        assert_eq!(seconds(3599.6), "1h00m");
        assert_eq!(seconds(3720.0), "1h02m");
    }

    #[test]
    fn shares_are_percent_and_something_is_never_nothing() {
        assert_eq!(share(0.0), "0.0 %");
        assert_eq!(share(0.0001), "<0.1 %");
        assert_eq!(share(0.078), "7.8 %");
        assert_eq!(share(1.0), "100.0 %");
    }
}
