//! `benchhost show`: the report of a run that is over, or that was killed.

use super::printed;
use crate::args::ShowArgs;
use crate::console::Console;
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};

/// Prints what the folder holds.
pub(crate) fn run(args: &ShowArgs, console: &Console) -> Result<ExitStatus, Failure> {
    let document = benchhost_report::show(&args.folder).or_usage()?;
    printed(&document, args.print.format, console)?;
    Ok(ExitStatus::Success)
}
