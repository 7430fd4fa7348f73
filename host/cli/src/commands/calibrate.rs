//! `benchhost calibrate`: the tool against a server whose times are known.

use std::thread;
use std::time::Duration;

use benchhost_core::{StopLevel, StopToken};

use super::plugin_list::json;
use crate::args::{CalibrateArgs, CalibrationServerArgs, FormatChoice};
use crate::calibrate::{self, Bench, Calibration, Outcome};
use crate::console::{self, Console};
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};
use crate::plugin_path::PluginPath;
use crate::plugins;
use crate::settings::Part;
use crate::signals;

/// The shortest case: a shorter one has too few operations of a second.
const SHORTEST: Duration = Duration::from_secs(2);

/// What a calibration cannot do.
#[derive(Debug, thiserror::Error)]
enum CalibrateError {
    #[error("--duration is too short: give at least 2s, so that the slow cases have operations to judge")]
    TooShort,
    #[error("stopped: a calibration that is not complete says nothing")]
    Interrupted,
    #[error("the floor could not be measured: {0}")]
    NoFloor(String),
}

/// Measures every case, and says whether all hold.
pub(crate) fn run(args: &CalibrateArgs, console: &Console) -> Result<ExitStatus, Failure> {
    let length = if args.quick { SHORTEST } else { args.duration };
    if length < SHORTEST {
        return Err(Failure::usage(CalibrateError::TooShort));
    }
    let cases = calibrate::cases(length);
    let most = cases.iter().map(|case| case.workers).max().unwrap_or(1);
    // A control session and the generators beside the workers.
    let host = plugins::host(most.saturating_add(4), 0, console)?;
    let path = PluginPath::from_environment();
    let target = plugins::load(&host, &path, Part::Target, Some("influx"))?;
    let dataset = plugins::load(&host, &path, Part::Dataset, Some("cpu"))?;
    let stop = StopToken::new();
    signals::watch(stop.clone(), signals::GRACE, console.clone())?;
    let timer = calibrate::noise();
    // Each end takes a processor: two that spin on one would hold each other up for whole slices of time.
    let spin = !args.sleep && thread::available_parallelism().is_ok_and(|processors| processors.get() > 1);
    let bench = Bench { host: &host, target: &target, dataset: &dataset, spin, stop: &stop };

    let mut all = Outcome::default();
    for (number, case) in cases.iter().enumerate() {
        console.line(&format!("{} of {}: {}", number + 1, cases.len(), case.name));
        let outcome = bench.measure(case);
        // Whatever fails once the user has asked to stop failed because of that.
        if stop.level() > StopLevel::Running {
            return Err(Failure::new(ExitStatus::Interrupted, CalibrateError::Interrupted));
        }
        let outcome = outcome?;
        all.floor = all.floor.or(outcome.floor);
        all.figures.extend(outcome.figures);
        all.failures.extend(outcome.failures);
        if all.floor.is_none() {
            return Err(Failure::new(ExitStatus::Invalid, CalibrateError::NoFloor(all.failures.join("; "))));
        }
    }
    let Some(floor) = all.floor else {
        return Err(Failure::internal(CalibrateError::NoFloor("there was no case for it".into())));
    };
    let calibration = Calibration::new(spin, timer, floor, all.figures, all.failures);
    let text = match args.print.format {
        FormatChoice::Json => json(&calibration)?,
        FormatChoice::Text => calibrate::text(&calibration),
    };
    console::print(&text).or_internal()?;
    Ok(if calibration.holds { ExitStatus::Success } else { ExitStatus::Invalid })
}

/// The server's process.
pub(crate) fn serve(args: &CalibrationServerArgs) -> Result<ExitStatus, Failure> {
    calibrate::serve(&args.options)?;
    Ok(ExitStatus::Success)
}
