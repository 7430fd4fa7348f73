//! `benchhost plugin build`: a project's component, made by its language's own tools.

use benchhost_authoring::build;
use benchhost_report::units::bytes;

use crate::args::PluginBuildArgs;
use crate::console::Console;
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};

/// Builds it, and says where it is.
pub(crate) fn run(args: &PluginBuildArgs, console: &Console) -> Result<ExitStatus, Failure> {
    let component = build(&args.folder).or_usage()?;
    let size = std::fs::metadata(&component).map(|found| found.len()).or_internal()?;
    console.line(&format!("{}, {}", component.display(), bytes(size as f64)));
    Ok(ExitStatus::Success)
}
