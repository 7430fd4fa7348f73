//! JavaScript: the project's own script `build` calls componentize-js, which is a library.

use super::tool::{Tool, needed};
use super::{BuildError, Job};

pub(super) fn build(job: &Job) -> Result<(), BuildError> {
    let npm = needed("npm", "npm, which comes with Node.js,", "see https://nodejs.org")?;
    if !job.folder.join("node_modules").is_dir() {
        let command = if job.folder.join("package-lock.json").is_file() {
            "npm ci --ignore-scripts"
        } else {
            "npm install --ignore-scripts"
        };
        return Err(BuildError::Missing { what: "the project's folder node_modules".to_owned(), command });
    }
    Tool::new(npm, &job.folder).args(["run", "build"]).run()
}
