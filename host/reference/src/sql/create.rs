//! `CREATE TABLE` as GreptimeDB has it.

use arrow::datatypes::DataType;

use super::statement::data_type;
use super::token::{Cursor, Token};
use crate::store::{ColumnDef, Merge, Semantic, StoreError, TableOptions};

/// Words that name no column unless they are quoted; of the many that the real server has, those that a benchmark's table may meet.
const KEYWORDS: [&str; 22] = [
    "ALL", "AND", "AS", "BY", "CREATE", "FROM", "GROUP", "IN", "INDEX", "INTO", "LIMIT", "NOT", "NULL", "ON", "OR",
    "ORDER", "REGION", "SELECT", "TABLE", "TO", "USER", "WHERE",
];

/// What is collected while the columns are read.
#[derive(Debug, Default)]
struct Parts {
    columns: Vec<ColumnDef>,
    time: Option<String>,
    tags: Vec<String>,
}

/// Reads what follows the name of the table: columns, constraints and options.
///
/// # Errors
///
/// What cannot be read, or makes no table.
pub(super) fn table(c: &mut Cursor<'_>) -> Result<(Vec<ColumnDef>, TableOptions), StoreError> {
    let mut parts = Parts::default();
    c.expect('(').map_err(StoreError::syntax)?;
    loop {
        element(c, &mut parts).map_err(StoreError::syntax)?;
        if !c.sign(',') {
            break;
        }
    }
    c.expect(')').map_err(StoreError::syntax)?;
    if c.keywords(&["PARTITION", "ON", "COLUMNS"]) {
        // Where rows lie makes no difference to what is read back.
        c.brackets().and_then(|()| c.brackets()).map_err(StoreError::syntax)?;
    }
    if c.keywords(&["ENGINE"]) {
        c.expect('=').map_err(StoreError::syntax)?;
        let engine = c.name().map_err(StoreError::syntax)?;
        if !["mito", "metric"].contains(&engine.to_ascii_lowercase().as_str()) {
            return Err(StoreError::invalid(format!("Table engine not found: {engine}")));
        }
    }
    let options = options(&with_options(c)?)?;
    c.end().map_err(StoreError::syntax)?;
    Ok((columns(parts)?, options))
}

/// A column or a constraint.
fn element(c: &mut Cursor<'_>, parts: &mut Parts) -> Result<(), String> {
    if c.keywords(&["TIME", "INDEX"]) {
        c.expect('(')?;
        let name = c.name()?;
        only_time(parts, name)?;
        return c.expect(')');
    }
    if c.keywords(&["PRIMARY", "KEY"]) {
        c.expect('(')?;
        parts.tags.push(c.name()?);
        while c.sign(',') {
            parts.tags.push(c.name()?);
        }
        return c.expect(')');
    }
    let name = match c.peek() {
        Some(Token::Word(word)) if KEYWORDS.iter().any(|known| word.eq_ignore_ascii_case(known)) => {
            return Err(format!("Cannot use keyword '{word}' as column name. Hint: add quotes to the name."));
        }
        _ => c.name()?,
    };
    let data_type = column_type(c)?;
    parts.columns.push(ColumnDef::new(name.clone(), data_type, Semantic::Field));
    while !matches!(c.peek(), None | Some(Token::Sign(',' | ')'))) {
        if c.keywords(&["TIME", "INDEX"]) {
            only_time(parts, name.clone())?;
        } else if c.keywords(&["PRIMARY", "KEY"]) {
            parts.tags.push(name.clone());
        } else {
            note(c)?;
        }
    }
    Ok(())
}

/// A note on a column that makes no difference here.
fn note(c: &mut Cursor<'_>) -> Result<(), String> {
    if c.keywords(&["NOT", "NULL"]) || c.keywords(&["NULL"]) {
        return Ok(());
    }
    if c.keywords(&["COMMENT"]) {
        c.next();
        return Ok(());
    }
    if c.keywords(&["DEFAULT"]) {
        c.sign('-');
        c.next();
        return if matches!(c.peek(), Some(Token::Sign('('))) { c.brackets() } else { Ok(()) };
    }
    if c.keywords(&["INVERTED", "INDEX"]) || c.keywords(&["SKIPPING", "INDEX"]) || c.keywords(&["FULLTEXT", "INDEX"]) {
        return if c.keywords(&["WITH"]) { c.brackets() } else { Ok(()) };
    }
    Err(format!("Expected: a column option, found: {}", c.shown()))
}

fn column_type(c: &mut Cursor<'_>) -> Result<DataType, String> {
    let name = c.name()?;
    if name.eq_ignore_ascii_case("decimal") {
        let (mut precision, mut scale) = (38, 10);
        if c.sign('(') {
            precision = c.name()?.parse().map_err(|_| "Expected: the precision of a decimal".to_owned())?;
            scale = if c.sign(',') { c.name()?.parse().map_err(|_| "Expected: the scale of a decimal")? } else { 0 };
            c.expect(')')?;
        }
        return Ok(DataType::Decimal128(precision, scale));
    }
    let mut digits = None;
    if c.sign('(') {
        digits = Some(c.name()?);
        c.expect(')')?;
    }
    data_type(&name, c.keywords(&["UNSIGNED"]), digits.as_deref())
}

fn only_time(parts: &mut Parts, name: String) -> Result<(), String> {
    match parts.time.replace(name) {
        None => Ok(()),
        Some(first) => Err(format!("Expected: one TIME INDEX, found: a second one beside \"{first}\"")),
    }
}

/// The columns with what each is for.
fn columns(parts: Parts) -> Result<Vec<ColumnDef>, StoreError> {
    let Parts { mut columns, time, tags } = parts;
    let mut mark = |name: &str, semantic| match columns.iter_mut().find(|column| column.name == name) {
        Some(column) => {
            column.semantic = semantic;
            Ok(())
        }
        None => Err(StoreError::syntax(format!(
            "column \"{name}\" of the TIME INDEX or PRIMARY KEY is not a column of the table"
        ))),
    };
    for tag in &tags {
        mark(tag, Semantic::Tag)?;
    }
    match &time {
        Some(time) if tags.contains(time) => {
            Err(StoreError::syntax(format!("the TIME INDEX \"{time}\" cannot be in the PRIMARY KEY")))
        }
        Some(time) => mark(time, Semantic::Timestamp),
        None => Err(StoreError::syntax("Missing time index constraint".into())),
    }?;
    Ok(columns)
}

/// `WITH (key = value, …)`; nothing if there is none.
///
/// # Errors
///
/// What cannot be read.
pub(super) fn with_options(c: &mut Cursor<'_>) -> Result<Vec<(String, String)>, StoreError> {
    if !c.keywords(&["WITH"]) {
        return Ok(Vec::new());
    }
    pairs(c).map_err(StoreError::syntax)
}

fn pairs(c: &mut Cursor<'_>) -> Result<Vec<(String, String)>, String> {
    let text = |token: Option<&Token>| match token {
        Some(Token::Word(text) | Token::Quoted(text) | Token::Text(text)) => Ok(text.clone()),
        _ => Err("Expected: WITH (key = value)".to_owned()),
    };
    let mut found = Vec::new();
    c.expect('(')?;
    loop {
        let mut key = text(c.next())?;
        while c.sign('.') {
            key = format!("{key}.{}", text(c.next())?);
        }
        c.expect('=')?;
        found.push((key, text(c.next())?));
        if !c.sign(',') {
            break;
        }
    }
    c.expect(')')?;
    Ok(found)
}

/// What a table is asked to be, by the names that `WITH` has. Other names are left alone.
///
/// # Errors
///
/// A value that is none, or two that contradict each other.
fn options(pairs: &[(String, String)]) -> Result<TableOptions, StoreError> {
    let mut options = TableOptions::default();
    let (mut append, mut merge) = (false, None);
    for (key, value) in pairs {
        match key.as_str() {
            "append_mode" => append = truth(key, value)?,
            "skip_wal" => options.skip_wal = truth(key, value)?,
            "ttl" => options.ttl = Some(value.clone()),
            "comment" => options.comment = Some(value.clone()),
            "merge_mode" => {
                merge = Some(match value.as_str() {
                    "last_row" => Merge::LastRow,
                    "last_non_null" => Merge::LastNonNull,
                    other => return Err(StoreError::invalid(format!("Invalid merge mode: {other}"))),
                });
            }
            _ => {}
        }
    }
    if append && merge == Some(Merge::LastNonNull) {
        let message = "Invalid options: merge_mode last_non_null cannot go with append_mode";
        return Err(StoreError::invalid(message));
    }
    options.merge = if append { Merge::Append } else { merge.unwrap_or_default() };
    Ok(options)
}

fn truth(key: &str, value: &str) -> Result<bool, StoreError> {
    value
        .parse()
        .map_err(|_| StoreError::invalid(format!("Invalid table option {key}: `{value}` is neither true nor false")))
}
