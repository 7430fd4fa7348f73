//! Reads a `GreptimeRequest` by the public description of the protocol, and knows nothing of how one is written.

use benchhost_plugin::proto::read::{Value, fields};

/// A request for one table.
#[derive(Debug, PartialEq, Default)]
pub(super) struct Request {
    pub(super) database: String,
    /// User and password.
    pub(super) basic: Option<(String, String)>,
    pub(super) table: String,
    /// Name, type and meaning of each column.
    pub(super) columns: Vec<(String, u64, u64)>,
    /// Values as the number of the field of `Value` and what stands there; `NULL` for an empty one.
    pub(super) rows: Vec<Vec<String>>,
}

fn message(value: Value<'_>) -> Vec<(u32, Value<'_>)> {
    fields(value.as_bytes().unwrap()).unwrap()
}

fn text(value: Value<'_>) -> String {
    String::from_utf8(value.as_bytes().unwrap().to_vec()).unwrap()
}

/// The only field of that number.
fn only<'a>(all: &[(u32, Value<'a>)], number: u32) -> Value<'a> {
    let found: Vec<_> = all.iter().filter(|(other, _)| *other == number).collect();
    assert_eq!(found.len(), 1, "field {number} in {all:?}");
    found[0].1
}

pub(super) fn decode(bytes: &[u8]) -> Request {
    let request = fields(bytes).unwrap();
    let header = message(only(&request, 1));
    let basic = header.iter().find(|(number, _)| *number == 3).map(|(_, authorization)| {
        let basic = message(only(&message(*authorization), 1));
        (text(only(&basic, 1)), text(only(&basic, 2)))
    });
    let insert = message(only(&message(only(&request, 6)), 1));
    let mut decoded =
        Request { database: text(only(&header, 4)), basic, table: text(only(&insert, 1)), ..Request::default() };
    for (number, value) in message(only(&insert, 2)) {
        let parts = message(value);
        match number {
            1 => decoded.columns.push((
                text(only(&parts, 1)),
                only(&parts, 2).as_varint().unwrap(),
                only(&parts, 3).as_varint().unwrap(),
            )),
            2 => decoded.rows.push(parts.iter().map(|(number, value)| cell(*number, *value)).collect()),
            other => panic!("`Rows` has no field {other}"),
        }
    }
    decoded
}

fn cell(number: u32, value: Value<'_>) -> String {
    assert_eq!(number, 1, "a row has values and nothing else");
    match message(value).as_slice() {
        [] => "NULL".into(),
        [(10, Value::Fixed64(bits))] => format!("10={}", f64::from_bits(*bits)),
        [(9, Value::Fixed32(bits))] => format!("9={}", f32::from_bits(*bits)),
        [(13, Value::Bytes(bytes))] => format!("13={}", String::from_utf8_lossy(bytes)),
        // Signed integers are two's complement.
        [(number @ (1..=4 | 14 | 16..=19), Value::Varint(value))] => format!("{number}={}", *value as i64),
        [(number, Value::Varint(value))] => format!("{number}={value}"),
        other => panic!("no value: {other:?}"),
    }
}
