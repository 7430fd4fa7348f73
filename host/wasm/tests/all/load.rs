//! Whatever is not a plugin is refused with its path, the reason and what to do.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::{Sandbox, crash, wait};
use crate::component::Component;
use benchhost_core::Generators;
use benchhost_wasm::{Plugin, Role, WasmError};

/// What the host says of a file with these bytes.
fn refused(sandbox: &Sandbox, bytes: &[u8]) -> WasmError {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("p.wasm");
    std::fs::write(&path, bytes).unwrap();
    sandbox.host.load(&path).unwrap_err()
}

fn loaded(sandbox: &Sandbox, component: &Component<'_>) -> Plugin {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("p.wasm");
    std::fs::write(&path, component.build()).unwrap();
    sandbox.host.load(&path).unwrap()
}

fn usage(bytes: &[u8]) -> String {
    let error = refused(&Sandbox::new(), bytes);
    assert!(error.is_usage() && !error.is_contract(), "{error}");
    assert!(error.to_string().contains("p.wasm"), "{error}");
    error.to_string()
}

fn contract(sandbox: &Sandbox, component: &Component<'_>) -> String {
    let error = refused(sandbox, &component.build());
    assert!(error.is_contract() && !error.is_usage(), "{error}");
    error.to_string()
}

fn failing(path: &Path) -> String {
    let error = Sandbox::new().host.load(path).unwrap_err();
    assert!(error.is_usage(), "{error}");
    error.to_string()
}

#[test]
fn a_plugin_says_what_it_is_and_can_be_set() {
    let plugin = Sandbox::new().load("null");
    assert_eq!((plugin.name(), plugin.role(), plugin.ingests()), ("null", Role::Target, true));
    assert!(plugin.imports().iter().any(|name| name.starts_with("benchhost:plugin/data@")), "{:?}", plugin.imports());
    assert!(plugin.exports().iter().any(|name| name.starts_with("benchhost:plugin/ingest@")));
    assert_eq!(plugin.sha256().len(), 64);
    assert!(plugin.size() > 1000 && !plugin.summary().is_empty() && plugin.version().starts_with("0."));
    assert_eq!(Sandbox::new().load("cpu").role(), Role::Generator);
}

#[test]
fn a_missing_file_a_directory_and_a_device_are_not_opened() {
    let dir = tempfile::tempdir().unwrap();
    assert!(failing(&dir.path().join("none.wasm")).contains("there is no plugin at"));
    assert!(failing(dir.path()).contains("is a directory, not a file"));
    assert!(failing(&PathBuf::from("/dev/null")).contains("is a device or pipe"));
}

#[test]
fn what_is_not_webassembly_is_told_by_its_first_bytes() {
    assert!(usage(b"").contains("is empty"));
    assert!(usage(b"#!/bin/sh\necho").contains("it begins with `#!/bin/s`"));
    assert!(usage(&[0x1f, 0x8b, 8, 0]).contains("it begins with the bytes 1f 8b 08 00"));
}

#[test]
fn a_core_module_is_told_how_to_become_a_component() {
    let message = usage(&wat::parse_str("(module)").unwrap());
    assert!(message.contains("is a core module, not a component: build it for wasm32-wasip2"), "{message}");
}

#[test]
fn a_broken_component_is_invalid() {
    let mut bytes = Component::default().build();
    bytes.truncate(bytes.len() / 2);
    assert!(usage(&bytes).contains("is not a valid component"));
    assert!(usage(b"\0asm").contains("it is cut off"));
}

#[test]
fn precompiled_code_is_never_loaded() {
    let engine = wasmtime::Engine::default();
    let code = engine.precompile_component(&Component::default().build()).unwrap();
    assert!(usage(&code).contains("is precompiled native code, which is never loaded"));
}

#[test]
fn a_file_that_is_too_large_is_not_compiled() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("huge.wasm");
    // Sparse: it takes no disk.
    std::fs::File::create(&path).unwrap().set_len((256 << 20) + 1).unwrap();
    assert!(failing(&path).contains("has 268435457 bytes: a plugin has at most 268435456"));
}

#[test]
fn a_component_of_another_world_is_told_what_it_lacks() {
    let message = usage(&wat::parse_str("(component)").unwrap());
    assert!(message.contains("is a component, but not a plugin: it lacks benchhost:plugin/about"), "{message}");
    let message = usage(&Component { dataset: false, ..Component::default() }.build());
    assert!(message.contains("it lacks benchhost:plugin/session (a target) or"), "{message}");
    assert!(message.contains("it exports benchhost:plugin/about@0.1.0"), "{message}");
}

#[test]
fn another_version_of_the_contract_is_named_with_ours() {
    let message = usage(&Component { contract: "0.2.0", ..Component::default() }.build());
    assert!(
        message.contains("was built for benchhost:plugin/about@0.2.0; this host speaks benchhost:plugin@0.1.0"),
        "{message}"
    );
}

#[test]
fn a_later_release_of_the_same_contract_loads() {
    let component = Component { contract: "0.1.9", ..Component::default() };
    assert_eq!(loaded(&Sandbox::new(), &component).name(), "wat");
}

#[test]
fn an_import_that_the_host_does_not_have_is_named() {
    let with = |imports| usage(&Component { imports, ..Component::default() }.build());
    let message = with(r#"(import "acme:cache/store@1.0.0" (instance))"#);
    assert!(message.contains("imports `acme:cache/store@1.0.0`, which this host does not have"), "{message}");
    let message = with(r#"(import "benchhost:plugin/http@0.1.0" (instance))"#);
    assert!(message.contains("imports `benchhost:plugin/http@0.1.0`, which only a target may use"), "{message}");
    let message = with(r#"(import "wasi:nn/graph@0.2.0" (instance (export "f" (func))))"#);
    assert!(message.contains("wasi:nn/graph@0.2.0"), "{message}");
    let message = with(r#"(import "benchhost:plugin/log@0.1.1" (instance (export "shout" (func))))"#);
    assert!(message.contains("does not fit the contract") && message.contains("shout"), "{message}");
}

#[test]
fn a_component_that_does_not_fit_the_pool_runs_outside_of_it() {
    let sandbox = Sandbox::new();
    assert!(sandbox.host.has_pool());
    let memories = "(core module $x (memory 1)) (core instance (instantiate $x)) (core instance (instantiate $x))";
    let memories = format!("{memories} (core instance (instantiate $x))");
    let component = Component { imports: &memories, ..Component::default() };
    assert_eq!(loaded(&sandbox, &component).name(), "wat");
}

#[test]
fn a_machine_without_the_address_space_for_a_pool_runs_plugins_all_the_same() {
    // A million instances would take eight times the addresses that there are.
    let sandbox = Sandbox::with(|options| options.instances = 1_000_000);
    assert!(!sandbox.host.has_pool());
    assert_eq!(loaded(&sandbox, &Component::default()).name(), "wat");
}

#[test]
fn exports_of_other_types_are_found_when_it_is_opened() {
    let sandbox = Sandbox::new();
    let plugin = loaded(&sandbox, &Component::default());
    let settings = plugin.schema().resolve(&[]).unwrap();
    let died = crash(wait(sandbox.host.generators(&plugin, &settings, 0).unwrap().open()));
    assert!(died.reason.contains("its `dataset` is not that of the contract"), "{died}");
}

#[test]
fn a_plugin_that_never_says_what_it_is_is_given_up() {
    let sandbox = Sandbox::with(|options| options.guest_time = Duration::from_millis(50));
    let message = contract(&sandbox, &Component { before: "(loop br 0)", ..Component::default() });
    assert!(message.contains("cannot describe itself") && message.contains("computed for 50ms"), "{message}");
}

#[test]
fn a_plugin_that_dies_while_it_says_what_it_is_breaks_the_contract() {
    let message = contract(&Sandbox::new(), &Component { before: "unreachable", ..Component::default() });
    assert!(message.contains("plugin p died in `about.describe`"), "{message}");
}

#[test]
fn a_description_outside_of_the_contract_is_refused_with_its_words() {
    let sandbox = Sandbox::new();
    let message = contract(&sandbox, &Component { name: "Not\u{1b}[2J", ..Component::default() });
    assert!(message.contains("its name `Not\\u{1b}[2J` must be lower case"), "{message}");
    let message = contract(&sandbox, &Component { version: "latest", ..Component::default() });
    assert!(message.contains("its version `latest` must be one such as 1.2.3"), "{message}");
    let message = contract(&sandbox, &Component { schema: "{", ..Component::default() });
    assert!(message.contains("the settings schema of") && message.contains("is not JSON"), "{message}");
}
