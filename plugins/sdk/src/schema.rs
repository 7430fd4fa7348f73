//! The JSON Schema of a plugin's settings, cut down to what the contract's `about` interface describes: flat
//! properties, whose enums are lists of strings.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// What a property may say; anything else that schemars knows means nothing to the host.
const KEPT: [&str; 8] = ["type", "description", "default", "enum", "minimum", "maximum", "writeOnly", "format"];
/// The only `format` that the host knows: an address, which a user grants by setting it.
const ENDPOINT: &str = "endpoint";

/// The schema of `T`, as JSON text.
#[must_use]
pub fn settings_schema<T: JsonSchema>() -> String {
    let generator = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true).into_generator();
    let mut root = generator.into_root_schema_for::<T>().to_value();
    let mut properties = Map::new();
    if let Some(Value::Object(all)) = root.get_mut("properties") {
        for (name, property) in std::mem::take(all) {
            properties.insert(name, flat(property));
        }
    }
    let required = root.get_mut("required").map_or_else(|| json!([]), Value::take);
    json!({ "type": "object", "properties": properties, "required": required }).to_string()
}

/// One property without nesting.
fn flat(property: Value) -> Value {
    let Value::Object(mut property) = property else { return json!({}) };
    // `Option<Enum>` is said as "any of: the enum, null".
    if let Some(Value::Array(choices)) = property.remove("anyOf") {
        let nullable = choices.iter().any(|choice| choice["type"] == "null");
        if let Some(Value::Object(inner)) = choices.into_iter().find(|choice| choice["type"] != "null") {
            for (key, value) in inner {
                property.entry(key).or_insert(value);
            }
        }
        if nullable {
            let inner = property.get_mut("type").map_or_else(|| json!("string"), Value::take);
            property.insert("type".into(), json!([inner, "null"]));
        }
    }
    // An enum whose variants are documented is said as "one of: a constant each".
    if let Some(Value::Array(choices)) = property.remove("oneOf") {
        let (values, words) = variants(&choices);
        property.insert("enum".into(), Value::Array(values));
        property.entry("type").or_insert_with(|| json!("string"));
        if let Some(Value::String(description)) = property.get_mut("description") {
            *description = format!("{description} {words}").trim_end().to_owned();
        }
    }
    // Absent is how the host says null.
    if let Some(Value::Array(values)) = property.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if property.get("default").is_some_and(Value::is_null) {
        property.remove("default");
    }
    if let Some(Value::String(description)) = property.get_mut("description") {
        *description = description.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    // schemars also names the sizes of numbers there.
    property.retain(|key, value| KEPT.contains(&key.as_str()) && (key != "format" || value == ENDPOINT));
    Value::Object(property)
}

/// The constants of an enum, and their descriptions in one line.
fn variants(choices: &[Value]) -> (Vec<Value>, String) {
    let mut values = Vec::new();
    let mut words = Vec::new();
    for choice in choices {
        if let Some(Value::Array(plain)) = choice.get("enum") {
            values.extend(plain.iter().cloned());
        }
        if let Some(constant) = choice.get("const") {
            values.push(constant.clone());
            if let (Some(name), Some(description)) = (constant.as_str(), choice["description"].as_str()) {
                words.push(format!("{name}: {description}"));
            }
        }
    }
    (values, words.join(" "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::Secret;

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum Plain {
        A,
        TwoWords,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Documented {
        /// The first.
        A,
        /// The second.
        B,
    }

    fn three() -> u16 {
        3
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "only its schema is looked at")]
    struct Own {
        /// Where it
        /// goes.
        endpoint: String,
        /// How many.
        #[serde(default = "three")]
        #[schemars(range(min = 1, max = 9))]
        count: u16,
        /// Which.
        documented: Documented,
        /// Perhaps which.
        plain: Option<Plain>,
        /// Perhaps.
        #[serde(default)]
        ratio: Option<f64>,
        /// Hidden.
        token: Option<Secret>,
        /// Another place.
        #[schemars(extend("format" = "endpoint"))]
        other: Option<String>,
    }

    #[test]
    fn a_struct_becomes_flat_properties() {
        let schema: Value = serde_json::from_str(&settings_schema::<Own>()).unwrap();
        let expected = json!({
            "type": "object",
            "required": ["endpoint", "documented"],
            "properties": {
                "endpoint": { "type": "string", "description": "Where it goes." },
                "count": { "type": "integer", "description": "How many.", "default": 3, "minimum": 1, "maximum": 9 },
                "documented": { "type": "string", "description": "Which. a: The first. b: The second.", "enum": ["a", "b"] },
                "plain": { "type": ["string", "null"], "description": "Perhaps which.", "enum": ["a", "two-words"] },
                "ratio": { "type": ["number", "null"], "description": "Perhaps." },
                "token": { "type": ["string", "null"], "description": "Hidden.", "writeOnly": true },
                "other": { "type": ["string", "null"], "description": "Another place.", "format": "endpoint" },
            }
        });
        assert_eq!(schema, expected);
    }
}
