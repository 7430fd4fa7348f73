//! The way rows lie in Redis: functions that `cargo test` runs without a host.
//!
//! A table is one sorted set. A row's score is its time in milliseconds, its member a text that tells the whole row, so that a payload which
//! is sent twice stores every row once.

use std::io::Write as _;

use crate::resp::add_part;

/// One column but the time.
pub struct Column {
    pub name: String,
    pub values: Values,
    /// Ascending positions of rows without a value.
    pub nulls: Vec<u32>,
}

/// What a column holds, a value for each row.
pub enum Values {
    Booleans(Vec<bool>),
    Signed(Vec<i64>),
    Unsigned(Vec<u64>),
    Floats(Vec<f64>),
    Texts(Vec<String>),
    /// Distinct texts, and for each row the number of one.
    Keys(Vec<String>, Vec<u32>),
}

impl Values {
    /// Adds the text of one value; nothing where there is none of that number.
    fn add(&self, row: usize, out: &mut Vec<u8>) {
        let written = match self {
            Self::Booleans(values) => values.get(row).map(|value| write!(out, "{value}")),
            Self::Signed(values) => values.get(row).map(|value| write!(out, "{value}")),
            Self::Unsigned(values) => values.get(row).map(|value| write!(out, "{value}")),
            Self::Floats(values) => values.get(row).map(|value| write!(out, "{value}")),
            Self::Texts(values) => values.get(row).map(|value| write!(out, "{value}")),
            Self::Keys(words, keys) => {
                keys.get(row).and_then(|key| words.get(*key as usize)).map(|word| write!(out, "{word}"))
            }
        };
        // Writing to memory cannot fail.
        drop(written);
    }
}

/// The one command that stores a batch, or nothing for a batch without rows.
pub fn write(key: &str, times: &[i64], columns: Vec<Column>) -> Vec<u8> {
    if times.is_empty() {
        return Vec::new();
    }
    let mut out = format!("*{}\r\n", 2 + 2 * times.len()).into_bytes();
    add_part(&mut out, b"ZADD");
    add_part(&mut out, key.as_bytes());
    let mut columns: Vec<_> = columns
        .into_iter()
        .map(|column| (format!("{}=", column.name), column.values, column.nulls.into_iter().peekable()))
        .collect();
    let (mut score, mut member) = (Vec::new(), Vec::new());
    for (row, time) in times.iter().enumerate() {
        score.clear();
        member.clear();
        drop(write!(score, "{time}"));
        for (label, values, nulls) in &mut columns {
            if nulls.next_if(|null| *null as usize == row).is_none() {
                member.extend_from_slice(label.as_bytes());
                values.add(row, &mut member);
                member.push(b',');
            }
        }
        member.extend_from_slice(b"t=");
        member.extend_from_slice(&score);
        add_part(&mut out, &score);
        add_part(&mut out, &member);
    }
    out
}

/// `time / per`, if nothing is left over.
pub fn whole(time: i64, per: i64) -> Option<i64> {
    (time % per == 0).then_some(time / per)
}

/// The range of scores for `start_ns <= time < end_ns`: the first millisecond in it, and the first one after it.
pub fn bounds(start_ns: i64, end_ns: i64) -> (String, String) {
    let ceiling = |ns: i64| ns.div_euclid(1_000_000) + i64::from(ns.rem_euclid(1_000_000) > 0);
    (ceiling(start_ns).to_string(), format!("({}", ceiling(end_ns)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, values: Values, nulls: &[u32]) -> Column {
        Column { name: name.into(), values, nulls: nulls.to_vec() }
    }

    #[test]
    fn a_batch_is_one_command_that_tells_each_row_without_its_nulls() {
        let columns = vec![
            column("host", Values::Keys(vec!["a".into(), "ä".into()], vec![0, 1]), &[]),
            column("v", Values::Floats(vec![1.5, 0.0]), &[1]),
            column("ok", Values::Booleans(vec![true, false]), &[]),
        ];
        let written = String::from_utf8(write("t", &[10, -20], columns)).unwrap();
        let rows = "$2\r\n10\r\n$25\r\nhost=a,v=1.5,ok=true,t=10\r\n$3\r\n-20\r\n$22\r\nhost=ä,ok=false,t=-20\r\n";
        assert_eq!(written, format!("*6\r\n$4\r\nZADD\r\n$1\r\nt\r\n{rows}"));
    }

    #[test]
    fn a_batch_without_rows_is_no_command() {
        assert!(write("t", &[], vec![column("i", Values::Signed(Vec::new()), &[])]).is_empty());
    }

    #[test]
    fn every_value_has_a_text() {
        let columns = vec![
            column("i", Values::Signed(vec![i64::MIN]), &[]),
            column("u", Values::Unsigned(vec![u64::MAX]), &[]),
            column("s", Values::Texts(vec!["x y".into()]), &[]),
        ];
        let written = String::from_utf8(write("t", &[0], columns)).unwrap();
        assert!(written.contains("i=-9223372036854775808,u=18446744073709551615,s=x y,t=0\r\n"), "{written}");
    }

    #[test]
    fn times_are_whole_or_refused() {
        assert_eq!((whole(-5_000, 1_000), whole(1_500, 1_000)), (Some(-5), None));
    }

    #[test]
    fn a_range_has_its_start_and_not_its_end() {
        assert_eq!(bounds(1, 2_000_000), ("1".into(), "(2".into()));
        assert_eq!(bounds(-1_000_000, 2_000_001), ("-1".into(), "(3".into()));
        assert_eq!(bounds(-999_999, 0), ("0".into(), "(0".into()));
        assert_eq!(bounds(i64::MIN, i64::MAX), ("-9223372036854".into(), "(9223372036855".into()));
    }
}
