//! What a query asks of rows: comparisons that all must hold.

use crate::sql::token::{Cursor, Token};

/// A comparison of a column with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Comparison {
    pub(super) column: String,
    /// As SQL has it.
    pub(super) operator: &'static str,
    pub(super) value: Literal,
}

/// A value in a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    /// A number; of a time, nanoseconds.
    Number(String),
    /// A text; of a time, one of RFC 3339.
    Text(String),
}

/// Reads comparisons with `AND` between them.
///
/// # Errors
///
/// What is found in place of one.
pub(super) fn comparisons(c: &mut Cursor<'_>) -> Result<Vec<Comparison>, String> {
    let mut all = Vec::new();
    loop {
        let column = c.name()?;
        let operator = operator(c)?;
        let negative = c.sign('-');
        let value = match c.next() {
            Some(Token::Word(number)) if number.starts_with(|c: char| c.is_ascii_digit()) => {
                let fraction = if c.sign('.') { format!(".{}", c.name()?) } else { String::new() };
                let sign = if negative { "-" } else { "" };
                Literal::Number(format!("{sign}{number}{fraction}"))
            }
            Some(Token::Text(text)) if !negative => Literal::Text(text.clone()),
            _ => return Err(format!("found {}, expected a number or a text", c.shown())),
        };
        all.push(Comparison { column, operator, value });
        if !c.keywords(&["AND"]) {
            return Ok(all);
        }
    }
}

fn operator(c: &mut Cursor<'_>) -> Result<&'static str, String> {
    if c.sign('>') {
        return Ok(if c.sign('=') { ">=" } else { ">" });
    }
    if c.sign('<') {
        return Ok(if c.sign('=') {
            "<="
        } else if c.sign('>') {
            "<>"
        } else {
            "<"
        });
    }
    if c.sign('!') {
        c.expect('=')?;
        return Ok("<>");
    }
    if c.sign('=') {
        return Ok("=");
    }
    Err(format!("found {}, expected a comparison", c.shown()))
}

impl Comparison {
    /// As SQL has it. `time` is what the table calls its time.
    pub(super) fn sql(&self, time: &str) -> String {
        let is_time = self.column == super::TIME;
        let column = identifier(if is_time { time } else { &self.column });
        let value = match &self.value {
            Literal::Number(number) if is_time => format!("arrow_cast({number}, 'Timestamp(Nanosecond, None)')"),
            Literal::Number(number) => number.clone(),
            Literal::Text(text) => format!("'{}'", text.replace('\'', "''")),
        };
        format!("{column} {} {value}", self.operator)
    }

    /// The first time that a lower bound allows.
    pub(super) fn start(&self) -> Option<i64> {
        match &self.value {
            Literal::Number(number) if self.column == super::TIME && self.operator == ">=" => number.parse().ok(),
            Literal::Number(number) if self.column == super::TIME && self.operator == ">" => {
                number.parse::<i64>().ok()?.checked_add(1)
            }
            _ => None,
        }
    }
}

/// A name in double quotes.
pub(super) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
