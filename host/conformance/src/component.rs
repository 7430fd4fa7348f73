//! The file: whether it is a component, of which contract, and what it asks for. No code of it is run.

mod anatomy;

use std::path::Path;

use benchhost_wasm::WasmError;

use crate::book::Book;
use crate::rules::COMPONENT;
use anatomy::{Anatomy, WORLDS};

/// Larger than any interpreter in a component that was seen: such a plugin takes long to load.
const LARGE: usize = 32 << 20;

/// What the host says of the file, and what the file itself says.
pub(crate) fn check(path: &Path, error: Option<&WasmError>, book: &mut Book) {
    if let Some(error) = error
        && let Some(advice) = no_component(error)
    {
        book.fail("component.is-component", error.to_string(), advice);
        return book.rest(COMPONENT, "the file is no component", advice);
    }
    // It is a regular file: the host has read it before.
    let read = std::fs::read(path).map_err(|error| error.to_string());
    let size = read.as_ref().map_or(0, Vec::len);
    let anatomy = match read.and_then(|bytes| Anatomy::read(&bytes)) {
        Ok(anatomy) => anatomy,
        Err(reason) => {
            book.fail("component.is-component", reason, "build it again");
            return book.rest(COMPONENT, "the file cannot be read as a component", "build it again");
        }
    };
    let modules = anatomy.modules;
    book.pass("component.is-component", format!("a component of {modules} core module{}", plural(modules)));
    match error {
        Some(error @ WasmError::WrongVersion { .. }) => {
            let advice = "build it against the `wit/` that `benchhost plugin wit` writes out";
            book.fail("component.contract", error.to_string(), advice);
        }
        Some(error @ WasmError::OtherWorld { .. }) => {
            let advice = "export what a world of the contract exports: see `benchhost plugin wit`";
            book.fail("component.contract", error.to_string(), advice);
        }
        Some(error @ (WasmError::Import { .. } | WasmError::Unlinkable { .. })) => unlinkable(error, book),
        _ => {}
    }
    contract(&anatomy, book);
    imports(&anatomy, book);
    wasi(&anatomy, book);
    if size > LARGE {
        let advice =
            "leave out debug information and what it does not use: loading takes time and memory for all of it";
        book.warn("component.size", mebibytes(size), advice);
    } else {
        book.pass("component.size", mebibytes(size));
    }
    if anatomy.named > 0 {
        let says = format!("names of functions are in {} of {modules} core module{}", anatomy.named, plural(modules));
        book.pass("component.names", says);
    } else {
        let says = "no core module names its functions, so a trap is told without saying where it was";
        book.warn("component.names", says, "keep the `name` section: in Rust `strip = \"debuginfo\"`, not `true`");
    }
}

/// What to do with a file that is no component at all.
fn no_component(error: &WasmError) -> Option<&'static str> {
    Some(match error {
        WasmError::Missing { .. } | WasmError::NotAFile { .. } => "name the plugin's .wasm file",
        WasmError::Unreadable { .. } => "give yourself the right to read it",
        WasmError::TooLarge { .. } => "leave out what it does not use",
        WasmError::CoreModule { .. } => "make a component of it: `wasm-tools component new`, or Rust's wasm32-wasip2",
        WasmError::Precompiled { .. } => "name the .wasm file that it was made of",
        WasmError::Empty { .. } | WasmError::NotWasm { .. } | WasmError::Invalid { .. } => "build it again",
        _ => return None,
    })
}

/// An import that is not there, or an item of another type: wasmtime names either.
fn unlinkable(error: &WasmError, book: &mut Book) {
    let says = error.to_string();
    let import = matches!(error, WasmError::Import { .. }) || says.contains("component imports");
    if import {
        let advice = "use only what the contract offers to the plugin's role, and WASI 0.2";
        book.fail("component.imports", says, advice);
    } else {
        book.fail("component.contract", says, "build it against the `wit/` that `benchhost plugin wit` writes out");
    }
}

fn contract(anatomy: &Anatomy, book: &mut Book) {
    let versions = anatomy.versions().join(", ");
    let worlds = anatomy.worlds();
    if let [.., widest] = worlds.as_slice() {
        let also =
            if worlds.len() > 1 { format!(" (and {})", worlds[..worlds.len() - 1].join(", ")) } else { String::new() };
        book.pass("component.contract", format!("benchhost:plugin@{versions}, world {widest}{also}"));
    } else {
        let known: Vec<&str> = WORLDS.iter().map(|(world, _)| *world).collect();
        let says = format!("its exports fit none of the worlds {}", known.join(", "));
        book.fail("component.contract", says, "export every interface of one world: see `benchhost plugin wit`");
    }
}

fn imports(anatomy: &Anatomy, book: &mut Book) {
    let ours = anatomy.interfaces(&anatomy.imports);
    let names = if ours.is_empty() { "nothing of the contract".to_owned() } else { ours.join(", ") };
    book.pass("component.imports", format!("none is refused; it imports {names}"));
}

fn wasi(anatomy: &Anatomy, book: &mut Book) {
    let wasi: Vec<&str> = anatomy.imports.iter().map(String::as_str).filter(|name| name.starts_with("wasi:")).collect();
    // Interpreters bring sockets and files along, whoever writes the plugin: what counts is that they lead nowhere.
    let sockets =
        if wasi.iter().any(|name| name.starts_with("wasi:sockets/")) { ", and sockets are refused" } else { "" };
    let says = match wasi.len() {
        0 => "none".to_owned(),
        count => format!(
            "{count} interface{}, of which only clocks, random numbers and stderr are more than empty{sockets}",
            plural(count)
        ),
    };
    book.pass("component.wasi", says);
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn mebibytes(size: usize) -> String {
    let tenths = size.saturating_mul(10).div_ceil(1 << 20);
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up_to_a_tenth() {
        assert_eq!(mebibytes(1), "0.1 MiB");
        assert_eq!(mebibytes(3 << 20), "3.0 MiB");
        assert_eq!(mebibytes((3 << 20) + 1), "3.1 MiB");
    }
}
