//! Reads an `ExportLogsServiceRequest` by the public description of the protocol, and knows nothing of how one is written.

use benchhost_plugin::proto::read::{Value, fields};

/// A log record.
#[derive(Debug, PartialEq, Default)]
pub(super) struct Record {
    pub(super) time: u64,
    pub(super) observed: u64,
    pub(super) severity: (u64, String),
    pub(super) body: String,
    pub(super) attributes: Vec<(String, String)>,
}

fn message(value: Value<'_>) -> Vec<(u32, Value<'_>)> {
    fields(value.as_bytes().unwrap()).unwrap()
}

fn text(value: Value<'_>) -> String {
    String::from_utf8(value.as_bytes().unwrap().to_vec()).unwrap()
}

/// The attributes of the resource, and the records.
pub(super) fn decode(bytes: &[u8]) -> (Vec<(String, String)>, Vec<Record>) {
    let [(1, resource_logs)] = fields(bytes).unwrap()[..] else { panic!("not one `ResourceLogs`") };
    let (mut resource, mut records) = (Vec::new(), Vec::new());
    for (number, value) in message(resource_logs) {
        match number {
            1 => resource.extend(message(value).into_iter().map(|(_, attribute)| key_value(attribute))),
            2 => records.extend(message(value).into_iter().map(|(number, value)| {
                assert_eq!(number, 2, "`ScopeLogs` has records and nothing else");
                record(value)
            })),
            other => panic!("`ResourceLogs` has field {other}"),
        }
    }
    (resource, records)
}

fn record(value: Value<'_>) -> Record {
    let mut record = Record::default();
    for (number, value) in message(value) {
        match (number, value) {
            (1, Value::Fixed64(time)) => record.time = time,
            (11, Value::Fixed64(time)) => record.observed = time,
            (2, Value::Varint(number)) => record.severity.0 = number,
            (3, value) => record.severity.1 = text(value),
            (5, value) => record.body = any_value(value),
            (6, value) => record.attributes.push(key_value(value)),
            other => panic!("`LogRecord` has {other:?}"),
        }
    }
    record
}

fn key_value(value: Value<'_>) -> (String, String) {
    let [(1, key), (2, value)] = message(value)[..] else { panic!("no `KeyValue`") };
    (text(key), any_value(value))
}

fn any_value(value: Value<'_>) -> String {
    match message(value)[..] {
        [(1, value)] => format!("text {}", text(value)),
        [(2, Value::Varint(value))] => format!("bool {value}"),
        [(3, Value::Varint(value))] => format!("int {}", value as i64),
        [(4, Value::Fixed64(value))] => format!("double {}", f64::from_bits(value)),
        ref other => panic!("no `AnyValue`: {other:?}"),
    }
}
