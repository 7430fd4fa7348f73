//! What a table is: its name and its columns, checked once so that everything behind it can rely on the rules.
//!
//! A table holds no rows and knows no database.

use crate::types::{DataType, Semantic, TimeUnit};

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Column {
    /// Unique within the table.
    pub name: String,
    /// What the column means.
    pub semantic: Semantic,
    /// What its values are.
    pub data_type: DataType,
    /// Whether a row may lack a value.
    pub nullable: bool,
}

/// A table, measurement, metric group or stream. Every value of this type has passed the rules of [`Table::new`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Table {
    name: String,
    columns: Vec<Column>,
    timestamp: usize,
    unit: TimeUnit,
    fields: usize,
}

impl Table {
    /// Checks the rules: a name; columns with unique, non-empty names; exactly one timestamp column, of a timestamp type
    /// and never NULL; tags of type `utf8`; at least one field.
    pub fn new(name: impl Into<String>, columns: Vec<Column>) -> Result<Self, TableError> {
        let table = name.into();
        if table.is_empty() {
            return Err(TableError::NoName);
        }
        let mut names = std::collections::HashSet::with_capacity(columns.len());
        let mut timestamp = None;
        let mut fields = 0;
        for (index, column) in columns.iter().enumerate() {
            if column.name.is_empty() {
                return Err(TableError::NoColumnName { table, index });
            }
            if !names.insert(column.name.as_str()) {
                return Err(TableError::SameName { table, column: column.name.clone() });
            }
            match column.semantic {
                Semantic::Tag if column.data_type != DataType::Utf8 => {
                    return Err(TableError::TagType {
                        table,
                        column: column.name.clone(),
                        data_type: column.data_type,
                    });
                }
                Semantic::Tag => {}
                Semantic::Field => fields += 1,
                Semantic::Timestamp => {
                    let DataType::Timestamp(unit) = column.data_type else {
                        return Err(TableError::TimestampType {
                            table,
                            column: column.name.clone(),
                            data_type: column.data_type,
                        });
                    };
                    if column.nullable {
                        return Err(TableError::TimestampNullable { table, column: column.name.clone() });
                    }
                    if let Some((first, _)) = timestamp {
                        let first: &Column = &columns[first];
                        return Err(TableError::TwoTimestamps {
                            table,
                            first: first.name.clone(),
                            second: column.name.clone(),
                        });
                    }
                    timestamp = Some((index, unit));
                }
            }
        }
        let Some((timestamp, unit)) = timestamp else {
            return Err(TableError::NoTimestamp { table });
        };
        if fields == 0 {
            return Err(TableError::NoField { table });
        }
        Ok(Self { name: table, columns, timestamp, unit, fields })
    }

    /// The table's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The columns, in order. Everywhere else a column is named by its position in this list, from 0.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Position and unit of the timestamp column.
    pub fn timestamp(&self) -> (usize, TimeUnit) {
        (self.timestamp, self.unit)
    }

    /// How many columns are fields: the number of values in a row.
    pub fn fields(&self) -> usize {
        self.fields
    }
}

/// A rule that a table breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The table's name is empty.
    #[error("a table has an empty name: give it one")]
    NoName,
    /// A column's name is empty.
    #[error("table `{table}`: column {index} (from 0) has an empty name: give it one")]
    NoColumnName {
        /// The table.
        table: String,
        /// The column's position.
        index: usize,
    },
    /// Two columns have the same name.
    #[error("table `{table}`: two columns are named `{column}`: column names must differ")]
    SameName {
        /// The table.
        table: String,
        /// The name that occurs twice.
        column: String,
    },
    /// A tag is no text.
    #[error("table `{table}`, column `{column}`: a tag must be utf8, not {data_type}")]
    TagType {
        /// The table.
        table: String,
        /// The tag.
        column: String,
        /// Its type.
        data_type: DataType,
    },
    /// The timestamp column is of another type.
    #[error("table `{table}`, column `{column}`: the timestamp must be of a timestamp type, not {data_type}")]
    TimestampType {
        /// The table.
        table: String,
        /// The timestamp column.
        column: String,
        /// Its type.
        data_type: DataType,
    },
    /// The timestamp may be NULL.
    #[error("table `{table}`, column `{column}`: the timestamp cannot be nullable")]
    TimestampNullable {
        /// The table.
        table: String,
        /// The timestamp column.
        column: String,
    },
    /// There is more than one timestamp column.
    #[error(
        "table `{table}`: `{first}` and `{second}` are both timestamp columns: exactly one may be, \
         make the other a field"
    )]
    TwoTimestamps {
        /// The table.
        table: String,
        /// The first timestamp column.
        first: String,
        /// The second timestamp column.
        second: String,
    },
    /// There is no timestamp column.
    #[error("table `{table}` has no timestamp column: exactly one column must be one")]
    NoTimestamp {
        /// The table.
        table: String,
    },
    /// There is no field.
    #[error("table `{table}` has no field: at least one column must be one")]
    NoField {
        /// The table.
        table: String,
    },
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn column(name: &str, semantic: Semantic, data_type: DataType) -> Column {
        Column { name: name.into(), semantic, data_type, nullable: false }
    }

    fn tag(name: &str) -> Column {
        column(name, Semantic::Tag, DataType::Utf8)
    }

    fn field(name: &str) -> Column {
        column(name, Semantic::Field, DataType::Float64)
    }

    fn time(name: &str) -> Column {
        column(name, Semantic::Timestamp, DataType::Timestamp(TimeUnit::Millisecond))
    }

    fn message(name: &str, columns: Vec<Column>) -> String {
        Table::new(name, columns).unwrap_err().to_string()
    }

    #[test]
    fn a_valid_table_knows_its_timestamp_and_fields() {
        let table = Table::new("cpu", vec![tag("host"), field("a"), time("ts"), field("b")]).unwrap();
        assert_eq!(table.name(), "cpu");
        assert_eq!(table.timestamp(), (2, TimeUnit::Millisecond));
        assert_eq!(table.fields(), 2);
        assert_eq!(table.columns()[0].name, "host");
    }

    #[test]
    fn every_broken_rule_is_named_with_its_place() {
        assert_eq!(message("", vec![]), "a table has an empty name: give it one");
        assert_eq!(
            message("t", vec![time("ts"), field("")]),
            "table `t`: column 1 (from 0) has an empty name: give it one"
        );
        assert_eq!(
            message("t", vec![tag("x"), field("x"), time("ts")]),
            "table `t`: two columns are named `x`: column names must differ"
        );
        assert_eq!(
            message("t", vec![column("x", Semantic::Tag, DataType::Int8), time("ts")]),
            "table `t`, column `x`: a tag must be utf8, not int8"
        );
        assert_eq!(
            message("t", vec![column("x", Semantic::Timestamp, DataType::Int64)]),
            "table `t`, column `x`: the timestamp must be of a timestamp type, not int64"
        );
        assert_eq!(
            message("t", vec![Column { nullable: true, ..time("ts") }, field("x")]),
            "table `t`, column `ts`: the timestamp cannot be nullable"
        );
        assert_eq!(
            message("t", vec![time("a"), time("b"), field("x")]),
            "table `t`: `a` and `b` are both timestamp columns: exactly one may be, make the other a field"
        );
        assert_eq!(message("t", vec![field("x")]), "table `t` has no timestamp column: exactly one column must be one");
        assert_eq!(message("t", vec![tag("x"), time("ts")]), "table `t` has no field: at least one column must be one");
    }

    #[test]
    fn a_field_may_be_of_a_timestamp_type() {
        let ingested = column("ingested", Semantic::Field, DataType::Timestamp(TimeUnit::Second));
        let table = Table::new("t", vec![time("ts"), ingested]).unwrap();
        assert_eq!(table.timestamp(), (0, TimeUnit::Millisecond));
    }
}
