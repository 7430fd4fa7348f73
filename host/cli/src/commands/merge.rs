//! `benchhost merge`: one result of several parts of the same load.

use benchhost_core::Status;
use benchhost_report::Bundle;

use super::printed;
use crate::args::MergeArgs;
use crate::console::Console;
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};

/// Merges, writes and prints. A merged result that is invalid is answered as one.
pub(crate) fn run(args: &MergeArgs, console: &Console) -> Result<ExitStatus, Failure> {
    let bundle = args.output.as_deref().map(Bundle::create).transpose().or_usage()?;
    let merged = benchhost_report::merge(&args.folders).or_usage()?;
    let written = bundle.map(|bundle| merged.write(&bundle)).transpose().or_internal();
    printed(&merged.document, args.print.format, console)?;
    if let Some(file) = written? {
        console.line(&format!("result: {}", file.display()));
    }
    let invalid = merged.document.verdict.status == Status::Invalid;
    Ok(if invalid { ExitStatus::Invalid } else { ExitStatus::Success })
}
