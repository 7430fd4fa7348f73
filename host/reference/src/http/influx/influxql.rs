//! The part of `InfluxQL` that clients need to manage, to count and to read back.

use super::condition::{Comparison, comparisons};
use crate::sql::token::{Cursor, Escape, Token, tokens};

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Statement {
    CreateDatabase(String),
    DropDatabase(String),
    DropMeasurement(String),
    ShowDatabases,
    ShowMeasurements,
    Select(Select),
}

/// A query of one measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Select {
    pub(super) items: Vec<Item>,
    pub(super) measurement: String,
    pub(super) conditions: Vec<Comparison>,
    pub(super) limit: Option<u64>,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    /// `*`
    All,
    /// A column.
    Column(String),
    /// A function of a field, or of all fields: its name here and in SQL.
    Call { name: String, sql: &'static str, field: Option<String> },
}

/// Reads statements, which semicolons part.
///
/// # Errors
///
/// What is found, and what was expected in its place.
pub(super) fn statements(text: &str) -> Result<Vec<Statement>, String> {
    let all = tokens(text, Escape::Backslash)?;
    let parts = all.split(|placed| placed.token == Token::Sign(';')).filter(|part| !part.is_empty());
    parts.map(|part| statement(&mut Cursor::new(part))).collect()
}

fn statement(c: &mut Cursor<'_>) -> Result<Statement, String> {
    let statement = if c.keywords(&["CREATE", "DATABASE"]) {
        let name = c.name()?;
        // How long rows are kept makes no difference here.
        while c.next().is_some() {}
        Statement::CreateDatabase(name)
    } else if c.keywords(&["DROP", "DATABASE"]) {
        Statement::DropDatabase(c.name()?)
    } else if c.keywords(&["DROP", "MEASUREMENT"]) {
        Statement::DropMeasurement(c.name()?)
    } else if c.keywords(&["SHOW", "DATABASES"]) {
        Statement::ShowDatabases
    } else if c.keywords(&["SHOW", "MEASUREMENTS"]) {
        Statement::ShowMeasurements
    } else if c.keywords(&["SELECT"]) {
        Statement::Select(select(c)?)
    } else {
        return Err(format!(
            "found {}, expected SELECT, SHOW DATABASES, SHOW MEASUREMENTS, CREATE DATABASE, DROP DATABASE or DROP MEASUREMENT",
            c.shown()
        ));
    };
    if c.is_done() {
        Ok(statement)
    } else {
        Err(format!("found {}, which the reference server does not know here", c.shown()))
    }
}

fn select(c: &mut Cursor<'_>) -> Result<Select, String> {
    let mut items = vec![item(c)?];
    while c.sign(',') {
        items.push(item(c)?);
    }
    c.expect_keywords(&["FROM"])?;
    // `"database"."policy"."measurement"`: the last is the measurement.
    let mut measurement = c.name()?;
    while c.sign('.') {
        c.sign('.');
        measurement = c.name()?;
    }
    let conditions = if c.keywords(&["WHERE"]) { comparisons(c)? } else { Vec::new() };
    let limit = if c.keywords(&["LIMIT"]) {
        Some(c.name()?.parse().map_err(|_| "expected a number after LIMIT".to_owned())?)
    } else {
        None
    };
    Ok(Select { items, measurement, conditions, limit })
}

fn item(c: &mut Cursor<'_>) -> Result<Item, String> {
    if c.sign('*') {
        return Ok(Item::All);
    }
    let bare = matches!(c.peek(), Some(Token::Word(_)));
    let name = c.name()?;
    if !bare || !c.sign('(') {
        return Ok(Item::Column(name));
    }
    let name = name.to_ascii_lowercase();
    let sql = match name.as_str() {
        "count" => "count",
        "sum" => "sum",
        "mean" => "avg",
        "min" => "min",
        "max" => "max",
        other => return Err(format!("undefined function {other}(): there is count, sum, mean, min and max")),
    };
    let field = if c.sign('*') { None } else { Some(c.name()?) };
    c.expect(')')?;
    Ok(Item::Call { name, sql, field })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_plugin_asks_is_read() {
        let text = r#"SELECT COUNT("a\"b"), COUNT("c") FROM "m" WHERE time >= -5 AND time < 7"#;
        let Statement::Select(select) = statements(text).unwrap().remove(0) else { panic!() };
        let call = |field: &str| Item::Call { name: "count".into(), sql: "count", field: Some(field.into()) };
        assert_eq!((select.items, select.measurement.as_str()), (vec![call("a\"b"), call("c")], "m"));
        assert_eq!(select.conditions[0].start(), Some(-5));
        assert_eq!(select.conditions[1].sql("ts"), "\"ts\" < arrow_cast(7, 'Timestamp(Nanosecond, None)')");
        assert_eq!(
            statements("DROP MEASUREMENT \"x\"; SHOW DATABASES").unwrap(),
            [Statement::DropMeasurement("x".into()), Statement::ShowDatabases]
        );
        assert!(statements("CREATE DATABASE a WITH DURATION 3d").is_ok());
    }

    #[test]
    fn what_cannot_be_done_is_named() {
        for (text, words) in [
            ("GRANT ALL", "found GRANT, expected SELECT"),
            ("SELECT a FROM m GROUP BY b", "found GROUP"),
            ("SELECT percentile(a) FROM m", "undefined function percentile()"),
            ("SELECT a FROM m WHERE time >= now", "expected a number or a text"),
        ] {
            let error = statements(text).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
