//! One property of a schema, and how a value of it is read and written.

use std::fmt;

use serde_json::{Number, Value};

/// The type of a property's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Text.
    String,
    /// A whole number, of 64 bits.
    Integer,
    /// A finite number.
    Number,
    /// `true` or `false`.
    Boolean,
}

impl Kind {
    /// The name in JSON Schema.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }

    pub(super) fn from_schema(name: &str) -> Option<Self> {
        [Self::String, Self::Integer, Self::Number, Self::Boolean].into_iter().find(|kind| kind.as_str() == name)
    }

    /// The value that `text`, as a user types it, stands for.
    pub(super) fn read(self, text: &str) -> Option<Value> {
        match self {
            Self::String => Some(Value::from(text)),
            Self::Boolean => text.parse().ok().map(Value::Bool),
            Self::Integer => integer(text).map(Value::Number),
            Self::Number => text.parse().ok().and_then(Number::from_f64).map(|number| {
                // What was typed as a whole number stays one on the wire.
                Value::Number(integer(text).unwrap_or(number))
            }),
        }
    }

    /// Whether a JSON value is of this kind.
    pub(super) fn holds(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Boolean => value.is_boolean(),
            Self::Number => value.is_number(),
            Self::Integer => value.is_i64() || value.is_u64(),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

fn integer(text: &str) -> Option<Number> {
    let unsigned = text.parse::<u64>().map(Number::from);
    unsigned.or_else(|_| text.parse::<i64>().map(Number::from)).ok()
}

/// One thing that can be set.
#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) nullable: bool,
    pub(super) required: bool,
    pub(super) secret: bool,
    pub(super) endpoint: bool,
    pub(super) description: String,
    pub(super) default: Option<Value>,
    pub(super) choices: Vec<Value>,
    pub(super) minimum: Option<Number>,
    pub(super) maximum: Option<Number>,
}

impl Property {
    /// Its name, as in `-P name=value`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of its values.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether it may be set to `null`.
    #[must_use]
    pub fn is_nullable(&self) -> bool {
        self.nullable
    }

    /// Whether the user must set it.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.required
    }

    /// Whether its value is a secret.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        self.secret
    }

    /// Whether its value is the address of a server: the user who sets it lets the plugin connect there.
    #[must_use]
    pub fn is_endpoint(&self) -> bool {
        self.endpoint
    }

    /// What it means, in the plugin's words.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// What it is when it is not set; `None` when it is then left out.
    #[must_use]
    pub fn default(&self) -> Option<String> {
        self.default.as_ref().map(wire)
    }

    /// The values that it may have; empty: any.
    #[must_use]
    pub fn choices(&self) -> Vec<String> {
        self.choices.iter().map(wire).collect()
    }

    /// The smallest value that it may have.
    #[must_use]
    pub fn minimum(&self) -> Option<String> {
        self.minimum.as_ref().map(Number::to_string)
    }

    /// The largest value that it may have.
    #[must_use]
    pub fn maximum(&self) -> Option<String> {
        self.maximum.as_ref().map(Number::to_string)
    }

    /// Whether a number lies within the bounds.
    pub(super) fn in_range(&self, number: &Number) -> bool {
        self.minimum.as_ref().is_none_or(|minimum| !less(number, minimum))
            && self.maximum.as_ref().is_none_or(|maximum| !less(maximum, number))
    }

    /// The bounds in words.
    pub(super) fn range(&self) -> String {
        match (&self.minimum, &self.maximum) {
            (Some(minimum), Some(maximum)) => format!("{minimum} to {maximum}"),
            (Some(minimum), None) => format!("at least {minimum}"),
            (None, Some(maximum)) => format!("at most {maximum}"),
            (None, None) => "any".to_owned(),
        }
    }
}

/// A value as the contract passes it: a string as it is, anything else in JSON.
pub(super) fn wire(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Compares exactly where both are whole numbers: 64 bits do not fit a double.
fn less(a: &Number, b: &Number) -> bool {
    let whole = |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => a < b,
        _ => a.as_f64().unwrap_or(f64::NAN) < b.as_f64().unwrap_or(f64::NAN),
    }
}
