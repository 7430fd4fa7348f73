//! Values and attributes, as text and as JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Number, Value as Json};

use crate::messages::opentelemetry::proto::common::v1::any_value::Value;
use crate::messages::opentelemetry::proto::common::v1::{AnyValue, KeyValue};

/// How deep values may be nested; what lies deeper becomes null.
const DEEPEST: usize = 32;

/// A value as JSON: bytes in base64, and null for nothing as for numbers that JSON does not have.
pub(super) fn json(value: Option<&AnyValue>) -> Json {
    nested(value, DEEPEST)
}

fn nested(value: Option<&AnyValue>, depth: usize) -> Json {
    let Some(value) = value.and_then(|value| value.value.as_ref()).filter(|_| depth > 0) else { return Json::Null };
    match value {
        Value::StringValue(text) => Json::String(text.clone()),
        Value::BoolValue(flag) => Json::Bool(*flag),
        Value::IntValue(number) => Json::Number((*number).into()),
        Value::DoubleValue(number) => Number::from_f64(*number).map_or(Json::Null, Json::Number),
        Value::ArrayValue(array) => array.values.iter().map(|value| nested(Some(value), depth - 1)).collect(),
        Value::KvlistValue(list) => Json::Object(object(&list.values, depth - 1)),
        Value::BytesValue(bytes) => Json::String(STANDARD.encode(bytes)),
    }
}

fn object(attributes: &[KeyValue], depth: usize) -> Map<String, Json> {
    attributes.iter().map(|pair| (pair.key.clone(), nested(pair.value.as_ref(), depth))).collect()
}

/// Attributes as the text of a JSON object.
pub(super) fn object_text(attributes: &[KeyValue]) -> String {
    Json::Object(object(attributes, DEEPEST)).to_string()
}

/// A value as text: text as it is, all else as JSON; nothing for nothing.
pub(super) fn text(value: Option<&AnyValue>) -> Option<String> {
    match value?.value.as_ref()? {
        Value::StringValue(text) => Some(text.clone()),
        _ => Some(json(value).to_string()),
    }
}

/// A trace's or span's identity as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::opentelemetry::proto::common::v1::{ArrayValue, KeyValueList};

    fn any(value: Value) -> AnyValue {
        AnyValue { value: Some(value) }
    }

    #[test]
    fn every_kind_of_value_has_its_json() {
        let pair = |key: &str, value| KeyValue { key: key.into(), value: Some(any(value)) };
        let list = vec![any(Value::IntValue(i64::MIN)), AnyValue { value: None }];
        let attributes = [
            pair("text", Value::StringValue("\"x\"".into())),
            pair("flag", Value::BoolValue(true)),
            pair("double", Value::DoubleValue(2.0)),
            pair("nan", Value::DoubleValue(f64::NAN)),
            pair("bytes", Value::BytesValue(vec![1, 2])),
            pair("list", Value::ArrayValue(ArrayValue { values: list })),
            pair("map", Value::KvlistValue(KeyValueList { values: vec![pair("in", Value::IntValue(1))] })),
        ];
        let expected = serde_json::json!({"text": "\"x\"", "flag": true, "double": 2.0, "nan": null, "bytes": "AQI=",
            "list": [i64::MIN, null], "map": {"in": 1}});
        assert_eq!(object_text(&attributes).parse::<Json>().ok(), Some(expected));
        assert_eq!(text(Some(&any(Value::StringValue("a b".into())))).as_deref(), Some("a b"));
        assert_eq!(text(Some(&any(Value::IntValue(7)))).as_deref(), Some("7"));
        assert_eq!((text(None), hex(&[0xab, 0x01])), (None, "ab01".to_owned()));
    }

    #[test]
    fn endless_nesting_ends() {
        let deep = (0..100)
            .fold(AnyValue { value: None }, |inner, _| any(Value::ArrayValue(ArrayValue { values: vec![inner] })));
        assert_eq!(json(Some(&deep)).to_string().matches('[').count(), DEEPEST);
    }
}
