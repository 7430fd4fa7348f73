//! What a component is, read off the names of its imports and exports: no code of it has run yet.

use std::path::Path;

use crate::error::WasmError;
use crate::plugin::Role;

/// The contract that this host speaks.
pub(crate) const CONTRACT: &str = "benchhost:plugin@0.1.0";

const PACKAGE: &str = "benchhost:plugin/";

/// Releases with the same first two numbers link to each other, whatever the third one is.
const TRACK: &str = "0.1.";

/// What the host offers to a target and to a generator.
const TARGET_IMPORTS: [&str; 8] = ["types", "data", "encode", "http", "grpc", "flight", "tcp", "log"];
const GENERATOR_IMPORTS: [&str; 3] = ["types", "data", "log"];

/// Finds the role of a component with these imports and exports, or says why it has none.
pub(crate) fn role(path: &Path, imports: &[String], exports: &[String]) -> Result<Role, WasmError> {
    if let Some(found) = imports.iter().chain(exports).find(|name| is_foreign_version(name)) {
        return Err(WasmError::WrongVersion { path: path.to_owned(), found: found.clone() });
    }
    let exported = |interface: &str| exports.iter().any(|name| interface_of(name) == Some(interface));
    let role = match (exported("about"), exported("session"), exported("dataset")) {
        (true, true, false) => Role::Target,
        (true, false, true) => Role::Generator,
        (about, session, dataset) => {
            let lacks = match (about, session, dataset) {
                (_, true, true) => {
                    "it exports both `session` and `dataset`, and a plugin is either a target or a generator".to_owned()
                }
                (true, ..) => format!("it lacks {PACKAGE}session (a target) or {PACKAGE}dataset (a generator)"),
                (false, false, false) => {
                    format!(
                        "it lacks {PACKAGE}about, and {PACKAGE}session (a target) or {PACKAGE}dataset (a generator)"
                    )
                }
                (false, ..) => format!("it lacks {PACKAGE}about"),
            };
            return Err(WasmError::OtherWorld { path: path.to_owned(), lacks, exports: list(exports) });
        }
    };
    for import in imports {
        if let Some(why) = refusal(role, import) {
            return Err(WasmError::Import { path: path.to_owned(), import: import.clone(), why });
        }
    }
    Ok(role)
}

/// Why an import is not there for a plugin of this role; `None` for what is, or what WASI may have.
fn refusal(role: Role, import: &str) -> Option<&'static str> {
    if let Some(interface) = interface_of(import) {
        return match role {
            Role::Target if TARGET_IMPORTS.contains(&interface) => None,
            Role::Generator if GENERATOR_IMPORTS.contains(&interface) => None,
            Role::Generator if TARGET_IMPORTS.contains(&interface) => Some("which only a target may use"),
            _ => Some(
                "which this host does not have: use a newer host, or build the plugin against this host's contract",
            ),
        };
    }
    if import.starts_with("wasi:") {
        return None;
    }
    Some("which this host does not have: a plugin may use the interfaces of the contract and WASI 0.2")
}

/// The interface's name without package and version, if it is one of ours.
pub(crate) fn interface_of(name: &str) -> Option<&str> {
    let rest = name.strip_prefix(PACKAGE)?;
    Some(rest.split_once('@').map_or(rest, |(interface, _)| interface))
}

fn is_foreign_version(name: &str) -> bool {
    name.starts_with(PACKAGE)
        && !name.split_once('@').is_some_and(|(_, version)| {
            version.strip_prefix(TRACK).is_some_and(|patch| patch.bytes().all(|byte| byte.is_ascii_digit()))
        })
}

fn list(names: &[String]) -> String {
    match names {
        [] => "nothing".to_owned(),
        names => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn of(imports: &[&str], exports: &[&str]) -> Result<Role, String> {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        role(Path::new("p.wasm"), &owned(imports), &owned(exports)).map_err(|error| error.to_string())
    }

    const TARGET: [&str; 2] = ["benchhost:plugin/about@0.1.0", "benchhost:plugin/session@0.1.3"];
    const GENERATOR: [&str; 2] = ["benchhost:plugin/about@0.1.0", "benchhost:plugin/dataset@0.1.0"];

    #[test]
    fn the_role_is_read_off_the_exports_of_any_release_of_the_track() {
        assert_eq!(of(&[], &TARGET), Ok(Role::Target));
        assert_eq!(of(&["wasi:cli/stderr@0.2.6", "benchhost:plugin/data@0.1.9"], &GENERATOR), Ok(Role::Generator));
    }

    #[test]
    fn another_track_is_named_with_both_versions() {
        let error = of(&[], &["benchhost:plugin/about@0.2.0"]).unwrap_err();
        assert!(
            error.contains("built for benchhost:plugin/about@0.2.0; this host speaks benchhost:plugin@0.1.0"),
            "{error}"
        );
        assert!(of(&["benchhost:plugin/log@1.0.0"], &TARGET).is_err());
        assert!(of(&["benchhost:plugin/log@0.1.0-rc1"], &TARGET).is_err());
        assert!(of(&["benchhost:plugin/log"], &TARGET).is_err());
    }

    #[test]
    fn what_a_component_lacks_is_listed() {
        let error = of(&[], &["wasi:cli/run@0.2.0"]).unwrap_err();
        assert!(error.contains("lacks benchhost:plugin/about, and benchhost:plugin/session"), "{error}");
        assert!(error.contains("it exports wasi:cli/run@0.2.0"), "{error}");
        assert!(of(&[], &TARGET[..1]).unwrap_err().contains("lacks benchhost:plugin/session"));
        assert!(of(&[], &TARGET[1..]).unwrap_err().contains("lacks benchhost:plugin/about;"));
    }

    #[test]
    fn an_import_that_is_not_there_is_named_with_the_reason() {
        let error = of(&["acme:cache/store@1.0.0"], &TARGET).unwrap_err();
        assert!(error.contains("imports `acme:cache/store@1.0.0`, which this host does not have"), "{error}");
        let error = of(&["benchhost:plugin/http@0.1.0"], &GENERATOR).unwrap_err();
        assert!(error.contains("which only a target may use"), "{error}");
        assert!(of(&["benchhost:plugin/udp@0.1.1"], &TARGET).unwrap_err().contains("use a newer host"));
    }
}
