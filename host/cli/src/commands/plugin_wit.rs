//! `benchhost plugin wit`: the contract, for whoever builds a plugin.

use std::io;

use benchhost_authoring::write_wit;

use crate::args::WitArgs;
use crate::console::Console;
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};

/// The contract cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}")]
struct Unwritable {
    path: String,
    source: io::Error,
}

/// Writes it.
pub(crate) fn run(args: &WitArgs, console: &Console) -> Result<ExitStatus, Failure> {
    let written = write_wit(&args.folder)
        .map_err(|(path, source)| Unwritable { path: path.display().to_string(), source })
        .or_usage()?;
    console.line(&format!("{} files of benchhost:plugin@0.1.0 in {}", written.len(), args.folder.display()));
    Ok(ExitStatus::Success)
}
