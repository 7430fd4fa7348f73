//! Telling statements apart, and reading those that the query engine has no words for.

use arrow::datatypes::{DataType, TimeUnit};

use super::create;
use super::token::{Cursor, Escape, Placed, Token, tokens};
use crate::store::{ColumnDef, ErrorKind, StoreError, TableOptions};

/// A table as a statement names it: the database only if it says one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableName {
    pub(super) database: Option<String>,
    pub(super) table: String,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Statement {
    CreateDatabase {
        name: String,
        if_not_exists: bool,
    },
    DropDatabase {
        name: String,
        if_exists: bool,
    },
    CreateTable {
        name: TableName,
        if_not_exists: bool,
        columns: Vec<ColumnDef>,
        options: TableOptions,
    },
    DropTables {
        names: Vec<TableName>,
        if_exists: bool,
    },
    Truncate(TableName),
    /// `source` is the query or `VALUES` whose rows are inserted.
    Insert {
        table: TableName,
        columns: Vec<String>,
        source: String,
    },
    Describe(TableName),
    ShowCreate(TableName),
    ShowTables {
        database: Option<String>,
    },
    ShowDatabases,
    /// `ADMIN flush_table('t')` and the like: there is nothing to do, and the answer is 0.
    Admin(String),
    /// For the query engine.
    Query(String),
}

/// The statements of a text, which semicolons part.
///
/// # Errors
///
/// A statement that this server does not have, or that cannot be read.
pub(super) fn statements(text: &str) -> Result<Vec<Statement>, StoreError> {
    let all = tokens(text, Escape::Doubled).map_err(StoreError::syntax)?;
    let parts = all.split(|placed| placed.token == Token::Sign(';')).filter(|part| !part.is_empty());
    let found = parts.map(|part| statement(text, part)).collect::<Result<Vec<_>, _>>()?;
    if found.is_empty() { Err(StoreError::syntax("the statement is empty".into())) } else { Ok(found) }
}

fn statement(text: &str, part: &[Placed]) -> Result<Statement, StoreError> {
    let mut c = Cursor::new(part);
    let (start, end) = (part.first().map_or(0, |p| p.start), part.last().map_or(0, |p| p.end));
    let whole = || text[start..end].to_owned();
    let first = match c.peek() {
        Some(Token::Word(word)) => word.to_ascii_uppercase(),
        Some(Token::Sign('(')) => return Ok(Statement::Query(whole())),
        _ => return Err(unsupported(&c.shown())),
    };
    match first.as_str() {
        "SELECT" | "WITH" | "VALUES" | "EXPLAIN" => Ok(Statement::Query(whole())),
        "CREATE" => create(&mut c),
        "DROP" => drop_statement(&mut c).map_err(StoreError::syntax),
        "TRUNCATE" => truncate(&mut c).map_err(StoreError::syntax),
        "INSERT" => insert(&mut c, text, end).map_err(StoreError::syntax),
        "DESC" | "DESCRIBE" => describe(&mut c).map_err(StoreError::syntax),
        "SHOW" => show(&mut c),
        "ADMIN" => {
            c.next();
            Ok(Statement::Admin(text[c.place()..end].to_owned()))
        }
        _ => Err(unsupported(&c.shown())),
    }
}

fn unsupported(word: &str) -> StoreError {
    StoreError::new(ErrorKind::Unsupported, format!("SQL statement is not supported, keyword: {word}"))
}

fn create(c: &mut Cursor<'_>) -> Result<Statement, StoreError> {
    c.next();
    if c.keywords(&["DATABASE"]) || c.keywords(&["SCHEMA"]) {
        let if_not_exists = c.keywords(&["IF", "NOT", "EXISTS"]);
        let name = c.name().map_err(StoreError::syntax)?;
        create::with_options(c)?;
        c.end().map_err(StoreError::syntax)?;
        return Ok(Statement::CreateDatabase { name, if_not_exists });
    }
    if c.keywords(&["TABLE"]) {
        let if_not_exists = c.keywords(&["IF", "NOT", "EXISTS"]);
        let name = table_name(c).map_err(StoreError::syntax)?;
        let (columns, options) = create::table(c)?;
        return Ok(Statement::CreateTable { name, if_not_exists, columns, options });
    }
    Err(unsupported(&format!("CREATE {}", c.shown())))
}

fn drop_statement(c: &mut Cursor<'_>) -> Result<Statement, String> {
    c.next();
    if c.keywords(&["DATABASE"]) || c.keywords(&["SCHEMA"]) {
        let if_exists = c.keywords(&["IF", "EXISTS"]);
        let name = c.name()?;
        c.end()?;
        return Ok(Statement::DropDatabase { name, if_exists });
    }
    c.expect_keywords(&["TABLE"])?;
    let if_exists = c.keywords(&["IF", "EXISTS"]);
    let mut names = vec![table_name(c)?];
    while c.sign(',') {
        names.push(table_name(c)?);
    }
    c.end()?;
    Ok(Statement::DropTables { names, if_exists })
}

fn truncate(c: &mut Cursor<'_>) -> Result<Statement, String> {
    c.next();
    c.keywords(&["TABLE"]);
    let name = table_name(c)?;
    c.end()?;
    Ok(Statement::Truncate(name))
}

fn insert(c: &mut Cursor<'_>, text: &str, end: usize) -> Result<Statement, String> {
    c.next();
    c.expect_keywords(&["INTO"])?;
    let table = table_name(c)?;
    let mut columns = Vec::new();
    if c.sign('(') {
        columns.push(c.name()?);
        while c.sign(',') {
            columns.push(c.name()?);
        }
        c.expect(')')?;
    }
    match c.peek() {
        Some(Token::Word(word))
            if ["VALUES", "SELECT", "WITH"].iter().any(|known| word.eq_ignore_ascii_case(known)) =>
        {
            Ok(Statement::Insert { table, columns, source: text[c.place()..end].to_owned() })
        }
        _ => Err(format!("Expected: VALUES or a query, found: {}", c.shown())),
    }
}

fn describe(c: &mut Cursor<'_>) -> Result<Statement, String> {
    c.next();
    c.keywords(&["TABLE"]);
    let name = table_name(c)?;
    c.end()?;
    Ok(Statement::Describe(name))
}

fn show(c: &mut Cursor<'_>) -> Result<Statement, StoreError> {
    c.next();
    if c.keywords(&["DATABASES"]) || c.keywords(&["SCHEMAS"]) {
        c.end().map_err(StoreError::syntax)?;
        return Ok(Statement::ShowDatabases);
    }
    if c.keywords(&["CREATE", "TABLE"]) {
        let name = table_name(c).map_err(StoreError::syntax)?;
        c.end().map_err(StoreError::syntax)?;
        return Ok(Statement::ShowCreate(name));
    }
    if c.keywords(&["TABLES"]) {
        let named = c.keywords(&["FROM"]) || c.keywords(&["IN"]);
        let database = if named { Some(c.name().map_err(StoreError::syntax)?) } else { None };
        c.end().map_err(StoreError::syntax)?;
        return Ok(Statement::ShowTables { database });
    }
    Err(unsupported(&format!("SHOW {}", c.shown())))
}

/// `table`, `database.table` or `greptime.database.table`.
fn table_name(c: &mut Cursor<'_>) -> Result<TableName, String> {
    let mut parts = vec![c.name()?];
    while c.sign('.') {
        parts.push(c.name()?);
    }
    let table = parts.pop().unwrap_or_default();
    let database = parts.pop();
    match parts.pop() {
        Some(catalog) if catalog != "greptime" => Err(format!("there is no catalog `{catalog}`: it is `greptime`")),
        _ => Ok(TableName { database, table }),
    }
}

/// The type that SQL calls so; `digits` is what follows in brackets.
///
/// # Errors
///
/// A type that this server does not have.
pub(super) fn data_type(name: &str, unsigned: bool, digits: Option<&str>) -> Result<DataType, String> {
    let unit = |digits: &str| match digits {
        "0" => Ok(TimeUnit::Second),
        "3" => Ok(TimeUnit::Millisecond),
        "6" => Ok(TimeUnit::Microsecond),
        "9" => Ok(TimeUnit::Nanosecond),
        other => Err(format!("a timestamp has 0, 3, 6 or 9 digits, not {other}")),
    };
    let time = |unit| Ok(DataType::Timestamp(unit, None));
    match (name.to_ascii_uppercase().as_str(), unsigned) {
        ("TINYINT" | "INT8", false) => Ok(DataType::Int8),
        ("SMALLINT" | "INT16", false) => Ok(DataType::Int16),
        ("INT" | "INTEGER" | "INT32", false) => Ok(DataType::Int32),
        ("BIGINT" | "INT64", false) => Ok(DataType::Int64),
        ("TINYINT", true) | ("UINT8", _) => Ok(DataType::UInt8),
        ("SMALLINT", true) | ("UINT16", _) => Ok(DataType::UInt16),
        ("INT" | "INTEGER", true) | ("UINT32", _) => Ok(DataType::UInt32),
        ("BIGINT", true) | ("UINT64", _) => Ok(DataType::UInt64),
        ("FLOAT" | "FLOAT32" | "REAL", _) => Ok(DataType::Float32),
        ("DOUBLE" | "FLOAT64", _) => Ok(DataType::Float64),
        ("BOOLEAN" | "BOOL", _) => Ok(DataType::Boolean),
        ("STRING" | "TEXT" | "VARCHAR" | "CHAR" | "TINYTEXT" | "MEDIUMTEXT" | "LONGTEXT", _) => Ok(DataType::Utf8),
        ("BINARY" | "VARBINARY" | "BYTEA" | "BLOB", _) => Ok(DataType::Binary),
        ("DATE", _) => Ok(DataType::Date32),
        ("JSON", _) => Ok(crate::store::JSON),
        ("TIMESTAMP", _) => time(unit(digits.unwrap_or("3"))?),
        ("DATETIME", _) => time(TimeUnit::Microsecond),
        ("TIMESTAMP_S" | "TIMESTAMPSECOND", _) => time(TimeUnit::Second),
        ("TIMESTAMP_MS" | "TIMESTAMPMILLISECOND", _) => time(TimeUnit::Millisecond),
        ("TIMESTAMP_US" | "TIMESTAMPMICROSECOND", _) => time(TimeUnit::Microsecond),
        ("TIMESTAMP_NS" | "TIMESTAMPNANOSECOND", _) => time(TimeUnit::Nanosecond),
        (other, _) => Err(format!("this server has no type {other}")),
    }
}
