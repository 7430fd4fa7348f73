//! The behaviour of this file, 64 bytes that a test writes over in the built component: every behaviour is a component of its own.

#[used]
static MARKER: [u8; 64] =
    *b"hostile behaviour:none\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

const START: usize = "hostile behaviour:".len();

/// What this component does.
pub fn behaviour() -> &'static str {
    // Whatever the compiler knows of the bytes is not what they will be.
    let marker: &'static [u8; 64] = std::hint::black_box(&MARKER);
    let text = &marker[START..];
    let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
    std::str::from_utf8(&text[..end]).unwrap_or_default()
}

/// What it does in the export of this name, where the behaviour is `deed@export`.
pub fn enter(export: &str) {
    let Some((deed, place)) = behaviour().split_once('@') else { return };
    if place != export {
        return;
    }
    match deed {
        "loop" => loop {
            std::hint::black_box(());
        },
        "panic" => panic!("out of cheese"),
        "exit" => std::process::exit(3),
        "recurse" => {
            std::hint::black_box(recurse(0));
        }
        _ => {}
    }
}

#[allow(unconditional_recursion)]
#[inline(never)]
fn recurse(depth: u64) -> u64 {
    // The array keeps the compiler from making a loop of it.
    let frame = std::hint::black_box([depth; 16]);
    recurse(depth + 1) + frame[3]
}
