//! The page of a calibration.

use std::fmt::Write;

use benchhost_report::units::nanoseconds;

use super::judge::{Calibration, Floor, NANOSECONDS, Row, SHARE, percent};

/// The names of the columns.
const HEAD: [&str; 8] = ["case", "figure", "truth", "measured", "error", "beyond floor", "closed loop", "holds"];
/// Columns at the left edge; the others are at the right one.
const LEFT: usize = 2;

/// How both ends waited.
const SPINS: &str = "\
waiting   Client and server spin where there is one worker: no figure there has the machine's waking up in it.
          Elsewhere the server sleeps.
";
const SLEEPS: &str = "\
waiting   Client and server sleep, as in a run without --spin: every figure has the machine's waking up in it.
";
/// Where an error comes from that is not the tool's.
const CAUSE_SPINS: &str = "\
Compare with the timers above: with several workers the server sleeps, and a machine that wakes threads up late
adds that. With one worker neither end sleeps: an error there is a processor that did something else.
Run it on a machine at rest.
";
const CAUSE_SLEEPS: &str = "\
Compare with the timers above: both ends sleep, and a machine that wakes threads up late adds that at each end.
Without --sleep the client spins, and the server where there is one worker, and what is left there is the tool's own error.
";

/// The page, with a newline at its end.
pub(crate) fn text(calibration: &Calibration) -> String {
    let mut text = String::new();
    let timer = calibration.timer;
    let Floor { measured_ns, held_ns, floor_ns, p90_ns, p99_ns } = calibration.floor;
    let _ = writeln!(
        text,
        "timers    a sleep of 1 ms is too long by {} (median) and {} (p99); reading the clock takes {}",
        nanoseconds(timer.sleep_overshoot_p50_ns as f64),
        nanoseconds(timer.sleep_overshoot_p99_ns as f64),
        nanoseconds(timer.clock_read_ns)
    );
    let _ = writeln!(
        text,
        "floor     {} (p90 {}, p99 {}): the median with a hold of 50 µs is {}, of which the server held {}",
        signed(floor_ns),
        signed(p90_ns),
        signed(p99_ns),
        nanoseconds(measured_ns as f64),
        nanoseconds(held_ns as f64)
    );
    text.push_str(
        "          It is wire, kernel and client, part of every service time that any client measures, and shown apart.\n\
         truth     Service times: what the server says it held, by its clock. Response times: the schedule, simulated.\n",
    );
    text.push_str(if calibration.spin { SPINS } else { SLEEPS });
    text.push('\n');
    table(&mut text, &calibration.figures);
    let bound = format!("{:.0} % or {}", SHARE * 100.0, nanoseconds(NANOSECONDS as f64));
    if calibration.holds {
        let _ = writeln!(
            text,
            "\nEvery figure up to p99 is within {bound} of the truth beyond the floor, and overload was found out."
        );
    } else {
        let _ = writeln!(text, "\nNot everything is within {bound} of the truth beyond the floor:");
        for failure in &calibration.failures {
            let _ = writeln!(text, "  {failure}");
        }
        if calibration.figures.iter().any(|row| row.holds == Some(false)) {
            text.push_str(if calibration.spin { CAUSE_SPINS } else { CAUSE_SLEEPS });
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
        match row.holds {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "shown",
        }
        .into(),
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

    fn calibration(spin: bool, measured_ns: u64) -> Calibration {
        let timer = Noise { sleep_overshoot_p50_ns: 57_000, sleep_overshoot_p99_ns: 90_000, clock_read_ns: 25.0 };
        let figure = |case: &str, quantile, measured_ns, closed_loop_ns| Figure {
            case: case.into(),
            clock: "service",
            quantile,
            truth_ns: 1_000_000,
            measured_ns,
            closed_loop_ns,
        };
        let figures = vec![
            figure("constant 1 ms", 0.99, measured_ns, None),
            figure("constant 1 ms", 0.999, 9_000_000, None),
            figure("stall", 0.5, 1_045_000, Some(1_000_000)),
        ];
        Calibration::new(spin, timer, Floor::new(60_000, 10_000), figures, Vec::new())
    }

    #[test]
    fn the_page_shows_floor_noise_and_every_figure() {
        let text = text(&calibration(true, 1_060_000));
        assert!(
            text.starts_with("timers    a sleep of 1 ms is too long by 57.0 µs (median) and 90.0 µs (p99); reading")
        );
        assert!(text.contains(
            "floor     +50.0 µs (p90 +50.0 µs, p99 +50.0 µs): the median with a hold of 50 µs is 60.0 µs, of which the server held 10.0 µs"
        ));
        assert!(
            text.contains(
                "\ncase           figure           truth  measured     error  beyond floor  closed loop  holds\n\
             constant 1 ms  service p99    1.00 ms   1.06 ms  +60.0 µs      +10.0 µs            –    yes\n\
             constant 1 ms  service p99.9  1.00 ms   9.00 ms  +8.00 ms      +7.95 ms            –  shown\n\
             stall          service p50    1.00 ms   1.04 ms  +45.0 µs      -5.00 µs      1.00 ms    yes\n"
            ),
            "{text}"
        );
        assert!(text.ends_with(
            "Every figure up to p99 is within 1 % or 20.0 µs of the truth beyond the floor, and overload was found out.\n"
        ));
        assert!(!text.contains("Compare"));
    }

    #[test]
    fn what_does_not_hold_is_told_at_the_end() {
        let text = text(&calibration(true, 2_000_000));
        assert!(text.contains("+950 µs            –     NO\n"), "{text}");
        assert!(
            text.contains("is off by 950.0 µs beyond the floor, and at most 20.0 µs are allowed\nCompare"),
            "{text}"
        );
        assert!(text.ends_with(CAUSE_SPINS));
    }

    #[test]
    fn the_page_says_how_both_ends_waited() {
        let [spins, sleeps] = [true, false].map(|spin| text(&calibration(spin, 2_000_000)));
        assert!(spins.contains("waiting   Client and server spin") && !spins.contains("without --spin"));
        assert!(sleeps.contains("waiting   Client and server sleep") && sleeps.ends_with(CAUSE_SLEEPS));
    }

    #[test]
    fn an_overload_that_was_not_found_out_is_not_blamed_on_timers() {
        let unnoticed = Calibration {
            failures: vec!["overload: the verdict is valid".into()],
            holds: false,
            ..calibration(true, 1_060_000)
        };
        assert!(text(&unnoticed).ends_with("  overload: the verdict is valid\n"));
    }
}
