//! The page of a calibration.

use std::fmt::Write;

use benchhost_report::units::nanoseconds;

use super::judge::{Calibration, Floor, NANOSECONDS, Row, SHARE, percent};

/// The names of the columns.
const HEAD: [&str; 8] = ["case", "figure", "truth", "measured", "error", "beyond floor", "closed loop", "holds"];
/// Columns at the left edge; the others are at the right one.
const LEFT: usize = 2;

/// The page, with a newline at its end.
pub(crate) fn text(calibration: &Calibration) -> String {
    let mut text = String::new();
    let timer = calibration.timer;
    let Floor { measured_ns, held_ns, floor_ns } = calibration.floor;
    let _ = writeln!(
        text,
        "timers    a sleep of 1 ms is too long by {} (median) and {} (p99); reading the clock takes {}",
        nanoseconds(timer.sleep_overshoot_p50_ns as f64),
        nanoseconds(timer.sleep_overshoot_p99_ns as f64),
        nanoseconds(timer.clock_read_ns)
    );
    let _ = writeln!(
        text,
        "floor     {}: the median with no injection is {}, of which the server held {}",
        signed(floor_ns),
        nanoseconds(measured_ns as f64),
        nanoseconds(held_ns as f64)
    );
    text.push_str(
        "          It is wire, kernel and client, part of every service time that any client measures, and shown apart.\n\
         truth     Service times: what the server says it held, by its clock. Response times: the schedule, simulated.\n\n",
    );
    table(&mut text, &calibration.figures);
    let bound = format!("{:.0} % or {}", SHARE * 100.0, nanoseconds(NANOSECONDS as f64));
    if calibration.holds {
        let _ = writeln!(
            text,
            "\nEvery figure is within {bound} of the truth beyond the floor, and overload was found out."
        );
    } else {
        let _ = writeln!(text, "\nNot everything is within {bound} of the truth beyond the floor:");
        for failure in &calibration.failures {
            let _ = writeln!(text, "  {failure}");
        }
    }
    text
}

fn table(text: &mut String, rows: &[Row]) {
    let cells: Vec<[String; 8]> = std::iter::once(HEAD.map(str::to_owned)).chain(rows.iter().map(cells)).collect();
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 8] = std::array::from_fn(width);
    for row in &cells {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            let _ = if column < LEFT { write!(line, "{cell:<width$}  ") } else { write!(line, "{cell:>width$}  ") };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

fn cells(row: &Row) -> [String; 8] {
    [
        row.case.clone(),
        format!("{} p{}", row.clock, percent(row.quantile)),
        nanoseconds(row.truth_ns as f64),
        nanoseconds(row.measured_ns as f64),
        signed(row.error_ns),
        signed(row.error_beyond_floor_ns),
        row.closed_loop_ns.map_or_else(|| "–".into(), |ns| nanoseconds(ns as f64)),
        if row.holds { "yes" } else { "NO" }.into(),
    ]
}

/// A difference with its sign.
fn signed(ns: i64) -> String {
    let size = nanoseconds(ns.unsigned_abs() as f64);
    match ns.signum() {
        1 => format!("+{size}"),
        -1 => format!("-{size}"),
        _ => size,
    }
}

#[cfg(test)]
mod tests {
    use super::super::judge::Figure;
    use super::super::timer::Noise;
    use super::*;

    fn calibration(measured_ns: u64) -> Calibration {
        let timer = Noise { sleep_overshoot_p50_ns: 57_000, sleep_overshoot_p99_ns: 90_000, clock_read_ns: 25.0 };
        let figure = |case: &str, measured_ns, closed_loop_ns| Figure {
            case: case.into(),
            clock: "service",
            quantile: 0.999,
            truth_ns: 1_000_000,
            measured_ns,
            closed_loop_ns,
        };
        let figures = vec![figure("constant 1 ms", measured_ns, None), figure("stall", 1_045_000, Some(1_000_000))];
        Calibration::new(timer, Floor::new(60_000, 10_000), figures, Vec::new())
    }

    #[test]
    fn the_page_shows_floor_noise_and_every_figure() {
        let text = text(&calibration(1_060_000));
        assert!(
            text.starts_with("timers    a sleep of 1 ms is too long by 57.0 µs (median) and 90.0 µs (p99); reading")
        );
        assert!(
            text.contains(
                "floor     +50.0 µs: the median with no injection is 60.0 µs, of which the server held 10.0 µs"
            )
        );
        assert!(
            text.contains(
                "\ncase           figure           truth  measured     error  beyond floor  closed loop  holds\n\
             constant 1 ms  service p99.9  1.00 ms   1.06 ms  +60.0 µs      +10.0 µs            –    yes\n\
             stall          service p99.9  1.00 ms   1.04 ms  +45.0 µs      -5.00 µs      1.00 ms    yes\n"
            ),
            "{text}"
        );
        assert!(text.ends_with(
            "Every figure is within 1 % or 20.0 µs of the truth beyond the floor, and overload was found out.\n"
        ));
    }

    #[test]
    fn what_does_not_hold_is_told_at_the_end() {
        let text = text(&calibration(2_000_000));
        assert!(text.contains("+950 µs            –     NO\n"), "{text}");
        assert!(text.ends_with("is off by 950.0 µs beyond the floor, and at most 20.0 µs are allowed\n"), "{text}");
    }
}
