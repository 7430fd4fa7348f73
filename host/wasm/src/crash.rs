//! Says in plain words why a session died. What wasmtime reports of a trap is for its own developers; a host backtrace is never shown.

use std::time::Duration;

use wasmtime::{Error, Trap, WasmBacktrace};
use wasmtime_wasi::I32Exit;

use crate::host::Broken;
use crate::limits::bytes;

/// The frames that are named: enough to find the place in the plugin.
pub(crate) const MAX_FRAMES: usize = 8;

/// What wasmtime says of a call that hands over too much, and of too many handles. It has no types for them; the tests would notice.
const TOO_MUCH_DATA: &str = "fuel allocated for hostcalls";
const TOO_MANY_HANDLES: [&str; 2] = ["store handle limit exceeded", "resource table has no free keys"];

/// What is known beside the error itself.
pub(crate) struct Circumstances<'a> {
    /// What the limiter refused, if anything.
    pub(crate) refused: Option<&'a str>,
    /// The last words on stderr.
    pub(crate) stderr: &'a str,
    pub(crate) guest_time: Duration,
    pub(crate) hostcall_bytes: usize,
    pub(crate) handles: usize,
}

/// Why the call ended, and where in the plugin.
pub(crate) fn reason(error: &Error, known: &Circumstances<'_>) -> String {
    let mut reason = cause(error, known);
    if let Some(frames) = frames(error) {
        reason.push_str(&frames);
    }
    reason
}

fn cause(error: &Error, known: &Circumstances<'_>) -> String {
    if let Some(broken) = error.downcast_ref::<Broken>() {
        return broken.to_string();
    }
    if error.downcast_ref::<I32Exit>().is_some() {
        return "it called exit: a plugin must return".to_owned();
    }
    let root = error.root_cause().to_string();
    if root.contains(TOO_MUCH_DATA) {
        return format!("it handed the host more than {} in one call", bytes(known.hostcall_bytes));
    }
    if TOO_MANY_HANDLES.iter().any(|words| root.contains(words)) {
        return format!(
            "it holds {} handles, which is the limit: it must drop those it no longer needs",
            known.handles
        );
    }
    let trap = error.downcast_ref::<Trap>();
    if trap == Some(&Trap::Interrupt) {
        return format!("it computed for {:?} without returning", known.guest_time);
    }
    let mut text = match trap {
        Some(Trap::UnreachableCodeReached) => match panic_message(known.stderr) {
            Some(message) => format!("it panicked: {message}"),
            None => "it gave up (`unreachable`): a panic or an abort".to_owned(),
        },
        Some(Trap::StackOverflow) => {
            "its call stack is exhausted: a recursion without end, or a very deep one".to_owned()
        }
        Some(Trap::CannotEnterComponent) => {
            "it cannot be entered any more: an earlier call was not finished".to_owned()
        }
        Some(Trap::MemoryOutOfBounds | Trap::TableOutOfBounds) => "it touched memory that it does not have".to_owned(),
        Some(trap) => format!("it trapped: {}", trap.to_string().trim_start_matches("wasm trap: ")),
        None => root,
    };
    if let Some(refused) = known.refused {
        text.push_str("; ");
        text.push_str(refused);
    }
    text
}

/// The message of a Rust panic among the last words: the place, and the line after it.
fn panic_message(stderr: &str) -> Option<String> {
    let at = stderr.rfind("panicked at ")? + "panicked at ".len();
    let mut lines = stderr[at..].lines();
    let place = lines.next()?;
    match lines.next() {
        Some(message) if !message.is_empty() => Some(format!("{message} (at {})", place.trim_end_matches(':'))),
        _ => Some(place.to_owned()),
    }
}

/// ` (in `a`, called by `b` …)`, without the frames of the panic machinery; `None` when no function has a name.
fn frames(error: &Error) -> Option<String> {
    let backtrace = error.downcast_ref::<WasmBacktrace>()?;
    // Only the text has the names demangled: ` 0: 0x1234 - module!name`, a frame a line.
    let text = backtrace.to_string();
    let mut names: Vec<String> = text
        .lines()
        .filter_map(|line| line.split_once('!').map(|(_, name)| name.trim()))
        .filter(|name| !name.starts_with("<wasm function") && !is_machinery(name))
        .map(without_hashes)
        .collect();
    // A recursion is one line, not all of them.
    names.dedup();
    names.truncate(MAX_FRAMES);
    let (first, callers) = names.split_first()?;
    let mut frames = format!(" (in `{first}`");
    for caller in callers {
        frames.push_str(&format!(", called by `{caller}`"));
    }
    frames.push(')');
    Some(frames)
}

/// What lies between a plugin's own function and the trap, in Rust and in C, and the export itself, which the crash names anyway.
fn is_machinery(name: &str) -> bool {
    const MACHINERY: [&str; 11] =
        ["abort", "exit", "_Exit", "_exit", "rust_panic", "__rust", "_RN", "std[", "core[", "alloc[", "<std["];
    MACHINERY.iter().any(|start| name.starts_with(start)) || name.contains("@0.") || name.contains("wit_bindgen")
}

/// The name without the hashes that demangling leaves in: `a[0123456789abcdef]::b` and `a::b::h0123456789abcdef` are `a::b`.
fn without_hashes(name: &str) -> String {
    let name = match name.rsplit_once("::h") {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => name,
        _ => name,
    };
    let mut parts = name.split('[');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((hash, rest)) if hash.len() >= 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                plain.push_str(rest);
            }
            _ => {
                plain.push('[');
                plain.push_str(part);
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(stderr: &str) -> Circumstances<'_> {
        let guest_time = Duration::from_secs(10);
        Circumstances { refused: None, stderr, guest_time, hostcall_bytes: 128 << 20, handles: 10 }
    }

    #[test]
    fn a_panic_is_told_by_its_message_and_place() {
        let stderr = "\nthread '<unnamed>' (1) panicked at src/lib.rs:7:9:\nboom\nnote: run with `RUST_BACKTRACE=1`\n";
        let trap = Error::from(Trap::UnreachableCodeReached);
        assert_eq!(reason(&trap, &known(stderr)), "it panicked: boom (at src/lib.rs:7:9)");
        assert_eq!(reason(&trap, &known("")), "it gave up (`unreachable`): a panic or an abort");
    }

    #[test]
    fn hashes_of_crates_are_no_part_of_a_name() {
        assert_eq!(without_hashes("<a[d123b7a1a2ed1472]::B as c[0011223344556677]::D>::e"), "<a::B as c::D>::e");
        assert_eq!(without_hashes("a::b::h0123456789abcdef"), "a::b");
        assert_eq!(without_hashes("f::<[u8]>::hot"), "f::<[u8]>::hot");
    }

    #[test]
    fn a_refused_limit_is_named_beside_the_trap() {
        let known = Circumstances { refused: Some("its memory limit of 1 MiB was reached"), ..known("") };
        let text = reason(&Error::from(Trap::UnreachableCodeReached), &known);
        assert!(text.ends_with("; its memory limit of 1 MiB was reached"), "{text}");
    }

    #[test]
    fn every_limit_is_said_with_its_value() {
        let text = |error: Error| reason(&error, &known(""));
        assert_eq!(text(Trap::Interrupt.into()), "it computed for 10s without returning");
        assert_eq!(text(I32Exit(3).into()), "it called exit: a plugin must return");
        assert_eq!(text(Broken("batch.keys: no".into()).into()), "batch.keys: no");
        assert!(text(Trap::StackOverflow.into()).contains("call stack"));
    }
}
