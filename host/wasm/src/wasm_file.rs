//! Reads a plugin's file and finds out what it is, before an engine sees a byte of it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};
use wasmtime::Engine;

use crate::error::WasmError;

/// The largest file that is read. An interpreter in a component takes 20 MB; compiling is not bounded otherwise.
const MAX_SIZE: u64 = 256 << 20;

/// The bytes of a component, not yet validated.
pub(crate) struct WasmFile {
    pub(crate) bytes: Vec<u8>,
    /// Of the bytes, in hexadecimal.
    pub(crate) sha256: String,
}

/// Reads the component at `path`.
pub(crate) fn read(path: &Path) -> Result<WasmFile, WasmError> {
    let owned = || path.to_owned();
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => WasmError::Missing { path: owned() },
        _ => WasmError::Unreadable { path: owned(), reason: error.to_string() },
    };
    // What it is must be known before it is opened: opening a pipe waits for a writer.
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(WasmError::NotAFile { path: owned(), what: "a directory" });
    }
    if !metadata.is_file() {
        return Err(WasmError::NotAFile { path: owned(), what: "a device or pipe" });
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MAX_SIZE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_SIZE {
        return Err(WasmError::TooLarge { path: owned(), size: metadata.len(), limit: MAX_SIZE });
    }
    check(path, &bytes)?;
    Ok(WasmFile { sha256: hex(&Sha256::digest(&bytes)), bytes })
}

/// A component begins with `\0asm`, its version 13, and layer 1; a core module with version 1 and layer 0.
fn check(path: &Path, bytes: &[u8]) -> Result<(), WasmError> {
    let path = path.to_owned();
    match bytes {
        [] => Err(WasmError::Empty { path }),
        [0, b'a', b's', b'm', 1, 0, 0, 0, ..] => Err(WasmError::CoreModule { path }),
        [0, b'a', b's', b'm', _, _, 1, 0, ..] => Ok(()),
        [0, b'a', b's', b'm', ..] => {
            Err(WasmError::Invalid { path, reason: "it is cut off, or of a format that is not known here".to_owned() })
        }
        _ if Engine::detect_precompiled(bytes).is_some() => Err(WasmError::Precompiled { path }),
        _ => Err(WasmError::NotWasm { path, start: start(bytes) }),
    }
}

fn start(bytes: &[u8]) -> String {
    let start = &bytes[..bytes.len().min(8)];
    if start.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ') {
        return format!("`{}`", String::from_utf8_lossy(start));
    }
    let hex: Vec<String> = start.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("the bytes {}", hex.join(" "))
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
