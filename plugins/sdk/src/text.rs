//! Text as URLs, headers and SQL want it.

use std::fmt::Write;

/// Percent-encodes everything but letters, digits and `-._~`.
#[must_use]
pub fn percent_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for &byte in text.as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Base64 with padding.
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at) & 63) as usize];
            encoded.push(if at <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    encoded
}

/// An SQL identifier in double quotes.
#[must_use]
pub fn sql_identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// At most `bytes` bytes of `text`, cut between characters and marked where it was cut.
#[must_use]
pub fn shorten(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = (0..=bytes).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_keep_only_what_needs_no_escape() {
        assert_eq!(percent_encode("a-b_c.d~9"), "a-b_c.d~9");
        assert_eq!(percent_encode("a b/ü+\"=&"), "a%20b%2F%C3%BC%2B%22%3D%26");
    }

    #[test]
    fn base64_agrees_with_the_examples_of_rfc_4648() {
        let examples = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (length, expected) in examples.into_iter().enumerate() {
            assert_eq!(base64(&b"foobar"[..length]), expected);
        }
        assert_eq!(base64(&[0xfb, 0xff]), "+/8=");
    }

    #[test]
    fn a_quote_in_an_identifier_is_doubled() {
        assert_eq!(sql_identifier("a\"b"), "\"a\"\"b\"");
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(shorten("short", 5), "short");
        assert_eq!(shorten("aüb", 2), "a…");
    }
}
