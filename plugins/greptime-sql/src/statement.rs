//! Statements. Every identifier is quoted: many ordinary names are keywords to GreptimeDB.

use benchhost_plugin::text::sql_identifier;
use benchhost_plugin::{DataType, Error, Result, Semantic, Table};

use crate::columns::sql_type;

/// The column that holds the time of a row, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimeColumn {
    /// A timestamp, in the unit of its type.
    Timestamp {
        /// Its name.
        name: String,
        /// One of the timestamp types.
        data_type: DataType,
    },
    /// An integer, in nanoseconds.
    Nanoseconds {
        /// Its name.
        name: String,
    },
}

impl TimeColumn {
    /// The time column of a table that was made with the columns of the dataset.
    ///
    /// # Errors
    ///
    /// `internal` for a table without one, which no dataset has.
    pub fn of(table: &Table) -> Result<Self> {
        let column = table.columns.iter().find(|column| column.semantic == Semantic::Timestamp);
        let column = column.ok_or_else(|| Error::internal(format!("table `{}` has no time column", table.name)))?;
        Ok(Self::Timestamp { name: column.name.clone(), data_type: column.data_type })
    }
}

pub(crate) fn create_table(table: &Table, options: &[(&str, String)]) -> Result<String> {
    let mut parts = Vec::new();
    let mut tags = Vec::new();
    for column in &table.columns {
        let (name, kind) = (sql_identifier(&column.name), sql_type(column)?);
        // Nothing else is NOT NULL: published tables are not, and that would be work for the server.
        let rule = if column.semantic == Semantic::Timestamp { " TIME INDEX" } else { "" };
        parts.push(format!("{name} {kind}{rule}"));
        if column.semantic == Semantic::Tag {
            tags.push(name);
        }
    }
    if !tags.is_empty() {
        parts.push(format!("PRIMARY KEY({})", tags.join(", ")));
    }
    let (name, parts) = (sql_identifier(&table.name), parts.join(", "));
    let mut statement = format!("CREATE TABLE IF NOT EXISTS {name} ({parts})");
    if !options.is_empty() {
        let options: Vec<String> =
            options.iter().map(|(name, value)| format!("{} = {}", literal(name), literal(value))).collect();
        statement = format!("{statement} WITH ({})", options.join(", "));
    }
    Ok(statement)
}

pub(crate) fn count(name: &str, time: &TimeColumn, start_ns: i64, end_ns: i64) -> String {
    let (column, start, end) = match time {
        TimeColumn::Nanoseconds { name } => (name, start_ns.to_string(), end_ns.to_string()),
        TimeColumn::Timestamp { name, data_type } => {
            let (unit_ns, unit) = unit(*data_type);
            // A time of the column is at or after `ns` when it is at or after the next whole unit.
            let bound = |ns: i64| {
                let whole = ns.div_euclid(unit_ns) + i64::from(ns.rem_euclid(unit_ns) > 0);
                format!("arrow_cast({whole}, 'Timestamp({unit}, None)')")
            };
            (name, bound(start_ns), bound(end_ns))
        }
    };
    let (name, column) = (sql_identifier(name), sql_identifier(column));
    format!("SELECT count(*) FROM {name} WHERE {column} >= {start} AND {column} < {end}")
}

/// Nanoseconds of a timestamp type's unit, and the unit's name in Arrow.
fn unit(data_type: DataType) -> (i64, &'static str) {
    match data_type {
        DataType::TimestampSecond => (1_000_000_000, "Second"),
        DataType::TimestampMillisecond => (1_000_000, "Millisecond"),
        DataType::TimestampMicrosecond => (1000, "Microsecond"),
        _ => (1, "Nanosecond"),
    }
}

/// A text in single quotes.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
