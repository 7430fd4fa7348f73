//! One line: what is in it, without a copy where nothing is escaped.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr3};

use super::text::{is_escaped, quoted, scalar, take, unescape};

/// A value of a field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    /// `1.5`, `1`
    Float(f64),
    /// `1i`
    Integer(i64),
    /// `1u`
    Unsigned(u64),
    /// `t`, `false`
    Boolean(bool),
    /// `"text"`
    Text(Cow<'a, str>),
}

/// A line.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Line<'a> {
    /// The measurement.
    pub(crate) measurement: Cow<'a, str>,
    /// Names and values in their order.
    pub(crate) tags: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// Names and values in their order; at least one.
    pub(crate) fields: Vec<(Cow<'a, str>, Value<'a>)>,
    /// In the unit of the request, if it is given.
    pub(crate) time: Option<i64>,
}

/// The lines of a body. Empty ones and comments are left out, and not counted.
#[derive(Debug, Clone)]
pub(crate) struct Lines<'a> {
    rest: &'a [u8],
    carriage_returns: bool,
}

impl<'a> Lines<'a> {
    /// `carriage_returns`: whether a line may end with one, as InfluxDB 1 and 2 allow.
    pub(crate) fn new(body: &'a [u8], carriage_returns: bool) -> Self {
        Self { rest: body, carriage_returns }
    }

    /// Reads the next line into `line`, whose memory is used again.
    ///
    /// # Returns
    ///
    /// The text of the line and what is wrong with it, if anything; none at the end.
    pub(crate) fn read(&mut self, line: &mut Line<'a>) -> Option<(&'a [u8], Result<(), &'static str>)> {
        loop {
            let text = self.next_text()?;
            let trimmed = text.trim_ascii_start();
            if trimmed.is_empty() || trimmed.first() == Some(&b'#') {
                continue;
            }
            line.tags.clear();
            line.fields.clear();
            line.time = None;
            return Some((text, line.fill(trimmed)));
        }
    }

    /// The bytes up to the end of the line; a quoted value may hold line ends.
    fn next_text(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = line_end(self.rest);
        let text = &self.rest[..end];
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        Some(if self.carriage_returns { text.strip_suffix(b"\r").unwrap_or(text) } else { text })
    }
}

/// Where a line ends: at the first line feed that is in no quotes.
fn line_end(bytes: &[u8]) -> usize {
    let Some(feed) = memchr(b'\n', bytes) else { return bytes.len() };
    // Quotes are rare: without one before the line feed, it is the end.
    if memchr(b'"', &bytes[..feed]).is_none() || bytes.trim_ascii_start().first() == Some(&b'#') {
        return feed;
    }
    // A quote in a name is a character like any other: quotes count from the fields on.
    let mut at = fields_start(bytes);
    let mut inside = false;
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr3(b'\n', b'"', b'\\', rest)) {
        at += next;
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' if !inside => return at,
            byte => {
                inside ^= byte == b'"';
                at += 1;
            }
        }
    }
    // A quote that is never closed ends with its line, so that the lines after it are read.
    if inside { feed } else { bytes.len() }
}

/// Where the fields of a line begin: after the first space that no backslash precedes.
fn fields_start(bytes: &[u8]) -> usize {
    let start = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let mut from = start;
    while let Some(at) = memchr2(b' ', b'\n', &bytes[from..]) {
        if !is_escaped(bytes, from + at) {
            return from + at;
        }
        from += at + 1;
    }
    bytes.len()
}

impl<'a> Line<'a> {
    fn fill(&mut self, text: &'a [u8]) -> Result<(), &'static str> {
        let text = std::str::from_utf8(text).map_err(|_| "the line is not UTF-8")?;
        let mut rest = text;
        let (measurement, _) = take(&mut rest, b',', b' ');
        if measurement.is_empty() {
            return Err("missing measurement");
        }
        self.measurement = unescape(measurement);
        let mut bytes = rest.as_bytes();
        while bytes.first() == Some(&b',') {
            rest = &rest[1..];
            let (key, end) = take(&mut rest, b'=', b' ');
            if key.is_empty() || end != Some(b'=') {
                return Err("missing tag key or value");
            }
            rest = &rest[1..];
            let (value, _) = take(&mut rest, b',', b' ');
            if value.is_empty() {
                return Err("missing tag value");
            }
            let key = unescape(key);
            if self.tags.iter().any(|(known, _)| *known == key) {
                return Err("duplicate tags");
            }
            self.tags.push((key, unescape(value)));
            bytes = rest.as_bytes();
        }
        rest = rest.trim_start_matches(' ');
        self.fill_fields(&mut rest)?;
        let time = rest.trim_matches(' ');
        if !time.is_empty() {
            self.time = Some(time.parse().map_err(|_| "bad timestamp")?);
        }
        Ok(())
    }

    fn fill_fields(&mut self, rest: &mut &'a str) -> Result<(), &'static str> {
        loop {
            let (key, end) = take(rest, b'=', b' ');
            if end != Some(b'=') {
                return Err(if self.fields.is_empty() { "missing fields" } else { "missing field value" });
            }
            if key.is_empty() {
                return Err("missing field key");
            }
            *rest = &rest[1..];
            let value = if rest.starts_with('"') {
                let (text, after) = quoted(rest).ok_or("unbalanced quotes")?;
                *rest = after;
                Value::Text(text)
            } else {
                let (value, _) = take(rest, b',', b' ');
                scalar(value)?
            };
            let key = unescape(key);
            if self.fields.iter().any(|(known, _)| *known == key) {
                return Err("duplicate fields");
            }
            self.fields.push((key, value));
            match rest.as_bytes().first() {
                Some(b',') => *rest = &rest[1..],
                None | Some(b' ') => return Ok(()),
                Some(_) => return Err("invalid field format"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one(text: &str) -> Result<Line<'_>, &'static str> {
        let mut line = Line::default();
        let (_, read) = Lines::new(text.as_bytes(), true).read(&mut line).unwrap();
        read.map(|()| line)
    }

    fn problems(body: &str) -> Vec<Result<(), &'static str>> {
        let (mut lines, mut line) = (Lines::new(body.as_bytes(), true), Line::default());
        std::iter::from_fn(|| lines.read(&mut line).map(|(_, read)| read)).collect()
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let line = one("cpu,host=h1,dc=a\\ b f=1.5,i=-2i,u=3u,b=t,s=\"x, \\\"y\\\" = \\\\\",e=1e3 -5").unwrap();
        assert_eq!(line.measurement, "cpu");
        assert_eq!(line.tags, [("host".into(), "h1".into()), ("dc".into(), "a b".into())]);
        let values: Vec<_> = line.fields.into_iter().map(|(_, value)| value).collect();
        assert_eq!(
            values,
            [
                Value::Float(1.5),
                Value::Integer(-2),
                Value::Unsigned(3),
                Value::Boolean(true),
                Value::Text("x, \"y\" = \\".into()),
                Value::Float(1000.0)
            ]
        );
        assert_eq!(line.time, Some(-5));
    }

    #[test]
    fn a_bad_line_says_why_and_the_next_one_is_read() {
        assert_eq!(
            problems(
                "cpu\n,a=b v=1\ncpu,a= v=1\ncpu,a v=1\ncpu v\ncpu v=\ncpu v=x\ncpu v=NaN\ncpu v=1 noon\ncpu,a=1,a=2 v=1\ncpu v=\"x\ncpu v=1\r\n# no\n\ncpu v=1 2"
            ),
            [
                Err("missing fields"),
                Err("missing measurement"),
                Err("missing tag value"),
                Err("missing tag key or value"),
                Err("missing fields"),
                Err("missing field value"),
                Err("invalid boolean"),
                Err("invalid boolean"),
                Err("bad timestamp"),
                Err("duplicate tags"),
                Err("unbalanced quotes"),
                Ok(()),
                Ok(())
            ]
        );
        assert_eq!(
            problems("cpu v=-inf\ncpu v=1_0\ncpu v=9223372036854775808i"),
            [Err("invalid number"), Err("invalid number"), Err("unable to parse integer")]
        );
        let mut line = Line::default();
        assert!(Lines::new(b"cpu v=1\r\n", false).read(&mut line).unwrap().1.is_err());
    }

    #[test]
    fn a_backslash_in_a_name_is_kept_but_before_what_it_escapes() {
        let line = one("m\\,a\\b,t=\\\\x\\\\,y v=1").unwrap();
        assert_eq!((line.measurement.as_ref(), line.tags[0].1.as_ref()), ("m,a\\b", "\\\\x\\,y"));
    }

    #[test]
    fn a_quoted_value_may_hold_line_ends() {
        assert_eq!(problems("m s=\"a\nb\",v=1 5\nm v=1"), [Ok(()), Ok(())]);
        assert_eq!(one("m s=\"a\nb\" 5").unwrap().fields[0].1, Value::Text("a\nb".into()));
    }

    fn escaped(text: &str) -> String {
        text.chars().flat_map(|c| if ", =".contains(c) { vec!['\\', c] } else { vec![c] }).collect()
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            name in "[a-z ,=é]{1,8}", tag in "[a-z ,=]{1,8}", text in "[a-z ,=\"\\\\\n]{0,12}",
            number in any::<i64>(), float in -1e300..1e300_f64, time in any::<i64>(),
        ) {
            let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
            let body = format!("m{},t={} s=\"{quoted}\",i={number}i,f={float} {time}\nnext v=1", escaped(&name), escaped(&tag));
            let (mut lines, mut line) = (Lines::new(body.as_bytes(), true), Line::default());
            prop_assert_eq!(lines.read(&mut line).unwrap().1, Ok(()));
            prop_assert_eq!(&line.measurement, &format!("m{name}"));
            prop_assert_eq!(&line.tags[0].1, &tag);
            prop_assert_eq!(&line.fields[1].1, &Value::Integer(number));
            prop_assert_eq!(&line.fields[2].1, &Value::Float(float));
            prop_assert_eq!(line.time, Some(time));
            prop_assert_eq!(lines.read(&mut line).unwrap().1, Ok(()));
        }

        #[test]
        fn any_bytes_are_read_or_refused(body in proptest::collection::vec(prop_oneof![any::<u8>(), Just(b'"'), Just(b'\\'), Just(b'\n'), Just(b','), Just(b'='), Just(b' ')], 0..60)) {
            let (mut lines, mut line) = (Lines::new(&body, false), Line::default());
            while lines.read(&mut line).is_some() {}
        }
    }
}
