//! Go: the standard compiler makes a core module; the bindings and the component are made here.

use std::path::Path;

use wit_bindgen_go::{Format, Opts};

use super::component::{Told, bindings, componentize};
use super::tool::{Tool, needed};
use super::{BuildError, Job, read};

/// Where the bindings of imports go, inside the project, and the core module.
const GENERATED: &str = "gen";

pub(super) fn build(job: &Job) -> Result<(), BuildError> {
    let go = needed("go", "Go 1.25 or newer", "see https://go.dev/doc/install")?;
    let module = module(&job.folder.join("go.mod"))?;
    let options = Opts {
        // The author's own formatter has no say in generated files.
        format: Format::False,
        pkg_name: Some(format!("{module}/{GENERATED}")),
        export_pkg_name: Some(module),
        ..Opts::default()
    };
    // What is generated for an exported interface belongs to the package in which the author writes its functions.
    bindings(job, options.build(), |name| match name.starts_with("export_") {
        true => job.folder.join(name),
        false => job.folder.join(GENERATED).join(name),
    })?;
    let core = job.folder.join(GENERATED).join("core.wasm");
    Tool::new(go, &job.folder)
        .env("GOOS", "wasip1")
        .env("GOARCH", "wasm")
        // Another version of Go would be fetched in silence.
        .env("GOTOOLCHAIN", "local")
        // The bindings name functions of Go's own runtime.
        .args(["build", "-buildmode=c-shared", "-ldflags=-checklinkname=0", "-o"])
        .arg(&core)
        .arg(".")
        .run()?;
    componentize(job, &core, Told::No)
}

/// The path that the project's packages begin with.
fn module(path: &Path) -> Result<String, BuildError> {
    let text = String::from_utf8_lossy(&read(path)?).into_owned();
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("module "))
        .map(|name| name.split("//").next().unwrap_or_default().trim().trim_matches('"').to_owned())
        .next()
        .ok_or_else(|| BuildError::Source {
            path: path.to_owned(),
            reason: "there is no line `module NAME`".to_owned(),
        })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_module_is_called_as_its_file_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("go.mod");
        std::fs::write(&path, "// a comment\n\nmodule redis-go // why\n\ngo 1.25\n").unwrap();
        assert_eq!(module(&path).unwrap(), "redis-go");
        std::fs::write(&path, "go 1.25\n").unwrap();
        assert!(module(&path).unwrap_err().to_string().ends_with("there is no line `module NAME`"));
    }
}
