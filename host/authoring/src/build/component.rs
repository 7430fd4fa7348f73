//! From a core module to a component, for languages whose compilers stop before.

use std::path::{Path, PathBuf};

use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME as ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER as ADAPTER,
};
use wit_bindgen_core::{Files, WorldGenerator};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{Resolve, WorldId};

use super::strip::without_debug;
use super::{BuildError, Job, read, write};

/// The world that the project is of, read from its copy of the contract.
pub(super) fn world(job: &Job) -> Result<(Resolve, WorldId), BuildError> {
    let folder = job.wit();
    let mut resolve = Resolve::default();
    let found =
        resolve.push_dir(&folder).and_then(|(package, _)| resolve.select_world(&[package], Some(&job.manifest.world)));
    match found {
        Ok(world) => Ok((resolve, world)),
        Err(error) => Err(BuildError::Contract { folder, reason: format!("{error:#}") }),
    }
}

/// Writes the bindings of the project's world. `place` says where a file of that name goes.
pub(super) fn bindings(
    job: &Job,
    mut generator: Box<dyn WorldGenerator>,
    place: impl Fn(&str) -> PathBuf,
) -> Result<(), BuildError> {
    let (mut resolve, world) = world(job)?;
    let mut files = Files::default();
    generator
        .generate(&mut resolve, world, &mut files)
        .map_err(|error| BuildError::Contract { folder: job.wit(), reason: format!("{error:#}") })?;
    files.iter().try_for_each(|(name, bytes)| write(&place(name), bytes))
}

/// Whether the module already tells its world.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// The bindings brought a section with it.
    Yes,
    /// It must be added.
    No,
}

/// Makes the component of the module at `core`. Its calls of WASI preview 1 go through the adapter to preview 2.
pub(super) fn componentize(job: &Job, core: &Path, told: Told) -> Result<(), BuildError> {
    let mut module = without_debug(read(core)?);
    let failed =
        |reason: String| BuildError::Component { module: core.to_owned(), world: job.manifest.world.clone(), reason };
    if told == Told::No {
        let (resolve, world) = world(job)?;
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)
            .map_err(|error| failed(format!("{error:#}")))?;
    }
    let mut encoder = ComponentEncoder::default();
    let component = encoder
        .module(&module)
        .and_then(|encoder| encoder.adapter(ADAPTER_NAME, ADAPTER))
        .and_then(|encoder| encoder.validate(true).encode())
        .map_err(|error| failed(format!("{error:#}")))?;
    write(&job.component, &component)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::{Language, Manifest, write_wit};

    fn job(folder: &Path, world: &str) -> Job {
        write_wit(&folder.join("wit")).unwrap();
        Job {
            manifest: Manifest { name: "a".into(), language: Language::C, world: world.into(), wit: "wit".into() },
            folder: folder.to_owned(),
            component: folder.join("a.wasm"),
        }
    }

    #[test]
    fn the_contract_has_every_world_that_a_manifest_may_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in crate::WORLDS {
            let (resolve, found) = world(&job(folder.path(), name)).unwrap();
            assert_eq!(resolve.worlds[found].name, name);
        }
    }

    #[test]
    fn a_damaged_contract_is_told_with_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let job = job(folder.path(), "target");
        std::fs::write(job.wit().join("types.wit"), "package benchhost:plugin@0.1.0;\ninterface {").unwrap();
        let error = world(&job).unwrap_err().to_string();
        assert!(error.starts_with(&format!("the contract in {}", job.wit().display())), "{error}");
        assert!(error.contains("expected an identifier"), "{error}");
    }

    #[test]
    fn a_module_without_the_exports_of_its_world_is_no_component_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let job = job(folder.path(), "generator");
        let core = folder.path().join("core.wasm");
        for (bytes, words) in [(&b"\0asm\x01\0\0\0"[..], "describe"), (b"nonsense", "")] {
            std::fs::write(&core, bytes).unwrap();
            let error = componentize(&job, &core, Told::No).unwrap_err().to_string();
            assert!(error.contains("cannot become a component of the world `generator`: "), "{error}");
            assert!(error.contains(words), "{error}");
            assert!(!job.component.exists());
        }
    }
}
