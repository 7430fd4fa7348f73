//! The schema that a stream begins with.

use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use arrow_ipc as ipc;

use super::Fault;

/// Reads an IPC message that must be a schema.
///
/// Only types that a table may have are known. Each has one array without children, which is what makes a batch of them safe to decode.
pub(super) fn read(header: &[u8]) -> Result<Schema, Fault> {
    let message = ipc::root_as_message(header).map_err(|error| Fault::new(format!("no IPC message: {error}")))?;
    let schema = message.header_as_schema().ok_or_else(|| Fault::new("the first message is no schema"))?;
    if schema.endianness() != ipc::Endianness::Little {
        return Err(Fault::new("the schema is big-endian"));
    }
    let fields = schema.fields().ok_or_else(|| Fault::new("the schema has no fields"))?;
    let mut read = Vec::with_capacity(fields.len());
    for field in fields {
        let name = field.name().unwrap_or_default();
        if field.dictionary().is_some() {
            return Err(Fault::new(format!(
                "column {name}: dictionaries cannot be found (Cannot find a dictionary batch)"
            )));
        }
        let data_type = data_type(&field).ok_or_else(|| {
            let kind = field.type_type().variant_name().unwrap_or("an unknown type");
            Fault::new(format!("column {name}: {kind} is no type of a table"))
        })?;
        read.push(Field::new(name, data_type, field.nullable()));
    }
    Ok(Schema::new(read))
}

fn data_type(field: &ipc::Field<'_>) -> Option<DataType> {
    let unit = |unit| match unit {
        ipc::TimeUnit::SECOND => Some(TimeUnit::Second),
        ipc::TimeUnit::MILLISECOND => Some(TimeUnit::Millisecond),
        ipc::TimeUnit::MICROSECOND => Some(TimeUnit::Microsecond),
        ipc::TimeUnit::NANOSECOND => Some(TimeUnit::Nanosecond),
        _ => None,
    };
    Some(match field.type_type() {
        ipc::Type::Bool => DataType::Boolean,
        ipc::Type::Utf8 => DataType::Utf8,
        ipc::Type::LargeUtf8 => DataType::LargeUtf8,
        ipc::Type::Binary => DataType::Binary,
        ipc::Type::LargeBinary => DataType::LargeBinary,
        ipc::Type::Int => {
            let int = field.type_as_int()?;
            match (int.bitWidth(), int.is_signed()) {
                (8, true) => DataType::Int8,
                (16, true) => DataType::Int16,
                (32, true) => DataType::Int32,
                (64, true) => DataType::Int64,
                (8, false) => DataType::UInt8,
                (16, false) => DataType::UInt16,
                (32, false) => DataType::UInt32,
                (64, false) => DataType::UInt64,
                _ => return None,
            }
        }
        ipc::Type::FloatingPoint => match field.type_as_floating_point()?.precision() {
            ipc::Precision::SINGLE => DataType::Float32,
            ipc::Precision::DOUBLE => DataType::Float64,
            _ => return None,
        },
        ipc::Type::Date => match field.type_as_date()?.unit() {
            ipc::DateUnit::DAY => DataType::Date32,
            _ => return None,
        },
        ipc::Type::Timestamp => {
            let timestamp = field.type_as_timestamp()?;
            DataType::Timestamp(unit(timestamp.unit())?, timestamp.timezone().map(Into::into))
        }
        ipc::Type::Decimal => {
            let decimal = field.type_as_decimal()?;
            let (precision, scale) = (u8::try_from(decimal.precision()).ok()?, i8::try_from(decimal.scale()).ok()?);
            let sound = decimal.bitWidth() == 128 && (1..=38).contains(&precision) && scale.unsigned_abs() <= 38;
            sound.then_some(DataType::Decimal128(precision, scale))?
        }
        _ => return None,
    })
}
