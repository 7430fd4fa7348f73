//! Reads the part of JSON Schema that the contract has. What it does not know it refuses: a rule that nobody enforces is worse than none.

use serde_json::{Number, Value};

use super::problem::SchemaError;
use super::property::{Kind, Property, wire};
use crate::redact::Redactor;

/// Words that tell people something and check nothing.
const ANNOTATIONS: [&str; 5] = ["title", "examples", "deprecated", "readOnly", "$comment"];

/// What can be set in a plugin.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingsSchema {
    properties: Vec<Property>,
}

impl SettingsSchema {
    /// Reads a schema.
    ///
    /// # Errors
    ///
    /// When it is not of the contract's part of JSON Schema; the property is named.
    pub fn parse(json: &str) -> Result<Self, SchemaError> {
        let schema: Value =
            serde_json::from_str(json).map_err(|error| SchemaError::NotJson { reason: error.to_string() })?;
        let Value::Object(schema) = schema else { return Err(SchemaError::NotAnObject) };
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(SchemaError::NotAnObject);
        }
        let mut properties = match schema.get("properties") {
            None => Vec::new(),
            Some(Value::Object(properties)) => {
                properties.iter().map(|(name, said)| property(name, said)).collect::<Result<_, _>>()?
            }
            Some(_) => return Err(SchemaError::NotAnObject),
        };
        for name in required(schema.get("required"))? {
            match properties.iter_mut().find(|property| property.name == name) {
                // One with a default need not be set by anyone.
                Some(property) => property.required = property.default.is_none(),
                None => return Err(SchemaError::Required { problem: format!("there is no property `{name}`") }),
            }
        }
        Ok(Self { properties })
    }

    /// All properties.
    #[must_use]
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// The property of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }
}

fn required(said: Option<&Value>) -> Result<Vec<String>, SchemaError> {
    let Some(said) = said else { return Ok(Vec::new()) };
    serde_json::from_value(said.clone()).map_err(|error| SchemaError::Required { problem: error.to_string() })
}

fn property(name: &str, said: &Value) -> Result<Property, SchemaError> {
    let wrong = |problem: String| SchemaError::Property { property: name.escape_debug().to_string(), problem };
    let Value::Object(said) = said else { return Err(wrong("it must be an object".to_owned())) };
    if name.is_empty() || name.contains(|c: char| c == '=' || c.is_control()) {
        return Err(wrong(
            "a name must not be empty and must hold no `=` and no control character, so that `-P name=value` can set it".to_owned(),
        ));
    }
    let (kind, nullable) = kind(said.get("type")).map_err(wrong)?;
    let mut property = Property {
        name: name.to_owned(),
        kind,
        nullable,
        required: false,
        secret: false,
        endpoint: false,
        description: String::new(),
        default: None,
        choices: Vec::new(),
        minimum: None,
        maximum: None,
    };
    for (keyword, value) in said {
        keyword_of(&mut property, keyword, value).map_err(wrong)?;
    }
    if let Some(default) = &property.default {
        check_default(&property, default).map_err(wrong)?;
    }
    Ok(property)
}

fn keyword_of(property: &mut Property, keyword: &str, value: &Value) -> Result<(), String> {
    let not = |what: &str| format!("`{keyword}` must be {what}");
    match keyword {
        "type" => {}
        "description" => property.description = plain(value.as_str().ok_or_else(|| not("text"))?),
        // Other formats are for the reader.
        "format" => property.endpoint = property.kind == Kind::String && value.as_str() == Some("endpoint"),
        "writeOnly" => property.secret = value.as_bool().ok_or_else(|| not("true or false"))?,
        "default" => property.default = Some(value.clone()).filter(|value| !value.is_null()),
        "minimum" => {
            property.minimum =
                Some(bound(property.kind, value).ok_or_else(|| not("a number, and only numbers have one"))?);
        }
        "maximum" => {
            property.maximum =
                Some(bound(property.kind, value).ok_or_else(|| not("a number, and only numbers have one"))?);
        }
        "enum" => {
            let choices = value.as_array().filter(|choices| !choices.is_empty());
            let choices = choices.ok_or_else(|| not("a list that is not empty"))?;
            property.choices = choices.iter().filter(|choice| !choice.is_null()).cloned().collect();
            if let Some(other) = property.choices.iter().find(|choice| !property.kind.holds(choice)) {
                return Err(format!("`enum` holds {other}, which is no {}", property.kind));
            }
        }
        annotation if ANNOTATIONS.contains(&annotation) => {}
        other => {
            return Err(format!(
                "`{}` is not part of the contract's JSON Schema, and the host would not check it",
                other.escape_debug()
            ));
        }
    }
    Ok(())
}

/// Text that people are shown: it cannot steer their terminal.
fn plain(text: &str) -> String {
    Redactor::default().clean(text)
}

/// One of the four types, or a list of one of them and `null`.
fn kind(said: Option<&Value>) -> Result<(Kind, bool), String> {
    let unknown = || "`type` must be string, integer, number or boolean, or a list of one of these and null".to_owned();
    let named = |value: &Value| value.as_str().and_then(Kind::from_schema).ok_or_else(unknown);
    match said {
        Some(Value::Array(types)) => match types.as_slice() {
            [one] => Ok((named(one)?, false)),
            [null, one] | [one, null] if null.as_str() == Some("null") => Ok((named(one)?, true)),
            _ => Err(unknown()),
        },
        Some(one) => Ok((named(one)?, false)),
        None => Err(unknown()),
    }
}

fn bound(kind: Kind, value: &Value) -> Option<Number> {
    match (kind, value) {
        (Kind::Integer | Kind::Number, Value::Number(number)) => Some(number.clone()),
        _ => None,
    }
}

fn check_default(property: &Property, default: &Value) -> Result<(), String> {
    if !property.kind.holds(default) {
        return Err(format!("the default {default} is no {}", property.kind));
    }
    if let Value::Number(number) = default
        && !property.in_range(number)
    {
        return Err(format!("the default {number} is not {}", property.range()));
    }
    if !property.choices.is_empty() && !property.choices.contains(default) {
        return Err(format!("the default `{}` is not among the values of `enum`", wire(default)));
    }
    Ok(())
}

/// Property names in the order in which a hint looks through them.
pub(super) fn names(schema: &SettingsSchema) -> Vec<String> {
    schema.properties.iter().map(|property| property.name.clone()).collect()
}
