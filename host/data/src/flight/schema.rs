//! The schema of a table, and the message that opens a stream with it.

use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteOptions};
use arrow_schema::{Field, Schema};

use crate::column::arrow_type;
use crate::table::Table;

use super::message::{
    self, DATA_HEADER, DESCRIPTOR_PATH, DESCRIPTOR_TYPE, FLIGHT_DESCRIPTOR, PATH, flight_metadata, push_bytes,
};

/// The table's schema as a message of the Arrow IPC format, without the framing that it has in a file.
///
/// Types are those of the batches that [`FlightEncoder`](super::FlightEncoder) writes: text and JSON are `Utf8`, decimals
/// `Decimal128(38, 0)`, times have no zone. A field is nullable if the column is.
pub fn flight_schema(table: &Table) -> Vec<u8> {
    let fields: Vec<_> = table
        .columns()
        .iter()
        .map(|column| Field::new(&column.name, arrow_type(column.data_type), column.nullable))
        .collect();
    let mut dictionaries = DictionaryTracker::new(false);
    IpcDataGenerator::default()
        .schema_to_bytes_with_dictionary_tracker(&Schema::new(fields), &mut dictionaries, &IpcWriteOptions::default())
        .ipc_message
}

/// The first `FlightData` message of a `DoPut` stream into `table`, whole and without the framing of gRPC: a descriptor of the
/// type PATH with `path`, the schema, and request id 0. It has no body.
pub fn flight_schema_message<S: AsRef<str>>(table: &Table, path: &[S]) -> Vec<u8> {
    let mut descriptor = Vec::new();
    message::push_varint_field(&mut descriptor, DESCRIPTOR_TYPE, PATH);
    for element in path {
        push_bytes(&mut descriptor, DESCRIPTOR_PATH, element.as_ref().as_bytes());
    }
    let schema = flight_schema(table);
    let mut message = Vec::with_capacity(descriptor.len() + schema.len() + 64);
    push_bytes(&mut message, FLIGHT_DESCRIPTOR, &descriptor);
    push_bytes(&mut message, DATA_HEADER, &schema);
    message.extend(flight_metadata(0));
    message
}
