//! C: zig's compiler, which brings its own libc for wasm. The bindings and the component are made here.

use std::fs;
use std::path::{Path, PathBuf};

use wit_bindgen_c::{Enabled, Opts};

use super::component::{Told, bindings, componentize};
use super::tool::{Tool, in_path, in_venv};
use super::{BuildError, Job};

/// Where the bindings go, inside the project.
const GENERATED: &str = "gen";

/// A library that is called, not a program that runs. Rows may pass through it, so it is made for speed. Without `-g` the linker leaves out
/// the names of functions too; the rest of what `-g` brings goes out when the component is made.
const FLAGS: [&str; 8] =
    ["-target", "wasm32-wasi", "-mexec-model=reactor", "-std=c17", "-O2", "-g", "-Wall", "-Wextra"];

pub(super) fn build(job: &Job) -> Result<(), BuildError> {
    let sources = sources(&job.folder)?;
    let compiler = compiler(&job.folder)?;
    let generated = job.folder.join(GENERATED);
    // With automatic drops what was lent to an exported function is given back when it returns, as in the other languages.
    let options = Opts { autodrop_borrows: Enabled::Yes, ..Opts::default() };
    bindings(job, options.build(), |name| generated.join(name))?;
    let core = generated.join("core.wasm");
    let world = job.manifest.world.replace('-', "_");
    compiler
        .args(FLAGS)
        .args(["-I", GENERATED])
        .args(&sources)
        .arg(generated.join(format!("{world}.c")))
        .arg(generated.join(format!("{world}_component_type.o")))
        .arg("-o")
        .arg(&core)
        .run()?;
    componentize(job, &core, Told::Yes)
}

/// The project's own files, in order of their names.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let place = folder.join("src");
    let entries =
        fs::read_dir(&place).map_err(|source| BuildError::File { doing: "read", path: place.clone(), source })?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    if files.is_empty() {
        return Err(BuildError::Source { path: place, reason: "there is no file that ends in .c".to_owned() });
    }
    files.sort();
    Ok(files)
}

/// Zig's C compiler: of the project's own environment, else the program `zig`, else the package of the system's Python.
fn compiler(folder: &Path) -> Result<Tool, BuildError> {
    let of_python = |python: PathBuf| {
        let module = || Tool::new(&python, folder).args(["-m", "ziglang"]);
        module().arg("version").works().then(module)
    };
    in_venv(folder, "python")
        .and_then(of_python)
        .or_else(|| in_path("zig").map(|zig| Tool::new(zig, folder)))
        .or_else(|| in_path("python3").and_then(of_python))
        .map(|zig| zig.arg("cc"))
        .ok_or_else(|| BuildError::Missing {
            what: "the C compiler of zig".to_owned(),
            command: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
        })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn every_source_is_compiled_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        assert!(sources(folder.path()).unwrap_err().to_string().starts_with("cannot read "));
        let place = folder.path().join("src");
        fs::create_dir(&place).unwrap();
        assert!(sources(folder.path()).unwrap_err().to_string().ends_with("there is no file that ends in .c"));
        for name in ["b.c", "a.c", "a.h"] {
            fs::write(place.join(name), "").unwrap();
        }
        assert_eq!(sources(folder.path()).unwrap(), [place.join("a.c"), place.join("b.c")]);
    }
}
