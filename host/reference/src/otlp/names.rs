//! Names of tables and columns as GreptimeDB makes them of a metric's: those that Prometheus would have.

/// Units that have a word of their own.
const UNITS: &[(&str, &str)] = &[
    ("d", "days"),
    ("h", "hours"),
    ("min", "minutes"),
    ("s", "seconds"),
    ("ms", "milliseconds"),
    ("us", "microseconds"),
    ("ns", "nanoseconds"),
    ("By", "bytes"),
    ("KiBy", "kibibytes"),
    ("MiBy", "mebibytes"),
    ("GiBy", "gibibytes"),
    ("KBy", "kilobytes"),
    ("MBy", "megabytes"),
    ("GBy", "gigabytes"),
    ("m", "meters"),
    ("V", "volts"),
    ("A", "amperes"),
    ("J", "joules"),
    ("W", "watts"),
    ("g", "grams"),
    ("Cel", "celsius"),
    ("Hz", "hertz"),
    ("%", "percent"),
];

/// A metric's table: `my.metric` in seconds is `my_metric_seconds`, a sum that only grows ends in `_total`.
pub(super) fn table(name: &str, unit: &str, monotonic: bool, gauge: bool) -> String {
    let mut table = letters(name, true);
    // What is in braces is a remark; the part behind a slash is what it is counted by.
    let mut parts = unit.splitn(2, '/').map(str::trim).map(|part| if part.contains('{') { "" } else { part });
    if let Some(main) = parts.next().filter(|main| !main.is_empty() && *main != "1") {
        append(&mut table, word(main));
    }
    if let Some(by) = parts.next().filter(|by| !by.is_empty()) {
        append(&mut table, &format!("per_{}", word(by).trim_end_matches('s')));
    }
    if unit == "1" && gauge {
        append(&mut table, "ratio");
    }
    if monotonic {
        append(&mut table, "total");
    }
    table
}

/// An attribute's column: `host.name` is `host_name`.
pub(super) fn column(name: &str) -> String {
    letters(name, false)
}

fn word(unit: &str) -> &str {
    UNITS.iter().find(|(short, _)| *short == unit).map_or(unit, |(_, word)| word)
}

/// Adds a word, unless the name ends in it.
fn append(name: &mut String, suffix: &str) {
    let suffix = letters(suffix, false);
    if !name.ends_with(&format!("_{suffix}")) {
        name.push('_');
        name.push_str(&suffix);
    }
}

fn letters(name: &str, colon: bool) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || c == '_' || (colon && c == ':') { c } else { '_' };
    let mut kept: String = name.chars().map(keep).collect();
    if kept.starts_with(|c: char| c.is_ascii_digit()) {
        kept.insert(0, '_');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_named_as_the_real_server_names_them() {
        assert_eq!(table("my.metric", "s", false, true), "my_metric_seconds");
        assert_eq!(table("my.metric", "s", true, false), "my_metric_seconds_total");
        assert_eq!(table("cpu.utilization", "1", false, true), "cpu_utilization_ratio");
        assert_eq!(table("io", "By/s", true, false), "io_bytes_per_second_total");
        assert_eq!(table("requests", "{request}", true, false), "requests_total");
        assert_eq!(table("wait_seconds", "s", false, true), "wait_seconds");
        assert_eq!((table("1st", "", false, true), column("host.name")), ("_1st".into(), "host_name".into()));
    }
}
