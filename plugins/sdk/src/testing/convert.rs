//! Between the contract's words and those of the native data crate.

use benchhost_data as data;

use crate::{DataType, Error, Semantic, Table, TimeUnit};

pub(super) fn table_to_data(table: &Table) -> Result<data::Table, Error> {
    let columns = table.columns.iter().map(|column| data::Column {
        name: column.name.clone(),
        semantic: match column.semantic {
            Semantic::Tag => data::Semantic::Tag,
            Semantic::Field => data::Semantic::Field,
            Semantic::Timestamp => data::Semantic::Timestamp,
        },
        data_type: type_to_data(column.data_type),
        nullable: column.nullable,
    });
    data::Table::new(&table.name, columns.collect()).map_err(|error| Error::internal(error.to_string()))
}

pub(super) fn table_of_data(table: &data::Table) -> Table {
    let columns = table.columns().iter().map(|column| crate::Column {
        name: column.name.clone(),
        semantic: match column.semantic {
            data::Semantic::Tag => Semantic::Tag,
            data::Semantic::Field => Semantic::Field,
            data::Semantic::Timestamp => Semantic::Timestamp,
        },
        data_type: type_of_data(column.data_type),
        nullable: column.nullable,
    });
    Table { name: table.name().to_owned(), columns: columns.collect() }
}

pub(super) fn unit_to_data(unit: TimeUnit) -> data::TimeUnit {
    match unit {
        TimeUnit::Second => data::TimeUnit::Second,
        TimeUnit::Millisecond => data::TimeUnit::Millisecond,
        TimeUnit::Microsecond => data::TimeUnit::Microsecond,
        TimeUnit::Nanosecond => data::TimeUnit::Nanosecond,
    }
}

pub(super) fn encode_error(error: &data::EncodeError) -> Error {
    match error {
        data::EncodeError::Unsupported { .. } => Error::unsupported(error.to_string()),
        _ => Error::invalid(error.to_string()),
    }
}

fn type_to_data(data_type: DataType) -> data::DataType {
    match data_type {
        DataType::Boolean => data::DataType::Boolean,
        DataType::Int8 => data::DataType::Int8,
        DataType::Int16 => data::DataType::Int16,
        DataType::Int32 => data::DataType::Int32,
        DataType::Int64 => data::DataType::Int64,
        DataType::Uint8 => data::DataType::UInt8,
        DataType::Uint16 => data::DataType::UInt16,
        DataType::Uint32 => data::DataType::UInt32,
        DataType::Uint64 => data::DataType::UInt64,
        DataType::Float32 => data::DataType::Float32,
        DataType::Float64 => data::DataType::Float64,
        DataType::Decimal128 => data::DataType::Decimal128,
        DataType::Utf8 => data::DataType::Utf8,
        DataType::Binary => data::DataType::Binary,
        DataType::Json => data::DataType::Json,
        DataType::Date32 => data::DataType::Date32,
        DataType::TimestampSecond => data::DataType::Timestamp(data::TimeUnit::Second),
        DataType::TimestampMillisecond => data::DataType::Timestamp(data::TimeUnit::Millisecond),
        DataType::TimestampMicrosecond => data::DataType::Timestamp(data::TimeUnit::Microsecond),
        DataType::TimestampNanosecond => data::DataType::Timestamp(data::TimeUnit::Nanosecond),
    }
}

fn type_of_data(data_type: data::DataType) -> DataType {
    match data_type {
        data::DataType::Boolean => DataType::Boolean,
        data::DataType::Int8 => DataType::Int8,
        data::DataType::Int16 => DataType::Int16,
        data::DataType::Int32 => DataType::Int32,
        data::DataType::Int64 => DataType::Int64,
        data::DataType::UInt8 => DataType::Uint8,
        data::DataType::UInt16 => DataType::Uint16,
        data::DataType::UInt32 => DataType::Uint32,
        data::DataType::UInt64 => DataType::Uint64,
        data::DataType::Float32 => DataType::Float32,
        data::DataType::Float64 => DataType::Float64,
        data::DataType::Decimal128 => DataType::Decimal128,
        data::DataType::Utf8 => DataType::Utf8,
        data::DataType::Binary => DataType::Binary,
        data::DataType::Json => DataType::Json,
        data::DataType::Date32 => DataType::Date32,
        data::DataType::Timestamp(data::TimeUnit::Second) => DataType::TimestampSecond,
        data::DataType::Timestamp(data::TimeUnit::Millisecond) => DataType::TimestampMillisecond,
        data::DataType::Timestamp(data::TimeUnit::Microsecond) => DataType::TimestampMicrosecond,
        data::DataType::Timestamp(data::TimeUnit::Nanosecond) => DataType::TimestampNanosecond,
    }
}
