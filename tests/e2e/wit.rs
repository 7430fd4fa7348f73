//! The contract: it parses, every item of it is documented, and it still takes what was built against a released version of it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use wit_parser::{Docs, InterfaceId, PackageId, Resolve, TypeDefKind, WorldItem};

const WORLDS: [&str; 3] = ["target", "streaming-target", "generator"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../wit")
}

fn parse(folder: &Path) -> Result<(Resolve, PackageId)> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(folder).with_context(|| folder.display().to_string())?;
    Ok((resolve, package))
}

/// What has no documentation, by its path in the contract.
#[derive(Default)]
struct Undocumented {
    items: Vec<String>,
    looked_at: usize,
}

impl Undocumented {
    fn look(&mut self, path: &str, docs: &Docs) {
        self.looked_at += 1;
        if docs.contents.as_deref().is_none_or(|text| text.trim().is_empty()) {
            self.items.push(path.to_owned());
        }
    }

    fn interface(&mut self, resolve: &Resolve, id: InterfaceId) {
        let interface = &resolve.interfaces[id];
        let name = interface.name.as_deref().unwrap_or("an interface without a name");
        self.look(name, &interface.docs);
        for (type_name, id) in &interface.types {
            let defined = &resolve.types[*id];
            // `use types.{error}` makes a name for something that is documented where it is defined.
            if matches!(defined.kind, TypeDefKind::Type(_)) {
                continue;
            }
            let path = format!("{name}.{type_name}");
            self.look(&path, &defined.docs);
            let parts: Vec<(&str, &Docs)> = match &defined.kind {
                TypeDefKind::Record(record) => {
                    record.fields.iter().map(|part| (part.name.as_str(), &part.docs)).collect()
                }
                TypeDefKind::Enum(list) => list.cases.iter().map(|part| (part.name.as_str(), &part.docs)).collect(),
                TypeDefKind::Variant(list) => list.cases.iter().map(|part| (part.name.as_str(), &part.docs)).collect(),
                TypeDefKind::Flags(list) => list.flags.iter().map(|part| (part.name.as_str(), &part.docs)).collect(),
                _ => Vec::new(),
            };
            for (part, docs) in parts {
                self.look(&format!("{path}.{part}"), docs);
            }
        }
        for (function, described) in &interface.functions {
            self.look(&format!("{name}.{function}"), &described.docs);
        }
    }
}

#[test]
fn every_item_of_the_contract_is_documented() -> Result<()> {
    let (resolve, package) = parse(&folder())?;
    let package = &resolve.packages[package];
    let mut undocumented = Undocumented::default();
    for id in package.interfaces.values() {
        undocumented.interface(&resolve, *id);
    }
    for (name, id) in &package.worlds {
        undocumented.look(&format!("world {name}"), &resolve.worlds[*id].docs);
    }
    assert!(undocumented.looked_at > 100, "only {} items were found", undocumented.looked_at);
    assert_eq!(undocumented.items, <[String; 0]>::default());
    Ok(())
}

#[test]
fn the_contract_has_its_worlds_and_one_version() -> Result<()> {
    let (resolve, package) = parse(&folder())?;
    let package = &resolve.packages[package];
    assert_eq!((package.name.namespace.as_str(), package.name.name.as_str()), ("benchhost", "plugin"));
    let version = package.name.version.as_ref().context("the contract has no version")?;
    assert_eq!((version.major, version.minor), (0, 1));
    let mut worlds: Vec<_> = package.worlds.keys().map(String::as_str).collect();
    worlds.sort_unstable();
    assert_eq!(worlds, ["generator", "streaming-target", "target"]);
    for name in WORLDS {
        let world = &resolve.worlds[package.worlds[name]];
        let about = world.exports.values().any(|item| match item {
            WorldItem::Interface { id, .. } => resolve.interfaces[*id].name.as_deref() == Some("about"),
            _ => false,
        });
        assert!(about, "a plugin of the world `{name}` cannot describe itself");
    }
    Ok(())
}

/// Released versions lie in `wit/released/VERSION`, as they were.
fn released() -> Result<Vec<PathBuf>> {
    let folder = folder().join("released");
    let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    entries.map(|entry| Ok(entry?.path())).collect()
}

#[test]
fn what_was_built_against_a_released_version_still_links() -> Result<()> {
    let released = released()?;
    assert!(released.iter().any(|path| path.ends_with("0.1.0")), "the first release is gone: {released:?}");
    released.iter().try_for_each(|path| takes_plugins_of(path, |text| text))
}

/// What a released version says is what every plugin of it was built against: only its comments may become clearer.
#[test]
fn a_version_that_was_released_stays_as_it_is() -> Result<()> {
    let (resolve, package) = parse(&folder())?;
    let version = resolve.packages[package].name.version.as_ref().context("the contract has no version")?.to_string();
    let Some(same) = released()?.into_iter().find(|path| path.ends_with(&version)) else { return Ok(()) };
    assert_eq!(
        meaning(&folder())?,
        meaning(&same)?,
        "the contract is no longer what was released as {version}: give it a new version, or change it back"
    );
    Ok(())
}

/// All files of a contract without comments and empty lines.
fn meaning(folder: &Path) -> Result<Vec<(String, Vec<String>)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "wit") {
            let text = fs::read_to_string(&path)?;
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.push((name, lines.map(str::to_owned).collect()));
        }
    }
    files.sort();
    Ok(files)
}

/// The comparison itself: what the contract had a moment ago it may not lose, and what it has now it may have gained.
#[test]
fn a_change_that_breaks_plugins_is_found() -> Result<()> {
    takes_plugins_of(&folder(), |text| text)?;
    takes_plugins_of(&folder(), |text| text.replace("import log;", ""))?;
    for (now, before) in [
        ("nullable: bool,", "nullable: bool, more: bool,"),
        ("rows: func() -> u32;", "rows: func() -> u64;"),
        ("/// 1 ns.\n    nanosecond,", ""),
    ] {
        let broken = takes_plugins_of(&folder(), |text| text.replace(now, before));
        assert!(broken.is_err(), "`{before}` became `{now}`, and nobody minds");
    }
    Ok(())
}

/// Whether plugins that were built against the contract in `before`, changed by `edit`, link against the one of today.
fn takes_plugins_of(before: &Path, edit: impl Fn(String) -> String) -> Result<()> {
    // Two packages of one name and version would be taken for one.
    let copy = tempfile::tempdir()?;
    for entry in fs::read_dir(before)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "wit") {
            let text = edit(fs::read_to_string(&path)?);
            let (package, rest) = text.split_once(';').context("no package")?;
            let name = path.file_name().unwrap_or_default();
            fs::write(copy.path().join(name), format!("{package}-before;{rest}"))?;
        }
    }
    let (mut resolve, now) = parse(&folder())?;
    let (before, then) = parse(copy.path())?;
    let then = resolve.merge(before)?.packages[then.index()];
    for name in WORLDS {
        let (old, new) = (resolve.packages[then].worlds.get(name), resolve.packages[now].worlds.get(name));
        let (old, new) = (*old.context("it lacked a world")?, *new.context("a world is gone")?);
        wit_component::semver_check(resolve.clone(), old, new)
            .with_context(|| format!("the world `{name}` no longer takes plugins that were built before"))?;
    }
    Ok(())
}
