//! `benchhost plugin new`: a small, complete plugin to start from.

use std::path::PathBuf;

use benchhost_authoring::{Project, ProjectError, create};

use crate::args::PluginNewArgs;
use crate::console::{self, Console};
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};

/// Writes the project, and says what to do with it.
pub(crate) fn run(args: &PluginNewArgs, console: &Console) -> Result<ExitStatus, Failure> {
    let project = Project { name: args.name.clone(), kind: args.kind, language: args.lang };
    let folder = args.folder.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    let written = create(&project, &folder).map_err(classify)?;
    console.line(&format!(
        "{} files in {}; README.md there says which tools of {} it needs",
        written.len(),
        folder.display(),
        project.language
    ));
    console::print(&format!(
        "cd {}\nbenchhost plugin build\nbenchhost plugin check {}.wasm\n",
        folder.display(),
        project.name
    ))
    .or_internal()?;
    Ok(ExitStatus::Success)
}

fn classify(error: ProjectError) -> Failure {
    let hint = match &error {
        ProjectError::Exists { .. } => Some("--folder DIR puts it elsewhere"),
        _ => None,
    };
    let failure = Failure::usage(error);
    match hint {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    }
}
