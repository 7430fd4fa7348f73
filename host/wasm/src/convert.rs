//! The contract's words to the host's and back.

use std::time::Duration;

use benchhost_core::{ErrorKind, OpError};
use benchhost_data::{Column, DataType, Semantic, Table, TableError, TimeUnit};

use crate::bindings::types as guest;
use crate::log::{MAX_MESSAGE, cut};
use crate::redact::Redactor;

/// The longest error code that is counted, in bytes.
const MAX_CODE: usize = 128;

/// An error for the guest that is not worth trying again.
pub(crate) fn guest_error(kind: guest::ErrorKind, message: String) -> guest::Error {
    guest::Error { kind, code: None, message, retryable: false, retry_after_ms: None, rows_accepted: None }
}

/// An error of the guest, without the secrets it must not hold, and not longer than anyone reads.
pub(crate) fn op_error(error: guest::Error, redactor: &Redactor) -> OpError {
    OpError {
        kind: match error.kind {
            guest::ErrorKind::Unsupported => ErrorKind::Unsupported,
            guest::ErrorKind::Invalid => ErrorKind::Invalid,
            guest::ErrorKind::Denied => ErrorKind::Denied,
            guest::ErrorKind::Unavailable => ErrorKind::Unavailable,
            guest::ErrorKind::TimedOut => ErrorKind::TimedOut,
            guest::ErrorKind::Throttled => ErrorKind::Throttled,
            guest::ErrorKind::Rejected => ErrorKind::Rejected,
            guest::ErrorKind::Partial => ErrorKind::Partial,
            guest::ErrorKind::Cancelled => ErrorKind::Cancelled,
            guest::ErrorKind::Internal => ErrorKind::Internal,
        },
        code: error.code.map(|code| cut(redactor.clean(&code), MAX_CODE)),
        message: cut(redactor.clean(&error.message), MAX_MESSAGE),
        retryable: error.retryable,
        retry_after: error.retry_after_ms.map(Duration::from_millis),
        rows_accepted: error.rows_accepted,
    }
}

pub(crate) fn table_to_guest(table: &Table) -> guest::Table {
    guest::Table { name: table.name().to_owned(), columns: table.columns().iter().map(column_to_guest).collect() }
}

pub(crate) fn table_from_guest(table: guest::Table) -> Result<Table, TableError> {
    Table::new(table.name, table.columns.into_iter().map(column_from_guest).collect())
}

fn column_to_guest(column: &Column) -> guest::Column {
    guest::Column {
        name: column.name.clone(),
        semantic: match column.semantic {
            Semantic::Tag => guest::Semantic::Tag,
            Semantic::Field => guest::Semantic::Field,
            Semantic::Timestamp => guest::Semantic::Timestamp,
        },
        data_type: match column.data_type {
            DataType::Boolean => guest::DataType::Boolean,
            DataType::Int8 => guest::DataType::Int8,
            DataType::Int16 => guest::DataType::Int16,
            DataType::Int32 => guest::DataType::Int32,
            DataType::Int64 => guest::DataType::Int64,
            DataType::UInt8 => guest::DataType::Uint8,
            DataType::UInt16 => guest::DataType::Uint16,
            DataType::UInt32 => guest::DataType::Uint32,
            DataType::UInt64 => guest::DataType::Uint64,
            DataType::Float32 => guest::DataType::Float32,
            DataType::Float64 => guest::DataType::Float64,
            DataType::Decimal128 => guest::DataType::Decimal128,
            DataType::Utf8 => guest::DataType::Utf8,
            DataType::Binary => guest::DataType::Binary,
            DataType::Json => guest::DataType::Json,
            DataType::Date32 => guest::DataType::Date32,
            DataType::Timestamp(TimeUnit::Second) => guest::DataType::TimestampSecond,
            DataType::Timestamp(TimeUnit::Millisecond) => guest::DataType::TimestampMillisecond,
            DataType::Timestamp(TimeUnit::Microsecond) => guest::DataType::TimestampMicrosecond,
            DataType::Timestamp(TimeUnit::Nanosecond) => guest::DataType::TimestampNanosecond,
        },
        nullable: column.nullable,
    }
}

fn column_from_guest(column: guest::Column) -> Column {
    Column {
        name: column.name,
        semantic: match column.semantic {
            guest::Semantic::Tag => Semantic::Tag,
            guest::Semantic::Field => Semantic::Field,
            guest::Semantic::Timestamp => Semantic::Timestamp,
        },
        data_type: match column.data_type {
            guest::DataType::Boolean => DataType::Boolean,
            guest::DataType::Int8 => DataType::Int8,
            guest::DataType::Int16 => DataType::Int16,
            guest::DataType::Int32 => DataType::Int32,
            guest::DataType::Int64 => DataType::Int64,
            guest::DataType::Uint8 => DataType::UInt8,
            guest::DataType::Uint16 => DataType::UInt16,
            guest::DataType::Uint32 => DataType::UInt32,
            guest::DataType::Uint64 => DataType::UInt64,
            guest::DataType::Float32 => DataType::Float32,
            guest::DataType::Float64 => DataType::Float64,
            guest::DataType::Decimal128 => DataType::Decimal128,
            guest::DataType::Utf8 => DataType::Utf8,
            guest::DataType::Binary => DataType::Binary,
            guest::DataType::Json => DataType::Json,
            guest::DataType::Date32 => DataType::Date32,
            guest::DataType::TimestampSecond => DataType::Timestamp(TimeUnit::Second),
            guest::DataType::TimestampMillisecond => DataType::Timestamp(TimeUnit::Millisecond),
            guest::DataType::TimestampMicrosecond => DataType::Timestamp(TimeUnit::Microsecond),
            guest::DataType::TimestampNanosecond => DataType::Timestamp(TimeUnit::Nanosecond),
        },
        nullable: column.nullable,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_table_of_every_type_survives_the_way_to_the_guest_and_back() {
        let units = [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];
        let mut types = vec![
            DataType::Boolean,
            DataType::Int8,
            DataType::Int16,
            DataType::Int32,
            DataType::Int64,
            DataType::UInt8,
            DataType::UInt16,
            DataType::UInt32,
            DataType::UInt64,
            DataType::Float32,
            DataType::Float64,
            DataType::Decimal128,
            DataType::Utf8,
            DataType::Binary,
            DataType::Json,
            DataType::Date32,
        ];
        types.extend(units.map(DataType::Timestamp));
        let mut columns: Vec<Column> = types
            .into_iter()
            .map(|data_type| Column {
                name: data_type.to_string(),
                semantic: Semantic::Field,
                data_type,
                nullable: true,
            })
            .collect();
        let tag = Column { name: "tag".into(), semantic: Semantic::Tag, data_type: DataType::Utf8, nullable: false };
        let time = DataType::Timestamp(TimeUnit::Nanosecond);
        columns.push(tag);
        columns.push(Column { name: "ts".into(), semantic: Semantic::Timestamp, data_type: time, nullable: false });
        let table = Table::new("everything", columns).unwrap();
        assert_eq!(table_from_guest(table_to_guest(&table)).unwrap(), table);
    }

    #[test]
    fn an_error_keeps_everything_but_the_secret() {
        let error = guest::Error {
            kind: guest::ErrorKind::Throttled,
            code: Some("429".into()),
            message: "token s3cret-t0ken was refused".into(),
            retryable: true,
            retry_after_ms: Some(1500),
            rows_accepted: Some(7),
        };
        let error = op_error(error, &Redactor::new(["s3cret-t0ken"]));
        assert_eq!(error.message, "token *** was refused");
        assert_eq!((error.kind, error.code.as_deref(), error.retryable), (ErrorKind::Throttled, Some("429"), true));
        assert_eq!((error.retry_after, error.rows_accepted), (Some(Duration::from_millis(1500)), Some(7)));
    }
}
