//! A plugin's file: a component with some bytes changed, or any bytes. It is refused in words, or it describes itself; the host lives, within its limits.

#![no_main]

#[path = "../../host/wasm/tests/all/common/component.rs"]
mod component;

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use benchhost_wasm::{Host, HostOptions};
use libfuzzer_sys::fuzz_target;

struct Lab {
    host: Host,
    folder: tempfile::TempDir,
    whole: Vec<u8>,
}

static LAB: LazyLock<Lab> = LazyLock::new(|| {
    let memory = PathBuf::from("/dev/shm");
    let place = if memory.is_dir() { memory } else { std::env::temp_dir() };
    let folder = tempfile::tempdir_in(place).expect("a folder");
    // A cache that is no folder: what is compiled here must not stay on the machine.
    let cache = folder.path().join("no-cache");
    std::fs::write(&cache, "").expect("a file");
    let options = HostOptions {
        cache_dir: Some(cache),
        instances: 2,
        memory_bytes: 16 << 20,
        guest_time: Duration::from_millis(200),
        ..HostOptions::default()
    };
    Lab { host: Host::new(options).expect("a host"), folder, whole: component::Component::default().build() }
});

fuzz_target!(|data: &[u8]| {
    let Some((kind, rest)) = data.split_first() else { return };
    let bytes = if kind % 4 == 0 { rest.to_vec() } else { changed(&LAB.whole, rest) };
    let path = LAB.folder.path().join("plugin.wasm");
    std::fs::write(&path, bytes).expect("the file is written");
    match LAB.host.load(&path) {
        Ok(plugin) => assert!(!plugin.name().is_empty()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

/// The component with some bytes changed: each three bytes of the input are a place and what goes there.
fn changed(whole: &[u8], edits: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for edit in edits.chunks_exact(3).take(32) {
        let place = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % bytes.len();
        bytes[place] = edit[2];
    }
    bytes
}
