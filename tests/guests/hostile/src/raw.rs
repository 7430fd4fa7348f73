//! The host's functions as the canonical ABI has them, with nothing that keeps a caller from lying.

macro_rules! imports {
    ($($module:literal { $($link:literal fn $name:ident($($arg:ident: $of:ty),*) $(-> $gives:ty)?;)* })*) => {
        $(#[link(wasm_import_module = $module)]
        unsafe extern "C" {
            $(#[link_name = $link] pub fn $name($($arg: $of),*) $(-> $gives)?;)*
        })*
    };
}

imports! {
    "benchhost:plugin/data@0.1.0" {
        "[static]payload.from-bytes" fn from_bytes(at: u32, length: u32, rows: u32) -> u32;
        "[method]payload.size" fn payload_size(handle: u32) -> u64;
        "[method]payload.read" fn payload_read(handle: u32, offset: u64, max: u32, into: u32);
        "[resource-drop]payload" fn drop_payload(handle: u32);
        "[method]batch.rows" fn batch_rows(handle: u32) -> u32;
        "[resource-drop]batch" fn drop_batch(handle: u32);
    }
    "benchhost:plugin/encode@0.1.0" {
        "[constructor]line-protocol" fn line_protocol(precision: u32) -> u32;
    }
    "benchhost:plugin/log@0.1.0" {
        "log" fn log(level: u32, at: u32, length: u32);
    }
    "wasi:clocks/monotonic-clock@0.2.0" {
        "subscribe-duration" fn subscribe_duration(nanoseconds: u64) -> u32;
    }
    "wasi:random/random@0.2.0" {
        "get-random-bytes" fn random_bytes(count: u64, into: u32);
    }
    "wasi:io/poll@0.2.0" {
        "poll" fn poll(at: u32, count: u32, into: u32);
    }
}
