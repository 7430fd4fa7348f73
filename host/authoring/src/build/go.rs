//! Go: the standard compiler makes a core module; the bindings and the component are made here.

use std::path::Path;

use wit_bindgen_go::{Format, Opts};

use super::component::{Told, bindings, componentize};
use super::tool::{Tool, needed};
use super::{BuildError, Job, read, write};

/// Where the bindings of imports go, inside the project, and the core module.
const GENERATED: &str = "gen";

/// The generated package of the functions that the host calls.
const EXPORTS: &str = "wit_exports";

/// Goes before each of them in its file. Those that the host calls after them, to have their results freed, are called `cabi_post_…`.
const EXPORTED: &str = "//go:wasmexport ";

/// Says when the garbage collector runs, for it must not at any time.
const MEMORY: &str = include_str!("go/memory.go");

pub(super) fn build(job: &Job) -> Result<(), BuildError> {
    let go = needed("go", "Go 1.25 or newer", "see https://go.dev/doc/install")?;
    let module = module(&job.folder.join("go.mod"))?;
    // What is generated for an exported interface belongs to the package in which the author writes its functions.
    bindings(job, options(&module).build(), |name| match name.starts_with("export_") {
        true => job.folder.join(name),
        false => job.folder.join(GENERATED).join(name),
    })?;
    let exports = job.folder.join(GENERATED).join(EXPORTS);
    let functions = exports.join(format!("{EXPORTS}.go"));
    write(&functions, with_begin(&String::from_utf8_lossy(&read(&functions)?)).as_bytes())?;
    write(&exports.join("memory.go"), MEMORY.as_bytes())?;
    let core = job.folder.join(GENERATED).join("core.wasm");
    Tool::new(go, &job.folder)
        .env("GOOS", "wasip1")
        .env("GOARCH", "wasm")
        // Another version of Go would be fetched in silence.
        .env("GOTOOLCHAIN", "local")
        // Neither the place of the folder nor the state of its repository is anything to a component; and where git refuses to tell the
        // state, as it does in a folder of another user, there would be no build.
        .args(["build", "-trimpath", "-buildvcs=false"])
        // The bindings name functions of Go's own runtime.
        .args(["-buildmode=c-shared", "-ldflags=-checklinkname=0", "-o"])
        .arg(&core)
        .arg(".")
        .run()?;
    componentize(job, &core, Told::No)
}

/// How the bindings of a module's packages are written.
fn options(module: &str) -> Opts {
    Opts {
        // The author's own formatter has no say in generated files.
        format: Format::False,
        pkg_name: Some(format!("{module}/{GENERATED}")),
        export_pkg_name: Some(module.to_owned()),
        ..Opts::default()
    }
}

/// The generated exports, each with a call of `begin` as its first line. It is told whether the function calls `Unpin` itself.
fn with_begin(source: &str) -> String {
    let mut parts = source.split(EXPORTED);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(EXPORTED);
        match part.split_once(" {\n") {
            Some((head, body)) if !part.starts_with("cabi_post_") => {
                out += &format!("{head} {{\nbegin({})\n{body}", body.contains("witRuntime.Unpin()"));
            }
            _ => out.push_str(part),
        }
    }
    out
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
    use crate::{Language, Manifest, write_wit};

    /// The generated file of exports for a world.
    fn exports(world: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        write_wit(&folder.path().join("wit")).unwrap();
        let job = Job {
            manifest: Manifest { name: "a".into(), language: Language::Go, world: world.into(), wit: "wit".into() },
            folder: folder.path().to_owned(),
            component: folder.path().join("a.wasm"),
        };
        bindings(&job, options("m").build(), |name| folder.path().join(name)).unwrap();
        std::fs::read_to_string(folder.path().join(EXPORTS).join("wit_exports.go")).unwrap()
    }

    #[test]
    fn every_exported_function_begins_with_a_look_at_the_memory() {
        // Functions in the world, and those of them that take a list or a string.
        for (world, functions, with_lists) in [("target", 9, 4), ("streaming-target", 10, 4), ("generator", 3, 1)] {
            let source = with_begin(&exports(world));
            assert_eq!(source.matches(" {\nbegin(").count(), functions, "{world}");
            assert_eq!(source.matches("\nbegin(true)\n").count(), with_lists, "{world}");
            assert!(
                source.contains(
                    "#describe\nfunc wasm_export_benchhost_plugin_about_describe() uintptr {\nbegin(false)\n"
                )
            );
        }
    }

    #[test]
    fn nothing_else_changes_in_the_exports() {
        let source = exports("target");
        let lines = with_begin(&source);
        let kept: String = lines.split_inclusive('\n').filter(|line| !line.starts_with("begin(")).collect();
        assert_eq!(kept, source);
    }

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
