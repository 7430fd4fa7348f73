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
    // Not with `--stub-wasi`: where there is no standard error, a traceback ends in a trap that says nothing of it, and so does `print`.
    // The component then asks for files and sockets too, of which no plugin is given any.
    Tool::new(tool, &job.folder)
        .arg("-d")
        .arg(job.wit())
        .args(["-w", &job.manifest.world, "componentize", "app", "-o"])
        .arg(&job.component)
        .run()
}
