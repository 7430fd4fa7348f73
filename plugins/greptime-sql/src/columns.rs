//! Types of columns, as a dataset and as GreptimeDB have them.

use benchhost_plugin::{Column, DataType, Error, Result, Table};
use serde_json::Value;

/// The type that a column gets. JSON documents are stored as text, which is how every protocol carries them.
///
/// # Errors
///
/// `unsupported` for decimals and bytes, which no batch gives out.
pub fn sql_type(column: &Column) -> Result<&'static str> {
    Ok(match column.data_type {
        DataType::Boolean => "BOOLEAN",
        DataType::Int8 => "TINYINT",
        DataType::Int16 => "SMALLINT",
        DataType::Int32 => "INT",
        DataType::Int64 => "BIGINT",
        DataType::Uint8 => "TINYINT UNSIGNED",
        DataType::Uint16 => "SMALLINT UNSIGNED",
        DataType::Uint32 => "INT UNSIGNED",
        DataType::Uint64 => "BIGINT UNSIGNED",
        DataType::Float32 => "FLOAT",
        DataType::Float64 => "DOUBLE",
        DataType::Utf8 | DataType::Json => "STRING",
        DataType::Date32 => "DATE",
        DataType::TimestampSecond => "TIMESTAMP(0)",
        DataType::TimestampMillisecond => "TIMESTAMP(3)",
        DataType::TimestampMicrosecond => "TIMESTAMP(6)",
        DataType::TimestampNanosecond => "TIMESTAMP(9)",
        DataType::Decimal128 | DataType::Binary => {
            let (name, kind) = (&column.name, column.data_type);
            return Err(Error::unsupported(format!("column `{name}` is {kind:?}, which this plugin cannot write")));
        }
    })
}

/// The same type as `DESC TABLE` spells it.
fn described_type(data_type: DataType) -> &'static str {
    match data_type {
        DataType::Boolean => "Boolean",
        DataType::Int8 => "Int8",
        DataType::Int16 => "Int16",
        DataType::Int32 => "Int32",
        DataType::Int64 => "Int64",
        DataType::Uint8 => "UInt8",
        DataType::Uint16 => "UInt16",
        DataType::Uint32 => "UInt32",
        DataType::Uint64 => "UInt64",
        DataType::Float32 => "Float32",
        DataType::Float64 => "Float64",
        DataType::Utf8 | DataType::Json => "String",
        DataType::Date32 => "Date",
        DataType::TimestampSecond => "TimestampSecond",
        DataType::TimestampMillisecond => "TimestampMillisecond",
        DataType::TimestampMicrosecond => "TimestampMicrosecond",
        DataType::TimestampNanosecond => "TimestampNanosecond",
        DataType::Decimal128 => "Decimal",
        DataType::Binary => "Binary",
    }
}

/// A column of a table on the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredColumn {
    /// Its name.
    pub name: String,
    /// Its type, as the server spells it.
    pub data_type: String,
}

/// The rows of `DESC TABLE`: name and type come first.
pub(crate) fn described(answer: &Value) -> Vec<StoredColumn> {
    let rows = answer["output"][0]["records"]["rows"].as_array().map_or(&[][..], Vec::as_slice);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    rows.iter().map(|row| StoredColumn { name: text(&row[0]), data_type: text(&row[1]) }).collect()
}

impl StoredColumn {
    /// Why rows of `table` do not go into a table of these columns; none when every column is there with its type.
    #[must_use]
    pub fn difference(stored: &[Self], table: &Table) -> Option<String> {
        let find = |name: &str| stored.iter().find(|column| column.name == name);
        for column in &table.columns {
            let (name, expected) = (&column.name, described_type(column.data_type));
            match find(name) {
                None => return Some(format!("the table has no column `{name}`")),
                // `DESC` has spelled a timestamp as `TimestampMillisecond` and, in information_schema, as `timestamp(3)`.
                Some(found) if is_type(&found.data_type, column, expected) => {}
                Some(found) => {
                    let found = &found.data_type;
                    return Some(format!("column `{name}` is {found} in the table and {expected} in the batch"));
                }
            }
        }
        let missing = stored.iter().find(|stored| table.columns.iter().all(|column| column.name != stored.name));
        missing.map(|missing| format!("the table's column `{}` is not in the batch", missing.name))
    }
}

fn is_type(found: &str, column: &Column, expected: &str) -> bool {
    found.eq_ignore_ascii_case(expected) || sql_type(column).is_ok_and(|sql| found.eq_ignore_ascii_case(sql))
}
