//! Leaves out of a core module what only a debugger reads. The names of functions stay, so that a trap can tell where it was; linkers
//! offer all or nothing.

/// Bytes before the first section: the magic word and the version.
const HEADER: usize = 8;

/// The module without its sections of DWARF. One that cannot be read is given back as it is: whoever encodes it will say why.
pub(super) fn without_debug(module: Vec<u8>) -> Vec<u8> {
    kept(&module).unwrap_or(module)
}

fn kept(module: &[u8]) -> Option<Vec<u8>> {
    let (header, mut rest) = module.split_at_checked(HEADER)?;
    let mut kept = header.to_vec();
    while let Some((&id, after)) = rest.split_first() {
        let (size, after) = number(after)?;
        let (body, next) = after.split_at_checked(size)?;
        if !(id == 0 && is_debug(body)) {
            kept.extend_from_slice(&rest[..rest.len() - next.len()]);
        }
        rest = next;
    }
    Some(kept)
}

/// Whether a custom section is one of DWARF. Its body begins with its name.
fn is_debug(body: &[u8]) -> bool {
    number(body).and_then(|(size, rest)| rest.get(..size)).is_some_and(|name| name.starts_with(b".debug_"))
}

/// An unsigned LEB128 number of at most 32 bits, and what follows it.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0_u64;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((usize::try_from(value).ok()?, &bytes[index + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &[u8] = b"\0asm\x01\0\0\0";

    fn section(id: u8, body: &[u8]) -> Vec<u8> {
        // The size in a longer form than it needs, as linkers write it.
        let size = u8::try_from(body.len()).unwrap_or(0) & 0x7f;
        [&[id, size | 0x80, 0x80, 0x80, 0x80, 0], body].concat()
    }

    #[test]
    fn debug_goes_and_names_stay() {
        let (types, names, debug) = (section(1, b"\0"), section(0, b"\x04name\0"), section(0, b"\x0b.debug_info\0"));
        let module = [START, &debug, &types, &debug, &names].concat();
        assert_eq!(without_debug(module), [START, &types, &names].concat());
    }

    #[test]
    fn what_cannot_be_read_is_given_back() {
        for module in [
            &b""[..],
            b"\0asm",
            b"\0asm\x01\0\0\0\x01",
            b"\0asm\x01\0\0\0\x01\x05\0",
            b"\0asm\x01\0\0\0\0\xff\xff\xff\xff\xff\x01",
        ] {
            assert_eq!(without_debug(module.to_vec()), module);
        }
    }
}
