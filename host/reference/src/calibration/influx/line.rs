//! Line protocol, read for what is counted: the measurement and the time. Tags and fields are looked at only to find where they end.

use std::borrow::Cow;

/// A line that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// The measurement, without escapes.
    pub(super) measurement: Cow<'a, str>,
    /// The time in the unit of the request, if it is given.
    pub(super) time: Option<i64>,
    text: &'a [u8],
}

impl<'a> Line<'a> {
    /// The same as a line that is refused.
    pub(super) fn bad(&self, problem: &'static str) -> Bad<'a> {
        Bad { text: self.text, problem }
    }
}

/// A line that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bad<'a> {
    /// The line.
    pub(super) text: &'a [u8],
    /// Why.
    pub(super) problem: &'static str,
}

/// The lines of a body; empty ones and comments are left out. A quoted value may hold line ends.
pub(super) struct Lines<'a> {
    rest: &'a [u8],
}

impl<'a> Lines<'a> {
    pub(super) fn new(body: &'a [u8]) -> Self {
        Self { rest: body }
    }

    /// Takes the first `bytes` away, and the rest of their line if they do not end it.
    fn take(&mut self, bytes: usize) -> &'a [u8] {
        let end = self.rest[bytes..].iter().position(|&byte| byte == b'\n').map_or(self.rest.len(), |at| bytes + at);
        let line = &self.rest[..end];
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        line.strip_suffix(b"\r").unwrap_or(line)
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Result<Line<'a>, Bad<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let blank = self.rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            self.rest = &self.rest[blank..];
            match self.rest.first()? {
                b'#' => drop(self.take(0)),
                _ => break,
            }
        }
        let key = unescaped(self.rest, b" \n", false);
        let name = unescaped(&self.rest[..key], b",", false);
        let space = self.rest[key..].iter().take_while(|&&byte| byte == b' ').count();
        let fields = key + space;
        let end = fields + unescaped(&self.rest[fields..], b" \n", true);
        let (whole, measurement, fields) = (self.rest, &self.rest[..name], &self.rest[fields..end]);
        let text = self.take(end);
        let bad = |problem| Some(Err(Bad { text, problem }));
        if measurement.is_empty() {
            return bad("missing measurement");
        }
        if !fields.contains(&b'=') {
            return bad("missing fields");
        }
        // A carriage return belongs to the end of the line, also of a line that ends with its fields.
        let time = text.get(end.min(text.len())..).unwrap_or_default().trim_ascii();
        let time = match time {
            [] => None,
            digits => match std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()) {
                Some(time) => Some(time),
                None => return bad("bad timestamp"),
            },
        };
        let Ok(measurement) = std::str::from_utf8(&whole[..name]) else { return bad("the measurement is not UTF-8") };
        Some(Ok(Line { measurement: unescape(measurement), time, text }))
    }
}

/// Bytes before the first of `ends` that no backslash precedes and, if `quotes`, that is in no quoted text.
fn unescaped(bytes: &[u8], ends: &[u8], quotes: bool) -> usize {
    let (mut escaped, mut inside) = (false, false);
    for (at, byte) in bytes.iter().enumerate() {
        if escaped {
            escaped = false;
        } else if *byte == b'\\' {
            escaped = true;
        } else if quotes && *byte == b'"' {
            inside = !inside;
        } else if !inside && ends.contains(byte) {
            return at;
        }
    }
    bytes.len()
}

/// A measurement without its backslashes before commas and spaces.
fn unescape(text: &str) -> Cow<'_, str> {
    if text.contains('\\') { Cow::Owned(text.replace("\\,", ",").replace("\\ ", " ")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Vec<Result<(String, Option<i64>), &'static str>> {
        Lines::new(body.as_bytes())
            .map(|line| line.map(|line| (line.measurement.into_owned(), line.time)).map_err(|bad| bad.problem))
            .collect()
    }

    fn good(name: &str, time: Option<i64>) -> Result<(String, Option<i64>), &'static str> {
        Ok((name.into(), time))
    }

    #[test]
    fn measurement_and_time_are_found_whatever_is_between() {
        assert_eq!(
            read("cpu,host=a v=1,w=2i 1704067200000000000\ncpu v=1"),
            [good("cpu", Some(1_704_067_200_000_000_000)), good("cpu", None)]
        );
        assert_eq!(read("a\\ b\\,c,t=x\\ y s=\"p q\" -5\n"), [good("a b,c", Some(-5))]);
        assert_eq!(read("m s=\"a \\\" b\nc d=\" 7\nm  v=1   8  \r\n"), [good("m", Some(7)), good("m", Some(8))]);
        assert_eq!(read("\n# m v=1\n\n  \nm v=1\r\n"), [good("m", None)]);
        assert_eq!(read(""), []);
    }

    #[test]
    fn a_bad_line_is_refused_and_the_next_one_is_read() {
        let bad = read("cpu\n,host=a v=1\ncpu v\ncpu v=1 noon\ncpu v=1 1 2\ncpu v=1 99999999999999999999\ncpu v=1 3\n");
        assert_eq!(
            bad,
            [
                Err("missing fields"),
                Err("missing measurement"),
                Err("missing fields"),
                Err("bad timestamp"),
                Err("bad timestamp"),
                Err("bad timestamp"),
                good("cpu", Some(3))
            ]
        );
        assert_eq!(
            read("cpu \ncpu,a=b\ncpu v=\"open"),
            [Err("missing fields"), Err("missing fields"), good("cpu", None)]
        );
        let first = Lines::new(b"cpu,a=b\nx").next();
        assert_eq!(first, Some(Err(Bad { text: b"cpu,a=b", problem: "missing fields" })));
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_only_where_they_must_be_read() {
        let problems: Vec<_> = Lines::new(b"c\xffpu v=1\ncpu,t=\xff v=1 1\n").map(|line| line.err()).collect();
        assert_eq!(problems[0].map(|bad| bad.problem), Some("the measurement is not UTF-8"));
        assert_eq!(problems[1], None);
    }
}
