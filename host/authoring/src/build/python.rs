//! Python: componentize-py packs the interpreter and the project's modules.

use super::tool::{Tool, in_path, in_venv};
use super::{BuildError, Job};

const COMPONENTIZE: &str = "componentize-py";

pub(super) fn build(job: &Job) -> Result<(), BuildError> {
    let tool =
        in_venv(&job.folder, COMPONENTIZE).or_else(|| in_path(COMPONENTIZE)).ok_or_else(|| BuildError::Missing {
            what: COMPONENTIZE.to_owned(),
            command: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
        })?;
    // Without the stubs a component would ask for files and sockets, which no plugin is given.
    Tool::new(tool, &job.folder)
        .arg("-d")
        .arg(job.wit())
        .args(["-w", &job.manifest.world, "componentize", "app", "--stub-wasi", "-o"])
        .arg(&job.component)
        .run()
}
