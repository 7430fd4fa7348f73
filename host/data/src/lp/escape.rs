//! What line protocol escapes, and what it cannot say at all.
//!
//! In names and tag values a backslash escapes the special character behind it and is itself otherwise, so it is not
//! doubled there; the one thing that cannot be said is a backslash at the end, because the separator that follows would
//! be escaped. So it is with InfluxDB 1 and 2. Other servers read two backslashes of a tag value as one: for them each is
//! doubled, and nothing is unspeakable. In string values only the quote and the backslash are special.

use crate::error::Problem;

/// Where a text stands in the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    Measurement,
    TagKey,
    TagValue,
    /// A tag value for a server that reads two backslashes as one.
    DoubledTagValue,
    FieldKey,
}

impl Position {
    fn what(self) -> &'static str {
        match self {
            Self::Measurement => "the table name",
            Self::TagKey | Self::FieldKey => "the column name",
            Self::TagValue | Self::DoubledTagValue => "the tag value",
        }
    }

    fn escapes(self, byte: u8) -> bool {
        match byte {
            b',' | b' ' => true,
            b'=' => self != Self::Measurement,
            b'\\' => self == Self::DoubledTagValue,
            _ => false,
        }
    }
}

/// Appends a name or a tag value.
pub(super) fn push_text(out: &mut Vec<u8>, text: &str, position: Position) -> Result<(), Problem> {
    if position == Position::Measurement
        && let Some(first @ ('#' | '\t' | '\0')) = text.chars().next()
    {
        return Err(Problem::FirstCharacter { first });
    }
    if text.ends_with('\\') && position != Position::DoubledTagValue {
        return Err(Problem::TrailingBackslash { what: position.what() });
    }
    for byte in text.bytes() {
        if byte == b'\n' {
            return Err(Problem::Newline { what: position.what() });
        }
        if position.escapes(byte) {
            out.push(b'\\');
        }
        out.push(byte);
    }
    Ok(())
}

/// Appends a string value in quotes. Newlines stay as they are: the protocol allows them there.
pub(super) fn push_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' || byte == b'\\' {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// Writes a string value in quotes at `at` and returns where it ends: at most two bytes for each of the text's, and two.
pub(super) fn put_string(out: &mut [u8], at: usize, text: &str) -> usize {
    let text = text.as_bytes();
    out[at] = b'"';
    let mut end = at + 1;
    if text.iter().any(|byte| *byte == b'"' || *byte == b'\\') {
        for byte in text {
            if *byte == b'"' || *byte == b'\\' {
                out[end] = b'\\';
                end += 1;
            }
            out[end] = *byte;
            end += 1;
        }
    } else {
        out[end..end + text.len()].copy_from_slice(text);
        end += text.len();
    }
    out[end] = b'"';
    end + 1
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn text(text: &str, position: Position) -> Result<String, String> {
        let mut out = Vec::new();
        push_text(&mut out, text, position).map_err(|problem| problem.to_string())?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_doubled_tag_value_may_hold_backslashes_anywhere() {
        let doubled = |value| text(value, Position::DoubledTagValue).unwrap();
        assert_eq!(doubled(r"a\b"), r"a\\b");
        assert_eq!(doubled(r"before\,a comma"), r"before\\\,a\ comma");
        assert_eq!(doubled(r"end\"), r"end\\");
    }

    #[test]
    fn each_position_escapes_its_own_characters() {
        assert_eq!(text("a b,c=d", Position::Measurement).unwrap(), r"a\ b\,c=d");
        for position in [Position::TagKey, Position::TagValue, Position::FieldKey] {
            assert_eq!(text("a b,c=d", position).unwrap(), r"a\ b\,c\=d");
            assert_eq!(text("quo\"te", position).unwrap(), "quo\"te");
        }
    }

    #[test]
    fn a_backslash_is_never_doubled_in_names_and_tag_values() {
        assert_eq!(text(r"a\b", Position::TagValue).unwrap(), r"a\b");
        assert_eq!(text(r"a\\b", Position::TagValue).unwrap(), r"a\\b");
        assert_eq!(text(r"a\,b", Position::TagValue).unwrap(), r"a\\,b");
    }

    #[test]
    fn what_cannot_be_said_is_refused() {
        assert_eq!(
            text("a\\", Position::TagValue).unwrap_err(),
            "the tag value ends in a backslash, which would escape what follows it in line protocol: remove it"
        );
        assert_eq!(
            text("a\nb", Position::FieldKey).unwrap_err(),
            "the column name holds a newline, which line protocol cannot say there: remove it"
        );
        for (name, first) in [("#a", "'#'"), ("\ta", r"'\t'"), ("\0a", r"'\0'")] {
            assert_eq!(
                text(name, Position::Measurement).unwrap_err(),
                format!(
                    "the table name begins with {first}, which makes servers skip the line or the character: rename the \
                     table"
                )
            );
        }
        assert_eq!(text("a#", Position::Measurement).unwrap(), "a#");
        assert_eq!(text("#a", Position::TagValue).unwrap(), "#a");
    }

    #[test]
    fn strings_escape_quotes_and_backslashes_in_both_ways_of_writing_them() {
        for (plain, escaped) in [
            ("", r#""""#),
            ("plain, text = x", r#""plain, text = x""#),
            (r#"a"b\c"#, r#""a\"b\\c""#),
            ("two\nlines", "\"two\nlines\""),
            (r"\", r#""\\""#),
        ] {
            let mut pushed = Vec::new();
            push_string(&mut pushed, plain);
            assert_eq!(String::from_utf8(pushed).unwrap(), escaped);
            let mut out = vec![0; plain.len() * 2 + 2];
            let end = put_string(&mut out, 0, plain);
            assert_eq!(std::str::from_utf8(&out[..end]).unwrap(), escaped);
        }
    }
}
