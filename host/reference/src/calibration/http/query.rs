//! The query of a URL.

/// Names and values in order, without escapes; none when an escape is malformed.
pub(super) fn parse(text: &str) -> Option<Vec<(String, String)>> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((unescape(name)?, unescape(value)?))
        })
        .collect()
}

/// Undoes percent-encoding, and `+` for a space.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => (digit(rest.next()?)? << 4) | digit(rest.next()?)?,
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_and_malformed_ones_are_none() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(parse("q=a%20b+c%26&x&&y=%C3%A9"), Some(vec![pair("q", "a b c&"), pair("x", ""), pair("y", "é")]));
        assert_eq!(parse(""), Some(vec![]));
        for text in ["a=%", "a=%4", "a=%zz", "a=%ff"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
