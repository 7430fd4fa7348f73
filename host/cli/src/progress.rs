//! What the terminal shows while a run goes: a bar, or a line from time to time. It counts nothing itself.

use std::time::{Duration, Instant};

use benchhost_core::{Crash, Interval, Observer, Phase, PhaseName, Progress};
use benchhost_report::units::{count, counted, quantity, seconds};
use indicatif::{ProgressBar, ProgressStyle as BarTemplate};

use crate::console::{Console, Label, ProgressStyle, printable};
use crate::pace::Pace;

/// Time between two plain lines of a phase.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Crashes that are told in full; later ones are counted in the result.
const CRASHES_TOLD: u64 = 3;

/// Shows progress on a console.
pub(crate) struct TerminalObserver {
    console: Console,
    meter: Option<Meter>,
    crashes: u64,
}

impl TerminalObserver {
    /// Nothing is shown before the first phase.
    pub(crate) fn new(console: Console) -> Self {
        Self { console, meter: None, crashes: 0 }
    }
}

impl Observer for TerminalObserver {
    fn begins(&mut self, phase: PhaseName) {
        self.meter = Some(Meter::begin(self.console.clone(), phase.as_str()));
    }

    fn progress(&mut self, _: PhaseName, progress: Progress) {
        if let Some(meter) = &mut self.meter {
            meter.update(progress);
        }
    }

    fn interval(&mut self, _: Interval<'_>) {}

    fn ended(&mut self, phase: Phase) {
        if let Some(meter) = self.meter.take() {
            meter.end(phase.time, phase.rows);
        }
    }

    fn crashed(&mut self, crash: &Crash) {
        self.crashes += 1;
        if self.crashes <= CRASHES_TOLD {
            self.console.labelled(
                Label::Warning,
                &format!("{}; the worker goes on with a new session", printable(&crash.to_string())),
            );
        }
        if self.crashes == CRASHES_TOLD {
            self.console.line("more crashes are counted and not told here");
        }
    }
}

/// The progress of one phase.
pub(crate) struct Meter {
    console: Console,
    name: &'static str,
    bar: Option<ProgressBar>,
    pace: Pace,
    next_line: Instant,
}

impl Meter {
    /// A phase of that name begins. Until its first update it shows that something happens, not how far it is.
    pub(crate) fn begin(console: Console, name: &'static str) -> Self {
        let bar = (console.style() == ProgressStyle::Bar).then(|| {
            let bar = console.bars().add(ProgressBar::new_spinner());
            bar.set_style(template("{spinner} {prefix}"));
            bar.set_prefix(name);
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self { console, name, bar, pace: Pace::default(), next_line: Instant::now() + LINE_INTERVAL }
    }

    /// Shows how far the phase is.
    pub(crate) fn update(&mut self, progress: Progress) {
        let first = self.pace.is_new();
        self.pace.advance(progress.elapsed, progress.rows);
        if let Some(bar) = &self.bar {
            if first {
                // While the clock of a run goes, nothing ticks that the run does not tick.
                bar.disable_steady_tick();
                bar.set_style(template("{prefix:>8} [{bar:30}] {percent:>3} %  {msg}").progress_chars("=> "));
            }
            let (done, total) = share(progress);
            bar.set_length(total);
            bar.set_position(done);
            bar.set_message(self.words(progress));
        } else if self.console.style() == ProgressStyle::Plain && Instant::now() >= self.next_line {
            self.next_line = Instant::now() + LINE_INTERVAL;
            let (done, total) = share(progress);
            let percent = done.saturating_mul(100).checked_div(total).unwrap_or(100).min(100);
            let of = progress.total_rows.map(|total| format!(" of {}", count(total))).unwrap_or_default();
            let rows = format!("{}{of} rows", count(progress.rows));
            self.console.line(&format!("{}: {rows} ({percent} %), {}", self.name, self.words(progress)));
        }
    }

    /// The phase has ended: the bar goes, and a plain line tells what it did.
    pub(crate) fn end(self, time: Duration, rows: u64) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            self.console.bars().remove(bar);
        } else if self.console.style() == ProgressStyle::Plain {
            let what = if rows > 0 { format!("{} in ", counted(rows, "row", "rows")) } else { String::new() };
            self.console.line(&format!("{}: {what}{}", self.name, seconds(time.as_secs_f64())));
        }
    }

    fn words(&self, progress: Progress) -> String {
        let mut words = format!("{} rows/s", quantity(self.pace.rows_per_s()));
        if progress.errors > 0 {
            words.push_str(&format!(", {}", counted(progress.errors, "error", "errors")));
        }
        let by_rows = progress.total_rows.and_then(|total| self.pace.left(progress.rows, total));
        let by_time = progress.length.map(|length| length.saturating_sub(progress.elapsed));
        // Whichever ends the phase first.
        if let Some(left) = by_rows.into_iter().chain(by_time).min() {
            words.push_str(&format!(
                ", {} left",
                humantime::format_duration(Duration::from_secs(left.as_secs_f64().ceil() as u64))
            ));
        }
        words
    }
}

impl Drop for Meter {
    /// An error ends a phase without telling: no bar may stay behind.
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How much of a phase is done, of how much: by rows where they are known, else by time in milliseconds.
fn share(progress: Progress) -> (u64, u64) {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    match (progress.total_rows, progress.length) {
        (Some(total), None) => (progress.rows, total),
        (Some(total), Some(length)) => {
            let by_time = progress.elapsed.as_secs_f64() / length.as_secs_f64().max(1e-9);
            let by_rows = progress.rows as f64 / total.max(1) as f64;
            if by_time > by_rows { (millis(progress.elapsed), millis(length)) } else { (progress.rows, total) }
        }
        (None, Some(length)) => (millis(progress.elapsed), millis(length)),
        (None, None) => (0, 0),
    }
}

/// A template of ours; one that indicatif cannot read would show its default bar.
fn template(text: &str) -> BarTemplate {
    BarTemplate::with_template(text).unwrap_or_else(|_| BarTemplate::default_bar())
}
