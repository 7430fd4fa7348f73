//! Files that are no plugin, or were one.

use crate::component::Component;
use crate::lab::{bounded, guest, lab, write};

/// Why these bytes cannot be loaded; `None` when they can.
fn refusal(name: &'static str, bytes: Vec<u8>) -> Option<String> {
    bounded(move || lab().host.load(&write(name, &bytes)).err().map(|error| error.to_string()))
}

#[test]
fn hostile_core_module() {
    let text = refusal("core", b"\0asm\x01\0\0\0".to_vec()).unwrap();
    assert!(text.contains("is a core module, not a component"), "{text}");
}

#[test]
fn hostile_truncated_component() {
    let bytes = std::fs::read(guest("hostile", "none")).unwrap();
    for part in [1, 7, 100, 1_000] {
        let cut = bytes.len() * part / 1_001;
        assert!(refusal("truncated", bytes[..cut].to_vec()).is_some(), "{cut} bytes");
    }
}

#[test]
fn hostile_mutated_component() {
    let whole = Component { dataset: true, ..Component::default() }.build();
    // Every eighth byte flipped in turn: whatever comes of it is an error in words, or a component that still holds.
    let mut refused = 0;
    for at in (8..whole.len()).step_by(8) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        refused += usize::from(refusal("mutated", bytes).is_some());
    }
    assert!(refused > 0);
}

/// Why a component is refused whose `describe` runs these instructions first.
fn describes(name: &'static str, before: &'static str) -> String {
    let text = refusal(name, Component { before, ..Component::default() }.build()).unwrap();
    assert!(text.contains("about.describe"), "{text}");
    text
}

#[test]
fn hostile_description_out_of_memory() {
    describes("description", "i32.const 0x7fffff00 return");
}

#[test]
fn hostile_description_of_a_huge_list() {
    describes("description-huge", "i32.const 20 i32.const -1 i32.store");
}

#[test]
fn hostile_description_misaligned() {
    describes("description-odd", "i32.const 17 return");
}

#[test]
fn hostile_description_no_utf8() {
    describes("description-utf8", "i32.const 1024 i32.const 255 i32.store8");
}

#[test]
fn hostile_unreachable_in_describe() {
    describes("description-unreachable", "unreachable");
}

#[test]
fn hostile_foreign_import() {
    let imports = r#"(import "acme:cache/store@1.0.0" (instance))"#;
    let text = refusal("import", Component { imports, ..Component::default() }.build()).unwrap();
    assert!(text.contains("imports `acme:cache/store@1.0.0`"), "{text}");
}

/// A core module beside the plugin's own, which is instantiated with it.
fn beside(name: &'static str, module: &'static str) -> Option<String> {
    let imports = format!("(core module $bomb {module}) (core instance (instantiate $bomb))");
    refusal(name, Component { imports: &imports, ..Component::default() }.build())
}

#[test]
fn hostile_table_at_once() {
    let text = beside("table", "(table 200000000 funcref)").unwrap();
    assert!(text.contains("table"), "{text}");
}

#[test]
fn hostile_table_by_and_by() {
    // It dies if it ever gets the room.
    let grows = "(table $t 1 funcref) (func $grow (br_if 0 (i32.eq (table.grow $t (ref.null func) (i32.const 200000)) (i32.const -1))) unreachable) \
                 (start $grow)";
    let whole = refusal("whole", Component::default().build());
    assert_eq!(beside("growing-table", grows).is_some(), whole.is_some());
}

#[test]
fn hostile_tables_without_number() {
    let text = beside("tables", TABLES).unwrap();
    assert!(text.contains("table"), "{text}");
}

const TABLES: &str = concat!(
    "(table 9 funcref) (table 9 funcref) (table 9 funcref) (table 9 funcref) (table 9 funcref) (table 9 funcref) (table 9 funcref)",
    "(table 90000 funcref) (table 90000 funcref) (table 90000 funcref) (table 90000 funcref) (table 90000 funcref) (table 90000 funcref)",
);

#[test]
fn hostile_memories_without_number() {
    let text = beside("memories", "(memory 5000)").unwrap();
    assert!(text.contains("memory"), "{text}");
}
