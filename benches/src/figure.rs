//! How figures are printed and time is read: processor time, because it is steadier than wall time on a shared machine.

use std::fmt::Display;
use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use rustix::time::{ClockId, clock_gettime};

/// Figures of a benchmark, printed as one table for people and one line each for scripts.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    lines: Vec<(String, f64, &'static str)>,
}

impl Figures {
    pub(crate) fn add(&mut self, name: impl Into<String>, value: f64, unit: &'static str) {
        self.lines.push((name.into(), value, unit));
    }

    pub(crate) fn print(&self) -> Result<()> {
        let mut out = std::io::stdout().lock();
        writeln!(out)?;
        for (name, value, unit) in &self.lines {
            writeln!(out, "figure {name} {value} {unit}")?;
        }
        Ok(())
    }
}

/// A line of a table for people.
pub(crate) fn say(line: impl Display) -> Result<()> {
    writeln!(std::io::stdout(), "{line}")?;
    Ok(())
}

/// Processor time of this thread so far.
pub(crate) fn thread_cpu() -> Duration {
    read(ClockId::ThreadCPUTime)
}

fn read(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The median; the lower one of two.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}
