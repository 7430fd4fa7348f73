//! As much of JSON as an acknowledgement needs: the numbers of one flat object. What else is in it is skipped.

/// The texts of the members of an object: a value that is an object, a list or a text is skipped and not given.
///
/// None when the text is no object. It is not a checker: what is skipped may be wrong inside.
pub(crate) fn scalars<'a>(text: &'a [u8], mut give: impl FnMut(&'a [u8], &'a [u8])) -> Option<()> {
    let mut rest = byte(text, b'{')?;
    if let Some(end) = byte(rest, b'}') {
        return space(end).is_empty().then_some(());
    }
    loop {
        let (name, after) = string(rest)?;
        rest = space(byte(after, b':')?);
        if let Some(b'"' | b'{' | b'[') = rest.first() {
            rest = skip(rest)?;
        } else {
            let end = rest.iter().position(|byte| b",}] \t\r\n".contains(byte))?;
            if end == 0 {
                return None;
            }
            give(name, &rest[..end]);
            rest = &rest[end..];
        }
        match byte(rest, b',') {
            Some(after) => rest = after,
            None => return space(byte(rest, b'}')?).is_empty().then_some(()),
        }
    }
}

fn space(text: &[u8]) -> &[u8] {
    text.trim_ascii_start()
}

/// What follows `wanted`, if that is next.
fn byte(text: &[u8], wanted: u8) -> Option<&[u8]> {
    space(text).strip_prefix(&[wanted])
}

/// The inside of a text, escapes as they are, and what follows it.
fn string(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = byte(text, b'"')?;
    let mut at = 0;
    loop {
        match inside.get(at)? {
            b'"' => return Some((&inside[..at], &inside[at + 1..])),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// What follows a value that is a text, an object or a list.
fn skip(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text;
    let mut depth = 0usize;
    loop {
        match rest.first()? {
            b'"' => rest = string(rest)?.1,
            b'{' | b'[' => {
                depth += 1;
                rest = &rest[1..];
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                rest = &rest[1..];
            }
            _ => rest = &rest[1..],
        }
        if depth == 0 {
            return Some(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Option<Vec<(String, String)>> {
        let mut found = Vec::new();
        let text_of = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        scalars(text.as_bytes(), |name, value| found.push((text_of(name), text_of(value))))?;
        Some(found)
    }

    #[test]
    fn numbers_are_found_among_other_members() {
        let found =
            all(r#" {"a":1, "t":"},\"{" , "o":{"a":[2,{}],"b":"]"}, "l":[1,[2]], "n":null,"e":-1.5e3 } "#).unwrap();
        let pairs: Vec<_> = found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("a", "1"), ("n", "null"), ("e", "-1.5e3")]);
        assert_eq!(all("{}").unwrap(), []);
    }

    #[test]
    fn what_is_no_object_is_refused_wherever_it_is_cut() {
        let whole = r#"{"a":1,"b":{"c":"d\""},"e":[1,2]}"#;
        for end in 0..whole.len() {
            assert_eq!(all(&whole[..end]), None, "{}", &whole[..end]);
        }
        for text in ["[]", "1", "{} x", "{\"a\" 1}", "{\"a\":}", "{\"a\":1 \"b\":2}", "{a:1}", "{\"a\":[1}}", "{,}"] {
            _ = all(text).map(|found| assert!(text.contains("[1}"), "{text}: {found:?}"));
        }
    }
}
