//! What a component is made of, read off its bytes.

use wasmparser::{Parser, Payload};

const PACKAGE: &str = "benchhost:plugin/";

/// The worlds of the contract, and what a component of each exports; the wider ones later.
pub(super) const WORLDS: [(&str, &[&str]); 3] = [
    ("generator", &["about", "dataset"]),
    ("target", &["about", "session", "ingest"]),
    ("streaming-target", &["about", "session", "ingest", "streaming"]),
];

/// The parts of a component that the rules are about.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Anatomy {
    /// The component's own imports, with their versions.
    pub(super) imports: Vec<String>,
    /// The component's own exports, with their versions.
    pub(super) exports: Vec<String>,
    /// Core modules in it, at any depth.
    pub(super) modules: usize,
    /// Those of them that name their functions.
    pub(super) named: usize,
}

/// What the parser is inside of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Component,
    Module,
}

impl Anatomy {
    /// Reads it, or says at which byte it stops being WebAssembly.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut anatomy = Self::default();
        let mut inside = vec![Inside::Component];
        for payload in Parser::new(0).parse_all(bytes) {
            match payload.map_err(|error| error.to_string())? {
                Payload::ModuleSection { .. } => {
                    anatomy.modules += 1;
                    inside.push(Inside::Module);
                }
                Payload::ComponentSection { .. } => inside.push(Inside::Component),
                Payload::End(_) => {
                    inside.pop();
                }
                Payload::CustomSection(section)
                    if section.name() == "name" && inside.last() == Some(&Inside::Module) =>
                {
                    anatomy.named += 1;
                }
                Payload::ComponentImportSection(section) if inside.len() == 1 => {
                    for import in section {
                        anatomy.imports.push(import.map_err(|error| error.to_string())?.name.name.to_owned());
                    }
                }
                Payload::ComponentExportSection(section) if inside.len() == 1 => {
                    for export in section {
                        anatomy.exports.push(export.map_err(|error| error.to_string())?.name.name.to_owned());
                    }
                }
                _ => {}
            }
        }
        Ok(anatomy)
    }

    /// The contract's interfaces among these, without versions.
    pub(super) fn interfaces(&self, names: &[String]) -> Vec<String> {
        names.iter().filter_map(|name| split(name)).map(|(interface, _)| interface.to_owned()).collect()
    }

    /// The versions of the contract that it names, each once.
    pub(super) fn versions(&self) -> Vec<String> {
        let mut versions: Vec<String> = self
            .imports
            .iter()
            .chain(&self.exports)
            .filter_map(|name| split(name))
            .map(|(_, v)| v.to_owned())
            .collect();
        versions.sort();
        versions.dedup();
        versions
    }

    /// The worlds that it fits, the widest last.
    pub(super) fn worlds(&self) -> Vec<&'static str> {
        let exported = self.interfaces(&self.exports);
        let fits = |wanted: &[&str]| wanted.iter().all(|interface| exported.iter().any(|name| name == interface));
        WORLDS.iter().filter(|(_, wanted)| fits(wanted)).map(|(world, _)| *world).collect()
    }
}

/// Interface and version of a name of the contract.
fn split(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix(PACKAGE)?;
    Some(rest.split_once('@').unwrap_or((rest, "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Anatomy {
        Anatomy::read(&wat::parse_str(text).unwrap()).unwrap()
    }

    #[test]
    fn only_the_components_own_imports_and_exports_count() {
        let anatomy = read(
            r#"(component
                (import "wasi:io/poll@0.2.0" (instance))
                (component (import "inner" (func)) (core module (func $named)))
                (core module)
                (instance $i)
                (export "benchhost:plugin/about@0.1.2" (instance $i)))"#,
        );
        assert_eq!(anatomy.imports, ["wasi:io/poll@0.2.0"]);
        assert_eq!(anatomy.exports, ["benchhost:plugin/about@0.1.2"]);
        assert_eq!((anatomy.modules, anatomy.named), (2, 1));
        assert_eq!(anatomy.versions(), ["0.1.2"]);
        assert!(anatomy.worlds().is_empty());
    }

    #[test]
    fn a_streaming_target_is_a_target_too() {
        let exports = |interfaces: &[&str]| Anatomy {
            exports: interfaces.iter().map(|name| format!("benchhost:plugin/{name}@0.1.0")).collect(),
            ..Anatomy::default()
        };
        let streaming = exports(&["about", "streaming", "session", "ingest"]);
        assert_eq!(streaming.worlds(), ["target", "streaming-target"]);
        assert_eq!(exports(&["about", "dataset"]).worlds(), ["generator"]);
        assert!(exports(&["about", "session"]).worlds().is_empty());
    }

    #[test]
    fn bytes_that_break_off_are_an_error() {
        let whole = wat::parse_str("(component (core module (func)))").unwrap();
        assert!(Anatomy::read(&whole[..whole.len() - 3]).is_err());
    }
}
