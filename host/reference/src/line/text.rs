//! The parts of a line: names with escapes, quoted texts, numbers.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::parse::Value;

/// Takes the text before the first of two bytes that no backslash precedes.
///
/// # Returns
///
/// The text, and the byte that ends it; none: the end of the line.
pub(super) fn take<'a>(rest: &mut &'a str, one: u8, other: u8) -> (&'a str, Option<u8>) {
    let bytes = rest.as_bytes();
    let mut from = 0;
    let end = loop {
        match memchr2(one, other, &bytes[from..]) {
            None => break bytes.len(),
            Some(at) if is_escaped(bytes, from + at) => from += at + 1,
            Some(at) => break from + at,
        }
    };
    let taken = &rest[..end];
    *rest = &rest[end..];
    (taken, bytes.get(end).copied())
}

/// Whether a backslash stands before. In names and tags a backslash is a character like any other, but for what follows it.
pub(super) fn is_escaped(bytes: &[u8], at: usize) -> bool {
    at > 0 && bytes[at - 1] == b'\\'
}

/// A name or a tag's value without the backslashes before commas, equals signs and spaces; others stay.
pub(super) fn unescape(text: &str) -> Cow<'_, str> {
    if memchr(b'\\', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some(&next @ (',' | '=' | ' '))) => {
                plain.push(next);
                characters.next();
            }
            _ => plain.push(character),
        }
    }
    Cow::Owned(plain)
}

/// The text in the quotes that `rest` begins with, and what follows.
pub(super) fn quoted(rest: &str) -> Option<(Cow<'_, str>, &str)> {
    let inside = &rest[1..];
    let bytes = inside.as_bytes();
    let mut at = 0;
    let end = loop {
        at += memchr2(b'"', b'\\', &bytes[at..])?;
        if bytes[at] == b'"' {
            break at;
        }
        at = (at + 2).min(bytes.len());
    };
    let text = &inside[..end];
    let plain = if text.contains('\\') { Cow::Owned(unquote(text)) } else { Cow::Borrowed(text) };
    Some((plain, &inside[end + 1..]))
}

/// A quoted text without the backslashes before quotes and backslashes.
fn unquote(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some(&next @ ('"' | '\\'))) => {
                plain.push(next);
                characters.next();
            }
            _ => plain.push(character),
        }
    }
    plain
}

/// A number or a truth.
pub(super) fn scalar(text: &str) -> Result<Value<'static>, &'static str> {
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(b'0'..=b'9' | b'-' | b'+' | b'.'), Some(b'i')) => {
            text[..text.len() - 1].parse().map(Value::Integer).map_err(|_| "unable to parse integer")
        }
        (Some(b'0'..=b'9'), Some(b'u')) => {
            text[..text.len() - 1].parse().map(Value::Unsigned).map_err(|_| "unable to parse unsigned integer")
        }
        (Some(b'0'..=b'9' | b'-' | b'+' | b'.'), _) => match text.parse::<f64>() {
            Ok(number)
                if number.is_finite()
                    && bytes.iter().all(|byte| !byte.is_ascii_alphabetic() || matches!(byte, b'e' | b'E')) =>
            {
                Ok(Value::Float(number))
            }
            _ => Err("invalid number"),
        },
        _ => match text {
            "t" | "T" | "true" | "True" | "TRUE" => Ok(Value::Boolean(true)),
            "f" | "F" | "false" | "False" | "FALSE" => Ok(Value::Boolean(false)),
            "" => Err("missing field value"),
            _ => Err("invalid boolean"),
        },
    }
}
