//! A reader of line protocol that is as simple as the protocol allows: character by character, no table, no speed.
//!
//! In names and tag values a backslash escapes the special characters of that position and stands for itself otherwise.

use super::Value;

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    pub measurement: String,
    pub tags: Vec<(String, String)>,
    pub fields: Vec<(String, Value)>,
    pub time: i64,
}

/// Reads all lines; every line must end in a newline.
pub fn read(text: &str) -> Result<Vec<Point>, String> {
    let mut reader = Reader { text: text.chars().collect(), at: 0 };
    let mut points = Vec::new();
    while reader.peek().is_some() {
        points.push(reader.point().map_err(|error| format!("{error} at character {} of {text:?}", reader.at))?);
    }
    Ok(points)
}

struct Reader {
    text: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Result<char, String> {
        let next = self.peek().ok_or("the text ends early")?;
        self.at += 1;
        Ok(next)
    }

    fn expect(&mut self, expected: char) -> Result<(), String> {
        let next = self.next()?;
        if next == expected { Ok(()) } else { Err(format!("{expected:?} expected, {next:?} found")) }
    }

    fn point(&mut self) -> Result<Point, String> {
        if let Some(first @ ('#' | ' ' | '\t' | '\0' | '\n')) = self.peek() {
            return Err(format!("a line begins with {first:?}"));
        }
        let measurement = self.name(", ", ", ", "")?;
        let mut tags = Vec::new();
        while self.peek() == Some(',') {
            self.at += 1;
            let key = self.name(",= ", "=", ", ")?;
            self.expect('=')?;
            let value = self.name(",= ", ", ", "=")?;
            if value.is_empty() {
                return Err("a tag is empty".into());
            }
            tags.push((key, value));
        }
        let mut fields = Vec::new();
        self.expect(' ')?;
        loop {
            let key = self.name(",= ", "=", ", ")?;
            self.expect('=')?;
            fields.push((key, self.value()?));
            match self.next()? {
                ',' => {}
                ' ' => break,
                other => return Err(format!("{other:?} behind a field")),
            }
        }
        let mut time = String::new();
        while self.peek() != Some('\n') {
            time.push(self.next()?);
        }
        self.expect('\n')?;
        let time = time.parse().map_err(|error| format!("time {time:?}: {error}"))?;
        Ok(Point { measurement, tags, fields, time })
    }

    /// Reads up to one of `ends`, which is left where it is.
    fn name(&mut self, escaped: &str, ends: &str, forbidden: &str) -> Result<String, String> {
        let mut name = String::new();
        loop {
            let next = self.peek().ok_or("the text ends in a name")?;
            let behind = self.text.get(self.at + 1).copied();
            if next == '\\' && behind.is_some_and(|behind| escaped.contains(behind)) {
                name.extend(behind);
                self.at += 2;
            } else if ends.contains(next) {
                return Ok(name);
            } else if next == '\n' || forbidden.contains(next) {
                return Err(format!("{next:?} in a name"));
            } else {
                name.push(next);
                self.at += 1;
            }
        }
    }

    fn value(&mut self) -> Result<Value, String> {
        if self.peek() == Some('"') {
            self.at += 1;
            let mut text = String::new();
            loop {
                match self.next()? {
                    '"' => return Ok(Value::Text(text)),
                    '\\' => match self.next()? {
                        escaped @ ('"' | '\\') => text.push(escaped),
                        other => return Err(format!("{other:?} is escaped in a string")),
                    },
                    other => text.push(other),
                }
            }
        }
        let mut word = String::new();
        while !matches!(self.peek(), Some(',' | ' ')) {
            word.push(self.next()?);
        }
        let number = word.get(..word.len().saturating_sub(1)).unwrap_or("");
        let parsed = match word.as_str() {
            "true" => Some(Value::Boolean(true)),
            "false" => Some(Value::Boolean(false)),
            _ if word.ends_with('i') => number.parse().ok().map(Value::Signed),
            _ if word.ends_with('u') => number.parse().ok().map(Value::Unsigned),
            // Rust reads words such as `inf`, the protocol does not.
            _ if word.contains(|c: char| !"+-.0123456789e".contains(c)) => None,
            _ => word.parse().ok().map(Value::Float),
        };
        parsed.ok_or_else(|| format!("{word:?} is no value"))
    }
}
