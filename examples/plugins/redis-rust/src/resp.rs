//! The protocol of Redis (RESP 2): functions that `cargo test` runs without a host.

/// Errors after which the same command may succeed: the server is starting, busy with a script, or moving.
const BUSY: [&str; 4] = ["LOADING", "BUSY", "TRYAGAIN", "MASTERDOWN"];

/// What a reply's first line says.
#[derive(Debug, PartialEq, Eq)]
pub enum Reply {
    /// A short text, or, when it was read, a long one.
    Text(String),
    /// A number.
    Number(i64),
    /// A long text of so many bytes follows; none: there is no such thing.
    Bulk(Option<u32>),
    /// The server said no. `busy`: the same command may succeed later.
    Error { code: String, message: String, busy: bool },
    /// No reply of Redis; its first 100 bytes.
    Strange(String),
}

/// A command as an array of bulk strings, which may hold any bytes.
pub fn command(parts: &[&[u8]]) -> Vec<u8> {
    let mut out = format!("*{}\r\n", parts.len()).into_bytes();
    for part in parts {
        add_part(&mut out, part);
    }
    out
}

/// Adds one bulk string.
pub fn add_part(out: &mut Vec<u8>, part: &[u8]) {
    out.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
    out.extend_from_slice(part);
    out.extend_from_slice(b"\r\n");
}

/// Reads the first line of a reply, with its end.
pub fn parse(line: &[u8]) -> Reply {
    let strange = || Reply::Strange(String::from_utf8_lossy(&line[..line.len().min(100)]).into_owned());
    let Some(kind) = line.first() else {
        return strange();
    };
    let text = String::from_utf8_lossy(&line[1..]);
    let text = text.trim_end_matches(['\r', '\n']);
    match (kind, text.parse::<i64>()) {
        (b'+', _) => Reply::Text(text.to_owned()),
        (b'-', _) => {
            let code = text.split(' ').next().unwrap_or_default().to_owned();
            Reply::Error { busy: BUSY.contains(&code.as_str()), code, message: text.to_owned() }
        }
        (b':', Ok(number)) => Reply::Number(number),
        (b'$', Ok(-1)) => Reply::Bulk(None),
        (b'$', Ok(length)) => u32::try_from(length).map_or_else(|_| strange(), |length| Reply::Bulk(Some(length))),
        _ => strange(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_says_how_long_each_part_is() {
        let written = command(&[b"SET", "ä".as_bytes(), b"\0\r\n"]);
        assert_eq!(written, b"*3\r\n$3\r\nSET\r\n$2\r\n\xc3\xa4\r\n$3\r\n\0\r\n\r\n");
    }

    #[test]
    fn replies_are_told_apart() {
        assert_eq!(parse(b"+PONG\r\n"), Reply::Text("PONG".into()));
        assert_eq!(parse(b":-12\r\n"), Reply::Number(-12));
        assert_eq!(parse(b"$-1\r\n"), Reply::Bulk(None));
        assert_eq!(parse(b"$5\r\n"), Reply::Bulk(Some(5)));
        let refused = |text: &str, code: &str, busy| {
            assert_eq!(
                parse(format!("-{text}\r\n").as_bytes()),
                Reply::Error { code: code.into(), message: text.into(), busy }
            );
        };
        refused("WRONGTYPE no", "WRONGTYPE", false);
        refused("OOM command not allowed", "OOM", false);
        refused("LOADING wait", "LOADING", true);
        for strange in [&b"HTTP/1.1 400\r\n"[..], b"", b":x\r\n", b"$-2\r\n", b"$99999999999\r\n", b"\xff\r\n"] {
            assert!(matches!(parse(strange), Reply::Strange(_)), "{strange:?}");
        }
    }
}
