//! Names, statements and answers of InfluxDB 1: functions of text alone, which `cargo test` runs without a host.

/// The earliest time that the server knows, and the first that it does not, in nanoseconds.
const TIMES: (i64, i64) = (i64::MIN + 2, i64::MAX - 1);

/// A name in a statement, in quotes.
pub fn identifier(name: &str) -> String {
    format!(
        "\"{}\"",
        name.replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n")
    )
}

/// A text as the value of a parameter in a URL.
pub fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte))
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Counts the values of `field` from `start_ns` to before `end_ns`. None where the server can hold no row of that time.
pub fn count_statement(table: &str, field: &str, start_ns: i64, end_ns: i64) -> Option<String> {
    let (start, end) = (start_ns.max(TIMES.0), end_ns.min(TIMES.1));
    let (table, field) = (identifier(table), identifier(field));
    (start < end).then(|| {
        format!("SELECT COUNT({field}) FROM {table} WHERE time >= {start} AND time < {end}")
    })
}

/// The count in the answer to such a statement: 0 where there is no series, None where the answer is another.
pub fn count(answer: &str) -> Option<u64> {
    let Some((_, row)) = answer.split_once("\"values\":[[") else {
        return (answer.is_empty() || answer.contains("\"results\":[")).then_some(0);
    };
    // A row is the time and the count.
    let (_, number) = row.split_once(']')?.0.split_once(',')?;
    number.trim().parse().ok()
}

/// What the server says of a statement that it refused, whatever the status was. In JSON, a quote inside a text has a backslash
/// before it, so no name can look like this key.
pub fn refusal(answer: &str) -> Option<&str> {
    let (_, words) = answer.split_once("\"error\":\"")?;
    Some(words.trim_end().trim_end_matches(['}', ']', '"']))
}

/// The header `Retry-After` in milliseconds, where it is a number of seconds.
pub fn retry_after_ms(header: &str) -> Option<u64> {
    header.trim().parse::<u64>().ok()?.checked_mul(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_parameters_cannot_break_out() {
        assert_eq!(identifier(r#"a"b\c"#), r#""a\"b\\c""#);
        assert_eq!(percent_encoded("a b&ä=1"), "a%20b%26%C3%A4%3D1");
    }

    #[test]
    fn a_range_has_its_start_and_not_its_end() {
        let statement = count_statement("t", "f", -5, 7).unwrap();
        assert_eq!(
            statement,
            r#"SELECT COUNT("f") FROM "t" WHERE time >= -5 AND time < 7"#
        );
        assert_eq!(count_statement("t", "f", 7, 7), None);
        assert_eq!(count_statement("t", "f", i64::MIN, i64::MIN + 1), None);
    }

    #[test]
    fn a_count_is_found_or_none_is_made_up() {
        let row = r#"{"results":[{"series":[{"name":"t","columns":["time","count"],"values":[[0,1200]]}]}]}"#;
        assert_eq!(count(row), Some(1200));
        assert_eq!(count(r#"{"results":[{"statement_id":0}]}"#), Some(0));
        assert_eq!(count(""), Some(0));
        assert_eq!(count("<html>"), None);
        assert_eq!(
            count(r#"{"results":[{"series":[{"values":[[0,"x"]]}]}]}"#),
            None
        );
    }

    #[test]
    fn a_refusal_is_told_apart_from_a_name() {
        let refused = r#"{"results":[{"statement_id":0,"error":"database not found: x"}]}"#;
        assert_eq!(refusal(refused), Some("database not found: x"));
        assert_eq!(
            refusal(r#"{"results":[{"series":[{"name":"\"error\":\"no"}]}]}"#),
            None
        );
    }

    #[test]
    fn a_wait_is_in_milliseconds() {
        assert_eq!(retry_after_ms(" 3 "), Some(3000));
        assert_eq!(retry_after_ms("Wed, 21 Oct 2026 07:28:00 GMT"), None);
    }
}
