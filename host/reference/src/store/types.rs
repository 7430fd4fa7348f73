//! How GreptimeDB spells types: in SQL, in JSON answers and in refusals.

use arrow::datatypes::{DataType, TimeUnit};

use super::schema::{JSON, Semantic};

/// As SQL has it: in `SHOW CREATE TABLE` and `information_schema`.
pub(crate) fn sql_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Boolean => "BOOLEAN".into(),
        DataType::Int8 => "TINYINT".into(),
        DataType::Int16 => "SMALLINT".into(),
        DataType::Int32 => "INT".into(),
        DataType::Int64 => "BIGINT".into(),
        DataType::UInt8 => "TINYINT UNSIGNED".into(),
        DataType::UInt16 => "SMALLINT UNSIGNED".into(),
        DataType::UInt32 => "INT UNSIGNED".into(),
        DataType::UInt64 => "BIGINT UNSIGNED".into(),
        DataType::Float32 => "FLOAT".into(),
        DataType::Float64 => "DOUBLE".into(),
        DataType::Binary => "VARBINARY".into(),
        DataType::Utf8 => "STRING".into(),
        DataType::Date32 => "DATE".into(),
        DataType::Decimal128(precision, scale) => format!("DECIMAL({precision}, {scale})"),
        DataType::Timestamp(unit, _) => format!("TIMESTAMP({})", digits(*unit)),
        json if *json == JSON => "JSON".into(),
        other => other.to_string().to_uppercase(),
    }
}

/// As JSON answers have it: in `column_schemas`.
pub(crate) fn json_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Utf8 | DataType::Utf8View => "String".into(),
        DataType::Date32 => "Date".into(),
        DataType::Timestamp(unit, _) => format!("Timestamp{unit:?}"),
        DataType::Decimal128(precision, scale) => format!("Decimal({precision}, {scale})"),
        json if *json == JSON => "Json".into(),
        other => other.to_string(),
    }
}

/// As a refusal names what a column holds: `Float64(Float64Type)`.
pub(super) fn logical_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Timestamp(unit, _) => format!("Timestamp({unit:?}(Timestamp{unit:?}Type))"),
        other => {
            let name = json_name(other);
            format!("{name}({name}Type)")
        }
    }
}

/// As a refusal names what was sent: `INT64(4)`, the name and number in GreptimeDB's protocol.
pub(super) fn wire_name(data_type: &DataType) -> String {
    let (name, number) = match data_type {
        DataType::Boolean => ("BOOLEAN", 0),
        DataType::Int8 => ("INT8", 1),
        DataType::Int16 => ("INT16", 2),
        DataType::Int32 => ("INT32", 3),
        DataType::Int64 => ("INT64", 4),
        DataType::UInt8 => ("UINT8", 5),
        DataType::UInt16 => ("UINT16", 6),
        DataType::UInt32 => ("UINT32", 7),
        DataType::UInt64 => ("UINT64", 8),
        DataType::Float32 => ("FLOAT32", 9),
        DataType::Float64 => ("FLOAT64", 10),
        DataType::Binary => ("BINARY", 11),
        DataType::Utf8 => ("STRING", 12),
        DataType::Date32 => ("DATE", 13),
        DataType::Timestamp(TimeUnit::Second, _) => ("TIMESTAMP_SECOND", 15),
        DataType::Timestamp(TimeUnit::Millisecond, _) => ("TIMESTAMP_MILLISECOND", 16),
        DataType::Timestamp(TimeUnit::Microsecond, _) => ("TIMESTAMP_MICROSECOND", 17),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => ("TIMESTAMP_NANOSECOND", 18),
        DataType::Decimal128(..) => ("DECIMAL128", 30),
        json if *json == JSON => ("JSON", 31),
        other => return other.to_string(),
    };
    format!("{name}({number})")
}

/// The number of a type in GreptimeDB's protocol.
pub(crate) fn wire_number(data_type: &DataType) -> Option<u32> {
    let name = wire_name(data_type);
    name.rsplit_once('(')?.1.trim_end_matches(')').parse().ok()
}

/// As a refusal names what a column is sent as: `TAG(0)`.
pub(super) fn wire_semantic(semantic: Semantic) -> &'static str {
    match semantic {
        Semantic::Tag => "TAG(0)",
        Semantic::Field => "FIELD(1)",
        Semantic::Timestamp => "TIMESTAMP(2)",
    }
}

/// Digits of a second's fraction.
pub(crate) fn digits(unit: TimeUnit) -> u32 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_types_as_the_real_server_does() {
        assert_eq!(logical_name(&DataType::Float64), "Float64(Float64Type)");
        assert_eq!(wire_name(&DataType::Int64), "INT64(4)");
        assert_eq!(wire_number(&DataType::Utf8), Some(12));
        let time = DataType::Timestamp(TimeUnit::Nanosecond, None);
        assert_eq!((sql_name(&time).as_str(), json_name(&time).as_str()), ("TIMESTAMP(9)", "TimestampNanosecond"));
        assert_eq!((sql_name(&JSON).as_str(), json_name(&JSON).as_str()), ("JSON", "Json"));
    }
}
