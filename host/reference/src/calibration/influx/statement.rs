//! The statements of InfluxQL that are understood.

/// What is understood, for messages.
const KNOWN: &str = "CREATE DATABASE \"db\", DROP MEASUREMENT \"m\", SELECT COUNT(\"field\"), … FROM \"m\" WHERE time >= N AND time < N";

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Statement {
    /// `CREATE DATABASE`.
    Create(String),
    /// `DROP MEASUREMENT`.
    Drop(String),
    /// A count of values over a range of time, in nanoseconds, its end exclusive.
    Count {
        /// How many fields are counted.
        fields: usize,
        measurement: String,
        start: i64,
        end: i64,
    },
}

/// Reads a statement. The error says where it stops being one that is understood.
pub(super) fn parse(text: &str) -> Result<Statement, String> {
    let mut words = Words { rest: text.trim().trim_end_matches(';') };
    let statement = if words.keyword("CREATE") {
        words.expect("DATABASE")?;
        Statement::Create(words.identifier()?)
    } else if words.keyword("DROP") {
        words.expect("MEASUREMENT")?;
        Statement::Drop(words.identifier()?)
    } else {
        words.expect("SELECT")?;
        words.count()?
    };
    if words.skip().is_empty() { Ok(statement) } else { Err(words.wrong("nothing more")) }
}

/// A statement from left to right.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn count(&mut self) -> Result<Statement, String> {
        let mut fields = 0;
        loop {
            self.expect("COUNT")?;
            self.symbol("(")?;
            self.identifier()?;
            self.symbol(")")?;
            fields += 1;
            if self.symbol(",").is_err() {
                break;
            }
        }
        self.expect("FROM")?;
        let measurement = self.identifier()?;
        self.expect("WHERE")?;
        self.expect("time")?;
        self.symbol(">=")?;
        let start = self.number()?;
        self.expect("AND")?;
        self.expect("time")?;
        self.symbol("<")?;
        Ok(Statement::Count { fields, measurement, start, end: self.number()? })
    }

    fn skip(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        self.rest
    }

    /// Takes a word, in any case, if it comes next.
    fn keyword(&mut self, word: &str) -> bool {
        let rest = self.skip();
        let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        let fits = rest[..end].eq_ignore_ascii_case(word);
        if fits {
            self.rest = &rest[end..];
        }
        fits
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        if self.keyword(word) { Ok(()) } else { Err(self.wrong(word)) }
    }

    fn symbol(&mut self, symbol: &str) -> Result<(), String> {
        let rest = self.skip().strip_prefix(symbol).ok_or_else(|| self.wrong(symbol))?;
        self.rest = rest;
        Ok(())
    }

    /// A name, bare or in double quotes.
    fn identifier(&mut self) -> Result<String, String> {
        let rest = self.skip();
        let Some(quoted) = rest.strip_prefix('"') else {
            let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            self.rest = &rest[end..];
            return if end > 0 { Ok(rest[..end].to_owned()) } else { Err(self.wrong("a name")) };
        };
        let mut name = String::new();
        let mut characters = quoted.char_indices();
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => {
                    self.rest = &quoted[at + 1..];
                    return if name.is_empty() { Err(self.wrong("a name in the quotes before it")) } else { Ok(name) };
                }
                '\\' => match characters.next() {
                    Some((_, 'n')) => name.push('\n'),
                    Some((_, c @ ('"' | '\\' | '\''))) => name.push(c),
                    _ => return Err(self.wrong("a name with known escapes")),
                },
                other => name.push(other),
            }
        }
        Err(self.wrong("a closing quote"))
    }

    fn number(&mut self) -> Result<i64, String> {
        let rest = self.skip();
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(rest.len());
        let number = rest[..end].parse().map_err(|_| self.wrong("a time in nanoseconds"))?;
        self.rest = &rest[end..];
        Ok(number)
    }

    fn wrong(&self, expected: &str) -> String {
        let found: String = self.rest.chars().take(40).collect();
        let found = if found.is_empty() { "EOF".to_owned() } else { format!("`{found}`") };
        format!("error parsing query: found {found}, expected {expected}; this server understands {KNOWN}")
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statements_of_a_run_are_understood() {
        assert_eq!(parse(r#"CREATE DATABASE "b\"1""#), Ok(Statement::Create("b\"1".into())));
        assert_eq!(parse(r#"DROP MEASUREMENT "m \\x\n""#), Ok(Statement::Drop("m \\x\n".into())));
        let one = r#"SELECT COUNT("cpu") FROM "cpu" WHERE time >= -9223372036854775806 AND time < 9223372036854775806"#;
        let (start, end) = (i64::MIN + 2, i64::MAX - 1);
        assert_eq!(parse(one), Ok(Statement::Count { fields: 1, measurement: "cpu".into(), start, end }));
        let two = r#"select count(a), COUNT("b c") from "m" where time>=1 and time<2;"#;
        assert_eq!(parse(two), Ok(Statement::Count { fields: 2, measurement: "m".into(), start: 1, end: 2 }));
    }

    #[test]
    fn anything_else_says_where_it_went_wrong() {
        let error = parse("SHOW DATABASES").unwrap_err();
        assert!(
            error.starts_with("error parsing query: found `SHOW DATABASES`, expected SELECT; this server"),
            "{error}"
        );
        for text in [
            "",
            "CREATE",
            "CREATE DATABASE",
            "CREATE DATABASE \"\"",
            "CREATE DATABASE \"open",
            "CREATE DATABASE \"a\\x\"",
            "CREATE DATABASE \"a\\",
            "CREATE DATABASE a b",
            "SELECT * FROM m",
            "SELECT COUNT(a) FROM m",
            "SELECT COUNT(a), FROM m WHERE time >= 1 AND time < 2",
            "SELECT COUNT(a) FROM m WHERE time >= 1 AND time < now()",
            "SELECT COUNT(a) FROM m WHERE time >= 1 AND time < 99999999999999999999",
            "SELECT COUNT(a) FROM m WHERE time >= 1 AND time < 2 GROUP BY x",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
